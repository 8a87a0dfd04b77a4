package store

import (
	"time"

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
	}
)

// slideShare is the part of a session's lifetime, as 1/slideShare, after which a use extends the
// stored end.
const slideShare = 24

// CreateSession stores a new session. Epoch is the user's epoch when the sign-in was checked.
// Errors: Unauthenticated when the user's sessions have ended since, for example by a new password.
func (s *Store) CreateSession(row Session, epoch int64) error {
	return s.free(func(t *txn) error {
		if err := t.checkEpoch(row.UserUUID, epoch); err != nil {
			return err
		}
		return sessions.Put(t, &row)
	})
}

// checkEpoch refuses an operation that was allowed before all sessions of the user ended. Errors:
// Unauthenticated.
func (t *txn) checkEpoch(userUUID string, epoch int64) error {
	row, err := users.Get(t, userUUID)
	if err != nil {
		return err
	}
	if row.Epoch != epoch {
		return fail(
			Unauthenticated,
			"not_authenticated",
			"All sessions of this account have ended. Sign in again.",
		)
	}

	return nil
}

// Session returns a session and its user, and extends the session to ttl from now. It writes the
// new end only after 1/24 of ttl has passed. Errors: NotFound for an unknown or expired session.
func (s *Store) Session(hash string, ttl time.Duration) (Session, User, error) {
	var row *Session
	var user User
	slide := false
	err := s.view(func(t *txn) error {
		var err error
		if row, err = t.liveSession(hash); err != nil {
			return err
		}
		owner, err := users.Get(t, row.UserUUID)
		if err != nil {
			return err
		}
		user = owner.user()
		slide = t.Now.Add(ttl).Sub(row.ExpiresAt) > ttl/slideShare
		return nil
	})
	if err != nil {
		return Session{}, User{}, err
	}
	if slide {
		err = s.freeBatch(func(t *txn) error {
			live, err := t.liveSession(hash)
			if err != nil {
				return err
			}
			live.ExpiresAt = t.Now.Add(ttl)
			row = live
			return sessions.Put(t, live)
		})
	}

	if err != nil {
		return Session{}, User{}, err
	}
	return *row, user, nil
}

func (t *txn) liveSession(hash string) (*Session, error) {
	row, err := sessions.Get(t, hash)
	if err != nil {
		return nil, err
	}
	if !row.ExpiresAt.After(t.Now) {
		return nil, notFound(sessions.Noun)
	}
	return row, nil
}

// DeleteSession ends a session. It ignores an unknown session.
func (s *Store) DeleteSession(hash string) error {
	return s.free(func(t *txn) error { return sessions.Delete(t, hash) })
}

// DeleteSessions ends all sessions and signed addresses of a user and returns the number of live
// sessions.
func (s *Store) DeleteSessions(userUUID string) (int, error) {
	var n int
	err := s.free(func(t *txn) (err error) {
		n, err = t.endSessions(userUUID)
		return err
	})
	return n, err
}

func (t *txn) endSessions(userUUID string) (int, error) {
	if _, err := t.changeUser(userUUID, func(r *userRow) error { r.Epoch++; return nil }); err != nil {
		return 0, err
	}
	rows, err := sessions.List(t, sessionsByUser, userUUID)
	if err != nil {
		return 0, err
	}
	alive := 0
	for _, row := range rows {
		if row.ExpiresAt.After(t.Now) {
			alive++
		}
		if err := sessions.Delete(t, row.Hash); err != nil {
			return 0, err
		}
	}

	return alive, nil
}
