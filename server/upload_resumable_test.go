package server

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"roughcut/store"
)

// resumable is an upload address with its clip.
type resumable struct {
	p                   *person
	project, clip, path string
}

func (p *person) resumable(project string, size int) resumable {
	p.w.t.Helper()
	r := p.do(
		"POST",
		"/api/v1/projects/"+project+"/clips/presign",
		map[string]any{"filename": "a.mp4", "content_type": "video/mp4", "size_bytes": size},
	).want(201, "")
	return resumable{p, project, r.text("clip_uuid"), strings.TrimPrefix(r.text("upload_url"), p.w.http.URL)}
}

func (u resumable) request(method string, offset string, body []byte) *http.Request {
	u.p.w.t.Helper()
	var content any
	if method == "PATCH" {
		content = body
	}
	r := u.p.w.anonymous().request(method, u.path, content)
	r.Header.Set("Tus-Resumable", "1.0.0")
	if method == "PATCH" {
		r.Header.Set("Content-Type", "application/offset+octet-stream")
		r.Header.Set("Upload-Offset", offset)
	}
	return r
}

func (u resumable) patch(offset int, body string) *reply {
	u.p.w.t.Helper()
	return u.p.w.send(u.request("PATCH", strconv.Itoa(offset), []byte(body)))
}

// offset returns the offset of the upload.
func (u resumable) offset() string {
	u.p.w.t.Helper()
	return u.p.w.send(u.request("HEAD", "", nil)).want(200, "").header.Get("Upload-Offset")
}

func (u resumable) confirm() *reply {
	u.p.w.t.Helper()
	return u.p.do("POST", "/api/v1/projects/"+u.project+"/clips/"+u.clip+"/confirm", nil)
}

// stored returns the bytes of the clip's file.
func (u resumable) stored() string {
	u.p.w.t.Helper()
	clip, err := u.p.w.store.Clip(u.p.user.UUID, u.clip)
	if err != nil {
		u.p.w.t.Fatal(err)
	}
	data, err := os.ReadFile(u.p.w.store.FilePath(clipKey(clip, "original")))
	if err != nil {
		u.p.w.t.Fatal(err)
	}
	return string(data)
}

// head returns the header of a PATCH request on the wire.
func (u resumable) head(offset, length int) string {
	return fmt.Sprintf(
		"PATCH %s HTTP/1.1\r\nHost: x\r\nTus-Resumable: 1.0.0\r\nContent-Type: "+
			"application/offset+octet-stream\r\nUpload-Offset: %d\r\nContent-Length: %d\r\n\r\n",
		u.path,
		offset,
		length,
	)
}

// received returns the number of bytes of the only resumable upload.
func (w *world) received() int64 {
	w.t.Helper()
	entries, err := os.ReadDir(filepath.Join(w.so.Dir, "uploads"))
	if err != nil || len(entries) != 1 {
		return 0
	}
	info, err := entries[0].Info()
	if err != nil {
		w.t.Fatal(err)
	}
	return info.Size()
}

func TestResumableUploadInPieces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	u := p.resumable(p.project("Talk"), 9)
	if got := w.send(u.request("OPTIONS", "", nil)).want(
		200,
		"",
	); got.header.Get("Tus-Version") != "1.0.0" || got.header.Get("Tus-Max-Size") != "2147483648" ||
		got.header.Get("Tus-Extension") != "" {
		t.Errorf("OPTIONS responds with %v", got.header)
	}
	if got := u.offset(); got != "0" {
		t.Errorf("a new upload has the offset %s", got)
	}
	u.patch(0, "abc").want(204, "")
	u.confirm().want(409, "not_uploaded")
	if got := u.patch(3, "def").want(204, "").header.Get("Upload-Offset"); got != "6" {
		t.Errorf("offset after the second piece: %s", got)
	}
	u.patch(3, "def").want(409, "conflict")
	u.patch(6, "ghijkl").want(413, "too_large")
	u.patch(6, "").want(204, "")
	if got := u.offset(); got != "6" {
		t.Errorf("offset %s", got)
	}
	u.patch(6, "ghi").want(204, "")
	if got := u.offset(); got != "9" {
		t.Errorf("offset of the complete upload: %s", got)
	}
	u.patch(9, "").want(204, "")
	u.confirm().want(202, "")
	if got := u.stored(); got != "abcdefghi" {
		t.Errorf("stored %q", got)
	}
	u.patch(9, "").want(409, "conflict")
	if got := w.send(u.request("HEAD", "", nil)); got.status != 409 {
		t.Errorf("HEAD after the confirm responds with %d", got.status)
	}
}

func TestResumableUploadErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	u := p.resumable(p.project("Talk"), 9)
	for _, c := range []struct {
		header, value string
		status        int
		code          string
	}{
		{"Tus-Resumable", "0.2.2", 412, "unsupported_version"},
		{"Tus-Resumable", "", 412, "unsupported_version"},
		{"Content-Type", "video/mp4", 400, "validation_error"},
		{"Upload-Offset", "-1", 400, "validation_error"},
		{"Upload-Offset", "x", 400, "validation_error"},
		{"Upload-Offset", "4", 409, "conflict"},
		{"Upload-Length", "9", 400, "validation_error"},
	} {
		r := u.request("PATCH", "0", []byte("abc"))
		r.Header.Set(c.header, c.value)
		if got := w.send(r).want(c.status, c.code); got.header.Get("Tus-Version") != "1.0.0" {
			t.Errorf("%s: %s: %v", c.header, c.value, got.header)
		}
	}
	w.anonymous().do("POST", u.path, []byte("abc")).want(405, "method_not_allowed")
	w.anonymous().do("GET", u.path, nil).want(405, "method_not_allowed")
	w.anonymous().do("DELETE", u.path, nil).want(405, "method_not_allowed")
	if got := u.offset(); got != "0" {
		t.Errorf("offset %s", got)
	}
	forged := u
	forged.path = "/upload/v1/forged"
	forged.patch(0, "abc").want(401, "not_authenticated")
	w.clock.Advance(time.Hour)
	u.patch(0, "abc").want(401, "not_authenticated")
	if got := w.send(u.request("HEAD", "", nil)); got.status != 401 {
		t.Errorf("HEAD on an expired address responds with %d", got.status)
	}
	if strings.Contains(w.logs.String(), u.path) {
		t.Error("the log contains the address")
	}
}

func TestLostConnectionKeepsReceivedBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	u := p.resumable(p.project("Talk"), 100)
	conn := w.dial(u.head(0, 100) + strings.Repeat("a", 60))
	w.eventually("the bytes arrive", func() bool { return w.received() == 60 })
	conn.Close()
	w.eventually("the request ends", func() bool { return w.server.transfers.count() == 0 })
	w.restart(func(*store.Options) {})
	if got := u.offset(); got != "60" {
		t.Errorf("offset %s", got)
	}
	u.patch(60, strings.Repeat("b", 40)).want(204, "")
	if got := u.stored(); got != strings.Repeat("a", 60)+strings.Repeat("b", 40) {
		t.Errorf("stored %q", got)
	}
}

// A client can resume even if the server has not noticed that its old connection is lost: tus waits
// for the upload for less than uploadTime.
func TestReturningClientInterruptsOldRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	u := p.resumable(p.project("Talk"), 100)
	conn := w.dial(u.head(0, 100) + strings.Repeat("a", 60))
	w.eventually("the bytes arrive", func() bool { return w.received() == 60 })
	if got := u.offset(); got != "60" {
		t.Errorf("offset %s", got)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || response.StatusCode != 503 {
		t.Errorf("the old request responds with %v %v", response, err)
	}
}

func TestResumableUploadHasSameLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *Options, so *store.Options) { so.MaxUploadBytes = 1 << 20 })
	p := w.person("p")
	project := p.project("Talk")
	u := p.resumable(project, 1<<20)
	conn := w.dial(strings.Replace(u.head(0, 1<<20+1), "\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n", 1))
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || response.StatusCode != 413 {
		t.Errorf("too large an upload responds with %v %v", response, err)
	}
	// A client that sends before it reads also receives the response.
	conn = w.dial(u.head(0, 8<<20))
	go func() { _, _ = io.Copy(conn, bytes.NewReader(make([]byte, 8<<20))) }()
	if response, err = http.ReadResponse(bufio.NewReader(conn), nil); err != nil || response.StatusCode != 413 {
		t.Errorf("too large an upload responds with %v %v", response, err)
	}
	for range 5 {
		p.resumable(project, 10).patch(0, "abc").want(204, "")
	}
	u.patch(0, "abc").want(429, "rate_limited")
}

func TestResumableUploadOnFullDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	u := p.resumable(p.project("Talk"), 9)
	u.patch(0, "abc").want(204, "")
	w.restart(func(so *store.Options) { so.MinFreeBytes = 1 << 60 })
	u.patch(3, "def").want(507, "storage_full")
	if got := u.offset(); got != "3" {
		t.Errorf("offset %s", got)
	}
	w.restart(func(so *store.Options) { so.MinFreeBytes = 1 })
	u.patch(3, "defghi").want(204, "")
	u.confirm().want(202, "")
	if got := u.stored(); got != "abcdefghi" {
		t.Errorf("stored %q", got)
	}
}

func TestResumableUploadEndsWithSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	u := p.resumable(p.project("Talk"), 100)
	conn := w.dial(u.head(0, 100) + strings.Repeat("a", 60))
	w.eventually("the upload has started", func() bool { return w.server.transfers.count() == 1 })
	p.do("POST", "/api/v1/auth/logout-all", nil).want(200, "")
	if _, err := io.WriteString(conn, strings.Repeat("a", 40)); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || response.StatusCode != 401 {
		t.Errorf("the rest of the upload responds with %v %v", response, err)
	}
	u.patch(60, "again").want(401, "not_authenticated")
}

func TestAssetUploadResumesAtNewAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	r := p.do(
		"POST",
		"/api/v1/assets/presign",
		map[string]any{"filename": "a.mp4", "content_type": "video/mp4", "size_bytes": 9},
	).want(201, "")
	at := "/api/v1/assets/" + r.text("user_asset_id")
	address := func(r *reply) resumable {
		return resumable{p: p, path: strings.TrimPrefix(r.text("upload_url"), w.http.URL)}
	}
	address(r).patch(0, "abc").want(204, "")
	w.clock.Advance(50 * time.Minute)
	next := address(p.do("POST", at+"/presign", nil).want(200, ""))
	w.clock.Advance(50 * time.Minute)
	if _, err := w.store.SweepExpired(); err != nil {
		t.Fatal(err)
	}
	address(r).patch(3, "def").want(401, "not_authenticated")
	next.patch(3, "defghi").want(204, "")
	if got := p.do("POST", at+"/confirm", nil).want(202, "").value("size_bytes"); got != 9.0 {
		t.Errorf("%v bytes arrived", got)
	}
	p.do("POST", at+"/presign", nil).want(409, "conflict")
}

func TestUploadResumesAtNewAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	u := p.resumable(p.project("Talk"), 9)
	u.patch(0, "abc").want(204, "")
	w.clock.Advance(50 * time.Minute)
	renew := "/api/v1/projects/" + u.project + "/clips/" + u.clip + "/presign"
	p.do("POST", "/api/v1/projects/"+p.project("other")+"/clips/"+u.clip+"/presign", nil).want(404, "not_found")
	next := u
	next.path = strings.TrimPrefix(p.do("POST", renew, nil).want(200, "").text("upload_url"), w.http.URL)
	w.clock.Advance(50 * time.Minute)
	if _, err := w.store.SweepExpired(); err != nil {
		t.Fatal(err)
	}
	u.patch(3, "def").want(401, "not_authenticated")
	next.patch(3, "defghi").want(204, "")
	next.confirm().want(202, "")
	if got := next.stored(); got != "abcdefghi" {
		t.Errorf("stored %q", got)
	}
	p.do("POST", renew, nil).want(409, "conflict")
}
