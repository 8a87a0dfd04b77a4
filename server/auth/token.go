package auth

import (
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Purpose says what a signed token is for. Each purpose has its own key, so a token of one opens
// nothing else.
type Purpose string

// The purposes of tokens: links in mails, and addresses that need no session.
const (
	VerifyEmail   Purpose = "verify-email"
	ResetPassword Purpose = "reset-password"
	ChangeEmail   Purpose = "change-email"
	Upload        Purpose = "upload"
	Media         Purpose = "media"
	Download      Purpose = "download"
	Asset         Purpose = "asset"
	Invite        Purpose = "invite"
)

// audience marks tokens as ours.
const audience = "roughcut"

// ErrToken says that a token is forged, expired, or for something else.
var ErrToken = errors.New("the token is not valid")

// Claims is what a token grants.
type Claims struct {
	ID       string // unique; what is used once is remembered by it
	Purpose  Purpose
	User     string // uuid of the account that it acts for, or of the invitation
	Object   string // what it opens: the id of a file or record; for links in mails the email address
	NewEmail string // for ChangeEmail: the address that Object is to become
	Epoch    int64  // the account's epoch; a token of an older epoch is void
	Expires  time.Time
}

// Keys gives the signing key of a purpose.
type Keys interface {
	Secret(purpose string) ([]byte, error)
}

// Signer makes and checks tokens: JWTs signed with HMAC-SHA-256.
type Signer struct {
	keys Keys
	now  func() time.Time
}

// NewSigner returns a Signer. Expiry is judged by now.
func NewSigner(keys Keys, now func() time.Time) *Signer { return &Signer{keys: keys, now: now} }

// wireClaims is the JSON of a token. Expiry is in seconds with fractions, as RFC 7519 allows, so
// that short lives are exact.
type wireClaims struct {
	ID       string  `json:"jti"`
	Audience string  `json:"aud"`
	Purpose  Purpose `json:"pur"`
	User     string  `json:"sub"`
	Object   string  `json:"obj,omitempty"`
	NewEmail string  `json:"new_email,omitempty"`
	Epoch    int64   `json:"epo"`
	Expires  float64 `json:"exp"`
}

func (c wireClaims) expires() time.Time { return time.UnixMilli(int64(c.Expires*1000 + 0.5)).UTC() }

// GetExpirationTime is part of jwt.Claims.
func (c wireClaims) GetExpirationTime() (*jwt.NumericDate, error) {
	return &jwt.NumericDate{Time: c.expires()}, nil
}

// GetIssuedAt is part of jwt.Claims; tokens do not carry it.
func (c wireClaims) GetIssuedAt() (*jwt.NumericDate, error) { return nil, nil }

// GetNotBefore is part of jwt.Claims; tokens do not carry it.
func (c wireClaims) GetNotBefore() (*jwt.NumericDate, error) { return nil, nil }

// GetIssuer is part of jwt.Claims; tokens do not carry it.
func (c wireClaims) GetIssuer() (string, error) { return "", nil }

// GetSubject is part of jwt.Claims.
func (c wireClaims) GetSubject() (string, error) { return c.User, nil }

// GetAudience is part of jwt.Claims.
func (c wireClaims) GetAudience() (jwt.ClaimStrings, error) { return jwt.ClaimStrings{c.Audience}, nil }

// Sign returns the token of claims.
func (s *Signer) Sign(c Claims) (string, error) {
	key, err := s.key(c.Purpose)
	if err != nil {
		return "", err
	}
	wire := wireClaims{
		ID:       c.ID,
		Audience: audience,
		Purpose:  c.Purpose,
		User:     c.User,
		Object:   c.Object,
		NewEmail: c.NewEmail,
		Epoch:    c.Epoch,
		Expires:  float64(c.Expires.UnixMilli()) / 1000,
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, wire).SignedString(key)
	if err != nil {
		return "", fmt.Errorf("sign a %s token: %w", c.Purpose, err)
	}
	return token, nil
}

// Verify returns the claims of a token of the given purpose, or ErrToken. Whether the epoch still
// holds is for the caller to judge.
func (s *Signer) Verify(token string, purpose Purpose) (Claims, error) {
	key, err := s.key(purpose)
	if err != nil {
		return Claims{}, err
	}
	var wire wireClaims
	_, err = jwt.ParseWithClaims(
		token,
		&wire,
		func(*jwt.Token) (any, error) { return key, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithAudience(audience),
		jwt.WithExpirationRequired(),
		jwt.WithTimeFunc(s.now),
	)
	if err != nil || wire.Purpose != purpose || wire.ID == "" || wire.User == "" {
		return Claims{}, ErrToken
	}
	return Claims{
		ID:       wire.ID,
		Purpose:  wire.Purpose,
		User:     wire.User,
		Object:   wire.Object,
		NewEmail: wire.NewEmail,
		Epoch:    wire.Epoch,
		Expires:  wire.expires(),
	}, nil
}

func (s *Signer) key(purpose Purpose) ([]byte, error) {
	key, err := s.keys.Secret("token:" + string(purpose))
	if err != nil {
		return nil, fmt.Errorf("get the key of %s tokens: %w", purpose, err)
	}
	return key, nil
}
