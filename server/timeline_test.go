package server

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"roughcut/media/interchange"
)

// Every format is served with a file name, and follows the edits and the parameters.
func TestTimelines(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk: part/1")
	base := "/api/v1/projects/" + project
	p.do("GET", base+"/timelines/fcpxml", nil).want(400, "no_clips")
	p.do("GET", base+"/timelines/fcpxml/download-url", nil).want(400, "no_clips")
	p.do("GET", base+"/timelines/betamax", nil).want(422, "unprocessable")
	clip, _ := p.upload(project, []byte("bytes of a recording"))
	p.do("POST", base+"/clips/"+clip+"/confirm", nil).want(202, "")
	p.do("GET", base+"/timelines/fcpxml", nil).want(409, "clips_processing")
	p.do("GET", base+"/timelines/fcpxml/download-url", nil).want(409, "clips_processing")
	p.do("POST", base+"/timelines/otio/compare", []byte("{}")).want(409, "clips_processing")
	w.finishClip()
	p.analyze(project, clip)
	p.do("POST", base+"/edits/", map[string]any{"type": "manual", "start_ms": 2000, "end_ms": 3000}).want(201, "")
	for _, f := range interchange.Formats() {
		got := p.do("GET", base+"/timelines/"+f.Name+"?media_folder=%2Ffootage", nil).want(200, "")
		if name := got.header.Get("Content-Disposition"); !strings.Contains(name, "Talk_ part_1"+f.Extension) {
			t.Errorf("%s is served as %s", f.Name, name)
		}
		if len(got.body) == 0 && f.Name != "chapters" {
			t.Errorf("%s is empty", f.Name)
		}
	}
	text := func(query string) string {
		return string(p.do("GET", base+"/timelines/"+query, nil).want(200, "").body)
	}
	if got := text("fcpxml?media_folder=%2Ffoot%20age&fcpxml_version=1.9"); !strings.Contains(got, `version="1.9"`) ||
		!strings.Contains(got, `src="file:///foot%20age/`) {
		t.Errorf("the parameters change nothing: %s", got)
	}
	if removed, disabled := text("fcpxml"), text("fcpxml?cuts=disabled"); strings.Contains(removed, `enabled="0"`) ||
		!strings.Contains(disabled, `enabled="0"`) {
		t.Errorf("cuts are not disabled: %s", disabled)
	}
	if got := text("kdenlive"); !strings.Contains(got, ">Talk_ part_1.kdenlive.srt<") {
		t.Errorf("the project does not name its captions: %s", got)
	}
	p.do("GET", base+"/timelines/fcpxml?fcpxml_version=2.0", nil).want(422, "unprocessable")
	p.do("GET", base+"/timelines/fcpxml?media_folder="+strings.Repeat("x", 1001), nil).want(422, "unprocessable")

	p.readyClip(project)
	p.do("GET", base+"/timelines/llc", nil).want(422, "unprocessable")
	p.do("GET", base+"/timelines/llc/download-url", nil).want(422, "unprocessable")
}

// A timeline with its media is an archive that can be resumed at any byte.
func TestTimelineBundles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project + "/timelines/"
	p.readyClip(project)
	for format, extension := range map[string]string{"otio": ".otioz", "fcpxml": ".zip"} {
		got := p.do("GET", base+format+"/download-url", nil).want(200, "")
		if got.text("filename") != "Talk"+extension {
			t.Errorf("%s is named %s", format, got.text("filename"))
		}
		whole := p.do("GET", got.text("url"), nil)
		if whole.status != 200 || whole.header.Get("Content-Type") != "application/zip" {
			t.Fatalf("%s: %d %v", format, whole.status, whole.header)
		}
		archive, err := zip.NewReader(bytes.NewReader(whole.body), int64(len(whole.body)))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range archive.File {
			names = append(names, f.Name)
			content, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			if data, err := io.ReadAll(content); err != nil || uint64(len(data)) != f.UncompressedSize64 {
				t.Errorf("%s has %d bytes: %v", f.Name, len(data), err)
			}
		}
		if !strings.HasPrefix(names[len(names)-1], "media/") {
			t.Errorf("%s has the files %v", format, names)
		}
		for _, from := range []string{"1", "40", "-1", "-30"} {
			r := "bytes=" + from + "-"
			if from[0] == '-' {
				r = "bytes=" + from
			}
			request := p.request("GET", got.text("url"), nil)
			request.Header.Set("Range", r)
			request.Header.Set("If-Range", whole.header.Get("ETag"))
			part := w.send(request)
			if part.status != 206 || !bytes.HasSuffix(whole.body, part.body) || len(part.body) == 0 {
				t.Errorf("%s from %s: %d with %d bytes", format, from, part.status, len(part.body))
			}
		}
	}
}

// bundleOfLargeClip returns the address of a bundle with a sparse recording of 1 TiB.
func (p *person) bundleOfLargeClip() (address, recording string) {
	p.w.t.Helper()
	project := p.project("Talk")
	clip, err := p.w.store.Clip(p.user.UUID, p.readyClip(project))
	if err == nil {
		recording, err = p.w.store.OriginalPath(clip)
	}
	if err == nil {
		err = os.Truncate(recording, 1<<40)
	}
	if err != nil {
		p.w.t.Fatal(err)
	}
	got := p.do("GET", "/api/v1/projects/"+project+"/timelines/otio/download-url", nil).want(200, "")
	return got.text("url"), recording
}

