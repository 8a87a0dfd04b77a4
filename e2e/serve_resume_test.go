package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"math"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"roughcut/media/mediatest"
)

// line is a TCP proxy between a client and a server. It passes as many bytes from the client as it
// may, can cut all connections, and can change the server.
type line struct {
	listener net.Listener
	work     sync.WaitGroup

	mu      sync.Mutex
	change  *sync.Cond
	target  string
	open    map[net.Conn]struct{}
	cuts    int
	carried int64 // bytes from the client
	allowed int64
}

func newLine(t *testing.T, target string) *line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{listener: listener, target: target, open: map[net.Conn]struct{}{}}
	l.change = sync.NewCond(&l.mu)
	l.work.Go(l.accept)
	t.Cleanup(func() {
		listener.Close()
		l.cut()
		l.work.Wait()
	})
	return l
}

func (l *line) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.mu.Lock()
		server, err := net.Dial("tcp", l.target)
		if err != nil {
			client.Close() // the server is down; the client tries again
			l.mu.Unlock()
			continue
		}
		l.open[client], l.open[server] = struct{}{}, struct{}{}
		gate := gate{l, l.cuts}
		l.mu.Unlock()
		l.work.Go(func() { _, _ = io.Copy(server, io.TeeReader(client, gate)); server.Close() })
		l.work.Go(func() { _, _ = io.Copy(client, server); client.Close() })
	}
}

// gate blocks the bytes of a connection until they are allowed or the connection is cut.
type gate struct {
	*line
	cutsBefore int
}

func (g gate) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.carried >= g.allowed && g.cuts == g.cutsBefore {
		g.change.Wait()
	}
	if g.cuts != g.cutsBefore {
		return 0, io.ErrClosedPipe
	}
	g.carried += int64(len(p))
	g.change.Broadcast()
	return len(p), nil
}

// carry allows more bytes and waits until they have arrived.
func (l *line) carry(bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.allowed = l.carried + bytes
	l.change.Broadcast()
	for l.carried < l.allowed {
		l.change.Wait()
	}
}

func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.open {
		conn.Close()
	}
	clear(l.open)
	l.cuts++
	l.change.Broadcast()
}

// lead switches to another server and lifts the limit.
func (l *line) lead(target string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.target, l.allowed = target, math.MaxInt64
	l.change.Broadcast()
}

// sent is the result that the uploader script prints.
type sent struct {
	Losses  int   `json:"losses"`
	Sent    int64 `json:"sent"`
	Waiting bool  `json:"waiting"`
}

// page runs the uploader of the web UI on an upload address, through host.
func page(t *testing.T, address, host, file string) func() sent {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	target.Host = host
	mediatest.Needs(t, "node")
	ctx, cancel := context.WithTimeout(context.Background(), patience())
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "node", "e2e/resume.mjs")
	cmd.Dir = filepath.Join("..", "web")
	cmd.Env = append(os.Environ(), "UPLOAD_URL="+target.String(), "FILE="+file)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return func() sent {
		t.Helper()
		if err := cmd.Wait(); err != nil {
			t.Fatalf("uploader: %v\n%s", err, stderr.String())
		}
		return decode[sent](t, stdout.Bytes())
	}
}

// presignNoise makes a file of random bytes and an upload address for it.
func presignNoise(t *testing.T, c *client, size int) (file string, p presigned) {
	t.Helper()
	data := make([]byte, size)
	if _, err := rand.Read(data); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "noise.mp4")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Noise"}, 201)
	p = call[presigned](
		c, "POST", "/api/v1/projects/"+project.UUID+"/clips/presign",
		map[string]any{"filename": "noise.mp4", "content_type": "video/mp4", "size_bytes": size}, 201,
	)
	return file, p
}

// wantStored fails the test unless the stored file equals the uploaded one.
func wantStored(t *testing.T, dir, file string, p presigned) {
	t.Helper()
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "media", "clips", p.ClipFileID, "original"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the stored file of %d bytes differs from the uploaded one of %d", len(got), len(want))
	}
}

// The uploader resumes after a lost connection and after a restart of the server.
func TestUploadResumesAfterCutAndKill(t *testing.T) {
	t.Parallel()
	const size = 80 << 20
	dir := t.TempDir()
	server := serve(t, dir, nil, "--owner")
	file, p := presignNoise(t, server.owner(t), size)
	l := newLine(t, server.host(t))
	end := page(t, p.UploadURL, l.listener.Addr().String(), file)
	l.carry(10 << 20)
	l.cut()
	l.carry(30 << 20)
	server.kill()
	l.cut()
	server = serve(t, dir, nil, "--owner")
	l.lead(server.host(t))
	got := end()
	if got.Losses != 2 || got.Sent != size || got.Waiting {
		t.Errorf("uploader: %+v", got)
	}
	// The bytes in transit at the cut and those that the killed server had not flushed are sent
	// twice.
	if twice := l.carried - size; twice > 36<<20 {
		t.Errorf("%d bytes were sent twice", twice)
	}
	wantStored(t, dir, file, p)
	server.stop()
	doctor(t, dir)
}

func (r *running) host(t *testing.T) string {
	t.Helper()
	address, err := url.Parse(r.base)
	if err != nil {
		t.Fatal(err)
	}
	return address.Host
}

func TestUploadPassesProxyWithOneMebibyteBodies(t *testing.T) {
	t.Parallel()
	const size = 5 << 20
	dir := t.TempDir()
	server := serve(t, dir, nil, "--owner")
	file, p := presignNoise(t, server.owner(t), size)
	host, home := behindNginx(t, server, "")
	if got := page(t, p.UploadURL, host, file)(); got.Sent != size {
		log, _ := os.ReadFile(filepath.Join(home, "error.log"))
		t.Errorf("uploader: %+v\n%s", got, log)
	}
	wantStored(t, dir, file, p)
}
