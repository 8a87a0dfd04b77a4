// Package auth holds the secrets of signing in: password hashes, session values, signed tokens
// (links in mails and media addresses) and the launch tokens of owner mode. It knows nothing of
// HTTP.
package auth
