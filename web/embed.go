// Package web embeds the built web UI and serves it, with the fonts of captions for the preview.
//
// The Makefile builds dist with `npm run build`. A checkout without dist still compiles; Handler
// then responds with instructions to build it.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"html"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"roughcut/media/fonts"
)

//go:embed all:dist
var dist embed.FS

const missing = "This build does not include the web UI. Run `make`, or run `npm run build` in web/ and build again.\n"

// Built reports whether the executable contains the web UI.
func Built() bool {
	_, err := fs.Stat(dist, "dist/index.html")
	return err == nil
}

// Font returns the path of the UI's font below its base, such as assets/inter.woff2. It is empty
// in a build without the UI.
func Font() string {
	found, err := fs.Glob(dist, "dist/assets/inter-latin-wght-normal-*.woff2")
	if err != nil || len(found) == 0 {
		return ""
	}
	return strings.TrimPrefix(found[0], "dist/")
}

// root is the base element of index.html. serve replaces it when the app has a sub-path.
const root = `<base href="/" />`

// Handler serves the web UI for GET and HEAD. The base is the path prefix of its public URLs, such
// as /cut, or empty. Files under assets/ have a hash in their name, so clients may cache them
// forever. Every path without a file is a page of the app and returns index.html, which clients
// must revalidate. Clients that accept gzip receive text files compressed.
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
	if file, ok := strings.CutPrefix(name, fontFolder); ok {
		serveFont(w, r, file)
		return
	}

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
	// The files are small, so the handler ignores range requests.
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(body) // the client may have disconnected
}

// fontFolder is where the page finds the fonts of captions. The renderer uses the same copies.
const fontFolder = "fonts/"

// serveFont serves a font of captions. Clients revalidate it.
func serveFont(w http.ResponseWriter, r *http.Request, file string) {
	font, err := fonts.Read(file)
	if err != nil {
		http.NotFound(w, r)
		return
	}

	header := w.Header()
	header.Set("Content-Type", "font/ttf")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-cache")
	header.Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(font)))
	http.ServeContent(w, r, file, time.Time{}, bytes.NewReader(font))
}

// isFile reports whether name, relative to dist, is an embedded regular file.
func isFile(name string) bool {
	info, err := fs.Stat(dist, path.Join("dist", name))
	return err == nil && !info.IsDir()
}

// acceptsGzip reports whether the request accepts gzip with a quality other than 0.
func acceptsGzip(r *http.Request) bool {
	for _, value := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(value), ";")
		if strings.EqualFold(name, "gzip") {
			return strings.ReplaceAll(quality, " ", "") != "q=0"
		}
	}

	return false
}
