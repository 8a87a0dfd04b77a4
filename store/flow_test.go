package store

import (
	"reflect"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/store/billing"
)

func TestFromUploadToExport(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.ready(p, 60_000)
	if c.Status != ClipReady || *c.DurationMS != 60_000 || c.SizeBytes != 1000 || !c.HasPeaks {
		t.Fatalf("clip %+v", c)
	}
	peaks := get(w.Peaks(u.UUID, c.UUID))(t)
	if string(peaks) != "\x01\x02\x03" {
		t.Fatalf("peaks %v", peaks)
	}
	run := w.analyzed(
		p,
		AnalysisResult{
			Model:       "tiny",
			Language:    "en",
			Transcripts: []ClipTranscript{speech(c.UUID, "Hello", "world")},
			Edits:       []DetectedEdit{silence(c.UUID, 10_000, 12_000), silence(c.UUID, 59_000, 90_000)},
			CaptionLines: []ClipCaption{
				{ClipUUID: c.UUID, TimedText: media.TimedText{Text: "Hello world", StartMS: 0, EndMS: 900}},
			},
			Evidence: []byte("evidence"),
		},
	)
	if run.Status != StatusCompleted || run.EditCount != 2 || run.SilenceCount != 2 || run.CreditsCharged != 1 {
		t.Fatalf("run %+v", run)
	}
	b := get(w.Billing(u.UUID))(t)
	if b.Balance != 29 || b.Reserved != 0 || b.Tier != billing.Creator || b.SubscriptionStatus != "trialing" ||
		b.StorageUsedBytes != 1000 {
		t.Fatalf("billing %+v", b)
	}
	got := get(w.Project(u.UUID, p.UUID))(t)
	if got.Status != ProjectAnalyzed || got.ActiveRunUUID != run.UUID || len(got.Transcript.Words) != 2 ||
		got.Transcript.Language != "en" {
		t.Fatalf("project %+v", got)
	}
	list := get(w.Edits(u.UUID, p.UUID, false))(t)
	if len(list) != 2 || list[1].EndMS != 60_000 {
		t.Fatalf("edits %+v", list)
	}
	e := get(w.CreateExport(u.UUID, p.UUID, NewExport{Name: "out"}))(t)
	if e.DurationMS != 57_000 || e.Status != ExportQueued || e.WatermarkRequired || e.ExpiresAt == nil {
		t.Fatalf("export %+v", e)
	}
	j := w.claim()
	must(t, w.StartExport(j))
	in := get(w.ExportInput(j))(t)
	if len(in.Clips) != 1 || len(in.Cuts) != 2 || !reflect.DeepEqual(in.Settings, DefaultExportSettings()) {
		t.Fatalf("input %+v", in)
	}
	must(t, w.ExportProgress(j, "render", 40))
	active := get(w.ActiveExports())(t)
	if len(active) != 1 || active[0].UUID != j.Subject || active[0].Progress != 40 {
		t.Errorf("active exports: %+v", active)
	}
	done := get(w.FinishExport(j, w.temp(700), media.RenderResult{DurationMS: 57_000, Width: 1920, Height: 1080}))(t)
	if done.Status != StatusCompleted || done.SizeBytes != 700 || done.StorageKey == "" {
		t.Fatalf("export %+v", done)
	}
	if active := get(w.ActiveExports())(t); len(active) != 0 {
		t.Errorf("active exports after the last one: %+v", active)
	}
	w.clean()
	w.reopen()
	w.clean()
	must(t, w.DeleteProject(u.UUID, p.UUID))
	w.clean()
	if left := w.filesUnder("media"); len(left) > 0 {
		t.Fatalf("left behind: %v", left)
	}
	if u := get(w.User(u.UUID))(t); u.StorageUsedBytes != 0 {
		t.Fatalf("still %d bytes", u.StorageUsedBytes)
	}
}

// An analysis gets the keyframes of each clip, to the millisecond, and the motion of its video.
func TestAnalysisGetsKeyframesAndMotion(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 70_000)
	get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{CutOptions: media.CutOptions{PacingLevel: 50}}))(t)
	in := get(w.StartRun(w.claim()))(t)
	if len(in.Clips) != 1 || !slices.Equal(in.Clips[0].Keyframes, []int64{0, 1000, 66_733}) ||
		!slices.Equal(in.Clips[0].Motion, []byte{0, 90}) {
		t.Errorf("got %+v", in.Clips)
	}
}
