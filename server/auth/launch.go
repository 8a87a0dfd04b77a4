package auth

import (
	"slices"
	"sync"
)

// maxLaunchTokens bounds the number of launch tokens; a new one replaces the oldest but the first,
// which the server printed.
const maxLaunchTokens = 16

// LaunchTokens holds the launch tokens of owner mode. A token can be used until the server stops:
// the tokens are kept in memory only.
type LaunchTokens struct {
	mu     sync.Mutex
	hashes []string
}

// New returns a new launch token.
func (l *LaunchTokens) New() (string, error) {
	token, err := randomToken()
	if err != nil {
		return "", err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hashes = append(l.hashes, HashToken(token))
	if len(l.hashes) > maxLaunchTokens {
		l.hashes = append(l.hashes[:1], l.hashes[2:]...)
	}
	return token, nil
}

// Valid reports whether New returned a token that has not been replaced.
func (l *LaunchTokens) Valid(token string) bool {
	hash := HashToken(token)
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.hashes, func(h string) bool { return EqualTokens(h, hash) })
}
