package store

import "time"

// usedToken remembers a single-use token until it would have expired anyway.
type usedToken struct {
	ID        string
	ExpiresAt time.Time
}

var tokens = &table[usedToken]{name: "tokens", what: "token", key: func(r *usedToken) []byte { return []byte(r.ID) }}

// UseToken uses a single-use token up. Errors: Invalid invalid_token when it was used before or has
// expired.
func (s *Store) UseToken(id string, expires time.Time) error {
	return s.update(func(t *txn) error { return t.useToken(id, expires) })
}

func (t *txn) useToken(id string, expires time.Time) error {
	used, err := tokens.find(t, id)
	if err != nil {
		return err
	}
	if used != nil || !expires.After(t.now) {
		return fail(Invalid, "invalid_token", "This link was used before or has expired; ask for a new one.")
	}
	return tokens.put(t, &usedToken{ID: id, ExpiresAt: expires})
}
