package auth

import (
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Purpose is the use of a signed token. Each purpose has its own key, so a token for one purpose is
// invalid for all others.
type Purpose string

// Purposes of tokens: mailed links, and addresses that work without a session.
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

// audience is the aud claim of all tokens.
const audience = "roughcut"

// ErrToken means that a token is forged, expired, or for another purpose.
var ErrToken = errors.New("the token is not valid")

// Claims is the content of a token.
type Claims struct {
	ID       string // unique; the store remembers the IDs of used one-time tokens
	Purpose  Purpose
	User     string // UUID of the account or invitation
	Object   string // ID of a file or record; for mailed links the email address
	NewEmail string // for ChangeEmail: the new address
	Epoch    int64  // of the account; a token of an older epoch is invalid
	Expires  time.Time
}

// Keys returns the signing key of each purpose.
type Keys interface {
	Secret(purpose string) ([]byte, error)
}

// Signer signs and verifies tokens: JWTs with HMAC-SHA-256.
type Signer struct {
	keys Keys
	now  func() time.Time
}

// NewSigner returns a Signer that checks expiry against now.
func NewSigner(keys Keys, now func() time.Time) *Signer { return &Signer{keys: keys, now: now} }

// wireClaims is the JSON of a token. Its expiry is in fractional seconds, as RFC 7519 permits, to
// keep short lifetimes exact.
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

// GetIssuedAt is part of jwt.Claims. Tokens do not have this claim.
func (c wireClaims) GetIssuedAt() (*jwt.NumericDate, error) { return nil, nil }

// GetNotBefore is part of jwt.Claims. Tokens do not have this claim.
func (c wireClaims) GetNotBefore() (*jwt.NumericDate, error) { return nil, nil }

// GetIssuer is part of jwt.Claims. Tokens do not have this claim.
func (c wireClaims) GetIssuer() (string, error) { return "", nil }

// GetSubject is part of jwt.Claims.
func (c wireClaims) GetSubject() (string, error) { return c.User, nil }

// GetAudience is part of jwt.Claims.
func (c wireClaims) GetAudience() (jwt.ClaimStrings, error) { return jwt.ClaimStrings{c.Audience}, nil }

// Sign returns the signed token for c.
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

// Verify returns the claims of a token for the given purpose, or ErrToken. The caller checks the
// epoch.
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
