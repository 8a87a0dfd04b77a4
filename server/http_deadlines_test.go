package server

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"roughcut/store"
)

// deadlineRecorder is a connection that records its deadlines.
type deadlineRecorder struct {
	*httptest.ResponseRecorder
	read, write time.Time
}

func (r *deadlineRecorder) SetReadDeadline(t time.Time) error { r.read = t; return nil }

func (r *deadlineRecorder) SetWriteDeadline(t time.Time) error { r.write = t; return nil }

func TestDeadlinesAreSetForEachRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.UI = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	})
	for _, c := range []struct {
		method, path string
		bounded      bool
	}{
		{"GET", "/", true}, {"GET", "/api/v1/nothing", true}, {"GET", "/healthz", true},
		{"POST", "/api/v1/auth/login", true}, {"GET", "/media/v1/x", false},
	} {
		r := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder(), read: time.Unix(1, 0), write: time.Unix(1, 0)}
		w.server.ServeHTTP(r, httptest.NewRequestWithContext(t.Context(), c.method, c.path, nil))
		for name, deadline := range map[string]time.Time{"read": r.read, "write": r.write} {
			if bounded := time.Until(deadline) > bodyTime/2; bounded != c.bounded ||
				(!c.bounded && !deadline.IsZero()) {
				t.Errorf("%s %s: %s deadline %v", c.method, c.path, name, deadline)
			}
		}
	}
	if server := NewHTTPServer(
		w.server,
	); server.ReadHeaderTimeout != 10*time.Second ||
		server.IdleTimeout != 120*time.Second {
		t.Errorf("timeouts %v, %v", server.ReadHeaderTimeout, server.IdleTimeout)
	}
}
