package server

import (
	"errors"
	"testing"

	"roughcut/media"
	"roughcut/store"
)

func TestFullDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *Options, so *store.Options) { so.MinFreeBytes = 1 << 60 })
	p := w.person("p")
	project := p.project("Talk")
	p.do(
		"POST",
		"/api/v1/projects/"+project+"/clips/presign",
		map[string]any{"filename": "a.mp4", "content_type": "video/mp4", "size_bytes": 10},
	).want(507, "storage_full")
	p.do("DELETE", "/api/v1/projects/"+project, nil).want(204, "")
}

// TestFullDiskRejectsOnlyWrites checks that requests that need space respond with 507, and that
// deleting still works.
func TestFullDiskRejectsOnlyWrites(t *testing.T) {
	t.Parallel()
	shell := &window{}
	w := newWorld(t, ownerMode, func(o *Options, _ *store.Options) { o.Window = shell })
	p := w.launched()
	ids := everything(p)
	project := "/api/v1/projects/" + ids["project_uuid"]
	video := p.readyAsset("video/mp4")
	waiting := p.resumable(ids["project_uuid"], 6)
	waiting.patch(0, "abc").want(204, "")
	kept, err := w.store.ResumeUpload(clipFile(p, waiting.clip))
	if err == nil {
		_, err = kept.Write([]byte("def"))
	}
	if err := errors.Join(err, kept.Abort()); err != nil { // complete but not stored yet
		t.Fatal(err)
	}
	variable, _ := p.upload(ids["project_uuid"], []byte("bytes of a recording"))
	p.do("POST", project+"/clips/"+variable+"/confirm", nil).want(202, "")
	w.finishClipWith(clipMS, func(info *media.Info) { info.Video.VariableRate = true })
	w.restart(func(so *store.Options) { so.MinFreeBytes = 1 << 60 })
	for _, c := range []struct {
		path string
		body any
	}{
		{project + "/clips/presign", map[string]any{"filename": "a.mp4", "content_type": "video/mp4", "size_bytes": 5}},
		{project + "/clips/video-import", map[string]any{"url": "https://example.org/talk.mp4"}},
		{project + "/clips/reference", map[string]any{"path": recordingAt(t, "talk.mp4")}},
		{project + "/exports/", map[string]any{"name": "e"}},
		{"/api/v1/clips/" + variable + "/constant-rate-copy", nil},
		{"/api/v1/desktop/assets", map[string]any{"path": recordingAt(t, "a.png")}},
		{"/api/v1/assets/presign", map[string]any{"filename": "a.png", "content_type": "image/png", "size_bytes": 5}},
		{"/api/v1/assets/import-video", map[string]any{"url": "https://example.org/talk.mp4"}},
		{"/api/v1/assets/" + video + "/edit", map[string]any{"start_ms": 1000}},
	} {
		p.do("POST", c.path, c.body).want(507, "storage_full")
	}
	w.anonymous().do("PUT", w.http.URL+waiting.path, []byte("abcdef")).want(507, "storage_full")
	for _, method := range []string{"HEAD", "PATCH"} {
		if r := w.send(waiting.request(method, "3", []byte("def"))); r.status != 507 {
			t.Errorf("%s of an upload that could not be stored: response %d %s", method, r.status, r.body)
		}
	}
	p.do("GET", project, nil).want(200, "")
	p.do("PATCH", project, map[string]any{"name": "still there"}).want(200, "")
	p.do("DELETE", "/api/v1/exports/"+ids["export_uuid"], nil).want(204, "")
	p.do("DELETE", project, nil).want(204, "")
}
