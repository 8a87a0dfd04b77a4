package account

import (
	"time"

	"roughcut/store/fault"
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

// MaxAccessTokens is the maximum number of tokens of a user.
const MaxAccessTokens = 100

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
		Stale:   (*accessTokenRow).expired,
	}
)

func (r *accessTokenRow) expired(now time.Time) bool {
	return r.ExpiresAt != nil && !r.ExpiresAt.After(now)
}

// AddAccessToken stores a new token and sets its UUID and CreatedAt. Errors: Conflict for a user
// with too many tokens.
func (r Registry) AddAccessToken(token AccessToken) (AccessToken, error) {
	if accessTokens.Count(r, accessTokensByUser, token.UserUUID) >= MaxAccessTokens {
		return AccessToken{}, fault.New(
			fault.Conflict,
			"conflict",
			"You have %d access tokens, which is the maximum. Revoke one that you no longer need.",
			MaxAccessTokens,
		)
	}

	seq, err := accessTokens.NextSeq(r)
	if err != nil {
		return AccessToken{}, err
	}
	token.UUID, token.CreatedAt, token.LastUsedAt = r.NewID(), r.Now, nil
	return token, accessTokens.Put(r, &accessTokenRow{token, seq})
}

// AccessTokens returns a user's tokens that have not expired, newest first.
func (r Registry) AccessTokens(userUUID string) ([]AccessToken, error) {
	var list []AccessToken
	rows, _, err := accessTokens.Page(r, table.Page{}, accessTokensByUser, userUUID)
	for _, row := range rows {
		if !row.expired(r.Now) {
			list = append(list, row.AccessToken)
		}
	}

	return list, err
}

// FindAccessToken returns the token with a hash and its user. Stale says that TouchAccessToken has
// a later time of use to record. Errors: NotFound for an unknown or expired token.
func (r Registry) FindAccessToken(hash string) (token AccessToken, user User, stale bool, err error) {
	row, err := r.liveAccessToken(hash)
	if err != nil {
		return AccessToken{}, User{}, false, err
	}
	user, err = r.User(row.UserUUID)
	return row.AccessToken, user, row.LastUsedAt == nil || r.Now.Sub(*row.LastUsedAt) >= lastUsedStep, err
}

// TouchAccessToken records that a token is used now. Errors: NotFound.
func (r Registry) TouchAccessToken(hash string) (AccessToken, error) {
	row, err := r.liveAccessToken(hash)
	if err != nil {
		return AccessToken{}, err
	}
	now := r.Now
	row.LastUsedAt = &now
	return row.AccessToken, accessTokens.Put(r, row)
}

func (r Registry) liveAccessToken(hash string) (*accessTokenRow, error) {
	row, err := accessTokens.Lookup(r, accessTokensByHash, hash)
	if err != nil {
		return nil, err
	}
	if row == nil || row.expired(r.Now) {
		return nil, fault.Missing(accessTokens.Noun)
	}
	return row, nil
}

// RevokeAccessToken deletes a token of a user and returns its hash. Errors: NotFound, Forbidden.
func (r Registry) RevokeAccessToken(userUUID, uuid string) (hash string, err error) {
	if hash, err = r.OwnAccessToken(userUUID, uuid); err != nil {
		return "", err
	}
	return hash, accessTokens.Delete(r, uuid)
}

// OwnAccessToken returns the hash of a token of a user. Errors: NotFound, then Forbidden.
func (r Registry) OwnAccessToken(userUUID, uuid string) (hash string, err error) {
	row, err := accessTokens.Get(r, uuid)
	if err != nil {
		return "", err
	}
	if row.UserUUID != userUUID {
		return "", fault.NotYours(accessTokens.Noun)
	}
	return row.Hash, nil
}

// DropProjectTokens deletes the tokens of a user for a project.
func (r Registry) DropProjectTokens(userUUID, projectUUID string) error {
	list, err := accessTokens.List(r, accessTokensByUser, userUUID)
	if err != nil {
		return err
	}
	for _, row := range list {
		if row.ProjectUUID == projectUUID {
			if err := accessTokens.Delete(r, row.UUID); err != nil {
				return err
			}
		}
	}

	return nil
}
