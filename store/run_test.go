package store

import (
	"errors"
	"testing"

	"roughcut/media"
)

func TestAnalysisRulesInOrder(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	start := func() error { _, err := w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}); return err }
	wantCode(t, start(), Invalid, "no_clips")
	c := w.uploaded(p, 10)
	wantCode(t, start(), Invalid, "no_clips")
	get(w.ConfirmClip(u.UUID, p.UUID, c.UUID))(t)
	wantCode(t, start(), Conflict, "clips_processing")
	must(t, w.FailClip(w.claim(), "no video"))
	wantCode(t, start(), Invalid, "no_clips")
	w.ready(p, 60_000)
	must(t, start())
	again := w.uploaded(p, 10)
	get(w.ConfirmClip(u.UUID, p.UUID, again.UUID))(t)
	wantCode(t, start(), Conflict, "already_analyzing")
	w.clean()
}

// TestProjectStatusAfterAnEndedRun checks the status of a project after failed and cancelled
// analyses.
func TestProjectStatusAfterAnEndedRun(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.ready(p, 60_000)
	status := func(want string) {
		t.Helper()
		if got := get(w.Project(u.UUID, p.UUID))(t); got.Status != want {
			t.Fatalf("the project is %s, want %s", got.Status, want)
		}
	}
	cancel := func() {
		t.Helper()
		run := get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
		status(ProjectAnalyzing)
		if got := get(w.CancelRun(u.UUID, p.UUID, run.UUID))(t); got.Status != StatusCancelled {
			t.Fatalf("run %+v", got)
		}
		_, err := w.CancelRun(u.UUID, p.UUID, run.UUID)
		wantCode(t, err, Conflict, "conflict")
	}
	failRun := func() {
		t.Helper()
		get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
		must(t, w.FailAnalysis(w.claim(), "out of memory"))
	}
	cancel()
	status(ProjectCreated)
	failRun()
	status(ProjectFailed)
	cancel()
	status(ProjectFailed)
	w.analyzed(p, AnalysisResult{})
	status(ProjectAnalyzed)
	cancel()
	status(ProjectAnalyzed)
	failRun()
	status(ProjectAnalyzed)
	must(t, w.DeleteClip(u.UUID, c.UUID))
	if b := get(w.Billing(u.UUID))(t); b.Balance != 29 || b.Reserved != 0 {
		t.Errorf("billing %+v", b)
	}
	w.clean()
}

func TestCancelReachesTheWorker(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.ready(p, 60_000)
	run := get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
	j := w.claim()
	get(w.StartRun(j))(t)
	wantCode(t, w.DeleteClip(u.UUID, c.UUID), Conflict, "conflict")
	get(w.CancelRun(u.UUID, p.UUID, run.UUID))(t)
	if id := <-w.Cancellations(); id != j.UUID {
		t.Errorf("cancelled %s, want %s", id, j.UUID)
	}
	if gone := get(w.JobCancelled(j))(t); !gone {
		t.Error("the job still exists")
	}
	if _, err := w.FinishAnalysis(j, AnalysisResult{}); !errors.Is(err, ErrStaleJob) {
		t.Errorf("got %v", err)
	}
	w.clean()
}

func TestJobsAreFairAndReleased(t *testing.T) {
	t.Parallel()
	w := open(t)
	ada, eve := w.user("ada"), w.user("eve")
	pa, pe := w.project(ada), w.project(eve)
	for _, p := range []Project{pa, pa, pa, pe} {
		c := w.uploaded(p, 10)
		get(w.ConfirmClip(p.UserUUID, p.UUID, c.UUID))(t)
	}
	first, second := w.claim(), w.claim()
	if first.UserUUID != ada.UUID || second.UserUUID != eve.UUID {
		t.Errorf("claimed for %s and %s", first.UserUUID, second.UserUUID)
	}
	<-w.JobQueued()
	must(t, w.ReleaseJob(first))
	<-w.JobQueued()
	again := w.claim()
	if again.Subject != first.Subject || again.Attempt != 1 {
		t.Errorf("claimed %+v after %+v", again, first)
	}
	if _, err := w.FinishClip(first, w.ingested(100)); !errors.Is(err, ErrStaleJob) {
		t.Errorf("the released lease is still valid: %v", err)
	}
	w.clean()
}

