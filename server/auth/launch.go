package auth

import "sync"

// maxLaunchTokens is how many unused launch tokens are remembered; making more forgets the oldest.
const maxLaunchTokens = 16

// Launches holds the one-time launch tokens of owner mode. They live in memory only: a restart
// voids them.
type LaunchTokens struct {
	mu     sync.Mutex
	hashes []string
}

// New makes a launch token.
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

// Use reports whether a token is a launch token that was not used before, and uses it up.
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
