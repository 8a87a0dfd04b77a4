package server

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roughcut/store"
)

func TestMediaAddresses(t *testing.T) {
	w := newWorld(t)
	p := w.person("p")
	clip := p.readyClip(p.project("Talk"))
	r := p.do("GET", "/api/v1/clips/"+clip+"/proxy-url", nil).want(200, "")
	if r.text("expires_in") != "300" || r.text("sprite", "tiles_per_row") != "10" ||
		!strings.HasPrefix(r.text("url"), w.http.URL+"/media/v1/") {
		t.Errorf("proxy-url answers %s", r.body)
	}
	proxy, sprite := r.text("url"), r.text("sprite", "url")

	whole := w.nobody().do("GET", proxy, nil).want(200, "")
	if string(whole.body) != proxyText || whole.header.Get("Content-Type") != "video/mp4" ||
		whole.header.Get("Accept-Ranges") != "bytes" {
		t.Errorf("the proxy is %q with %v", whole.body, whole.header)
	}
	head := w.nobody().do("HEAD", proxy, nil).want(200, "")
	if head.header.Get("Content-Length") != fmt.Sprint(len(proxyText)) || len(head.body) != 0 {
		t.Errorf("HEAD answers %v", head.header)
	}
	for _, c := range []struct {
		ranges, want string
		status       int
	}{
		{"bytes=0-3", "0123", 206}, {"bytes=-5", "proxy", 206}, {"bytes=20-", proxyText[20:], 206}, {"bytes=500-", "", 416},
	} {
		request := w.nobody().request("GET", proxy, nil)
		request.Header.Set("Range", c.ranges)
		if got := w.send(request); got.status != c.status || (c.status == 206 && string(got.body) != c.want) {
			t.Errorf("%s: %d %q", c.ranges, got.status, got.body)
		}
	}
	again := w.nobody().request("GET", proxy, nil)
	again.Header.Set("If-None-Match", whole.header.Get("ETag"))
	w.send(again).want(304, "")
	image := w.nobody().do("GET", sprite, nil).want(200, "")
	if string(image.body) != "sprite" || image.header.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
		image.header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("the sprite is %q with %v", image.body, image.header)
	}

	for _, forged := range []string{proxy + "x", strings.Replace(proxy, "/media/v1/", "/download/v1/", 1), w.http.URL + "/media/v1/x"} {
		w.nobody().do("GET", forged, nil).want(401, "not_authenticated")
	}
	w.nobody().do("PUT", strings.Replace(proxy, "/media/", "/upload/", 1), []byte("x")).want(401, "not_authenticated")
	w.clock.Advance(299 * time.Second)
	w.nobody().do("GET", proxy, nil).want(200, "")
	w.clock.Advance(time.Second)
	late := w.nobody().request("GET", proxy, nil)
	late.Header.Set("Range", "bytes=0-3")
	w.send(late).want(401, "not_authenticated")
	if got := w.nobody().do("HEAD", proxy, nil); got.status != 401 {
		t.Errorf("HEAD after the end answers %d", got.status)
	}
	if strings.Contains(w.logs.String(), proxy[len(w.http.URL)+len("/media/v1/"):]) {
		t.Error("the log holds a token")
	}
}

func TestMediaOfClipsThatAreNotReady(t *testing.T) {
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	clip, _ := p.upload(project, []byte("the original"))
	p.do("GET", "/api/v1/clips/"+clip+"/proxy-url", nil).want(409, "conflict")
	p.do("GET", "/api/v1/clips/"+clip+"/waveform", nil).want(409, "conflict")
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+clip+"/confirm", nil).want(202, "")
	early := p.do("GET", "/api/v1/clips/"+clip+"/proxy-url", nil).want(200, "")
	if early.value("sprite") != nil {
		t.Errorf("a sprite before there is one: %s", early.body)
	}
	if got := w.nobody().do("GET", early.text("url"), nil).want(200, ""); string(got.body) != "the original" {
		t.Errorf("while processing it plays %q", got.body)
	}
	w.finishClip()
	if got := w.nobody().do("GET", early.text("url"), nil).want(200, ""); string(got.body) != proxyText {
		t.Errorf("once ready it plays %q", got.body)
	}
	p.do("DELETE", "/api/v1/clips/"+clip, nil).want(204, "")
	w.nobody().do("GET", early.text("url"), nil).want(404, "not_found")
}

func TestDownload(t *testing.T) {
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Rede/1")
	p.readyClip(project)
	export := p.export(project)
	r := p.do("GET", "/api/v1/exports/"+export+"/download-url", nil).want(200, "")
	const name = `Rede_1 - Schnitt für _alle_.mp4`
	if r.text("filename") != name || r.text("size_bytes") != fmt.Sprint(len(videoText)) ||
		r.text("expires_in") != "3600" {
		t.Errorf("download-url answers %s", r.body)
	}
	got := w.nobody().do("GET", r.text("url"), nil).want(200, "")
	kind, params, err := mime.ParseMediaType(got.header.Get("Content-Disposition"))
	if err != nil || kind != "attachment" || params["filename"] != name {
		t.Errorf("Content-Disposition %q: %v %v", got.header.Get("Content-Disposition"), params, err)
	}
	if string(got.body) != videoText || got.header.Get("Content-Type") != "video/mp4" {
		t.Errorf("the video is %q", got.body)
	}
	request := w.nobody().request("GET", r.text("url"), nil)
	request.Header.Set("Range", "bytes=8-9")
	if part := w.send(request).want(206, ""); string(part.body) != "a " {
		t.Errorf("a range is %q", part.body)
	}
	p.do("DELETE", "/api/v1/exports/"+export, nil).want(204, "")
	w.nobody().do("GET", r.text("url"), nil).want(404, "not_found")
}

