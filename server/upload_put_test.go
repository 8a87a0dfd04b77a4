package server

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roughcut/store"
)

func TestUploadsOfDeletedClipsAndTooMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	gone := p.resumable(project, 10)
	p.do("DELETE", "/api/v1/clips/"+gone.clip, nil).want(204, "")
	w.anonymous().do("PUT", w.http.URL+gone.path, []byte("0123456789")).want(404, "not_found")
	gone.patch(0, "0123456789").want(404, "not_found")
	if r := w.send(gone.request("HEAD", "", nil)); r.status != 404 {
		t.Errorf("HEAD responds with %d", r.status)
	}
	large := p.resumable(project, 3)
	large.patch(0, "more than three").want(413, "too_large")
	for range 5 {
		p.resumable(project, 10).patch(0, "abc").want(204, "")
	}
	sixth := p.resumable(project, 10)
	sixth.patch(0, "abc").want(429, "rate_limited")
	for range 5 { // open plain uploads
		if _, err := w.store.OpenUpload(clipFile(p, p.resumable(project, 10).clip)); err != nil {
			w.anonymous().do("PUT", w.http.URL+sixth.path, []byte("0123456789")).want(429, "rate_limited")
			return
		}
	}
	w.anonymous().do("PUT", w.http.URL+sixth.path, []byte("0123456789")).want(429, "rate_limited")
}

// A client that still reads learns that its upload is too short.
func TestShortUploadIsRejected(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	u := p.resumable(project, 10)
	conn := w.dial("PUT " + u.path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc")
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || response.StatusCode != 400 {
		t.Fatalf("the upload responds with %v %v", response, err)
	}
	received.note("upload", response.StatusCode)
	received.noteCode("upload", "validation_error")
	u.confirm().want(409, "not_uploaded")
}

// A file with fewer bytes than its request announced may have lost its end, so its clip says so.
func TestClipOfAShorterFileWarns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	for announced, warning := range map[int]any{5: nil, 9: nil, 10: "Only 9 of 10 bytes arrived"} {
		clips := "/api/v1/projects/" + project + "/clips/"
		begun := p.do("POST", clips+"presign", map[string]any{
			"filename": "talk.mp4", "content_type": "video/mp4", "size_bytes": announced,
		}).want(201, "")
		w.anonymous().do("PUT", begun.text("upload_url"), []byte("recording")).want(200, "")
		clip := p.do("POST", clips+begun.text("clip_uuid")+"/confirm", nil).want(202, "")
		if got := clip.text("size_bytes"); got != "9" {
			t.Errorf("%s bytes", got)
		}
		if got := clip.value("warning"); (got == nil) != (warning == nil) ||
			(warning != nil && !strings.HasPrefix(got.(string), warning.(string))) {
			t.Errorf("announced %d bytes: the warning is %v", announced, got)
		}
	}
}

func TestUploads(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *Options, so *store.Options) { so.MaxUploadBytes = 1 << 20 })
	p := w.person("p")
	project := p.project("Talk")
	presign := "/api/v1/projects/" + project + "/clips/presign"
	p.do(
		"POST",
		presign,
		map[string]any{"filename": "a.mp4", "content_type": "video/mp4", "size_bytes": 1<<20 + 1},
	).want(422, "file_too_large")
	p.do(
		"POST",
		presign,
		map[string]any{"filename": "a.txt", "content_type": "text/plain", "size_bytes": 1},
	).want(422, "content_type_not_allowed")
	r := p.do(
		"POST",
		presign,
		map[string]any{"filename": "a.mp4", "content_type": "video/mp4", "size_bytes": 4},
	).want(201, "")
	confirm := "/api/v1/projects/" + project + "/clips/" + r.text("clip_uuid") + "/confirm"
	if r.text("expires_in") != "3600" {
		t.Errorf("presign responds with %s", r.body)
	}
	p.do("POST", confirm, nil).want(409, "not_uploaded")
	w.anonymous().do("PUT", r.text("upload_url"), bytes.Repeat([]byte("x"), 1<<20+1)).want(413, "too_large")
	p.do("POST", confirm, nil).want(409, "not_uploaded")
	if got := w.anonymous().do("PUT", r.text("upload_url"), []byte("first")).want(200, ""); len(got.body) != 0 {
		t.Errorf("an upload responds with %q", got.body)
	}
	w.anonymous().do("PUT", r.text("upload_url"), []byte("second one")).want(200, "")
	if got := p.do("POST", confirm, nil).want(202, ""); got.text("status") != "processing" ||
		got.text("size_bytes") != "10" {
		t.Errorf("confirm responds with %s", got.body)
	}
	p.do("POST", confirm, nil).want(200, "")
	w.anonymous().do("PUT", r.text("upload_url"), []byte("third")).want(409, "conflict")
	if got := p.do("GET", "/api/v1/users/me", nil).text("storage_used_bytes"); got != "10" {
		t.Errorf("%s bytes are used", got)
	}

	late := p.do(
		"POST",
		presign,
		map[string]any{"filename": "a.mp4", "content_type": "video/mp4", "size_bytes": 4},
	).want(201, "")
	w.clock.Advance(time.Hour)
	w.anonymous().do("PUT", late.text("upload_url"), []byte("late")).want(401, "not_authenticated")
	empty := p.do(
		"POST",
		presign,
		map[string]any{"filename": "a.mp4", "content_type": "video/mp4", "size_bytes": 5},
	).want(201, "")
	w.anonymous().do("PUT", empty.text("upload_url"), []byte{}).want(200, "")
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+empty.text("clip_uuid")+"/confirm", nil).want(
		422,
		"unprocessable",
	)
	p.do("POST", "/api/v1/projects/"+p.project("other")+"/clips/"+r.text("clip_uuid")+"/confirm", nil).want(
		404,
		"not_found",
	)
}

func TestInterruptedUploadLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	r := p.do(
		"POST",
		"/api/v1/projects/"+project+"/clips/presign",
		map[string]any{"filename": "a.mp4", "content_type": "video/mp4", "size_bytes": 100},
	).want(201, "")
	path := strings.TrimPrefix(r.text("upload_url"), w.http.URL)
	conn := w.dial("PUT " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n" + strings.Repeat("a", 60))
	tmp := filepath.Join(filepath.Dir(w.outbox), "tmp")
	files := func() int {
		entries, err := os.ReadDir(tmp)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	w.eventually("the upload has started", func() bool { return files() == 1 })
	conn.Close()
	w.eventually("the upload is cleaned up", func() bool { return files() == 0 })
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+r.text("clip_uuid")+"/confirm", nil).want(409, "not_uploaded")
	w.anonymous().do("PUT", r.text("upload_url"), []byte("whole")).want(200, "")
}

func TestUploadEndsWithSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	r := p.do(
		"POST",
		"/api/v1/projects/"+project+"/clips/presign",
		map[string]any{"filename": "a.mp4", "content_type": "video/mp4", "size_bytes": 100},
	).want(201, "")
	conn := w.dial(
		"PUT " + strings.TrimPrefix(
			r.text("upload_url"),
			w.http.URL,
		) + " HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n" + strings.Repeat("a", 60),
	)
	w.eventually("the upload has started", func() bool { return w.server.transfers.count() == 1 })
	p.do("POST", "/api/v1/auth/logout-all", nil).want(200, "")
	if _, err := io.WriteString(conn, strings.Repeat("a", 40)); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || response.StatusCode != 401 {
		t.Errorf("the rest of the upload responds with %v %v", response, err)
	}
	response.Body.Close()
	w.anonymous().do("PUT", r.text("upload_url"), []byte("again")).want(401, "not_authenticated")
}

func TestOversizedUploadIsRejectedBeforeBody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *Options, so *store.Options) { so.MaxUploadBytes = 1 << 20 })
	p := w.person("p")
	r := p.do(
		"POST",
		"/api/v1/projects/"+p.project("Talk")+"/clips/presign",
		map[string]any{"filename": "a.mp4", "content_type": "video/mp4", "size_bytes": 4},
	).want(201, "")
	for _, size := range []string{"1048577", "999999999999999"} {
		conn := w.dial(
			"PUT " + strings.TrimPrefix(
				r.text("upload_url"),
				w.http.URL,
			) + " HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: " + size + "\r\n\r\n",
		)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != 413 {
			t.Errorf("declaring %s bytes responds with %s", size, response.Status)
		}
	}
}

// bodyAfterResponse is a body that fails the test if it is read before the response was sent.
type bodyAfterResponse struct {
	t        *testing.T
	response *httptest.ResponseRecorder
}

func (b bodyAfterResponse) Read([]byte) (int, error) {
	if !b.response.Flushed {
		b.t.Error("the body is read before the response was sent")
	}
	return 0, io.EOF
}

// The header of an upload decides: the client learns it without sending a byte.
func TestUploadIsRefusedFromItsHeader(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	model := p.request("PUT", "/api/v1/models/large/file", []byte{})
	u := p.resumable(p.project("Talk"), 10)
	put, patch := w.anonymous().request("PUT", u.path, nil), u.request("PATCH", "0", nil)
	for _, c := range []struct {
		request *http.Request
		want    int
	}{{put, 413}, {patch, 413}, {model, 413}} {
		response := httptest.NewRecorder()
		c.request.Body = io.NopCloser(bodyAfterResponse{t, response})
		c.request.ContentLength = 1e15
		w.server.ServeHTTP(response, c.request)
		if response.Code != c.want || !strings.Contains(response.Body.String(), `"code"`) {
			t.Errorf("%s: %d %s, want %d", c.request.Method, response.Code, response.Body, c.want)
		}
	}
}

// dial opens a connection and sends a request header.
func (w *world) dial(head string) net.Conn {
	w.t.Helper()
	conn, err := net.Dial("tcp", w.http.Listener.Addr().String())
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, head); err != nil {
		w.t.Fatal(err)
	}
	return conn
}
