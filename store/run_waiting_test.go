package store

import (
	"encoding/json"
	"strings"
	"testing"

	"roughcut/media"
)

// TestQueuedAnalysisStartsWhenAllClipsAreReady queues an analysis during an upload. It starts after
// the last clip, and reserves the minutes of all clips.
func TestQueuedAnalysisStartsWhenAllClipsAreReady(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	queue := func() (Run, error) { return w.QueueAnalysis(u.UUID, p.UUID, AnalysisSettings{}) }
	_, err := queue()
	wantCode(t, err, Invalid, "no_clips")
	first, second := w.uploaded(p, 10), w.uploaded(p, 10)
	run := get(queue())(t)
	if !run.WaitsForClips || run.Status != RunQueued {
		t.Fatalf("run %+v", run)
	}
	_, err = queue()
	wantCode(t, err, Conflict, "already_analyzing")
	w.clean()
	get(w.ConfirmClip(u.UUID, p.UUID, first.UUID))(t)
	w.ingest(60_000)
	if _, ok, err := w.ClaimJob(t.Context()); ok || err != nil {
		t.Fatalf("the analysis started before the second clip: %v %v", ok, err)
	}
	get(w.ConfirmClip(u.UUID, p.UUID, second.UUID))(t)
	w.reopen()
	w.ingest(30_000)
	w.clean()
	job := w.claim()
	if job.Kind != JobAnalysis || job.Subject != run.UUID {
		t.Fatalf("job %+v", job)
	}
	if in := get(w.StartRun(job))(t); len(in.Clips) != 2 || in.Run.DurationMS != 90_000 || in.Run.WaitsForClips {
		t.Errorf("input %+v", in)
	}
	if b := get(w.Billing(u.UUID))(t); b.Reserved != 1.5 {
		t.Errorf("reserved %v minutes, want 1.5", b.Reserved)
	}
	w.clean()
}

// An analysis with KeepScreens keeps demonstrations if a clip turns out to show a screen.
func TestQueuedAnalysisKeepsTheDemonstrationsOfScreens(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	is, not := true, false
	for name, c := range map[string]struct {
		asked  bool
		screen *bool
		keeps  bool
	}{
		"screen":              {true, &is, true},
		"no screen":           {true, &not, false},
		"unknown":             {true, nil, false},
		"screen, not desired": {false, &is, false},
	} {
		for _, early := range []bool{true, false} { // before or after the clip is ready
			p := w.project(u)
			clip := w.uploaded(p, 10)
			settings := AnalysisSettings{KeepScreens: c.asked}
			if early {
				get(w.QueueAnalysis(u.UUID, p.UUID, settings))(t)
			}

			get(w.ConfirmClip(u.UUID, p.UUID, clip.UUID))(t)
			result := w.ingested(60_000)
			result.Ingested.Screen = c.screen
			get(w.FinishClip(w.claim(), result))(t)
			if !early {
				get(w.StartAnalysis(u.UUID, p.UUID, settings))(t)
			}

			job := w.claim()
			in := get(w.StartRun(job))(t)
			if in.Run.KeepDemonstrations != c.keeps {
				t.Errorf("%s, queued early %v: keeps %v, want %v", name, early, in.Run.KeepDemonstrations, c.keeps)
			}
			must(t, w.FailAnalysis(job, "It broke."))
		}
	}

	w.clean()
}

// TestQueuedAnalysisStartsAfterARemovedClip removes the clip that an analysis waits for.
func TestQueuedAnalysisStartsAfterARemovedClip(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 60_000)
	stuck := w.uploaded(p, 10)
	run := get(w.QueueAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
	must(t, w.DeleteClip(u.UUID, stuck.UUID))
	if job := w.claim(); job.Subject != run.UUID {
		t.Errorf("job %+v", job)
	}
	w.clean()
}

