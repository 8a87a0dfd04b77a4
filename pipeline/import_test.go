package pipeline_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/store"
)

// importer is an Importer whose behavior the test sets.
type importer struct {
	fetch func(ctx context.Context, path string, allow func(int64) error, progress func(float64)) error
	check func(durationMS int64) error
}

func (i *importer) Fetch(ctx context.Context, _, path string, allow func(int64) error, progress func(float64)) error {
	return i.fetch(ctx, path, allow, progress)
}

func (i *importer) CheckDuration(durationMS int64) error {
	if i.check == nil {
		return nil
	}
	return i.check(durationMS)
}

func fetchWell(_ context.Context, path string, allow func(int64) error, progress func(float64)) error {
	progress(0.5)
	progress(1)
	if err := allow(9); err != nil {
		return err
	}
	return os.WriteFile(path, []byte("recording"), 0o600)
}

func (w *world) importClip() store.Clip {
	w.t.Helper()
	clip, err := w.store.ImportClip(
		w.user.UUID,
		w.project.UUID,
		store.NewImport{Address: "https://example.org/talk.mp4", Name: "talk.mp4"},
	)
	if err != nil {
		w.t.Fatal(err)
	}
	return clip
}

func TestImportDownloadsAndIngestsAClip(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.run()
	clip := w.importClip()
	seen := w.until(events, pipeline.ClipReady)
	steps := ""
	for _, e := range seen {
		for _, step := range []string{"download", "ingest"} {
			if strings.Contains(string(e.Data), `"step":"`+step+`"`) && !strings.HasSuffix(steps, step) {
				steps += " " + step
			}
		}
	}
	if kinds(seen) != "CLIP_PROCESSING CLIP_READY" || steps != " download ingest" {
		t.Errorf("events %s, steps%s", kinds(seen), steps)
	}
	if c := w.clip(clip.UUID); c.Status != store.ClipReady || c.SizeBytes != 9 {
		t.Errorf("clip: %+v", c)
	}
}

// An error in any step of an import leaves a failed clip with the reason.
func TestFailedImportsRecordTheReason(t *testing.T) {
	t.Parallel()
	tooLong := &store.Error{Kind: store.Invalid, Code: "import_too_long", Message: "The maximum import is 60 minutes."}
	checks := 0
	for name, c := range map[string]struct {
		importer importer
		says     string
	}{
		"the address": {importer{fetch: func(context.Context, string, func(int64) error, func(float64)) error {
			return &store.Error{
				Kind:    store.Invalid,
				Code:    "import_metadata_failed",
				Message: "The download was interrupted.",
			}
		}}, "was interrupted"},
		"an internal error": {importer{fetch: func(context.Context, string, func(int64) error, func(float64)) error {
			return errors.New("secret detail")
		}}, "Something went wrong inside Roughcut"},
		"too long by its header": {
			importer{fetch: fetchWell, check: func(int64) error { return tooLong }},
			"maximum import is 60 minutes",
		},
		"too long when decoded": {importer{fetch: fetchWell, check: func(int64) error {
			if checks++; checks == 2 {
				return tooLong
			}
			return nil
		}}, "maximum import is 60 minutes"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.importer = &c.importer
			events, cancel := w.events.Subscribe(w.project.UUID)
			defer cancel()
			w.run()
			clip := w.importClip()
			w.until(events, pipeline.ClipFailed)
			if got := w.clip(
				clip.UUID,
			); got.Status != store.ClipFailed || !strings.Contains(got.Error, c.says) ||
				strings.Contains(got.Error, "secret") {
				t.Errorf("status %s, error %q", got.Status, got.Error)
			}
		})
	}
}

// Downloads do not occupy workers. Deleting the clip ends its download.
func TestImportsTakeNoWorker(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fetching := make(chan struct{}, 10)
	ended := make(chan error, 10)
	w.importer = &importer{fetch: func(ctx context.Context, _ string, _ func(int64) error, _ func(float64)) error {
		fetching <- struct{}{}
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return ctx.Err()
	}}
	ingesting := make(chan struct{})
	w.engine.ingest = func(
		ctx context.Context,
		r media.IngestRequest,
		progress func(float64),
	) (media.IngestResult, error) {
		ingesting <- struct{}{}
		return ingestWell(ctx, r, progress)
	}
	w.run()
	var clips []store.Clip
	for range 3 { // one more than there are workers
		clips = append(clips, w.importClip())
		<-fetching
	}
	w.upload()
	<-ingesting
	if err := w.store.DeleteClip(w.user.UUID, clips[0].UUID); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || err.Error() != "cancelled" {
		t.Errorf("the download of a deleted clip ended with %v", err)
	}
	w.shutdown()
	if got := w.clip(clips[1].UUID); got.Status != store.ClipProcessing {
		t.Errorf("after a shutdown the clip is %s: %s", got.Status, got.Error)
	}
	w.importer, w.engine.ingest = &importer{fetch: fetchWell}, ingestWell
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.run()
	w.until(events, pipeline.ClipReady)
	w.until(events, pipeline.ClipReady)
}

// An imported asset is downloaded and read. A failed import leaves a failed asset with the reason.
func TestImportOfAnAsset(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := store.NewImport{Address: "https://example.org/jingle.mp4", Name: "jingle.mp4"}
	good, err := w.store.ImportAsset(w.user.UUID, n, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	w.run()
	if got := w.settled(good.UUID); got.Status != store.AssetUploaded {
		t.Errorf("the asset is %+v", got)
	}
	w.shutdown()
	w.importer = &importer{fetch: fetchWell, check: func(int64) error { return &store.Error{Message: "Too long."} }}
	bad, err := w.store.ImportAsset(w.user.UUID, n, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	w.run()
	if got := w.settled(bad.UUID); got.Status != store.AssetFailed || got.Error != "Too long." {
		t.Errorf("the asset is %+v", got)
	}
}
