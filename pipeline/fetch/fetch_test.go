package fetch

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"roughcut/store"
)

const mib = 1 << 20

// A look-up reads the start and the index of a recording, and little else.
func TestLookUpReadsOnlyStartAndIndex(t *testing.T) {
	film := movie(61*time.Minute, 40*mib)
	var sent atomic.Int64
	site := newSite(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		counter := &countingWriter{ResponseWriter: w, n: &sent}
		serving("x", film)(counter, r)
	})
	_, err := newFetcher(t).LookUp(t.Context(), site.URL+"/long.mp4")
	wantCode(t, err, "import_too_long", "61 minutes", "maximum import is 60 minutes")
	if n := sent.Load(); n > 2*mib {
		t.Errorf("the look-up read %d bytes", n)
	}
	film = movie(time.Hour, 40*mib)
	found, err := newFetcher(t).LookUp(t.Context(), site.URL+"/a%20talk.mp4?token=1")
	if want := (store.NewImport{
		Address:     site.URL + "/a%20talk.mp4?token=1",
		Name:        "a talk.mp4",
		ContentType: "video/mp4",
		SizeBytes:   int64(len(film)),
	}); err != nil ||
		found != want {
		t.Errorf("found %+v, %v, want %+v", found, err, want)
	}
	film = movie(time.Hour+time.Millisecond, 40*mib)
	_, err = newFetcher(t).LookUp(t.Context(), site.URL+"/over.mp4")
	wantCode(t, err, "import_too_long", "60.1 minutes")
}

type countingWriter struct {
	http.ResponseWriter
	n *atomic.Int64
}

func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.n.Add(int64(n))
	return n, err
}

// If the server supports no ranges and the index comes last, only CheckDuration sees the duration.
func TestLookUpWithoutRanges(t *testing.T) {
	film := movie(61*time.Minute, mib)
	site := newSite(t, "127.0.0.1", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", `attachment; filename="My/..\\Talk `+"\t"+`é.mp4"`)
		_, _ = w.Write(film)
	})
	f := newFetcher(t)
	found, err := f.LookUp(t.Context(), site.URL+"/download")
	if err != nil || found.Name != "My-..-Talk é.mp4" || found.SizeBytes != 0 {
		t.Errorf("found %+v, %v", found, err)
	}
	data, err := f.download(t, found.Address, allowAll)
	if err != nil || !bytes.Equal(data, film) {
		t.Errorf("fetched %d bytes, %v", len(data), err)
	}
	wantCode(t, f.CheckDuration((61 * time.Minute).Milliseconds()), "import_too_long", "maximum import is 60 minutes")
}

// The error for a response that is not a recording tells the user why.
func TestLookUpRefusesOtherContent(t *testing.T) {
	zipped := &bytes.Buffer{}
	z := gzip.NewWriter(zipped)
	_, _ = z.Write(movie(time.Minute, 100))
	_ = z.Close()
	respond := func(status int, body []byte, headers ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.WriteHeader(status)
			_, _ = w.Write(body)
		}
	}
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		says    string
	}{
		"a page": {
			respond(200, []byte("<html><video src=x.mp4></html>"), "Content-Type", "text/html"), "yt-dlp",
		},
		"a playlist": {
			respond(200, []byte("#EXTM3U\n"), "Content-Type", "application/vnd.apple.mpegurl"), "yt-dlp",
		},
		"a picture": {respond(200, []byte("\x89PNG\r\n\x1a\n"), "Content-Type", "image/png"), "yt-dlp"},
		"a page as video": {
			respond(200, []byte("<html></html>"), "Content-Type", "video/mp4"), "cannot be imported",
		},
		"an empty file": {respond(200, nil, "Content-Type", "video/mp4"), "empty"},
		"compressed": {
			respond(200, zipped.Bytes(), "Content-Type", "video/mp4", "Content-Encoding", "gzip"),
			"compressed (gzip)",
		},
		"not there": {respond(404, nil), "404 Not Found"},
		"gone":      {respond(410, nil), "410 Gone"},
		"a refusal": {respond(403, nil), "403 Forbidden"},
		"a fault":   {respond(500, nil), "500 Internal Server Error"},
		"a lie about its size": {
			respond(
				206,
				[]byte("\x00\x00\x00\x10ftypisom"),
				"Content-Range",
				"bytes 0-11/9223372036854775807",
				"Content-Type",
				"video/mp4",
			),
			"GiB",
		},
		"too much of a header": {respond(200, nil, "X-Large", strings.Repeat("x", 2*maxHeaderBytes)), "connection"},
	} {
		t.Run(name, func(t *testing.T) {
			site := newSite(t, "127.0.0.1", c.handler)
			f := newFetcher(t, func(f *Fetcher) { f.YtDlp = "/nonexistent/yt-dlp" })
			_, err := f.LookUp(t.Context(), site.URL+"/watch")
			wantCode(t, err, "import_metadata_failed", c.says)
		})
	}
	_, err := newFetcher(t).LookUp(t.Context(), "http://no-such-host.invalid/x.mp4")
	wantCode(t, err, "import_metadata_failed", "Cannot reach no-such-host.invalid. Is this computer online")
	_, err = newFetcher(t).LookUp(t.Context(), "http://127.0.0.1:1/x.mp4")
	wantCode(t, err, "import_metadata_failed", "could not be reached")
}

// hanging sends head, then single bytes until the client disconnects.
func hanging(head string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "video/mp4")
		_, _ = io.WriteString(w, head)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_, _ = io.WriteString(w, "x")
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}
}

