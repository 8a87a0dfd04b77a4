package server

import (
	"archive/zip"
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/store"
)

// A clip with a variable frame rate gets a constant-rate copy, which an archive of a timeline then
// has in place of the recording.
func TestConstantRateCopiesReplaceRecordings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	even := p.readyClip(project)
	p.do("POST", "/api/v1/clips/"+even+"/constant-rate-copy", nil).want(422, "unprocessable")
	variable, _ := p.upload(project, []byte("bytes of a recording"))
	path := "/api/v1/clips/" + variable + "/constant-rate-copy"
	bundle := "/api/v1/projects/" + project + "/timelines/otio/download-url?constant_rate=true"
	p.do("POST", path, nil).want(409, "clips_processing")
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+variable+"/confirm", nil).want(202, "")
	w.finishClipWith(clipMS, func(info *media.Info) { info.Video.VariableRate = true })
	p.do("GET", bundle, nil).want(409, "constant_rate_missing")

	p.do("POST", path, nil).want(202, "").shows(map[string]any{"constant_rate_copy.status": "processing"})
	p.do("POST", path, nil).want(200, "")
	p.do("GET", bundle, nil).want(409, "constant_rate_missing")
	if err := w.store.FailConstantRateCopy(w.claim(store.JobConstantRate), "It broke."); err != nil {
		t.Fatal(err)
	}
	p.do("POST", path, nil).want(202, "")
	info := media.Info{
		Format: "mov", ContentType: "video/mp4", DurationMS: clipMS,
		Video: &media.VideoInfo{Codec: "h264", Width: 1280, Height: 720, Rate: media.Rate{Num: 30000, Den: 1001}},
	}
	job := w.claim(store.JobConstantRate)
	if err := w.store.FinishConstantRateCopy(job, w.temp("bytes of the copy"), info); err != nil {
		t.Fatal(err)
	}
	p.do("POST", path, nil).want(200, "").shows(map[string]any{
		"constant_rate_copy.status": "ready", "constant_rate_copy.size_bytes": 17,
	})

	address := p.do("GET", bundle, nil).want(200, "").text("url")
	whole := p.do("GET", address, nil).want(200, "")
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
		text, err := io.ReadAll(content)
		switch {
		case err != nil:
			t.Fatal(err)
		case f.Name == "media/talk constant rate.mp4" && string(text) != "bytes of the copy",
			f.Name == "content.otio" && !strings.Contains(string(text), `"media/talk%20constant%20rate.mp4"`):
			t.Errorf("%s: %s", f.Name, text)
		}
	}
	if !slices.Equal(names, []string{"content.otio", "version.txt", "media/talk.mp4", "media/talk constant rate.mp4"}) {
		t.Errorf("the archive has %v", names)
	}

	p.do("DELETE", path, nil).want(204, "")
	p.do("DELETE", path, nil).want(204, "")
	p.do("GET", bundle, nil).want(409, "constant_rate_missing")
	p.do("GET", address, nil).want(409, "constant_rate_missing")
	p.do("HEAD", address, nil).want(409, "")
}
