package server

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/pipeline/models"
	"roughcut/store"
)

// modelsOnly accepts files that begin with "model".
func modelsOnly(o *Options, so *store.Options) {
	o.Models = models.New(models.Options{
		Dir:      filepath.Join(so.Dir, "models"),
		Known:    []models.Model{{Name: "tiny", SizeBytes: 9, SHA256: strings.Repeat("0", 64)}},
		MaxBytes: 3 << 20,
		Free: func(need int64) error {
			if need > 1<<20 {
				return &store.Error{Kind: store.StorageFull, Code: "storage_full", Message: "The disk is full."}
			}
			return nil
		},
		Check: func(path string) (bool, error) {
			data, err := os.ReadFile(path)
			if err == nil && !bytes.HasPrefix(data, []byte("model")) {
				err = fmt.Errorf("%s: %w", path, errors.New("it is not a ggml file"))
			}
			return bytes.HasPrefix(data, []byte("model many")), err
		},
	})
}

// TestAdminAddsAModelFromAFile adds models and refuses everything else without a trace.
func TestAdminAddsAModelFromAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, modelsOnly)
	admin, user := w.person("admin"), w.person("user")
	at := func(name string) string { return "/api/v1/models/" + name + "/file" }
	w.anonymous().do("PUT", at("mine"), []byte("model")).want(401, "not_authenticated")
	user.do("PUT", at("mine"), []byte("model")).want(403, "forbidden")
	noToken := *admin
	noToken.csrf = ""
	noToken.do("PUT", at("mine"), []byte("model")).want(403, "csrf_failed")
	for _, name := range []string{"..%2Froughcut", "a%2Fb", ".hidden", "%20", strings.Repeat("x", 101)} {
		r := admin.request("PUT", "/api/v1/models/x/file", []byte("model"))
		r.URL.Opaque = "//" + r.URL.Host + at(name)
		w.send(r).want(422, "unprocessable")
	}
	refused := admin.do("PUT", at("mine"), []byte("an MP4")).want(422, "not_a_model")
	if text := refused.text("detail"); text != "The file cannot be used as a speech model: it is not a ggml file." {
		t.Errorf("the refusal is %q", text)
	}
	admin.do("PUT", at("mine"), []byte{}).want(422, "not_a_model")
	admin.do("PUT", at("tiny"), []byte("model many")).want(422, "not_a_model")
	half := admin.request("PUT", at("mine"), nil)
	half.Body, half.ContentLength = http.NoBody, 0
	w.send(half).want(422, "not_a_model")
	admin.do("PUT", at("mine"), make([]byte, 3<<20+1)).want(413, "too_large")
	full := admin.request("PUT", at("mine"), make([]byte, 2<<20))
	w.send(full).want(507, "storage_full")
	conn := w.dial(fmt.Sprintf(
		"PUT %s HTTP/1.1\r\nHost: x\r\nCookie: %s=%s\r\n%s: %s\r\nContent-Length: 10\r\n\r\nmod",
		at("mine"), sessionCookie, admin.cookie, csrfHeader, admin.csrf,
	))
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	short, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || short.StatusCode != 400 {
		t.Fatalf("a short upload responds with %v %v", short, err)
	}
	received.note("addModel", short.StatusCode)
	received.noteCode("addModel", "validation_error")
	if entries, _ := os.ReadDir(filepath.Join(w.so.Dir, "models")); len(entries) > 0 {
		t.Errorf("refused files left %v", entries)
	}
	admin.do("PUT", at("mine"), []byte("model many")).want(201, "").shows(
		map[string]any{"name": "mine", "installed": true, "multilingual": true, "size_bytes": 10},
	)
	admin.do("PUT", at("own.v2"), []byte("model one")).want(201, "").shows(map[string]any{"multilingual": false})
	admin.do("PUT", at("mine"), []byte("model")).want(409, "conflict")
	admin.do("DELETE", "/api/v1/models/mine", nil).want(204, "")
	admin.do("PUT", at("mine"), []byte("model")).want(201, "")
}
