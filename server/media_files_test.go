package server

import (
	"bufio"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMediaAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	clip := p.readyClip(p.project("Talk"))
	r := p.do("GET", "/api/v1/clips/"+clip+"/proxy-url", nil).want(200, "")
	if r.text("expires_in") != "300" || r.text("sprite", "tiles_per_row") != "10" ||
		!strings.HasPrefix(r.text("url"), w.http.URL+"/media/v1/") {
		t.Errorf("proxy-url responds with %s", r.body)
	}
	proxy, sprite := r.text("url"), r.text("sprite", "url")

	whole := w.anonymous().do("GET", proxy, nil).want(200, "")
	if string(whole.body) != proxyText || whole.header.Get("Content-Type") != "video/mp4" ||
		whole.header.Get("Accept-Ranges") != "bytes" {
		t.Errorf("proxy %q with %v", whole.body, whole.header)
	}
	head := w.anonymous().do("HEAD", proxy, nil).want(200, "")
	if head.header.Get("Content-Length") != fmt.Sprint(len(proxyText)) || len(head.body) != 0 {
		t.Errorf("HEAD responds with %v", head.header)
	}
	for _, c := range []struct {
		ranges, want string
		status       int
	}{
		{"bytes=0-3", "0123", 206}, {"bytes=-5", "proxy", 206}, {"bytes=20-", proxyText[20:], 206},
		{"bytes=500-", "", 416},
	} {
		request := w.anonymous().request("GET", proxy, nil)
		request.Header.Set("Range", c.ranges)
		if got := w.send(request); got.status != c.status || (c.status == 206 && string(got.body) != c.want) {
			t.Errorf("%s: %d %q", c.ranges, got.status, got.body)
		}
	}
	again := w.anonymous().request("GET", proxy, nil)
	again.Header.Set("If-None-Match", whole.header.Get("ETag"))
	w.send(again).want(304, "")
	image := w.anonymous().do("GET", sprite, nil).want(200, "")
	if string(image.body) != "sprite" || image.header.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
		image.header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("sprite %q with %v", image.body, image.header)
	}

	for _, forged := range []string{
		proxy + "x", strings.Replace(proxy, "/media/v1/", "/download/v1/", 1), w.http.URL + "/media/v1/x",
	} {
		w.anonymous().do("GET", forged, nil).want(401, "not_authenticated")
	}
	w.anonymous().
		do("PUT", strings.Replace(proxy, "/media/", "/upload/", 1), []byte("x")).
		want(401, "not_authenticated")
	w.clock.Advance(299 * time.Second)
	w.anonymous().do("GET", proxy, nil).want(200, "")
	w.clock.Advance(time.Second)
	late := w.anonymous().request("GET", proxy, nil)
	late.Header.Set("Range", "bytes=0-3")
	w.send(late).want(401, "not_authenticated")
	if got := w.anonymous().do("HEAD", proxy, nil); got.status != 401 {
		t.Errorf("HEAD after the end responds with %d", got.status)
	}
	if strings.Contains(w.logs.String(), proxy[len(w.http.URL)+len("/media/v1/"):]) {
		t.Error("the log contains a token")
	}
}

func TestMediaOfUnreadyClips(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	clip, _ := p.upload(project, []byte("the original"))
	p.do("GET", "/api/v1/clips/"+clip+"/proxy-url", nil).want(409, "conflict")
	p.do("GET", "/api/v1/clips/"+clip+"/waveform", nil).want(409, "conflict")
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+clip+"/confirm", nil).want(202, "")
	early := p.do("GET", "/api/v1/clips/"+clip+"/proxy-url", nil).want(200, "")
	if early.value("sprite") != nil {
		t.Errorf("sprite before it exists: %s", early.body)
	}
	if got := w.anonymous().do("GET", early.text("url"), nil).want(200, ""); string(got.body) != "the original" {
		t.Errorf("while processing it plays %q", got.body)
	}
	w.finishClip()
	if got := w.anonymous().do("GET", early.text("url"), nil).want(200, ""); string(got.body) != proxyText {
		t.Errorf("when ready it plays %q", got.body)
	}
	p.do("DELETE", "/api/v1/clips/"+clip, nil).want(204, "")
	w.anonymous().do("GET", early.text("url"), nil).want(404, "not_found")
}

