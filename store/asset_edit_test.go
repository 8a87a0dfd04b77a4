package store

import (
	"os"
	"strings"
	"testing"

	"roughcut/media"
)

// edited finishes the next job of an asset with a file of the given size and duration.
func (w *world) edited(uuid string, size int, durationMS int64) (Asset, error) {
	w.t.Helper()
	return w.FinishAsset(
		w.claimAsset(uuid),
		AssetResult{Asset: movie(durationMS), FileTemp: w.temp(size), PosterTemp: w.temp(2)},
	)
}

func TestAssetEditRules(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	known := w.asset(u, AssetResult{Asset: movie(8000)})
	picture := w.asset(
		u,
		AssetResult{
			Asset: media.Asset{Kind: media.KindImage, ContentType: "image/png", Info: media.Info{Format: "png"}},
		},
	)
	silent := movie(8000)
	silent.Info.Audio = nil
	mute := w.asset(u, AssetResult{Asset: silent})
	fresh := w.confirmed(u, NewAsset{}, 10)
	failed := w.confirmed(u, NewAsset{}, 10)
	must(t, w.FailAsset(w.claimAsset(failed.UUID), "no media"))
	span := func(start, end int64) AssetEdit { return AssetEdit{StartMS: &start, EndMS: &end} }
	cut := func(start, end int64) AssetEdit { return AssetEdit{Cuts: []media.Span{{StartMS: start, EndMS: end}}} }
	for _, c := range []struct {
		what  string
		asset Asset
		edit  AssetEdit
		kind  Kind
		code  string
	}{
		{"end at the start", known, span(100, 100), Unprocessable, "unprocessable"},
		{"end before the start", known, span(100, 50), Unprocessable, "unprocessable"},
		{"end at 0", known, AssetEdit{EndMS: ptr(int64(0))}, Unprocessable, "unprocessable"},
		{"negative", known, span(-1, 50), Unprocessable, "unprocessable"},
		{"empty cut", known, cut(50, 50), Unprocessable, "unprocessable"},
		{"crossed cut", known, cut(50, 40), Unprocessable, "unprocessable"},
		{"start past the end", known, AssetEdit{StartMS: ptr(int64(8001))}, Invalid, "out_of_bounds"},
		{"end past the end", known, span(0, 8001), Invalid, "out_of_bounds"},
		{"cut past the end", known, cut(0, 8001), Invalid, "out_of_bounds"},
		{"nothing left", known, cut(0, 8000), Unprocessable, "unprocessable"},
		{
			"nothing left of the range",
			known,
			AssetEdit{StartMS: ptr(int64(10)), EndMS: ptr(int64(20)), Cuts: []media.Span{{StartMS: 5, EndMS: 25}}},
			Unprocessable,
			"unprocessable",
		},
		{"nothing after the start", known, AssetEdit{StartMS: ptr(int64(8000))}, Unprocessable, "unprocessable"},
		{"an image", picture, AssetEdit{}, Unprocessable, "unprocessable"},
		{"no sound", mute, AssetEdit{ExtractAudio: true}, Unprocessable, "unprocessable"},
		{"failed", failed, AssetEdit{}, Conflict, "asset_not_ready"},
		{"crossed although the length is not known", fresh, span(9, 8), Unprocessable, "unprocessable"},
	} {
		for _, replace := range []bool{false, true} {
			c.edit.Replace = replace
			_, err := w.EditAsset(u.UUID, c.asset.UUID, c.edit)
			t.Log(c.what)
			wantCode(t, err, c.kind, c.code)
		}
	}
	if n := seen2(w, u); n != 5 {
		t.Errorf("a refused edit added %d assets", n)
	}
	for _, e := range []AssetEdit{span(0, 8000), cut(0, 7999), {}, {ExtractAudio: true, Fast: true}} {
		if id := get(w.EditAsset(u.UUID, known.UUID, e))(t); id == "" {
			t.Error("a copy has no uuid")
		}
	}
	get(w.EditAsset(u.UUID, fresh.UUID, span(0, 1<<40)))(t)
	w.clean()
}

