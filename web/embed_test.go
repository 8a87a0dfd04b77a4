package web

import (
	"bytes"
	"embed"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"roughcut/media/fonts"
)

func get(t *testing.T, method, target, encoding string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	if encoding != "" {
		r.Header.Set("Accept-Encoding", encoding)
	}
	w := httptest.NewRecorder()
	Handler("").ServeHTTP(w, r)
	return w.Result()
}

func TestHandlerExplainsMissingBuild(t *testing.T) {
	built := dist
	dist = embed.FS{}
	defer func() { dist = built }()
	if got := get(t, "GET", "/", "").StatusCode; got != http.StatusServiceUnavailable {
		t.Errorf("status %d, want 503", got)
	}
}

func TestHandlerServesPagesAndAssets(t *testing.T) {
	if !Built() {
		t.Skip("the UI is not built; run `npm run build` in web/")
	}
	scripts, err := fs.Glob(dist, "dist/assets/*.js")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no script in dist/assets: %v", err)
	}
	script := strings.TrimPrefix(scripts[0], "dist")
	const (
		forever    = "public, max-age=31536000, immutable"
		javascript = "text/javascript; charset=utf-8"
	)
	for _, c := range []struct {
		name, method, target, encoding string
		status                         int
		cache, kind, sent              string
	}{
		{"page", "GET", "/", "", 200, "no-cache", "text/html; charset=utf-8", ""},
		{"app route", "GET", "/projects/5f0c", "", 200, "no-cache", "text/html; charset=utf-8", ""},
		{"page with a query", "GET", "/?launch=abc", "", 200, "no-cache", "text/html; charset=utf-8", ""},
		{"asset", "GET", script, "", 200, forever, javascript, ""},
		{"asset compressed", "GET", script, "br, gzip;q=0.8", 200, forever, javascript, "gzip"},
		{"gzip refused", "GET", script, "gzip;q=0", 200, forever, javascript, ""},
		{"head", "HEAD", "/", "", 200, "no-cache", "text/html; charset=utf-8", ""},
		{"missing asset", "GET", "/assets/gone-123.js", "", 404, "", "", ""},
		{"hidden file", "GET", "/.gitkeep", "", 200, "no-cache", "text/html; charset=utf-8", ""},
		{"outside", "GET", "/../embed.go", "", 200, "no-cache", "text/html; charset=utf-8", ""},
		{"post", "POST", "/", "", 405, "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := get(t, c.method, c.target, c.encoding)
			if res.StatusCode != c.status {
				t.Fatalf("status %d, want %d", res.StatusCode, c.status)
			}
			if c.status != 200 {
				return
			}
			for header, want := range map[string]string{
				"Cache-Control": c.cache, "Content-Type": c.kind, "Content-Encoding": c.sent,
			} {
				if got := res.Header.Get(header); got != want {
					t.Errorf("%s %q, want %q", header, got, want)
				}
			}
		})
	}
}

// The preview draws captions in the fonts of the export.
func TestHandlerServesCaptionFonts(t *testing.T) {
	want, err := fonts.Read("Inter-SemiBold.ttf")
	if err != nil {
		t.Fatal(err)
	}
	res := get(t, "GET", "/fonts/Inter-SemiBold.ttf", "")
	got, err := io.ReadAll(res.Body)
	tag := res.Header.Get("ETag")
	if err != nil || res.StatusCode != 200 || !bytes.Equal(got, want) || res.Header.Get("Content-Type") != "font/ttf" {
		t.Errorf("status %d, %d bytes, %v, want %d bytes", res.StatusCode, len(got), err, len(want))
	}
	again := httptest.NewRequest("GET", "/fonts/Inter-SemiBold.ttf", nil)
	again.Header.Set("If-None-Match", tag)
	w := httptest.NewRecorder()
	Handler("").ServeHTTP(w, again)
	if w.Code != http.StatusNotModified {
		t.Errorf("the known font: status %d, want 304", w.Code)
	}
	for _, other := range []string{"/fonts/none.ttf", "/fonts/OFL.txt", "/fonts/fonts.go"} {
		if status := get(t, "GET", other, "").StatusCode; status != 404 {
			t.Errorf("%s: status %d, want 404", other, status)
		}
	}
}

// Behind a proxy with a path prefix, the base element must contain the prefix, because all URLs of
// the app are relative to it.
func TestPageHasBasePath(t *testing.T) {
	if !Built() {
		t.Skip("the UI is not built; run `npm run build` in web/")
	}
	for base, want := range map[string]string{
		"":      `<base href="/" />`,
		"/cut":  `<base href="/cut/" />`,
		`/"><b`: `<base href="/&#34;&gt;&lt;b/" />`,
	} {
		r := httptest.NewRequest("GET", "/projects/5f0c", nil)
		r.Header.Set("Accept-Encoding", "identity")
		w := httptest.NewRecorder()
		Handler(base).ServeHTTP(w, r)
		if page := w.Body.String(); strings.Count(page, "<base ") != 1 || !strings.Contains(page, want) {
			t.Errorf("base path %q: the page is %s", base, page)
		}
	}
}