// Ranges of an archive read a recording once for its checksum, until the recording changes.
func TestTimelineBundlesRememberChecksums(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	address, recording := p.bundleOfLargeClip()
	if err := os.Truncate(recording, 100); err != nil {
		t.Fatal(err)
	}
	end := func() string {
		t.Helper()
		request := p.request("GET", address, nil)
		request.Header.Set("Range", "bytes=-200")
		return string(w.send(request).want(206, "").body)
	}
	first := end()
	info, err := os.Stat(recording)
	if err == nil {
		err = os.WriteFile(recording, bytes.Repeat([]byte{1}, 100), 0o600)
	}
	if err == nil {
		err = os.Chtimes(recording, time.Time{}, info.ModTime())
	}
	if err != nil {
		t.Fatal(err)
	}
	if end() != first {
		t.Error("a range reads the recording for its checksum again")
	}
	if err := os.Chtimes(recording, time.Time{}, info.ModTime().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if end() == first {
		t.Error("a changed recording has its former checksum")
	}
}

// The sessions of an account end the reading of a recording for its checksum.
func TestChecksumsEndWithSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	address, _ := p.bundleOfLargeClip()
	w.dial("GET " + strings.TrimPrefix(address, w.http.URL) + " HTTP/1.1\r\nHost: x\r\nRange: bytes=-300\r\n\r\n")
	w.eventually("the transfer is running", func() bool { return w.server.transfers.count() == 1 })
	p.do("POST", "/api/v1/auth/logout-all", nil).want(200, "")
	w.eventually("the transfer ends", func() bool { return w.server.transfers.count() == 0 })
}

// An account downloads 16 archives at once, and has all other transfers besides.
func TestTimelineBundlesOfAnAccountAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	address, _ := p.bundleOfLargeClip()
	for range maxBundles {
		conn := w.dial("GET " + strings.TrimPrefix(address, w.http.URL) + " HTTP/1.1\r\nHost: x\r\n\r\n")
		if got, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || got.StatusCode != 200 {
			t.Fatalf("%v %v", got, err)
		}
	}
	p.do("GET", address, nil).want(429, "rate_limited")
	clip := p.readyClip(p.project("Other"))
	p.do("GET", p.do("GET", "/api/v1/clips/"+clip+"/proxy-url", nil).text("url"), nil).want(200, "")
	p.do("POST", "/api/v1/auth/logout-all", nil).want(200, "")
	w.eventually("the transfers end", func() bool { return w.server.transfers.count() == 0 })
}

// A changed timeline comes back as edits of its project.
func TestChangedTimelinesComeBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	base := "/api/v1/projects/" + project
	compare := func(format, text string) *reply {
		t.Helper()
		return p.do("POST", base+"/timelines/"+format+"/compare", []byte(text))
	}
	compare("otio", "{}").want(400, "no_clips")
	p.readyClip(project)
	for _, format := range []string{"srt", "vtt", "txt", "txt-times", "json", "audacity-words"} {
		p.do("GET", base+"/timelines/"+format, nil).want(409, "no_transcript")
	}
	p.do("GET", base+"/timelines/chapters", nil).want(200, "")
	manual := map[string]any{"type": "manual", "start_ms": 2000, "end_ms": 3000}
	cut := p.do("POST", base+"/edits/", manual).want(201, "")
	text := func(format string) string {
		return string(p.do("GET", base+"/timelines/"+format, nil).want(200, "").body)
	}
	for _, format := range []string{"otio", "fcpxml", "llc"} {
		got := compare(format, text(format)).want(200, "")
		if string(bytes.TrimSpace(got.body)) != `{"changes":[],"ignored":[]}` {
			t.Errorf("%s: an unchanged timeline gives %s", format, got.body)
		}
	}
	llc := text("llc")
	p.do("PATCH", "/api/v1/edits/"+cut.text("uuid"), map[string]any{"active": false}).want(200, "")
	got := compare("llc", llc).want(200, "")
	holds(t, got, map[string]any{"ignored": []any{}})
	if got.text("changes", 0, "kind") != "apply" || got.text("changes", 0, "edit_uuid") != cut.text("uuid") {
		t.Errorf("a switched-off cut: %s", got.body)
	}
	first := p.do("GET", base+"/clips/", nil).want(200, "").text("items", 0, "uuid")
	second := p.readyClip(project)
	var order map[string]any
	if err := json.Unmarshal([]byte(text("otio")), &order); err != nil {
		t.Fatal(err)
	}
	for _, track := range order["tracks"].(map[string]any)["children"].([]any) {
		slices.Reverse(track.(map[string]any)["children"].([]any))
	}
	reversed, err := json.Marshal(order)
	if err != nil {
		t.Fatal(err)
	}
	got = compare("otio", string(reversed)).want(200, "")
	if got.text("changes", 0, "kind") != "order" || got.text("changes", 0, "clip_uuids", 0) != second ||
		got.text("changes", 0, "clip_uuids", 1) != first {
		t.Errorf("another order of the clips: %s", got.body)
	}
	compare("edl", text("edl")).want(422, "unprocessable")
	compare("otio", "{}").want(422, "unprocessable")
	compare("fcpxml", "<fcpxml>").want(422, "unprocessable")
	compare("otio", strings.Repeat(" ", interchange.MaxReadBytes+1)).want(413, "too_large")
}
