package store

import (
	"testing"

	"roughcut/media"
)

// A constant-rate copy respects the quota, stays with a clip in the trash, and its job ends with
// the clip.
func TestConstantRateCopies(t *testing.T) {
	w := open(t, smallQuota(40))
	u := w.user("u")
	p := w.project(u)
	c := w.uploaded(p, 10)
	get(w.ConfirmClip(u.UUID, p.UUID, c.UUID))(t)
	variable := media.Info{
		DurationMS: 4000,
		Video:      &media.VideoInfo{Rate: media.Rate{Num: 30, Den: 1}, VariableRate: true},
	}
	get(w.FinishClip(w.claim(), ClipResult{Ingested: media.IngestResult{Info: variable}}))(t)
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
