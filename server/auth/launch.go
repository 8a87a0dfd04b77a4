package auth

import "sync"

// maxLaunchTokens bounds the number of unused launch tokens; a new one replaces the oldest.
const maxLaunchTokens = 16

// LaunchTokens holds the one-time launch tokens of owner mode. It keeps them in memory only, so a
// restart invalidates them.
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
		l.hashes = l.hashes[1:]
	}
	return token, nil
}

// Use consumes a launch token and reports whether it was valid.
func (l *LaunchTokens) Use(token string) bool {
	hash := HashToken(token)
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, h := range l.hashes {
		if EqualTokens(h, hash) {
			l.hashes = append(l.hashes[:i], l.hashes[i+1:]...)
			return true
		}
	}
	return false
}
