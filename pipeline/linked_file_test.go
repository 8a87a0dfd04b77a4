package pipeline_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/store"
)

// If a linked file disappears during a job, the clip or export fails with the path of the file.
// Nothing else is lost.
func TestMissingLinkedFileFailsWithItsPath(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "talk.mp4")
	put := func() {
		if err := os.WriteFile(path, []byte("recording"), 0o600); err != nil {
			t.Error(err)
		}
	}
	put()
	var read string
	w.engine.ingest = func(
		ctx context.Context,
		r media.IngestRequest,
		progress func(float64),
	) (media.IngestResult, error) {
		read = r.Path
		return ingestWell(ctx, r, progress)
	}
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.run()
	clip, err := w.store.LinkClip(w.user.UUID, w.project.UUID, path)
	if err != nil {
		t.Fatal(err)
	}
	w.until(events, pipeline.ClipReady)
	if read != path {
		t.Errorf("the ingest read %s, want %s", read, path)
	}
	w.engine.render = func(context.Context, string, func(float64)) (media.RenderResult, error) {
		return media.RenderResult{}, os.Remove(path) // an export notices only that the file ends early
	}
	export, err := w.store.CreateExport(w.user.UUID, w.project.UUID, store.NewExport{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	w.until(events, pipeline.ExportFailed)
	if export, err = w.store.Export(w.user.UUID, export.UUID); err != nil ||
		!strings.Contains(export.Error, "no longer at "+path) {
		t.Errorf("export: %q, %v", export.Error, err)
	}
	put()
	w.engine.ingest = func(_ context.Context, r media.IngestRequest, _ func(float64)) (media.IngestResult, error) {
		return media.IngestResult{}, os.Remove(r.Path)
	}
	gone, err := w.store.LinkClip(w.user.UUID, w.project.UUID, path)
	if err != nil {
		t.Fatal(err)
	}
	w.until(events, pipeline.ClipFailed)
	if got := w.clip(gone.UUID); got.Status != "failed" || !strings.Contains(got.Error, "no longer at "+path) {
		t.Errorf("clip: %s %q", got.Status, got.Error)
	}
	if got := w.clip(clip.UUID); got.Status != "ready" {
		t.Errorf("the finished clip has the status %s", got.Status)
	}
}
