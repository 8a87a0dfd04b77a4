package server

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkTransfer measures the throughput of media files over a connection on this machine.
func BenchmarkTransfer(b *testing.B) {
	const size = 256 << 20
	path := filepath.Join(b.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		source, err := os.Open(path)
		if err != nil {
			b.Error(err)
			return
		}
		defer source.Close()
		rec := &recorder{ResponseWriter: w}
		pace := newPace(r.Context(), http.NewResponseController(rec))
		defer pace.close()
		out := &fileWriter{ResponseWriter: rec, pace: pace, chunkTime: transferTime}
		http.ServeContent(out, r, "", time.Time{}, source)
	}))
	defer server.Close()
	b.SetBytes(size)
	for b.Loop() {
		if n := fetch(b, server.Listener.Addr().String()); n != size {
			b.Fatalf("%d bytes arrived", n)
		}
	}
}

func fetch(b *testing.B, address string) int64 {
	conn, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); err != nil {
		b.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReaderSize(conn, 1<<20), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	n, err := io.Copy(io.Discard, response.Body)
	if err != nil {
		b.Fatal(err)
	}
	return n
}
