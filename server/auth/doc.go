// Package auth owns the secrets of sign-in: password hashes, session tokens, access tokens, launch
// tokens of owner mode, and signed tokens for mailed links and media addresses. It also signs users
// in at OAuth providers. It knows nothing of HTTP handlers.
package auth
