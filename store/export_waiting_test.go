package store

import (
	"testing"

	"roughcut/media"
)

// TestExportWaitsForClipsThatAreRead exports during the processing of a second clip. The export
// starts when the clip is ready, has the clip and its override, and survives a restart.
func TestExportWaitsForClipsThatAreRead(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 10_000)
	cut := get(w.CreateEdit(u.UUID, p.UUID, Edit{StartMS: 1000, EndMS: 3000, Active: true}))(t)
	second := w.uploaded(p, 10)
	get(w.ConfirmClip(u.UUID, p.UUID, second.UUID))(t)
	export := get(w.CreateExport(u.UUID, p.UUID, NewExport{
		Name: "Talk", Overrides: map[string]Override{cut.UUID: {EndMS: ptr[int64](2000)}},
	}))(t)
	if !export.WaitsForClips || export.Status != ExportQueued {
		t.Fatalf("export %+v", export)
	}
	w.clean()
	w.reopen()
	w.ingest(5_000)
	job := w.claim()
	if job.Kind != JobExport || job.Subject != export.UUID {
		t.Fatalf("job %+v", job)
	}
	must(t, w.StartExport(job))
	in := get(w.ExportInput(job))(t)
	if len(in.Clips) != 2 || len(in.Cuts) != 1 || in.Cuts[0].EndMS != 2000 || in.Export.WaitsForClips {
		t.Errorf("input %+v", in)
	}
	if in.Export.DurationMS != 14_000 {
		t.Errorf("length %d ms, want 14000", in.Export.DurationMS)
	}
	w.clean()
}

// TestExportWaitsForUploadsOnRequest waits for an upload, and leaves out clips on request only.
func TestExportWaitsForUploadsOnRequest(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	first := w.uploaded(p, 10)
	_, err := w.CreateExport(u.UUID, p.UUID, NewExport{})
	wantCode(t, err, Invalid, "no_clips")
	waiting := get(w.CreateExport(u.UUID, p.UUID, NewExport{WaitForClips: ptr(true)}))(t)
	get(w.ConfirmClip(u.UUID, p.UUID, first.UUID))(t)
	_, err = w.CreateExport(u.UUID, p.UUID, NewExport{})
	wantCode(t, err, Conflict, "clips_processing")
	w.ingest(10_000)
	if job := w.claim(); job.Subject != waiting.UUID {
		t.Fatalf("job %+v", job)
	}
	second := w.uploaded(p, 10)
	get(w.ConfirmClip(u.UUID, p.UUID, second.UUID))(t)
	if got := get(w.CreateExport(u.UUID, p.UUID, NewExport{WaitForClips: ptr(false)}))(t); got.WaitsForClips {
		t.Errorf("export %+v", got)
	}
	w.clean()
}

// TestWaitingExportFailsWithAnUnreadableClip reports the clip instead of leaving it out.
func TestWaitingExportFailsWithAnUnreadableClip(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 10_000)
	bad := w.uploaded(p, 10)
	get(w.ConfirmClip(u.UUID, p.UUID, bad.UUID))(t)
	export := get(w.CreateExport(u.UUID, p.UUID, NewExport{}))(t)
	must(t, w.FailClip(w.claim(), "no video"))
	job := w.claim()
	err := w.StartExport(job)
	wantCode(t, err, Conflict, "cannot_start")
	must(t, w.FailExport(job, err.Error()))
	if got := get(w.Export(u.UUID, export.UUID))(t); got.Status != StatusFailed || got.Error == "" {
		t.Errorf("export %+v", got)
	}
	w.clean()
}

// TestWaitingExportForgetsRemovedClips removes the awaited clip and the clip of an override.
func TestWaitingExportForgetsRemovedClips(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	first := w.ready(p, 10_000)
	w.ready(p, 10_000)
	cut := get(w.CreateEdit(u.UUID, p.UUID, Edit{StartMS: 8000, EndMS: 12_000, Active: true}))(t)
	stuck := w.uploaded(p, 10)
	get(w.ConfirmClip(u.UUID, p.UUID, stuck.UUID))(t)
	export := get(w.CreateExport(u.UUID, p.UUID, NewExport{
		Overrides: map[string]Override{cut.UUID: {StartMS: ptr[int64](9000)}},
	}))(t)
	cancelled := get(w.CreateExport(u.UUID, p.UUID, NewExport{}))(t)
	get(w.CancelExport(u.UUID, cancelled.UUID))(t)
	must(t, w.DeleteClip(u.UUID, first.UUID))
	must(t, w.DeleteClip(u.UUID, stuck.UUID))
	job := w.claim()
	if job.Subject != export.UUID {
		t.Fatalf("job %+v", job)
	}
	in := get(w.ExportInput(job))(t)
	if len(in.Cuts) != 1 || in.Cuts[0].StartMS != 0 || in.Cuts[0].EndMS != 2000 {
		t.Errorf("cuts %+v", in.Cuts)
	}
	w.clean()
}

// A change of a clip looks for exports that wait for clips, and does not read the others.
func TestChangesOfClipsReadNoEndedExports(t *testing.T) {
	w := open(t, ownerMode)
	p := w.project(w.user("ada"))
	w.ready(p, 1_000)
	w.settled()
	refresh := func() float64 {
		return testing.AllocsPerRun(3, func() {
			must(t, w.update(func(tx *txn) error { return tx.refreshProject(p.UUID) }))
		})
	}
	before := refresh()
	must(t, w.update(func(tx *txn) error {
		for i := range 300 {
			export := Export{UUID: w.NewID(), ProjectUUID: p.UUID, Status: StatusFailed}
			row := &exportRow{Seq: uint64(i), Export: export}
			must(t, exports.Put(tx, row))
		}
		return nil
	}))
	if after := refresh(); after > before+1_000 {
		t.Errorf("with 300 exports %v allocations, before %v", after, before)
	}
}

// TestWaitingExportKeepsTheFootageOfItsRange orders another clip before the range while the export
// waits. The range, here of a short, stays on its footage.
func TestWaitingExportKeepsTheFootageOfItsRange(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	first := w.ready(p, 10_000)
	second := w.uploaded(p, 10)
	get(w.ConfirmClip(u.UUID, p.UUID, second.UUID))(t)
	short := w.short(p, "Short", 2, 5)
	request := NewExport{ShortUUID: &short.UUID}
	export := get(w.CreateExport(u.UUID, p.UUID, request))(t)
	if !export.WaitsForClips {
		t.Fatalf("export %+v", export)
	}
	get(w.OrderClips(u.UUID, p.UUID, []string{second.UUID, first.UUID}))(t)
	w.ingest(4_000)
	job := w.claim()
	must(t, w.StartExport(job))
	in := get(w.ExportInput(job))(t)
	want := media.Span{StartMS: 6000, EndMS: 9000}
	if in.Range != want || *in.Settings.Range != want || in.Export.DurationMS != 3000 {
		t.Errorf("range %v, in the settings %v, length %d ms; want %v",
			in.Range, in.Settings.Range, in.Export.DurationMS, want)
	}
	w.clean()
}
