package account

import (
	"time"

	"roughcut/store/fault"
	"roughcut/store/table"
)

// usedToken records the use of a single-use token until the token expires.
type usedToken struct {
	ID        string
	ExpiresAt time.Time
}

var tokens = &table.Table[usedToken]{
	Name:  "tokens",
	Noun:  "token",
	Key:   func(r *usedToken) []byte { return []byte(r.ID) },
	Stale: func(r *usedToken, now time.Time) bool { return !r.ExpiresAt.After(now) },
}

// UseToken redeems a single-use token. Errors: Invalid invalid_token for a token that was used
// before or has expired.
func (r Registry) UseToken(id string, expires time.Time) error {
	used, err := tokens.Find(r, id)
	if err != nil {
		return err
	}
	if used != nil || !expires.After(r.Now) {
		return fault.New(
			fault.Invalid,
			"invalid_token",
			"This link was already used or has expired. Request a new one.",
		)
	}

	return tokens.Put(r, &usedToken{ID: id, ExpiresAt: expires})
}