func TestCopyIsASeparateAsset(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	first, second := get(w.CreateGroup(u.UUID, Group{Name: "a"}))(t), get(w.CreateGroup(u.UUID, Group{Name: "b"}))(t)
	a := w.confirmed(u, NewAsset{DisplayName: "City", Tags: []string{"x"}, GroupUUID: &second.UUID}, 1000)
	get(w.FinishAsset(w.claimAsset(a.UUID), AssetResult{Asset: movie(8000)}))(t)
	get(w.AddToGroups(u.UUID, a.UUID, first.UUID))(t)
	id := get(w.EditAsset(u.UUID, a.UUID, AssetEdit{StartMS: ptr(int64(10)), ExtractAudio: true, Fast: true}))(t)
	c := get(w.Asset(u.UUID, id))(t)
	if c.Status != AssetPending || c.DurationMS != nil || c.Kind != media.KindAudio ||
		c.DisplayName != "City (edited)" ||
		c.Tags[0] != "x" ||
		*c.GroupUUID != second.UUID ||
		c.SizeBytes != 0 {
		t.Errorf("%+v", c)
	}
	_, err := w.EditAsset(u.UUID, id, AssetEdit{})
	wantCode(t, err, Conflict, "asset_not_ready")
	_, err = w.EditAsset(u.UUID, a.UUID, AssetEdit{Replace: true})
	wantCode(t, err, Conflict, "conflict")
	j := w.claimAsset(id)
	in := get(w.AssetInput(j))(t)
	if in.Trim == nil || in.Trim.Path != w.FilePath(a.FileKey()) || in.Trim.StartMS != 10 || in.Trim.EndMS != 0 ||
		!in.Trim.AudioOnly ||
		!in.Trim.Fast {
		t.Errorf("%+v", in.Trim)
	}
	w.clean()
	done := get(w.FinishAsset(j, AssetResult{Asset: sound(7990), FileTemp: w.temp(300)}))(t)
	if done.Status != AssetUploaded || done.SizeBytes != 300 || *done.DurationMS != 7990 || w.used(u) != 1300 {
		t.Errorf("%+v, %d bytes", done, w.used(u))
	}
	must(t, w.DeleteAsset(u.UUID, a.UUID))
	if _, err := os.Stat(w.FilePath(done.FileKey())); err != nil || w.used(u) != 300 {
		t.Errorf("the copy was deleted with its source: %v, %d bytes", err, w.used(u))
	}
	w.clean()
}

func TestReplacementKeepsTheOldFileUntilTheNewOneIsReady(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	a := w.asset(u, AssetResult{Asset: movie(8000), PosterTemp: w.temp(9), ProxyTemp: w.temp(8)})
	if id := get(w.EditAsset(u.UUID, a.UUID, AssetEdit{EndMS: ptr(int64(3000)), Replace: true}))(t); id != "" {
		t.Errorf("a replacement has the uuid %s", id)
	}
	_, err := w.EditAsset(u.UUID, a.UUID, AssetEdit{})
	wantCode(t, err, Conflict, "conflict")
	pending := get(w.Asset(u.UUID, a.UUID))(t)
	if pending.Status != AssetPending || *pending.DurationMS != 8000 {
		t.Errorf("%+v", pending)
	}
	j := w.claim()
	in := get(w.AssetInput(j))(t)
	made := get(w.moveAssetFiles(in, AssetResult{FileTemp: w.temp(400), PosterTemp: w.temp(3)}))(t)
	for _, key := range []string{a.FileKey(), a.PosterKey(), a.ProxyKey()} {
		if _, err := os.Stat(w.FilePath(key)); err != nil {
			t.Errorf("%v before the replacement is finished", err)
		}
	}
	w.reopen() // a crash at this moment
	w.clean()
	if _, err := os.Stat(w.FilePath(made[0].Key)); err == nil {
		t.Error("the new file exists without a row")
	}
	done := get(w.edited(a.UUID, 400, 3000))(t)
	if done.Status != AssetUploaded || *done.DurationMS != 3000 || done.SizeBytes != 400 || w.used(u) != 400 ||
		done.AssetFileID != a.AssetFileID ||
		done.HasProxy {
		t.Errorf("%+v, %d bytes", done, w.used(u))
	}
	if left := w.filesUnder("media"); len(left) != 2 {
		t.Errorf("left: %v", left)
	}
	w.clean()
	must(t, w.DeleteAsset(u.UUID, a.UUID))
	if left := w.filesUnder("media"); len(left) > 0 || w.used(u) != 0 {
		t.Errorf("left: %v, %d bytes", left, w.used(u))
	}
}