// TestQueuedAnalysisFailsWithoutClipsOrMinutes reports why an analysis could not start.
func TestQueuedAnalysisFailsWithoutClipsOrMinutes(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	for name, end := range map[string]func(Job){
		"unreadable": func(j Job) { must(t, w.FailClip(j, "no video")) },
		"too long":   func(j Job) { get(w.FinishClip(j, w.ingested(10*60*60*1000)))(t) },
	} {
		p := w.project(u)
		c := w.uploaded(p, 10)
		run := get(w.QueueAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
		get(w.ConfirmClip(u.UUID, p.UUID, c.UUID))(t)
		end(w.claim())
		w.clean()
		job := w.claim()
		if _, err := w.StartRun(job); err == nil {
			t.Errorf("%s: the analysis started", name)
		} else {
			wantCode(t, err, Conflict, "cannot_start")
			must(t, w.FailAnalysis(job, err.Error()))
		}
		got, _, err := w.Run(u.UUID, p.UUID, run.UUID)
		if err != nil || got.Status != StatusFailed || got.Error == "" {
			t.Errorf("%s: run %+v, %v", name, got, err)
		}
		w.clean()
	}
}

// TestCancelledQueuedAnalysisStaysCancelled cancels an analysis that waits, and deletes a project
// with one.
func TestCancelledQueuedAnalysisStaysCancelled(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.uploaded(p, 10)
	run := get(w.QueueAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
	get(w.CancelRun(u.UUID, p.UUID, run.UUID))(t)
	get(w.ConfirmClip(u.UUID, p.UUID, c.UUID))(t)
	w.ingest(60_000)
	if _, ok, err := w.ClaimJob(t.Context()); ok || err != nil {
		t.Errorf("a cancelled analysis started: %v %v", ok, err)
	}
	w.clean()
	w.uploaded(p, 10)
	get(w.QueueAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
	must(t, w.DeleteProject(u.UUID, p.UUID))
	w.clean()
}

// TestExportWhenDone stores the request for an export until the run has ended.
func TestExportWhenDone(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 60_000)
	run := get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
	wanted := &QueuedExport{Name: "Talk", Settings: json.RawMessage(`{"resolution":"720p"}`)}
	wrong := &QueuedExport{Settings: json.RawMessage(`{"resolution":"1p"}`)}
	_, err := w.ExportWhenDone(u.UUID, p.UUID, run.UUID, wrong)
	wantCode(t, err, Unprocessable, "unprocessable")
	if got := get(w.ExportWhenDone(u.UUID, p.UUID, run.UUID, wanted))(t); got.ExportWhenDone.Name != "Talk" {
		t.Errorf("run %+v", got)
	}
	if got := get(w.ExportWhenDone(u.UUID, p.UUID, run.UUID, nil))(t); got.ExportWhenDone != nil {
		t.Errorf("run %+v", got)
	}
	get(w.CancelRun(u.UUID, p.UUID, run.UUID))(t)
	_, err = w.ExportWhenDone(u.UUID, p.UUID, run.UUID, wanted)
	wantCode(t, err, Conflict, "conflict")
	w.clean()
}

// TestExportOfACompletedAnalysis completes an analysis and creates its export at once. A refused
// export leaves its reason in the run.
func TestExportOfACompletedAnalysis(t *testing.T) {
	t.Parallel()
	w := open(t, smallQuota(4000), func(o *Options) { o.GeneratedPercent = 3 }) // 120 bytes
	u := w.user("ada")
	analyze := func(p Project, cuts ...DetectedEdit) Run {
		t.Helper()
		run := get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
		wanted := &QueuedExport{Name: "Talk", Settings: json.RawMessage(`{"resolution":"720p"}`)}
		get(w.ExportWhenDone(u.UUID, p.UUID, run.UUID, wanted))(t)
		job := w.claim()
		get(w.StartRun(job))(t)
		done := get(w.FinishAnalysis(job, AnalysisResult{Edits: cuts}))(t)
		kept, _, err := w.Run(u.UUID, p.UUID, run.UUID)
		must(t, err)
		if done.Status != StatusCompleted || kept.ExportWhenDone.Error != done.ExportWhenDone.Error {
			t.Errorf("the run is %+v, its result was %+v", kept, done)
		}
		w.clean()
		return done
	}

	p := w.project(u)
	clip := w.ready(p, 60_000)
	if run := analyze(p, silence(clip.UUID, 10_000, 20_000)); run.ExportWhenDone.Error != "" {
		t.Errorf("the export was refused: %s", run.ExportWhenDone.Error)
	}
	job := w.claim()
	must(t, w.StartExport(job))
	if in := get(w.ExportInput(job))(t); in.Export.Name != "Talk" || in.Export.DurationMS != 50_000 {
		t.Errorf("the export is %+v", in.Export)
	}

	get(w.FinishExport(job, w.temp(exportBytes), media.RenderResult{}))(t) // fills the quota
	if run := analyze(p); !strings.Contains(run.ExportWhenDone.Error, "generated files") {
		t.Errorf("the export was not refused: %q", run.ExportWhenDone.Error)
	}
	if list, _, err := w.Exports(u.UUID, p.UUID, Page{}); err != nil || len(list) != 1 {
		t.Errorf("a refused export left %+v, %v", list, err)
	}
	if job, ok, err := w.ClaimJob(t.Context()); ok || err != nil {
		t.Errorf("a refused export left the job %+v, %v", job, err)
	}
}
