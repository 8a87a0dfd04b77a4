package server

import (
	"go/parser"
	"go/token"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"roughcut/store"
)

// TestMain also looks for goroutines that outlive their server. Bleve's analysis workers belong to
// the process.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(
		answeredAll{m},
		goleak.IgnoreTopFunction("github.com/blevesearch/bleve_index_api.AnalysisWorker"),
	)
}

// TestForeignLibrariesHaveOneOwner reads the imports of this room.
func TestForeignLibrariesHaveOneOwner(t *testing.T) {
	owners := map[string]func(file string) bool{
		"github.com/labstack/echo":     func(file string) bool { return dir(file) == "." || dir(file) == "api" },
		"github.com/r3labs/sse":        func(file string) bool { return file == "events.go" },
		"github.com/tus/tusd":          func(file string) bool { return file == "tus.go" },
		"github.com/golang-jwt/jwt":    func(file string) bool { return dir(file) == "auth" },
		"github.com/wneessen/go-mail":  func(file string) bool { return dir(file) == "mail" },
		"golang.org/x/crypto":          func(file string) bool { return dir(file) == "auth" },
		"golang.org/x/oauth2":          func(file string) bool { return dir(file) == "auth" },
		"github.com/coreos/go-oidc":    func(file string) bool { return dir(file) == "auth" },
		"github.com/stripe/stripe-go":  func(file string) bool { return dir(file) == "payments" },
		"roughcut/store":               func(file string) bool { return dir(file) == "." || dir(file) == "auth" || dir(file) == "payments" },
		"roughcut/server/mail":         func(file string) bool { return dir(file) == "." || dir(file) == "payments" },
		"roughcut/server/auth":         func(file string) bool { return dir(file) == "." },
		"roughcut/server/api":          func(file string) bool { return dir(file) == "." },
		"roughcut/server/payments":     func(file string) bool { return dir(file) == "." },
		"roughcut/media/":              func(string) bool { return false },
		"go.etcd.io/bbolt":             func(string) bool { return false },
		"github.com/blevesearch/bleve": func(string) bool { return false },
	}
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			for library, mayImport := range owners {
				if !strings.HasPrefix(path, library) {
					continue
				}
				seen[library] = true
				if !mayImport(file) && !strings.HasSuffix(file, "_test.go") {
					t.Errorf("%s imports %s", file, path)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !seen["github.com/labstack/echo"] || !seen["github.com/r3labs/sse"] || !seen["github.com/golang-jwt/jwt"] {
		t.Errorf("the walk saw only %v", seen)
	}
}

func dir(file string) string { return filepath.Dir(file) }

// deadlineRecorder is a connection that remembers its deadlines.
type deadlineRecorder struct {
	*httptest.ResponseRecorder
	read, write time.Time
}

func (r *deadlineRecorder) SetReadDeadline(t time.Time) error  { r.read = t; return nil }
func (r *deadlineRecorder) SetWriteDeadline(t time.Time) error { r.write = t; return nil }

func TestDeadlinesAreSetForEachRequest(t *testing.T) {
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.UI = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	})
	for _, c := range []struct {
		method, path string
		bounded      bool
	}{
		{"GET", "/", true}, {"GET", "/api/v1/nothing", true}, {"GET", "/healthz", true}, {"POST", "/api/v1/auth/login", true}, {"GET", "/media/v1/x", false},
	} {
		r := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder(), read: time.Unix(1, 0), write: time.Unix(1, 0)}
		w.server.ServeHTTP(r, httptest.NewRequestWithContext(t.Context(), c.method, c.path, nil))
		for name, deadline := range map[string]time.Time{"read": r.read, "write": r.write} {
			if bounded := time.Until(deadline) > bodyTime/2; bounded != c.bounded ||
				(!c.bounded && !deadline.IsZero()) {
				t.Errorf("%s %s: the %s deadline is %v", c.method, c.path, name, deadline)
			}
		}
	}
	if server := HTTP(w.server); server.ReadHeaderTimeout != 10*time.Second || server.IdleTimeout != 120*time.Second {
		t.Errorf("the timeouts are %v, %v", server.ReadHeaderTimeout, server.IdleTimeout)
	}
}

func TestPagesOfOtherSitesCannotSignIn(t *testing.T) {
	w := newWorld(t, func(o *Options, _ *store.Options) { o.Settings.BaseURL = "https://cut.example.org" })
	send := func(path, header, value string) *reply {
		r := w.nobody().request("POST", path, map[string]any{"token": "x"})
		r.Header.Set(header, value)
		return w.send(r)
	}
	send("/api/v1/auth/launch", "Sec-Fetch-Site", "cross-site").want(403, "csrf_failed")
	send("/api/v1/auth/launch", "Origin", "https://evil.example").want(403, "csrf_failed")
	send("/api/v1/auth/login", "Origin", "https://evil.example").want(403, "csrf_failed")
	send("/api/v1/auth/launch", "Sec-Fetch-Site", "same-origin").want(400, "invalid_token")
	send("/api/v1/auth/launch", "Origin", "https://cut.example.org").want(400, "invalid_token")
}
