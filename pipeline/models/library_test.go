package models

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"go.uber.org/goleak"
	"roughcut/store/outfile"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// header is what checkHeader expects at the start of a model.
const header = "model "

// world is a library and a server with one model.
type world struct {
	*Library
	t     *testing.T
	model Model
	data  []byte
	dir   string

	mu      sync.Mutex
	asked   []string // Range headers of the requests
	respond func(w http.ResponseWriter, r *http.Request) bool
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: filepath.Join(t.TempDir(), "models"), data: append([]byte(header), make([]byte, 3<<20)...)}
	source := rand.NewChaCha8([32]byte{1})
	_, _ = source.Read(w.data[len(header):])
	sum := sha256.Sum256(w.data)
	w.model = Model{Name: "test.en", SizeBytes: int64(len(w.data)), SHA256: hex.EncodeToString(sum[:])}
	server := httptest.NewServer(http.HandlerFunc(w.serve))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	w.Library = New(
		Options{
			Dir:       w.dir,
			URL:       server.URL + "/folder/",
			Known:     []Model{w.model},
			Check:     checkHeader,
			Free:      func(int64) error { return nil },
			Client:    client,
			RetryWait: time.Millisecond,
			Stall:     time.Minute,
		},
	)
	t.Cleanup(func() {
		w.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return w
}

// checkHeader accepts a file with the header of a model. Its next byte is 'e' for an English one.
func checkHeader(path string) (multilingual bool, err error) {
	data, err := os.ReadFile(path)
	if err == nil && !bytes.HasPrefix(data, []byte(header)) {
		err = fmt.Errorf("%s: %w", path, errors.New("it is a stone"))
	}
	return !bytes.HasPrefix(data, []byte(header+"e")), err
}

func (w *world) serve(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.asked = append(w.asked, r.Header.Get("Range"))
	respond := w.respond
	w.mu.Unlock()
	if r.URL.Path != "/folder/ggml-test.en.bin" {
		http.NotFound(rw, r)
		return
	}
	if respond == nil || !respond(rw, r) {
		http.ServeContent(rw, r, "", time.Time{}, bytes.NewReader(w.data))
	}
}

// download downloads the model and returns the last progress.
func (w *world) download(ctx context.Context) (received int64, err error) {
	err = w.Download(ctx, w.model.Name, func(n, total int64) {
		if total != w.model.SizeBytes || n < 0 || n > total {
			w.t.Errorf("progress is %d of %d", n, total)
		}
		received = n
	})
	return received, err
}

func (w *world) wantInstalled() {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, "ggml-test.en.bin"))
	if err != nil || !bytes.Equal(data, w.data) {
		w.t.Fatalf("the installed model is not the served one: %d bytes, %v", len(data), err)
	}
	if entries, _ := os.ReadDir(w.dir); len(entries) != 2 || entries[1].Name() != "ggml-test.en.bin"+sumSuffix {
		w.t.Errorf("the folder contains %v, want only the model and its checksum", entries)
	}
}

func TestDownloadInstallsTheModelOnce(t *testing.T) {
	w := newWorld(t)
	if n, err := w.download(t.Context()); err != nil || n != w.model.SizeBytes {
		t.Fatalf("%d bytes, %v", n, err)
	}
	w.wantInstalled()
	if _, err := w.download(t.Context()); err != nil || len(w.asked) != 1 {
		t.Errorf("an installed model is downloaded again: %v, %v", w.asked, err)
	}
	if err := w.Download(t.Context(), "unknown", nil); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown model: %v", err)
	}
}

func TestDownloadReconnectsAndResumes(t *testing.T) {
	w := newWorld(t)
	for _, size := range []int{1 << 20, 2 << 20} { // bytes per connection
		w.respond = func(rw http.ResponseWriter, r *http.Request) bool {
			from := 0
			if r.Header.Get("Range") != "" {
				_, _ = fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
				rw.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(w.data)-1, len(w.data)))
			}
			rw.Header().Set("Content-Length", fmt.Sprint(len(w.data)-from))
			if from > 0 {
				rw.WriteHeader(http.StatusPartialContent)
			}
			_, _ = rw.Write(w.data[from:min(len(w.data), from+size)])
			return true
		}
		if _, err := w.download(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.wantInstalled()
		if err := os.Remove(filepath.Join(w.dir, "ggml-test.en.bin")); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.asked) != 6 || w.asked[0] != "" || w.asked[1] != "bytes=1048576-" || w.asked[4] != "" {
		t.Errorf("the Range headers are %q", w.asked)
	}
}