// A server that never finishes its response cannot hold a look-up beyond its timeout.
func TestLookUpTimesOut(t *testing.T) {
	silent := newSite(t, "127.0.0.1", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	slow := newSite(t, "127.0.0.1", hanging(""))
	for _, address := range []string{silent.URL, slow.URL} {
		f := newFetcher(t, func(f *Fetcher) { f.MetadataTimeout = 100 * time.Millisecond })
		_, err := f.LookUp(t.Context(), address+"/x.mp4")
		wantCode(t, err, "import_metadata_timeout")
	}
}

// An endless body is read only while there is room, and nothing of it remains.
func TestFetchStopsWhenThereIsNoRoom(t *testing.T) {
	block := make([]byte, mib)
	copy(block, movie(time.Minute, 100))
	site := newSite(t, "127.0.0.1", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "video/mp4")
		for {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	full := errors.New("no room")
	var last int64
	_, err := newFetcher(t).download(t, site.URL+"/x.mp4", func(size int64) error {
		if last = size; size > 20*mib {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || last > 26*mib {
		t.Errorf("Fetch returns %v after %d bytes", err, last)
	}
	known := newSite(t, "127.0.0.1", serving("x.mp4", movie(time.Minute, 30*mib)))
	asked := 0
	_, err = newFetcher(t).download(t, known.URL+"/x.mp4", func(size int64) error {
		if asked++; size > 20*mib {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || asked != 1 {
		t.Errorf("Fetch asked %d times about an announced size: %v", asked, err)
	}
}

func TestFetchReportsProgress(t *testing.T) {
	film := movie(time.Minute, 8*mib)
	site := newSite(t, "127.0.0.1", serving("x.mp4", film))
	f := newFetcher(t)
	last := 0.0
	path := filepath.Join(t.TempDir(), "x")
	err := f.Fetch(t.Context(), site.URL+"/x.mp4", path, allowAll, func(fraction float64) {
		if fraction < last || fraction > 1 {
			t.Errorf("the progress went from %v to %v", last, fraction)
		}
		last = fraction
	})
	if err != nil || last != 1 {
		t.Errorf("Fetch ended at a progress of %v with %v", last, err)
	}
}

// Interrupted, slow and silent downloads leave no file.
func TestFailedDownloadsLeaveNoFile(t *testing.T) {
	short := newSite(t, "127.0.0.1", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "video/mp4")
		w.Header().Set("Content-Length", "1000000")
		_, _ = w.Write(make([]byte, 10_000))
	})
	_, err := newFetcher(t).download(t, short.URL+"/x.mp4", allowAll)
	wantCode(t, err, "import_metadata_failed", "interrupted after 10000 of 1000000 bytes")

	slow := newSite(t, "127.0.0.1", hanging(strings.Repeat("x", 100_000)))
	f := newFetcher(t, func(f *Fetcher) { f.stallWindow = 50 * time.Millisecond })
	_, err = f.download(t, slow.URL+"/x.mp4", allowAll)
	wantCode(t, err, "import_metadata_failed", "too slowly")

	quiet := newSite(t, "127.0.0.1", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	_, err = f.download(t, quiet.URL+"/x.mp4", allowAll)
	wantCode(t, err, "import_metadata_failed", "too slowly")

	liar := newSite(t, "127.0.0.1", func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer connection.Close()
		_, _ = fmt.Fprintf(
			connection,
			"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 100\r\n\r\n%s",
			strings.Repeat("y", 5000),
		)
	})
	data, err := newFetcher(t).download(t, liar.URL+"/x.mp4", allowAll)
	if err != nil || len(data) != 100 {
		t.Errorf("a body longer than announced gives %d bytes, %v", len(data), err)
	}
}

func TestCleanName(t *testing.T) {
	for text, want := range map[string]string{
		"talk.mp4": "talk.mp4", "../../etc/passwd": "etc-passwd", "a\x00b\nc": "ab c", "  .hidden ": "hidden",
		"\xff\xfe": "", "…": "…",
		"\u202etxt.exe": "txt.exe", "Ça va? 日本": "Ça va? 日本",
		strings.Repeat("é", 300): strings.Repeat("é", maxNameRunes), "/": "",
	} {
		if got := cleanName(text); got != want {
			t.Errorf("cleanName(%q) = %q, want %q", text, got, want)
		}
	}
}

// A server without a connection blames its connection and not the address.
func TestOfflineServerSaysSo(t *testing.T) {
	for says, err := range map[string]error{
		"Is this computer online?": &net.DNSError{Err: "server misbehaving", Name: "example.org", IsTemporary: true},
		"internet connection": &net.OpError{
			Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ENETUNREACH),
		},
	} {
		wantCode(t, userError(fmt.Errorf("get: %w", err)), "import_metadata_failed", says)
	}
}

// A download that sends as slowly as allowed ends within the time that its size is worth.
func TestLeastRateRisesWithTime(t *testing.T) {
	total, windows := int64(0), 0
	for total < 1<<30 {
		if least := leastBytes(windows); least < leastBytes(max(windows-1, 0)) {
			t.Fatalf("the least rate falls after %d windows", windows)
		}
		total += leastBytes(windows)
		windows++
	}
	if took := time.Duration(windows) * stallWindow; took > 150*time.Minute || leastBytes(0) != stallBytes {
		t.Errorf("the slowest download of 1 GiB takes %v", took)
	}
}
