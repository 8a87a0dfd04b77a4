package pipeline_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/store"
)

// payloads lists the promised fields of each event type.
var payloads = map[string]string{
	pipeline.ClipProcessing:   "clip_uuid timestamp",
	pipeline.ClipReady:        "clip_uuid duration_ms timestamp",
	pipeline.ClipFailed:       "clip_uuid error timestamp",
	pipeline.AnalysisStarted:  "project_uuid run_uuid timestamp",
	pipeline.AnalysisProgress: "progress run_uuid step timestamp",
	pipeline.AnalysisComplete: "edit_count run_uuid timestamp",
	pipeline.AnalysisFailed:   "error run_uuid timestamp",
	pipeline.ExportStarted:    "export_uuid timestamp",
	pipeline.ExportProgress:   "export_uuid progress step timestamp",
	pipeline.ExportComplete:   "export_uuid storage_key timestamp",
	pipeline.ExportFailed:     "error export_uuid timestamp",
	pipeline.HistoryChanged:   "entry_uuid kind timestamp undone",
}

// The events of succeeding and failing jobs have the promised fields.
func TestEveryEventHasItsFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.run()
	var seen []store.Event
	until := func(kind string) { seen = append(seen, w.until(events, kind)...) }
	analyze := func() {
		if _, err := w.store.StartAnalysis(w.user.UUID, w.project.UUID, store.AnalysisSettings{}); err != nil {
			t.Fatal(err)
		}
	}
	export := func() store.Export {
		made, err := w.store.CreateExport(w.user.UUID, w.project.UUID, store.NewExport{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	clip := w.upload()
	until(pipeline.ClipReady)
	analyze()
	until(pipeline.AnalysisComplete)
	chapter := store.Marker{Kind: store.MarkerChapter}
	if _, err := w.store.CreateMarker(w.user.UUID, w.project.UUID, chapter); err != nil {
		t.Fatal(err)
	}
	until(pipeline.HistoryChanged)
	done := export()
	until(pipeline.ExportComplete)
	if done, _ = w.store.Export(w.user.UUID, done.UUID); done.StorageKey == "" ||
		!strings.Contains(string(seen[len(seen)-1].Data), `"`+done.StorageKey+`"`) {
		t.Errorf("the storage key is %q, the event %s", done.StorageKey, seen[len(seen)-1].Data)
	}

	w.engine.render = func(context.Context, string, func(float64)) (media.RenderResult, error) {
		return media.RenderResult{}, errors.New("no")
	}
	export()
	until(pipeline.ExportFailed)
	speech := w.store.FilePath("clips/" + clip.ClipFileID + "/speech.s16")
	if err := os.Rename(speech, speech+".away"); err != nil {
		t.Fatal(err)
	}
	analyze()
	until(pipeline.AnalysisFailed)
	if err := os.Rename(speech+".away", speech); err != nil {
		t.Fatal(err)
	}
	w.engine.ingest = func(context.Context, media.IngestRequest, func(float64)) (media.IngestResult, error) {
		return media.IngestResult{}, errors.New("no")
	}
	w.upload()
	until(pipeline.ClipFailed)

	came := map[string]bool{}
	for _, e := range seen {
		came[e.Type] = true
		var data map[string]any
		if err := json.Unmarshal(e.Data, &data); err != nil {
			t.Fatal(err)
		}
		got, want := slices.Sorted(maps.Keys(data)), strings.Fields(payloads[e.Type])
		for _, field := range want {
			if !slices.Contains(got, field) {
				t.Errorf("%s has no %s: %s", e.Type, field, e.Data)
			}
		}
		if progress, there := data["progress"].(float64); there && (progress < 0 || progress > 100) {
			t.Errorf("%s: %s", e.Type, e.Data)
		}
	}
	for kind := range payloads {
		if !came[kind] {
			t.Errorf("no event %s was published", kind)
		}
	}
}
