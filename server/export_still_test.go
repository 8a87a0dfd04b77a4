package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"roughcut/media"
	"roughcut/store"
)

// noFrame is the fault of a time without a frame.
type noFrame struct{ error }

func (f noFrame) FileFault() string { return f.Error() }

// stillOf stands for the engine. The recordings of tests have no frames after clipMS.
func stillOf(_ context.Context, in store.ExportInput, atMS int64, kind media.StillKind) ([]byte, error) {
	if atMS >= clipMS {
		return nil, noFrame{errors.New("the recording has no frame at this time")}
	}
	return fmt.Appendf(nil, "%s of %s at %d", kind, in.Settings.AspectRatio, atMS), nil
}

func TestStills(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	project := p.project("Talk")
	path := "/api/v1/projects/" + project + "/still"
	p.do("POST", path, map[string]any{"at_ms": 0}).want(400, "no_clips")
	clip, _ := p.upload(project, []byte("bytes"))
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+clip+"/confirm", nil).want(202, "")
	p.do("POST", path, map[string]any{"at_ms": 0}).want(409, "clips_processing")
	w.finishClip()
	for _, c := range []struct{ kind, content, body string }{
		{"png", "image/png", "png of 9:16 at 1500"}, {"jpeg", "image/jpeg", "jpeg of 9:16 at 1500"},
	} {
		got := p.do("POST", path, map[string]any{
			"at_ms": 1500, "type": c.kind, "export_settings": map[string]any{"aspect_ratio": "9:16"},
		}).want(200, "")
		if got.header.Get("Content-Type") != c.content || string(got.body) != c.body {
			t.Errorf("%s: %s", got.header.Get("Content-Type"), got.body)
		}
	}
	p.do("POST", path, map[string]any{"at_ms": clipMS}).want(422, "unprocessable")
}

// The desktop window saves the frame under the name that the user chooses. Canceling changes
// nothing.
func TestSaveStill(t *testing.T) {
	t.Parallel()
	dialog := &window{}
	w := newWorld(t, ownerMode, func(o *Options, _ *store.Options) { o.Window = dialog })
	p := w.launched()
	project := p.project("Talk: part 1")
	path := "/api/v1/projects/" + project + "/still/save"
	p.do("POST", path, map[string]any{"at_ms": 0}).want(400, "no_clips")
	clip, _ := p.upload(project, []byte("bytes"))
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+clip+"/confirm", nil).want(202, "")
	p.do("POST", path, map[string]any{"at_ms": 0}).want(409, "clips_processing")
	w.finishClip()
	body := map[string]any{"at_ms": 1500, "type": "jpeg"}
	if got := string(p.do("POST", path, body).want(200, "").body); got != `{"path":null}`+"\n" {
		t.Errorf("canceling responds with %q", got)
	}
	if dialog.asked != "Talk_ part 1 0.01.50.jpg" {
		t.Errorf("the dialog proposes %q", dialog.asked)
	}
	dir := t.TempDir()
	dialog.target = filepath.Join(dir, "frame")
	p.do("POST", path, body).want(200, "")
	saved, err := os.ReadFile(filepath.Join(dir, "frame.jpg"))
	if err != nil || string(saved) != "jpeg of source at 1500" {
		t.Errorf("saved %q, %v", saved, err)
	}
	p.do("POST", path, body).want(409, "not_saved") // the dialog did not ask about frame.jpg
	p.do("POST", path, map[string]any{"at_ms": clipMS}).want(422, "unprocessable")
}
