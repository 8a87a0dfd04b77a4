package server

import (
	"testing"

	"roughcut/server/contract"
	"roughcut/store"
)

func TestCrossSiteRequestsToPublicOperationsAreRejected(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ownerMode)
	for _, op := range sortedOperations(w) {
		if op.Access != contract.Public || op.Streams || !contract.IsUnsafe(op.Route.Method) ||
			op.ID == "stripeWebhook" {
			continue
		}
		r := w.anonymous().request(op.Route.Method, op.Route.Path, []byte("{}"))
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		w.send(r).want(403, "csrf_failed")
	}
}

func TestCrossSiteSignInIsRejected(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options, _ *store.Options) { o.Settings.BaseURL = "https://cut.example.org" })
	send := func(path, header, value string) *reply {
		r := w.anonymous().request("POST", path, map[string]any{"token": "x"})
		r.Header.Set(header, value)
		return w.send(r)
	}
	send("/api/v1/auth/launch", "Sec-Fetch-Site", "cross-site").want(403, "csrf_failed")
	send("/api/v1/auth/launch", "Origin", "https://evil.example").want(403, "csrf_failed")
	send("/api/v1/auth/login", "Origin", "https://evil.example").want(403, "csrf_failed")
	send("/api/v1/auth/launch", "Sec-Fetch-Site", "same-origin").want(400, "invalid_token")
	send("/api/v1/auth/launch", "Origin", "https://cut.example.org").want(400, "invalid_token")
}