func TestDownload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Rede/1")
	p.readyClip(project)
	export := p.export(project)
	r := p.do("GET", "/api/v1/exports/"+export+"/download-url", nil).want(200, "")
	const name = `Rede_1 - Schnitt für _alle_.mp4`
	if r.text("filename") != name || r.text("size_bytes") != fmt.Sprint(len(videoText)) ||
		r.text("expires_in") != "3600" {
		t.Errorf("download-url responds with %s", r.body)
	}
	got := w.anonymous().do("GET", r.text("url"), nil).want(200, "")
	kind, params, err := mime.ParseMediaType(got.header.Get("Content-Disposition"))
	if err != nil || kind != "attachment" || params["filename"] != name {
		t.Errorf("Content-Disposition %q: %v %v", got.header.Get("Content-Disposition"), params, err)
	}
	if string(got.body) != videoText || got.header.Get("Content-Type") != "video/mp4" {
		t.Errorf("video %q", got.body)
	}
	request := w.anonymous().request("GET", r.text("url"), nil)
	request.Header.Set("Range", "bytes=8-9")
	if part := w.send(request).want(206, ""); string(part.body) != "a " {
		t.Errorf("range %q", part.body)
	}
	p.do("DELETE", "/api/v1/exports/"+export, nil).want(204, "")
	w.anonymous().do("GET", r.text("url"), nil).want(404, "not_found")
}

func TestFileNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ project, export, want string }{
		{"Talk", "Final", "Talk - Final.mkv"}, {"Talk", "Talk", "Talk cut.mkv"}, {"Talk", "Talk 2", "Talk 2.mkv"},
		{"a\r\nb", `..\c`, "a__b - .._c.mkv"},
		{"...", "...", "cut.mkv"},
	} {
		if got := fileName(c.project, c.export, ".mkv"); got != c.want {
			t.Errorf("fileName(%q, %q) = %q, want %q", c.project, c.export, got, c.want)
		}
	}
	got := fileName(strings.Repeat("ü", 300), "x", ".mkv")
	if len(got) > maxFileName+4 || !strings.HasPrefix(got, "üü") {
		t.Errorf("a long name has %d bytes", len(got))
	}
	if got := disposition("a\"b\r\nc.mp4"); strings.ContainsAny(got, "\r\n") {
		t.Errorf("header injection: %q", got)
	}
}

func TestTransferEndsWithSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.transferTime = time.Hour // the client never stalls for too long
	p := w.person("p")
	clip := p.readyClip(p.project("Talk"))
	record, err := w.store.Clip(p.user.UUID, clip)
	if err != nil {
		t.Fatal(err)
	}
	const size = 64 << 20 // larger than any socket buffer
	if err := os.Truncate(w.store.FilePath(clipKey(record, proxyFile)), size); err != nil {
		t.Fatal(err)
	}
	address := p.do("GET", "/api/v1/clips/"+clip+"/proxy-url", nil).want(200, "").text("url")
	conn := w.dial("GET " + strings.TrimPrefix(address, w.http.URL) + " HTTP/1.1\r\nHost: x\r\n\r\n")
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || response.ContentLength != size {
		t.Fatalf("%v %v", response, err)
	}
	w.eventually("the transfer is running", func() bool { return w.server.transfers.count() == 1 })
	p.do("POST", "/api/v1/auth/logout-all", nil).want(200, "")
	w.eventually("the transfer ends", func() bool { return w.server.transfers.count() == 0 })
	if n, _ := io.Copy(io.Discard, response.Body); n >= size {
		t.Errorf("all %d bytes arrived", n)
	}
}

// A derived file that was lost is made again, and the responses say so until then.
func TestLostDerivedFilesAreMadeAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	clip := p.readyClip(p.project("Talk"))
	kept, err := w.store.Clip(p.user.UUID, clip)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Dir(w.store.FilePath(kept.ProxyKey()))
	for _, name := range []string{"peaks.u8", "sprite.jpg", "proxy.mp4"} {
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	sprite := p.do("GET", "/api/v1/clips/"+clip+"/proxy-url", nil).want(200, "").text("sprite", "url")
	p.do("GET", sprite, nil).want(404, "not_found")
	p.do("GET", "/api/v1/clips/"+clip+"/waveform", nil).want(409, "conflict")
	w.finishClip()
	p.do("GET", "/api/v1/clips/"+clip+"/waveform", nil).want(200, "")
	p.do("GET", sprite, nil).want(200, "")
}
