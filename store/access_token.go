package store

import (
	"time"

	"roughcut/store/table"
)

// AccessToken is a personal access token. Only the SHA-256 of its text is stored.
type AccessToken struct {
	UUID, UserUUID, Name, Hash string
	CreatedAt                  time.Time
	ExpiresAt, LastUsedAt      *time.Time // nil: never
	ReadOnly                   bool       `json:",omitempty"` // allows only to read
	ProjectUUID                string     `json:",omitempty"` // the only project that the token allows; empty for all
}

// maxAccessTokens is the maximum number of tokens of a user.
const maxAccessTokens = 100

// lastUsedStep is the precision of LastUsedAt, so that not every request writes.
const lastUsedStep = time.Minute

type accessTokenRow struct {
	AccessToken
	Seq uint64
}

var (
	accessTokensByHash = &table.Index[accessTokenRow]{
		Name:   "access_tokens.by_hash",
		Unique: true,
		Keys:   func(r *accessTokenRow) [][]byte { return table.Entry(r.Hash) },
	}
	accessTokensByUser = &table.Index[accessTokenRow]{
		Name: "access_tokens.by_user",
		Keys: func(r *accessTokenRow) [][]byte { return table.Entry(r.UserUUID, r.Seq) },
	}
	accessTokens = &table.Table[accessTokenRow]{
		Name:    "access_tokens",
		Noun:    "token",
		Key:     func(r *accessTokenRow) []byte { return []byte(r.UUID) },
		Indexes: []*table.Index[accessTokenRow]{accessTokensByHash, accessTokensByUser},
	}
)

func (r *accessTokenRow) expired(now time.Time) bool {
	return r.ExpiresAt != nil && !r.ExpiresAt.After(now)
}

// CreateAccessToken stores a new token and sets its UUID and CreatedAt. Epoch is the user's epoch
// when the request was checked. Errors: Conflict for a user with too many tokens; Unauthenticated
// when the user's sessions have ended since, for example by a new password; NotFound, Forbidden for
// the project of the token.
func (s *Store) CreateAccessToken(token AccessToken, epoch int64) (AccessToken, error) {
	row := &accessTokenRow{AccessToken: token}
	err := s.update(func(t *txn) (err error) {
		if err := t.checkEpoch(row.UserUUID, epoch); err != nil {
			return err
		}
		if row.ProjectUUID != "" {
			if _, err := t.ownProject(row.UserUUID, row.ProjectUUID); err != nil {
				return err
			}
		}

		if accessTokens.Count(t, accessTokensByUser, row.UserUUID) >= maxAccessTokens {
			return fail(
				Conflict,
				"conflict",
				"You have %d access tokens, which is the maximum. Revoke one that you no longer need.",
				maxAccessTokens,
			)
		}

		if row.Seq, err = accessTokens.NextSeq(t); err != nil {
			return err
		}
		row.UUID, row.CreatedAt, row.LastUsedAt = s.NewID(), t.Now, nil
		return accessTokens.Put(t, row)
	})
	if err != nil {
		return AccessToken{}, err
	}
	return row.AccessToken, nil
}

// AccessTokens returns a user's tokens that have not expired, newest first.
func (s *Store) AccessTokens(userUUID string) ([]AccessToken, error) {
	var list []AccessToken
	err := s.view(func(t *txn) error {
		rows, _, err := accessTokens.Page(t, Page{}, accessTokensByUser, userUUID)
		for _, row := range rows {
			if !row.expired(t.Now) {
				list = append(list, row.AccessToken)
			}
		}

		return err
	})
	return list, err
}

// UseAccessToken returns the token with a hash and its user, and records the time of use to the
// minute. Errors: NotFound for an unknown or expired token.
func (s *Store) UseAccessToken(hash string) (AccessToken, User, error) {
	var token AccessToken
	var user User
	stale := false
	err := s.view(func(t *txn) error {
		row, err := t.liveAccessToken(hash)
		if err != nil {
			return err
		}
		owner, err := users.Get(t, row.UserUUID)
		if err != nil {
			return err
		}
		token, user = row.AccessToken, owner.user()
		stale = row.LastUsedAt == nil || t.Now.Sub(*row.LastUsedAt) >= lastUsedStep
		return nil
	})
	if err == nil && stale {
		err = s.freeBatch(func(t *txn) error {
			row, err := t.liveAccessToken(hash)
			if err != nil {
				return err
			}
			now := t.Now
			row.LastUsedAt = &now
			token = row.AccessToken
			return accessTokens.Put(t, row)
		})
	}

	if err != nil {
		return AccessToken{}, User{}, err
	}
	return token, user, nil
}

func (t *txn) liveAccessToken(hash string) (*accessTokenRow, error) {
	row, err := accessTokens.Lookup(t, accessTokensByHash, hash)
	if err != nil {
		return nil, err
	}
	if row == nil || row.expired(t.Now) {
		return nil, notFound(accessTokens.Noun)
	}
	return row, nil
}

// RevokeAccessToken deletes a token of a user and returns its hash. Errors: NotFound, Forbidden.
func (s *Store) RevokeAccessToken(userUUID, uuid string) (hash string, err error) {
	err = s.free(func(t *txn) error {
		row, err := t.ownAccessToken(userUUID, uuid)
		if err != nil {
			return err
		}
		hash = row.Hash
		return accessTokens.Delete(t, uuid)
	})
	return hash, err
}

// ownAccessToken returns a token of a user. Errors: NotFound, then Forbidden.
func (t *txn) ownAccessToken(userUUID, uuid string) (*accessTokenRow, error) {
	row, err := accessTokens.Get(t, uuid)
	if err != nil {
		return nil, err
	}
	if row.UserUUID != userUUID {
		return nil, notYours(accessTokens.Noun)
	}
	return row, nil
}

// dropProjectTokens deletes the tokens for a project of a user.
func (t *txn) dropProjectTokens(projectUUID string) error {
	project, err := projects.Get(t, projectUUID)
	if err != nil {
		return err
	}
	list, err := accessTokens.List(t, accessTokensByUser, project.UserUUID)
	if err != nil {
		return err
	}
	for _, row := range list {
		if row.ProjectUUID == projectUUID {
			if err := accessTokens.Delete(t, row.UUID); err != nil {
				return err
			}
		}
	}

	return nil
}