func TestReplacementCanBeRequestedBeforeTheProbe(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	a := w.confirmed(u, NewAsset{}, 1000)
	j := w.claim()
	get(w.EditAsset(u.UUID, a.UUID, AssetEdit{EndMS: ptr(int64(1 << 40)), Replace: true}))(t)
	if in := get(w.AssetInput(j))(t); in.Trim != nil {
		t.Error("the upload is trimmed before it is probed")
	}
	if a := get(w.FinishAsset(j, AssetResult{Asset: movie(8000)}))(t); a.Status != AssetPending {
		t.Errorf("%+v", a)
	}
	w.clean()
	if a := get(w.edited(a.UUID, 1000, 8000))(t); a.Status != AssetUploaded || a.Version != 2 {
		t.Errorf("%+v", a)
	}
	w.clean()
}

func TestQuotaAppliesToTheResultOfAnEdit(t *testing.T) {
	t.Parallel()
	w := open(t, smallQuota(1500))
	u := w.user("ada")
	a := w.asset(u, AssetResult{Asset: movie(8000)})
	copied := get(w.EditAsset(u.UUID, a.UUID, AssetEdit{}))(t)
	_, err := w.edited(copied, 501, 8000)
	wantCode(t, err, Unprocessable, "quota_exceeded")
	if w.used(u) != 1000 {
		t.Errorf("%d bytes", w.used(u))
	}
	w.reopen()
	get(w.edited(copied, 500, 8000))(t)
	must(t, w.DeleteAsset(u.UUID, copied))
	get(w.EditAsset(u.UUID, a.UUID, AssetEdit{Replace: true}))(t)
	_, err = w.edited(a.UUID, 1501, 8000)
	wantCode(t, err, Unprocessable, "quota_exceeded")
	if left := append(w.filesUnder("media"), w.filesUnder("tmp")...); len(left) != 1 || w.used(u) != 1000 {
		t.Errorf("left: %v, %d bytes", left, w.used(u))
	}
	w.reopen()
	get(w.edited(a.UUID, 1500, 8000))(t) // larger than the free quota, but not without the old file
	if w.used(u) != 1500 {
		t.Errorf("%d bytes", w.used(u))
	}
	w.clean()
}

func TestFailedEditLeavesTheAssetUnchanged(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	a := w.asset(u, AssetResult{Asset: movie(8000), PosterTemp: w.temp(9)})
	get(w.EditAsset(u.UUID, a.UUID, AssetEdit{Replace: true}))(t)
	must(t, w.FailAsset(w.claimAsset(a.UUID), "no keyframe"))
	kept := get(w.PlayableAsset(u.UUID, a.UUID))(t)
	if !strings.Contains(kept.Error, "no keyframe") || kept.Version != 1 || *kept.DurationMS != 8000 ||
		w.used(u) != 1000 {
		t.Errorf("%+v", kept)
	}
	copied := get(w.EditAsset(u.UUID, a.UUID, AssetEdit{}))(t)
	must(t, w.FailAsset(w.claimAsset(copied), "no keyframe"))
	if failed := get(w.Asset(u.UUID, copied))(t); failed.Status != AssetFailed || failed.Error != "no keyframe" {
		t.Errorf("%+v", failed)
	}
	get(w.EditAsset(u.UUID, a.UUID, AssetEdit{Replace: true}))(t)
	if done := get(w.edited(a.UUID, 10, 100))(t); done.Error != "" {
		t.Errorf("the former reason is still set: %q", done.Error)
	}
	w.clean()
}

func TestCopiesFailWhenTheirSourceIsDeleted(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	a, bad := w.asset(u, AssetResult{Asset: movie(8000)}), w.confirmed(u, NewAsset{}, 10)
	queued, running := get(w.EditAsset(u.UUID, a.UUID, AssetEdit{}))(
		t,
	), get(w.EditAsset(u.UUID, a.UUID, AssetEdit{}))(t)
	ofBad := get(w.EditAsset(u.UUID, bad.UUID, AssetEdit{}))(t)
	must(t, w.FailAsset(w.claimAsset(bad.UUID), "no media"))
	j := w.claimAsset(running)
	must(t, w.DeleteAsset(u.UUID, a.UUID))
	for _, id := range []string{queued, running, ofBad} {
		if c := get(w.Asset(u.UUID, id))(t); c.Status != AssetFailed || c.Error == "" {
			t.Errorf("%+v", c)
		}
	}
	_, err := w.FinishAsset(j, AssetResult{Asset: movie(1), FileTemp: w.temp(3)})
	wantStale(t, err)
	if left := append(w.filesUnder("media"), w.filesUnder("tmp")...); len(left) > 0 || w.used(u) != 0 {
		t.Errorf("left: %v, %d bytes", left, w.used(u))
	}
	w.clean()
	must(t, w.DeleteAsset(u.UUID, queued))
	w.clean()
}