func TestDownloadResumesAfterCancellation(t *testing.T) {
	w := newWorld(t)
	// The server withholds the rest, so that the download cannot finish before its cancellation.
	w.respond = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Range") != "" {
			return false
		}
		rw.Header().Set("Content-Length", fmt.Sprint(len(w.data)))
		_, _ = rw.Write(w.data[:len(w.data)/2])
		_ = http.NewResponseController(rw).Flush()
		<-r.Context().Done()
		return true
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := w.Download(ctx, w.model.Name, func(n, _ int64) {
		if n > 1<<20 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("a cancelled download: %v", err)
	}
	s, err := w.Status(w.model.Name)
	if err != nil || s.Installed || s.Received < 1<<20 || s.Received >= w.model.SizeBytes {
		t.Fatalf("%+v %v", s, err)
	}
	if _, err := w.download(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("bytes=%d-", s.Received); w.asked[len(w.asked)-1] != want {
		t.Errorf("the Range headers are %q, want %q last", w.asked, want)
	}
	w.wantInstalled()
}

func TestDownloadRefusesWrongFiles(t *testing.T) {
	w := newWorld(t)
	serve := func(data []byte) func(http.ResponseWriter, *http.Request) bool {
		return func(rw http.ResponseWriter, _ *http.Request) bool { _, _ = rw.Write(data); return true }
	}
	status := func(code int) func(http.ResponseWriter, *http.Request) bool {
		return func(rw http.ResponseWriter, _ *http.Request) bool { rw.WriteHeader(code); return true }
	}
	other := bytes.Clone(w.data)
	other[len(other)-1]++
	for _, c := range []struct {
		name    string
		respond func(http.ResponseWriter, *http.Request) bool
		says    string
		asked   int
	}{
		{"another file", serve(other), "checksum", 1},
		{"a longer file", serve(append(other, 1)), "checksum", 1},
		{"nothing there", status(404), "404", 1},
		{"a page", serve([]byte("<html>sign in</html>")), "Try again", tries},
		{"a server that is down", status(503), "503", tries},
	} {
		w.respond, w.asked = c.respond, nil
		if _, err := w.download(t.Context()); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
		if len(w.asked) < c.asked || len(w.asked) > c.asked+1 {
			t.Errorf("%s: %d requests, want %d", c.name, len(w.asked), c.asked)
		}
		if s, err := w.Status(w.model.Name); err != nil || s.Installed {
			t.Errorf("%s: %+v %v", c.name, s, err)
		}
	}
	w.respond = nil
	if _, err := w.download(t.Context()); err != nil { // leftovers of failed downloads do not matter
		t.Fatal(err)
	}
	w.wantInstalled()
}

func TestDownloadRefusesAFileWithoutModelHeader(t *testing.T) {
	w := newWorld(t)
	w.o.Check = func(string) (bool, error) { return false, errors.New("not a model") }
	if _, err := w.download(t.Context()); err == nil || !strings.Contains(err.Error(), "not a model") {
		t.Errorf("%v", err)
	}
	if entries, _ := os.ReadDir(w.dir); len(entries) != 0 {
		t.Errorf("the folder contains %v, want nothing", entries)
	}
}

func TestDownloadChecksFreeSpaceFirst(t *testing.T) {
	w := newWorld(t)
	full := errors.New("the disk is full")
	w.o.Free = func(need int64) error {
		if need != w.model.SizeBytes {
			t.Errorf("%d bytes are requested, want %d", need, w.model.SizeBytes)
		}
		return full
	}
	if _, err := w.download(t.Context()); !errors.Is(err, full) || len(w.asked) > 0 {
		t.Errorf("got %v after the requests %q", err, w.asked)
	}
	if err := w.Start(w.model.Name); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
}

func TestStartAndCancelOfABackgroundDownload(t *testing.T) {
	w := newWorld(t)
	hold, arrived := make(chan struct{}), make(chan struct{}, 1)
	w.respond = func(rw http.ResponseWriter, r *http.Request) bool {
		rw.Header().Set("Content-Length", fmt.Sprint(len(w.data)))
		_, _ = rw.Write(w.data[:1<<20])
		rw.(http.Flusher).Flush()
		arrived <- struct{}{}
		select {
		case <-hold:
		case <-r.Context().Done():
		}
		return true
	}
	if err := w.Start(w.model.Name); err != nil {
		t.Fatal(err)
	}
	<-arrived
	for s, err := w.Status(w.model.Name); s.Received == 0; s, err = w.Status(w.model.Name) {
		if err != nil || !s.Downloading {
			t.Fatalf("%+v %v", s, err)
		}
	}
	if err := w.Start(w.model.Name); err != nil {
		t.Errorf("a second start: %v", err)
	}
	if s, err := w.Status(w.model.Name); err != nil || !s.Downloading || s.Installed || s.Err != nil {
		t.Errorf("%+v %v", s, err)
	}
	if _, err := w.download(t.Context()); !errors.Is(err, ErrBusy) {
		t.Errorf("another download of the same model: %v", err)
	}
	if err := w.Cancel(w.model.Name); err != nil {
		t.Fatal(err)
	}
	w.running.Wait()
	if s, _ := w.Status(w.model.Name); s.Downloading || s.Err != nil || s.Received == 0 {
		t.Errorf("after the cancellation: %+v", s)
	}
	if err := w.Cancel(w.model.Name); !errors.Is(err, ErrNotDownloading) {
		t.Errorf("a second cancellation: %v", err)
	}
	w.respond = nil
	if err := w.Start(w.model.Name); err != nil {
		t.Fatal(err)
	}
	w.running.Wait()
	w.wantInstalled()
	if err := w.Start(w.model.Name); !errors.Is(err, ErrInstalled) {
		t.Errorf("a start of an installed model: %v", err)
	}
	if err := w.Start("unknown"); !errors.Is(err, ErrUnknown) {
		t.Errorf("a start of an unknown model: %v", err)
	}
}

func TestVerifyFindsDamagedModels(t *testing.T) {
	w := newWorld(t)
	if found, err := w.Verify(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("an empty folder: %v %v", found, err)
	}
	if _, err := w.download(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"ggml-own.bin": header + "of the user", "notes.txt": "x", "broken.bin": "x",
	} {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := w.Verify(t.Context())
	if err != nil || len(found) != 2 || found["test.en"] != nil || found["own"] != nil {
		t.Errorf("valid models: %v %v", found, err)
	}
	file, err := os.OpenFile(filepath.Join(w.dir, "ggml-test.en.bin"), os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteAt([]byte("damage"), 1<<20)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if found, err = w.Verify(t.Context()); err != nil || found["test.en"] == nil {
		t.Errorf("a damaged model: %v %v", found, err)
	}
	if _, err := w.download(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found, err = w.Verify(t.Context()); err != nil || found["test.en"] != nil {
		t.Errorf("a model that was downloaded again: %v %v", found, err)
	}
}

func TestCatalogIsWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Known() {
		if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(m.SHA256) || m.SizeBytes < 50<<20 || m.Name == "" ||
			seen[m.Name] ||
			seen[m.SHA256] {
			t.Errorf("%+v", m)
		}
		seen[m.Name], seen[m.SHA256] = true, true
		if m.Multilingual() == strings.HasSuffix(m.Name, ".en") {
			t.Errorf("%s: multilingual %v", m.Name, m.Multilingual())
		}
	}
}

func TestRemoveDeletesModelsAndIncompleteDownloads(t *testing.T) {
	w := newWorld(t)
	for name, want := range map[string]error{"huge": ErrUnknown, "test.en": ErrNotInstalled} {
		if err := w.Remove(name); !errors.Is(err, want) {
			t.Errorf("removing %s: %v, want %v", name, err, want)
		}
	}
	if _, err := w.download(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Remove("test.en"); err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(w.dir, "ggml-test.en.bin.part")
	if err := os.WriteFile(part, w.data[:1000], 0o600); err != nil {
		t.Fatal(err)
	}
	unlock, err := outfile.Lock(filepath.Join(w.dir, "ggml-test.en.bin"))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Remove("test.en"); !errors.Is(err, ErrBusy) {
		t.Errorf("removal during a download of another process: %v", err)
	}
	unlock()
	if err := w.Remove("test.en"); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(w.dir); err != nil || len(left) != 0 {
		t.Errorf("files remain: %v %v", left, err)
	}
}

// Add installs a file that is a model, and nothing else.
func TestAddInstallsCheckedFiles(t *testing.T) {
	w := newWorld(t)
	add := func(name, data string) error {
		return w.Add(t.Context(), name, int64(len(data)), strings.NewReader(data))
	}
	for name, want := range map[string]error{
		"": ErrName, "../x": ErrName, "a/b": ErrName, ".x": ErrName, "mine": ErrNotModel, "test.en": ErrOther,
	} {
		data := header + "x"
		if errors.Is(want, ErrNotModel) {
			data = "a stone"
		}
		if err := add(name, data); !errors.Is(err, want) {
			t.Errorf("adding %q: %v, want %v", name, err, want)
		}
	}
	if err := w.Add(t.Context(), "mine", defaultMaxBytes+1, strings.NewReader("")); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a huge file: %v", err)
	}
	broken := io.MultiReader(strings.NewReader(header), iotest.ErrReader(io.ErrClosedPipe))
	if err := w.Add(t.Context(), "mine", 100, broken); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a broken reader: %v", err)
	}
	if entries, _ := os.ReadDir(w.dir); len(entries) != 0 {
		t.Errorf("the folder contains %v", entries)
	}
	left := filepath.Join(w.dir, "ggml-left.bin"+addedSuffix)
	if err := os.WriteFile(left, nil, 0o600); err != nil { // by a process that was killed
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"mine": header + "many", "english": header + "e", "test.en": string(w.data),
	} {
		if err := add(name, data); err != nil {
			t.Errorf("adding %s: %v", name, err)
		}
		if err := add(name, data); !errors.Is(err, ErrInstalled) {
			t.Errorf("adding %s again: %v", name, err)
		}
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the unfinished file of another process is still there: %v", err)
	}
	for name, many := range map[string]bool{"mine": true, "english": false, "test.en": false} {
		if s, err := w.Status(name); err != nil || !s.Installed || s.Many != many {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

// Two files of one name at the same time do not mix.
func TestAddRefusesASecondFileOfTheSameName(t *testing.T) {
	w := newWorld(t)
	r, send := io.Pipe()
	done := make(chan error)
	go func() { done <- w.Add(t.Context(), "mine", -1, r) }()
	if _, err := send.Write([]byte(header)); err != nil {
		t.Fatal(err)
	}
	if err := w.Add(t.Context(), "mine", 7, strings.NewReader(header)); !errors.Is(err, ErrBusy) {
		t.Errorf("a second file: %v", err)
	}
	if err := send.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Each failure of a download has one sentence that says what to do.
func TestAdviceForFailedDownloads(t *testing.T) {
	w := newWorld(t)
	status := func(code int) func(http.ResponseWriter, *http.Request) bool {
		return func(rw http.ResponseWriter, _ *http.Request) bool { rw.WriteHeader(code); return true }
	}
	for want, respond := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"does not have this model": status(404),
		"refused the download":     status(403),
		"try again later":          status(503),
		"cannot reach":             func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) },
		"is damaged and was deleted": func(rw http.ResponseWriter, _ *http.Request) bool {
			_, _ = rw.Write(make([]byte, w.model.SizeBytes))
			return true
		},
	} {
		w.mu.Lock()
		w.respond = respond
		w.mu.Unlock()
		_, err := w.download(t.Context())
		advice := w.Advice(err)
		if !strings.Contains(advice, want) || !strings.HasSuffix(advice, ".") || strings.Count(advice, ". ") > 0 {
			t.Errorf("%v gives the advice %q, want %q in one sentence", err, advice, want)
		}
	}
	if advice := w.Advice(errors.New("full")); advice != "" {
		t.Errorf("advice %q for an error without advice", advice)
	}
}