func TestFileNames(t *testing.T) {
	for _, c := range []struct{ project, export, want string }{
		{"Talk", "Final", "Talk - Final.mp4"}, {"Talk", "Talk", "Talk.mp4"}, {"a\r\nb", `..\c`, "a__b - .._c.mp4"}, {"...", "...", ".mp4"},
	} {
		if got := fileName(c.project, c.export); got != c.want {
			t.Errorf("fileName(%q, %q) = %q, want %q", c.project, c.export, got, c.want)
		}
	}
	if got := fileName(strings.Repeat("ü", 300), "x"); len(got) > maxFileName+4 || !strings.HasPrefix(got, "üü") {
		t.Errorf("a long name has %d bytes", len(got))
	}
	if got := disposition("a\"b\r\nc.mp4"); strings.ContainsAny(got, "\r\n") {
		t.Errorf("a header can be split: %q", got)
	}
}

func TestUploads(t *testing.T) {
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
		t.Errorf("presign answers %s", r.body)
	}
	p.do("POST", confirm, nil).want(409, "not_uploaded")
	w.nobody().do("PUT", r.text("upload_url"), bytes.Repeat([]byte("x"), 1<<20+1)).want(413, "too_large")
	p.do("POST", confirm, nil).want(409, "not_uploaded")
	if got := w.nobody().do("PUT", r.text("upload_url"), []byte("first")).want(200, ""); len(got.body) != 0 {
		t.Errorf("an upload answers %q", got.body)
	}
	w.nobody().do("PUT", r.text("upload_url"), []byte("second one")).want(200, "")
	if got := p.do("POST", confirm, nil).want(202, ""); got.text("status") != "processing" ||
		got.text("size_bytes") != "10" {
		t.Errorf("confirm answers %s", got.body)
	}
	p.do("POST", confirm, nil).want(200, "")
	w.nobody().do("PUT", r.text("upload_url"), []byte("third")).want(409, "conflict")
	if got := p.do("GET", "/api/v1/users/me", nil).text("storage_used_bytes"); got != "10" {
		t.Errorf("%s bytes are used", got)
	}

	late := p.do(
		"POST",
		presign,
		map[string]any{"filename": "a.mp4", "content_type": "video/mp4", "size_bytes": 4},
	).want(201, "")
	w.clock.Advance(time.Hour)
	w.nobody().do("PUT", late.text("upload_url"), []byte("late")).want(401, "not_authenticated")
	empty := p.do(
		"POST",
		presign,
		map[string]any{"filename": "a.mp4", "content_type": "video/mp4", "size_bytes": 5},
	).want(201, "")
	w.nobody().do("PUT", empty.text("upload_url"), []byte{}).want(200, "")
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+empty.text("clip_uuid")+"/confirm", nil).want(
		422,
		"unprocessable",
	)
	p.do("POST", "/api/v1/projects/"+p.project("other")+"/clips/"+r.text("clip_uuid")+"/confirm", nil).want(
		404,
		"not_found",
	)
}

// dial opens a connection of its own and sends the head of a request.
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

func TestAnUploadThatBreaksOffLeavesNothing(t *testing.T) {
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
	w.eventually("the upload has begun", func() bool { return files() == 1 })
	conn.Close()
	w.eventually("the upload is cleaned up", func() bool { return files() == 0 })
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+r.text("clip_uuid")+"/confirm", nil).want(409, "not_uploaded")
	w.nobody().do("PUT", r.text("upload_url"), []byte("whole")).want(200, "")
}

func TestATransferEndsWithTheAccountsSessions(t *testing.T) {
	w := newWorld(t)
	p := w.person("p")
	clip := p.readyClip(p.project("Talk"))
	record, err := w.store.Clip(p.user.UUID, clip)
	if err != nil {
		t.Fatal(err)
	}
	const size = 64 << 20 // more than any socket buffer takes
	if err := os.Truncate(w.store.FilePath(clipKey(record, proxyFile)), size); err != nil {
		t.Fatal(err)
	}
	address := p.do("GET", "/api/v1/clips/"+clip+"/proxy-url", nil).want(200, "").text("url")
	conn := w.dial("GET " + strings.TrimPrefix(address, w.http.URL) + " HTTP/1.1\r\nHost: x\r\n\r\n")
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || response.ContentLength != size {
		t.Fatalf("%v %v", response, err)
	}
	w.eventually("the transfer is under way", func() bool { return w.server.live.count() == 1 })
	p.do("POST", "/api/v1/auth/logout-all", nil).want(200, "")
	asked := time.Now()
	w.eventually("the transfer has ended", func() bool { return w.server.live.count() == 0 })
	if took := time.Since(asked); took > transferTime/2 {
		t.Errorf("the transfer went on for %v after the sessions ended, as with a client that takes nothing", took)
	}
	if n, _ := io.Copy(io.Discard, response.Body); n >= size {
		t.Errorf("all %d bytes arrived", n)
	}
}

func TestAnUploadEndsWithTheAccountsSessions(t *testing.T) {
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
	w.eventually("the upload has begun", func() bool { return w.server.live.count() == 1 })
	p.do("POST", "/api/v1/auth/logout-all", nil).want(200, "")
	if _, err := io.WriteString(conn, strings.Repeat("a", 40)); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || response.StatusCode != 401 {
		t.Errorf("the rest of the upload is answered with %v %v", response, err)
	}
	response.Body.Close()
	w.nobody().do("PUT", r.text("upload_url"), []byte("again")).want(401, "not_authenticated")
}

func TestAnUploadThatCannotBeKeptIsRefusedBeforeItIsSent(t *testing.T) {
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
			t.Errorf("announcing %s bytes is answered with %s", size, response.Status)
		}
	}
}
