package fetch

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"roughcut/media"
	"roughcut/store"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/blevesearch/bleve_index_api.AnalysisWorker"))
}

// newFetcher returns a Fetcher that connects to 127.0.0.1 only.
func newFetcher(t *testing.T, change ...func(*Fetcher)) *Fetcher {
	t.Helper()
	dir := t.TempDir()
	var n atomic.Int64
	f := New(Options{
		MetadataTimeout: time.Minute, MaxDuration: time.Hour, Log: slog.New(slog.DiscardHandler), Probe: probeMP4,
		TempPath: func(suffix string) (string, error) {
			return filepath.Join(dir, fmt.Sprintf("%d%s", n.Add(1), suffix)), nil
		},
	})
	f.refused = func(a netip.Addr) bool { return a.Unmap() != netip.MustParseAddr("127.0.0.1") }
	for _, c := range change {
		c(f)
	}
	t.Cleanup(func() {
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("temporary files remain: %v", left)
		}
	})
	return f
}

// site is a server that records its requests.
type site struct {
	*httptest.Server
	mu   sync.Mutex
	hits []string // method, path and range
}

func newSite(t *testing.T, address string, handler http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.hits = append(s.hits, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+r.Header.Get("Range")))
		s.mu.Unlock()
		handler(w, r)
	}))
	listener, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Fatal(err)
	}
	s.Listener.Close()
	s.Listener = listener
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (s *site) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.hits...)
}

// movie returns an MP4 file with an index at the end that states the given duration, after
// mediaBytes bytes of media data.
func movie(duration time.Duration, mediaBytes int) []byte {
	box := func(kind string, body []byte) []byte {
		return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), kind...), body...)
	}
	head := make([]byte, 100)
	binary.BigEndian.PutUint32(head[12:], 1000)
	binary.BigEndian.PutUint32(head[16:], uint32(duration.Milliseconds()))
	file := box("ftyp", []byte("isom\x00\x00\x02\x00isomiso2"))
	file = append(file, box("mdat", make([]byte, mediaBytes))...)
	// The duration is at the end of the index, which is larger than headBytes.
	return append(file, box("moov", append(box("free", make([]byte, headBytes+1000)), box("mvhd", head)...))...)
}

type fault string

func (f fault) Error() string     { return string(f) }
func (f fault) FileFault() string { return string(f) }

// probeMP4 reads the duration from the index of an MP4 file.
func probeMP4(_ context.Context, path string) (media.Info, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return media.Info{}, err
	}
	for at := 0; at+8 <= len(data); {
		size := int(binary.BigEndian.Uint32(data[at:]))
		if end := at + size; string(data[at+4:at+8]) == "moov" && size > 108 && end <= len(data) &&
			string(data[end-104:end-100]) == "mvhd" {
			return media.Info{
				Format:     "mov",
				DurationMS: int64(binary.BigEndian.Uint32(data[end-84:])),
				Video:      &media.VideoInfo{},
			}, nil
		}
		if size < 8 {
			break
		}
		at += size
	}
	return media.Info{}, fault("the index is missing")
}

// serving responds like a file server with range support.
func serving(name string, data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "video/mp4")
		http.ServeContent(w, r, name, time.Time{}, strings.NewReader(string(data)))
	}
}

// wantCode fails the test unless err has this code and its message contains these words.
func wantCode(t *testing.T, err error, code string, says ...string) {
	t.Helper()
	var e *store.Error
	if !errors.As(err, &e) || e.Kind != store.Invalid || e.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	for _, words := range says {
		if !strings.Contains(e.Message, words) {
			t.Errorf("the message %q does not contain %q", e.Message, words)
		}
	}
}

// download fetches an address to a temporary file and returns its content.
func (f *Fetcher) download(t *testing.T, address string, allow func(int64) error) ([]byte, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fetched")
	err := f.Fetch(t.Context(), address, path, allow, func(float64) {})
	data, readErr := os.ReadFile(path)
	if (err == nil) != (readErr == nil) {
		t.Errorf("Fetch returns %v, but reading the file returns %v", err, readErr)
	}
	return data, err
}

func allowAll(int64) error { return nil }
