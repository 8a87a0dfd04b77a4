package store

import (
	"errors"
	"io/fs"
	"testing"

	"roughcut/media"
)

// variableClip uploads a clip with a variable frame rate.
func (w *world) variableClip(p Project, bytes int) Clip {
	w.t.Helper()
	c := w.uploaded(p, bytes)
	get(w.ConfirmClip(p.UserUUID, p.UUID, c.UUID))(w.t)
	variable := media.Info{
		DurationMS: 4000,
		Video:      &media.VideoInfo{Rate: media.Rate{Num: 30, Den: 1}, VariableRate: true},
	}
	return get(w.FinishClip(w.claim(), ClipResult{Ingested: media.IngestResult{Info: variable}}))(w.t)
}

// A constant-rate copy respects the quota, stays with a clip in the trash, and its job ends with
// the clip.
func TestConstantRateCopies(t *testing.T) {
	t.Parallel()
	w := open(t, smallQuota(40))
	u := w.user("u")
	p := w.project(u)
	c := w.variableClip(p, 10)
	ask := func() {
		t.Helper()
		if _, fresh, err := w.MakeConstantRateCopy(u.UUID, c.UUID); err != nil || !fresh {
			t.Fatal(fresh, err)
		}
	}

	ask()
	must(t, w.DeleteClip(u.UUID, c.UUID))
	if _, ok, err := w.ClaimJob(t.Context()); ok || err != nil {
		t.Errorf("the job of a clip in the trash: %v %v", ok, err)
	}
	w.clean()
	must(t, w.RestoreTrashed(u.UUID, p.UUID, c.UUID))
	if got := get(w.Clip(u.UUID, c.UUID))(t); got.ConstantRate != nil {
		t.Errorf("a restored clip has %+v", got.ConstantRate)
	}

	ask()
	j := w.claim()
	w.clean()
	must(t, w.FinishConstantRateCopy(j, w.temp(7), media.Info{DurationMS: 4000}))
	must(t, w.DeleteClip(u.UUID, c.UUID))
	must(t, w.RestoreTrashed(u.UUID, p.UUID, c.UUID))
	if got := get(w.Clip(u.UUID, c.UUID))(t); w.ConstantRatePath(got) == "" || got.ConstantRate.SizeBytes != 7 {
		t.Errorf("the copy is lost: %+v", got.ConstantRate)
	}
	w.clean()
	if got := w.used(u); got != 17 {
		t.Errorf("%d bytes count", got)
	}
	must(t, w.RemoveConstantRateCopy(u.UUID, c.UUID))

	ask()
	j = w.claim()
	wantCode(t, w.FinishConstantRateCopy(j, w.temp(31), media.Info{}), Unprocessable, "quota_exceeded")
	must(t, w.FailConstantRateCopy(j, "Too large."))
	w.clean()
	other := w.uploaded(p, 25)
	get(w.ConfirmClip(u.UUID, p.UUID, other.UUID))(t)
	_, _, err := w.MakeConstantRateCopy(u.UUID, c.UUID)
	wantCode(t, err, Unprocessable, "quota_exceeded")
}

// A clip whose copy is being made can have its lost files made again, in either order.
func TestFilesAreMadeAgainDuringACopy(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("u")
	p := w.project(u)
	lose := func() Clip {
		t.Helper()
		c := w.uploaded(p, 1000)
		get(w.ConfirmClip(u.UUID, p.UUID, c.UUID))(t)
		r := w.ingested(4000)
		r.Ingested.Info.Video = &media.VideoInfo{Rate: media.Rate{Num: 30, Den: 1}, VariableRate: true}
		return get(w.FinishClip(w.claim(), r))(t)
	}
	start := func(c Clip) {
		t.Helper()
		if _, fresh, err := w.MakeConstantRateCopy(u.UUID, c.UUID); err != nil || !fresh {
			t.Fatal(fresh, err)
		}
	}
	remake := func(c Clip) {
		t.Helper()
		missing := &fs.PathError{Op: "open", Path: w.FilePath(c.ProxyKey()), Err: fs.ErrNotExist}
		wantCode(t, w.MissingFile(missing), Conflict, "conflict")
	}
	kinds := func(c Clip) (got [2]JobKind) {
		t.Helper()
		for i := range got {
			j := w.claim()
			if got[i] = j.Kind; j.ClipUUID() != c.UUID {
				t.Errorf("a job of %s", j.Subject)
			}
			w.clean()
			if j.Kind == JobClip {
				must(t, w.FailClip(j, "Damaged."))
			} else {
				must(t, w.FinishConstantRateCopy(j, w.temp(7), media.Info{DurationMS: 4000}))
			}
		}
		return got
	}

	c := lose()
	start(c)
	remake(c)
	if got := kinds(c); got != [2]JobKind{JobConstantRate, JobClip} {
		t.Errorf("jobs %v", got)
	}
	c = lose()
	remake(c)
	start(c)
	if got := kinds(c); got != [2]JobKind{JobClip, JobConstantRate} {
		t.Errorf("jobs %v", got)
	}
	w.clean()
}

// A copy that an earlier version had queued keeps its job, which can be cancelled.
func TestQueuedCopiesSurviveTheUpgrade(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("u")
	p := w.project(u)
	c := w.variableClip(p, 10)
	if _, _, err := w.MakeConstantRateCopy(u.UUID, c.UUID); err != nil {
		t.Fatal(err)
	}
	must(t, w.update(func(tx *txn) error {
		row := get(jobs.Lookup(tx, jobsBySubject, copyPrefix+c.UUID))(t)
		row.Subject = c.UUID // as schema 7 had it
		return errors.Join(jobs.Put(tx, row), renameCopyJobs(tx))
	}))
	w.clean()
	must(t, w.RemoveConstantRateCopy(u.UUID, c.UUID))
	w.clean()
	if j, ok, err := w.ClaimJob(t.Context()); ok || err != nil {
		t.Errorf("the cancelled job %+v %v", j, err)
	}
}
