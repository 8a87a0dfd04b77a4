package server

import (
	"strings"
	"testing"

	"roughcut/store"
)

// Every response and the log name the request ID. The server accepts IDs only from trusted proxies
// and in a plain form.
func TestRequestIDs(t *testing.T) {
	t.Parallel()
	for _, trusted := range []bool{false, true} {
		w := newWorld(t, func(o *Options, _ *store.Options) {
			if trusted {
				o.Settings.TrustedProxies = cidrs(t, "127.0.0.0/8")
			}
		})
		seen := map[string]bool{}
		for given, taken := range map[string]bool{
			"": false, "edge-7f.3_A": trusted, "two words": false, "x\"=y": false, strings.Repeat("a", 65): false,
		} {
			r := w.anonymous().request("GET", "/api/v1/auth/check", nil)
			r.Header.Set("X-Request-ID", given)
			id := w.send(r).want(401, "").header.Get("X-Request-ID")
			if id == "" || seen[id] || (id == given) != taken {
				t.Errorf("trusted %t: %q got the ID %q", trusted, given, id)
			}
			seen[id] = true
			w.eventually(
				"the log has the request ID",
				func() bool { return strings.Contains(w.logs.String(), "request_id="+id) },
			)
		}
	}
}
