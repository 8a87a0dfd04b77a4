package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"time"

	"roughcut/store/account"
)

// tokenBytes is the size of each random secret: 256 bits.
const tokenBytes = 32

// NewSession returns a session that ends at now+ttl and the value of its cookie. The session holds
// only the hash of the value.
func NewSession(userUUID string, now time.Time, ttl time.Duration) (account.Session, string, error) {
	value, err := randomToken()
	if err != nil {
		return account.Session{}, "", err
	}
	csrf, err := randomToken()
	if err != nil {
		return account.Session{}, "", err
	}
	return account.Session{
		Hash:      HashToken(value),
		UserUUID:  userUUID,
		CSRF:      csrf,
		CreatedAt: now,
		ExpiresAt: now.Add(ttl),
	}, value, nil
}

// AccessTokenPrefix starts every personal access token, so that people and secret scanners
// recognize them.
const AccessTokenPrefix = "rc_"

// NewAccessToken returns the text of a new personal access token. Callers store only its hash.
func NewAccessToken() (string, error) {
	value, err := randomToken()
	if err != nil {
		return "", err
	}
	return AccessTokenPrefix + value, nil
}

// HashToken returns the SHA-256 of a secret in hexadecimal, which is the form in the store.
func HashToken(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:])
}

// EqualTokens compares two secrets in constant time. An empty secret equals nothing.
func EqualTokens(a, b string) bool {
	return a != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

func randomToken() (string, error) {
	raw := make([]byte, tokenBytes)
	if _, err := rand.Read(raw); err != nil {
		return "", fmt.Errorf("create a random token: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(raw), nil
}
