package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"time"

	"roughcut/store"
)

// tokenBytes is the size of every random secret: 256 bits.
const tokenBytes = 32

// NewSession makes a session that ends at now+ttl, and the value of its cookie. Only the session,
// with the value's hash, is kept.
func NewSession(userUUID string, now time.Time, ttl time.Duration) (store.Session, string, error) {
	value, err := randomToken()
	if err != nil {
		return store.Session{}, "", err
	}
	csrf, err := randomToken()
	if err != nil {
		return store.Session{}, "", err
	}
	return store.Session{
		Hash:      HashToken(value),
		UserUUID:  userUUID,
		CSRF:      csrf,
		CreatedAt: now,
		ExpiresAt: now.Add(ttl),
	}, value, nil
}

// AccessTokenPrefix begins every personal access token, so that people and scanners of leaked
// secrets recognise one.
const AccessTokenPrefix = "rc_"

// NewAccessToken makes the text of a personal access token. Only its hash is kept.
func NewAccessToken() (string, error) {
	value, err := randomToken()
	if err != nil {
		return "", err
	}
	return AccessTokenPrefix + value, nil
}

// HashToken returns the hash under which a random secret is stored: SHA-256 in hexadecimal.
func HashToken(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:])
}

// EqualTokens compares two secrets in a time that does not depend on where they differ. An empty
// secret equals nothing.
func EqualTokens(a, b string) bool {
	return a != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

func randomToken() (string, error) {
	raw := make([]byte, tokenBytes)
	if _, err := rand.Read(raw); err != nil {
		return "", fmt.Errorf("make a random token: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(raw), nil
}
