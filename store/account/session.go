package account

import (
	"time"

	"roughcut/store/fault"
	"roughcut/store/table"
)

// Session is a signed-in browser. Only the SHA-256 of its cookie is stored.
type Session struct {
	Hash, UserUUID, CSRF string
	CreatedAt, ExpiresAt time.Time
	// created with a launch token, which only the person who started the program has
	Launched bool `json:",omitempty"`
}

var (
	sessionsByUser = &table.Index[Session]{
		Name: "sessions.by_user",
		Keys: func(r *Session) [][]byte { return table.Entry(r.UserUUID) },
	}
	sessions = &table.Table[Session]{
		Name:       "sessions",
		Noun:       "session",
		Key:        func(r *Session) []byte { return []byte(r.Hash) },
		CachedRows: 256,
		Indexes:    []*table.Index[Session]{sessionsByUser},
		Stale:      func(r *Session, now time.Time) bool { return !r.ExpiresAt.After(now) },
	}
)

// slideShare limits how often the stored end of a session moves: a request extends it once
// 1/slideShare of the session's lifetime has passed.
const slideShare = 24

// CreateSession stores a new session. Epoch is the user's epoch when the sign-in was checked.
// Errors: Unauthenticated when the user's sessions have ended since, for example by a new password.
func (r Registry) CreateSession(row Session, epoch int64) error {
	if err := r.CheckEpoch(row.UserUUID, epoch); err != nil {
		return err
	}
	return sessions.Put(r, &row)
}

// CheckEpoch refuses an operation that was allowed before all sessions of the user ended. Errors:
// Unauthenticated.
func (r Registry) CheckEpoch(userUUID string, epoch int64) error {
	row, err := users.Get(r, userUUID)
	if err != nil {
		return err
	}
	if row.Epoch != epoch {
		return fault.New(
			fault.Unauthenticated,
			"not_authenticated",
			"All sessions of this account have ended. Sign in again.",
		)
	}

	return nil
}

// Session returns a session and its user. Slide says that ExtendSession to ttl from now has a new
// end to write, which is so after 1/24 of ttl. Errors: NotFound for an unknown or expired session.
func (r Registry) Session(hash string, ttl time.Duration) (session Session, user User, slide bool, err error) {
	row, err := r.liveSession(hash)
	if err != nil {
		return Session{}, User{}, false, err
	}
	user, err = r.User(row.UserUUID)
	return *row, user, r.Now.Add(ttl).Sub(row.ExpiresAt) > ttl/slideShare, err
}

// ExtendSession extends a session to ttl from now. Errors: NotFound for an unknown or expired
// session.
func (r Registry) ExtendSession(hash string, ttl time.Duration) (Session, error) {
	row, err := r.liveSession(hash)
	if err != nil {
		return Session{}, err
	}
	row.ExpiresAt = r.Now.Add(ttl)
	return *row, sessions.Put(r, row)
}

func (r Registry) liveSession(hash string) (*Session, error) {
	row, err := sessions.Get(r, hash)
	if err != nil {
		return nil, err
	}
	if !row.ExpiresAt.After(r.Now) {
		return nil, fault.Missing(sessions.Noun)
	}
	return row, nil
}

// DeleteSession ends a session. It ignores an unknown session.
func (r Registry) DeleteSession(hash string) error { return sessions.Delete(r, hash) }

// EndSessions ends all sessions and signed addresses of a user and returns the number of live
// sessions.
func (r Registry) EndSessions(userUUID string) (int, error) {
	if _, err := r.changeUser(userUUID, func(row *userRow) error { row.Epoch++; return nil }); err != nil {
		return 0, err
	}
	rows, err := sessions.List(r, sessionsByUser, userUUID)
	if err != nil {
		return 0, err
	}
	alive := 0
	for _, row := range rows {
		if row.ExpiresAt.After(r.Now) {
			alive++
		}
		if err := sessions.Delete(r, row.Hash); err != nil {
			return 0, err
		}
	}

	return alive, nil
}
