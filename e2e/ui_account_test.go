package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"roughcut/media/mediatest"
	"roughcut/pipeline/models"
)

// TestBrowserAccount creates the first account on an empty server and downloads a speech model. The
// first cuts are found as soon as the model is installed. Then it changes everything on the account
// page.
func TestBrowserAccount(t *testing.T) {
	t.Parallel()
	mirror := newMirror(t)
	dir := t.TempDir()
	server := serve(
		t, dir, []string{
			"MODELS_URL=" + mirror.URL, asKnown + "=" + mirror.known, "PLAN_MODE=metered", "TRIAL_AUTO_GRANT=false",
		},
	)
	browse(
		t, "account.mjs", "BASE_URL="+server.base, "MIRROR_URL="+mirror.URL, "VIDEO="+shortTalk(t),
		"OUTBOX="+filepath.Join(dir, "outbox"), "MODELS="+filepath.Join(dir, "models"),
	)
	server.stop()
	doctor(t, dir)
}

// mirror serves a small model as base.en. It stops halfway through the first response and then
// sends one byte every 10 s, until a request for /go.
type mirror struct {
	*httptest.Server
	known string // list of models as JSON
}

func newMirror(t *testing.T) mirror {
	t.Helper()
	data, err := os.ReadFile(mediatest.Model(t))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	known, err := json.Marshal([]models.Model{
		{Name: "base.en", SizeBytes: int64(len(data)), SHA256: hex.EncodeToString(sum[:])},
		{Name: "small", SizeBytes: 487_601_967, SHA256: strings.Repeat("0", 64)},
		{Name: "large-v3-turbo-q5_0", SizeBytes: 574_041_195, SHA256: strings.Repeat("0", 64)},
		{Name: "medium.en", SizeBytes: 1_533_774_781, SHA256: strings.Repeat("0", 64)},
	})
	if err != nil {
		t.Fatal(err)
	}
	released := make(chan struct{})
	release := sync.OnceFunc(func() { close(released) })
	t.Cleanup(release)
	handler := http.NewServeMux()
	handler.HandleFunc("/go", func(http.ResponseWriter, *http.Request) { release() })
	handler.HandleFunc("/ggml-base.en.bin", func(w http.ResponseWriter, r *http.Request) {
		from := 0
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err == nil {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(data)-1, len(data)))
			w.WriteHeader(http.StatusPartialContent)
		}
		half := max(from, len(data)/2)
		_, _ = w.Write(data[from:half])
		rest, beat := data[half:], time.NewTicker(10*time.Second)
		defer beat.Stop()
		for {
			w.(http.Flusher).Flush()
			select {
			case <-released:
				_, _ = w.Write(rest)
				return
			case <-beat.C:
				_, _ = w.Write(rest[:1])
				rest = rest[1:]
			case <-r.Context().Done():
				return
			}
		}
	})
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return mirror{server, string(known)}
}
