// Package web is the browser side of Roughcut: the built Vite project, embedded into the
// executable.
//
// dist is made by `npm run build` (the Makefile does it). A checkout without it still compiles;
// Handler then answers with a page that says how to build it.
package web

import (
	"bytes"
	"embed"
	"html"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed all:dist
var dist embed.FS

const missing = "The web UI is not part of this build. Run `make` (or `npm run build` in web/) and build the program again.\n"

// Built reports whether the executable holds the web UI.
func Built() bool {
	_, err := fs.Stat(dist, "dist/index.html")
	return err == nil
}

// root is what index.html says about where the app is.
const root = `<base href="/" />`

// Handler serves the web UI for GET and HEAD, at the path that begins its public addresses: empty,
// or such as /cut. Files under assets/ carry a hash in their name and may be kept for ever; every
// path that is no file is a page of the app and gets index.html, which is never kept. Text files
// are sent gzip-compressed to clients that accept it.
func Handler(base string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		if !Built() {
			http.Error(w, missing, http.StatusServiceUnavailable)
			return
		}
		serve(w, r, base)
	})
}

func serve(w http.ResponseWriter, r *http.Request, base string) {
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	asset := strings.HasPrefix(name, "assets/")
	if !isFile(name) || strings.HasPrefix(path.Base(name), ".") {
		if asset {
			http.NotFound(w, r)
			return
		}
		name = "index.html"
	}
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-cache")
	if asset {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		header.Set("Content-Type", kind)
	}
	moved := name == "index.html" && base != ""
	if !moved && isFile(name+".gz") {
		header.Add("Vary", "Accept-Encoding")
		if acceptsGzip(r) {
			header.Set("Content-Encoding", "gzip")
			name += ".gz"
		}
	}
	body, err := dist.ReadFile("dist/" + name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	if moved {
		body = bytes.Replace(body, []byte(root), []byte(`<base href="`+html.EscapeString(base)+`/" />`), 1)
	}
	// Range requests make no sense for these files, so the body is written whole.
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(body) // a client that went away is no error of ours
}

// isFile reports whether name, relative to dist, is an embedded file.
func isFile(name string) bool {
	info, err := fs.Stat(dist, path.Join("dist", name))
	return err == nil && !info.IsDir()
}

// acceptsGzip reports whether the request names gzip as an encoding that it does not refuse.
func acceptsGzip(r *http.Request) bool {
	for _, value := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(value), ";")
		if strings.EqualFold(name, "gzip") {
			return strings.ReplaceAll(quality, " ", "") != "q=0"
		}
	}
	return false
}
