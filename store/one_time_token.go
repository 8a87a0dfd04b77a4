package store

import (
	"time"

	"roughcut/store/table"
)

// usedToken records the use of a single-use token until the token expires.
type usedToken struct {
	ID        string
	ExpiresAt time.Time
}

var tokens = &table.Table[usedToken]{
	Name: "tokens",
	Noun: "token",
	Key:  func(r *usedToken) []byte { return []byte(r.ID) },
}

// UseToken redeems a single-use token. Errors: Invalid invalid_token for a token that was used
// before or has expired.
func (s *Store) UseToken(id string, expires time.Time) error {
	return s.update(func(t *txn) error { return t.useToken(id, expires) })
}

func (t *txn) useToken(id string, expires time.Time) error {
	used, err := tokens.Find(t, id)
	if err != nil {
		return err
	}
	if used != nil || !expires.After(t.Now) {
		return fail(Invalid, "invalid_token", "This link was already used or has expired. Request a new one.")
	}
	return tokens.Put(t, &usedToken{ID: id, ExpiresAt: expires})
}