// TestDeletingAProjectStopsItsJobs deletes a project during each kind of job. Late results leave
// nothing behind.
func TestDeletingAProjectStopsItsJobs(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	begin := map[JobKind]func(p Project){
		JobClip: func(p Project) { get(w.ConfirmClip(u.UUID, p.UUID, w.uploaded(p, 10).UUID))(t) },
		JobAnalysis: func(p Project) {
			w.ready(p, 60_000)
			get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
		},
		JobExport: func(p Project) { w.ready(p, 60_000); get(w.CreateExport(u.UUID, p.UUID, NewExport{}))(t) },
	}
	finish := map[JobKind]func(j Job) error{
		JobClip:     func(j Job) error { _, err := w.FinishClip(j, w.ingested(100)); return err },
		JobAnalysis: func(j Job) error { _, err := w.FinishAnalysis(j, AnalysisResult{}); return err },
		JobExport:   func(j Job) error { _, err := w.FinishExport(j, w.temp(10), media.RenderResult{}); return err },
	}
	for kind, start := range begin {
		p := w.project(u)
		start(p)
		j := w.claim()
		if j.Kind != kind {
			t.Fatalf("claimed a %s", j.Kind)
		}
		must(t, w.DeleteProject(u.UUID, p.UUID))
		if err := finish[kind](j); !errors.Is(err, ErrStaleJob) {
			t.Errorf("%s: %v", kind, err)
		}
		w.clean()
		if left := append(w.filesUnder("media"), w.filesUnder("tmp")...); len(left) > 0 {
			t.Errorf("%s left %v", kind, left)
		}
	}
	if b := get(w.Billing(u.UUID))(t); b.Balance != 30 || b.Reserved != 0 || b.StorageUsedBytes != 0 {
		t.Errorf("billing %+v", b)
	}
}

func TestCaptions(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, stranger := w.user("ada"), w.user("eve")
	p := w.project(u)
	w.ready(p, 5_000)
	c := w.ready(p, 10_000)
	_, _, err := w.ReplaceCaptionLines(u.UUID, p.UUID, false, nil)
	wantCode(t, err, Conflict, "no_transcript")
	_, err = w.ClipTranscripts(u.UUID, p.UUID)
	wantCode(t, err, Conflict, "no_transcript")
	w.analyzed(p, AnalysisResult{Transcripts: []ClipTranscript{speech(c.UUID, "one", "two")}})
	if spoken := get(w.ClipTranscripts(u.UUID, p.UUID))(t); len(spoken) != 1 || spoken[0].Words[1].StartMS != 500 {
		t.Errorf("transcripts %+v", spoken)
	}
	lines := []ClipCaption{
		{ClipUUID: c.UUID, TimedText: media.TimedText{Text: "two", StartMS: 500, EndMS: 900}},
		{ClipUUID: c.UUID, TimedText: media.TimedText{Text: "one", StartMS: 0, EndMS: 400}},
	}
	n, all, err := w.ReplaceCaptionLines(u.UUID, p.UUID, false, lines)
	must(t, err)
	if n != 2 || all[0].Text != "one" || all[0].StartMS != 5_000 || all[1].Sequence != 2 {
		t.Errorf("%d made: %+v", n, all)
	}
	changed := get(w.UpdateCaptionLine(u.UUID, all[1].UUID, CaptionChange{Text: ptr("TWO")}))(t)
	if changed.Text != "TWO" || changed.OriginalText != "two" || changed.Sequence != 2 || changed.StartMS != 5_500 {
		t.Errorf("changed %+v", changed)
	}
	_, err = w.UpdateCaptionLine(stranger.UUID, all[1].UUID, CaptionChange{Text: ptr("mine")})
	wantCode(t, err, Forbidden, "forbidden")
	n, all, err = w.ReplaceCaptionLines(u.UUID, p.UUID, false, lines[:1])
	if err != nil || n != 0 || len(all) != 2 || all[1].Text != "TWO" {
		t.Errorf("without force: %d, %+v, %v", n, all, err)
	}
	n, all, err = w.ReplaceCaptionLines(u.UUID, p.UUID, true, lines[:1])
	if err != nil || n != 1 || len(all) != 1 || all[0].Text != "two" {
		t.Errorf("with force: %d, %+v, %v", n, all, err)
	}
	page, total, err := w.CaptionLines(u.UUID, p.UUID, Page{Number: 2, Size: 1})
	if err != nil || total != 1 || len(page) != 0 {
		t.Errorf("page %+v of %d, %v", page, total, err)
	}
}
