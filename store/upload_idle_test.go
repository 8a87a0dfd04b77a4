package store

import (
	"testing"
	"time"
)

// TestLostUploadsHoldUpNoOne requests an upload that nobody sends, as after a lost response. An
// analysis and an export wait for it for a minute after the last change, however late that is.
func TestLostUploadsHoldUpNoOne(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	first := w.uploaded(p, 10)
	lost := get(w.PresignClip(u.UUID, p.UUID, "lost.mp4", "video/mp4", 10))(t)
	run := get(w.QueueAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
	export := get(w.CreateExport(u.UUID, p.UUID, NewExport{WaitForClips: ptr(true)}))(t)
	waits := func(want bool) {
		t.Helper()
		get(w.SweepExpired())(t)
		analysis, e := w.waits(u.UUID, p.UUID, run.UUID), get(w.Export(u.UUID, export.UUID))(t)
		if analysis != want || e.WaitsForClips != want {
			t.Fatalf("the analysis waits: %v, the export: %v; want %v", analysis, e.WaitsForClips, want)
		}
	}

	w.clock.Advance(50 * time.Minute) // the first clip is uploaded, but not confirmed
	get(w.RenewClipUpload(u.UUID, p.UUID, first.UUID))(t)
	w.clock.Advance(10 * time.Minute)
	get(w.RenewClipUpload(u.UUID, p.UUID, lost.UUID))(t)
	waits(true)
	get(w.ConfirmClip(u.UUID, p.UUID, first.UUID))(t)
	w.clock.Advance(10 * time.Minute)
	waits(true)
	w.ingest(10_000)
	w.clock.Advance(idleUploadTime - time.Second)
	waits(true)
	w.clock.Advance(time.Second)
	waits(false)

	if got := get(w.Clip(u.UUID, lost.UUID))(t); got.Status != ClipPending {
		t.Errorf("the clip without an upload: %+v", got)
	}
	if got := get(w.Export(u.UUID, export.UUID))(t); got.DurationMS != 10_000 {
		t.Errorf("the export has %d ms, want the length of the other clip", got.DurationMS)
	}
	w.clean()
}

// TestBegunUploadsAreExpected waits for a clip while bytes of it arrive or have arrived, and for a
// minute after an upload failed or the server started.
func TestBegunUploadsAreExpected(t *testing.T) {
	t.Parallel()
	const long = 30 * time.Minute // the clip is deleted after an hour
	for name, c := range map[string]struct {
		begin func(*testing.T, *world, Clip)
		then  time.Duration
		waits bool
	}{
		"an open upload": {func(t *testing.T, w *world, c Clip) {
			up := get(w.OpenUpload(c.ClipFileID))(t)
			t.Cleanup(func() { _ = up.Abort() })
		}, long, true},
		"an interrupted resumable upload": {func(t *testing.T, w *world, c Clip) {
			up := get(w.ResumeUpload(c.ClipFileID))(t)
			get(up.Write([]byte("bytes")))(t)
			must(t, up.Abort())
		}, long, true},
		"a file that is not confirmed":   {func(_ *testing.T, w *world, c Clip) { w.put(c, 10) }, long, true},
		"an upload that has just failed": {fail30, idleUploadTime - time.Second, true},
		"an upload that failed before":   {fail30, idleUploadTime, false},
		"a server that has just started": {restart30, idleUploadTime - time.Second, true},
		"a server that started before":   {restart30, idleUploadTime, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			u := w.user("ada")
			p := w.project(u)
			w.ready(p, 10_000)
			clip := get(w.PresignClip(u.UUID, p.UUID, "talk.mp4", "video/mp4", 10))(t)
			run := get(w.QueueAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
			c.begin(t, w, clip)
			w.clock.Advance(c.then)
			get(w.SweepExpired())(t)
			if got := w.waits(u.UUID, p.UUID, run.UUID); got != c.waits {
				t.Errorf("the analysis waits: %v", got)
			}
			w.clean()
		})
	}
}

// fail30 fails an upload after half an hour.
func fail30(t *testing.T, w *world, c Clip) {
	up := get(w.OpenUpload(c.ClipFileID))(t)
	w.clock.Advance(30 * time.Minute)
	must(t, up.Abort())
}

// restart30 restarts the server after half an hour.
func restart30(_ *testing.T, w *world, _ Clip) {
	w.clock.Advance(30 * time.Minute)
	w.reopen()
}

// waits reports whether a run waits for clips.
func (w *world) waits(userUUID, projectUUID, runUUID string) bool {
	w.t.Helper()
	run, _, err := w.Run(userUUID, projectUUID, runUUID)
	must(w.t, err)
	return run.WaitsForClips
}
