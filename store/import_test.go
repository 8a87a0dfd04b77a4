package store

import (
	"os"
	"testing"

	"roughcut/store/billing"
)

func (w *world) importing(p Project, size int64) Clip {
	w.t.Helper()
	return get(
		w.ImportClip(
			p.UserUUID,
			p.UUID,
			NewImport{Address: "https://example.org/talk.mp4?key=sesame", Name: "talk.mp4", SizeBytes: size},
		),
	)(w.t)
}

// claimImport claims the next import and fails the test if no import is queued.
func (w *world) claimImport() Job {
	w.t.Helper()
	j, ok, err := w.ClaimImport(w.t.Context())
	must(w.t, err)
	if !ok {
		w.t.Fatal("no import is queued")
	}
	return j
}

func TestImportBecomesAClip(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.importing(p, 400)
	if c.Status != ClipProcessing || c.Source != SourceImport || c.SizeBytes != 0 || c.ContentType == "" ||
		w.used(u) != 0 {
		t.Errorf("the clip is %+v", c)
	}
	if _, ok, err := w.ClaimJob(t.Context()); ok || err != nil {
		t.Errorf("a worker claimed the import: %v", err)
	}
	w.clean()
	j := w.claimImport()
	if address := get(w.ImportURL(j))(t); address != "https://example.org/talk.mp4?key=sesame" ||
		j.Subject != c.UUID {
		t.Errorf("the worker got %s for %+v", address, j)
	}
	must(t, w.CheckImportSize(j, 500))
	must(t, w.FinishImport(j, w.temp(500)))
	w.clean()
	if c = get(w.Clip(u.UUID, c.UUID))(t); c.Status != ClipProcessing || c.SizeBytes != 500 || w.used(u) != 500 {
		t.Errorf("the clip is %+v", c)
	}
	if found := w.bucketsNaming("sesame"); len(found) > 0 {
		t.Errorf("the address is kept in %v", found)
	}
	if done := w.ingest(10_000); done.UUID != c.UUID || done.Status != ClipReady {
		t.Errorf("the clip is %+v", done)
	}
	w.clean()
}

func TestImportIsCheckedAgainstTheQuota(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *Options) {
		o.TierTable, o.MaxUploadBytes = billing.DefaultTierTable(), 1500
		plan := o.TierTable.Tiers[billing.Creator]
		plan.StorageQuotaBytes = 1000
		o.TierTable.Tiers[billing.Creator] = plan
	})
	u := w.user("ada")
	p := w.project(u)
	_, err := w.ImportClip(u.UUID, p.UUID, NewImport{Address: "https://example.org/x", Name: "x", SizeBytes: 1501})
	wantCode(t, err, Unprocessable, "file_too_large")
	_, err = w.ImportClip(u.UUID, p.UUID, NewImport{Address: "https://example.org/x", Name: "x", SizeBytes: 1001})
	wantCode(t, err, Unprocessable, "quota_exceeded")
	for _, size := range []int{0, 1001, 1501} {
		c := w.importing(p, 0)
		j := w.claimImport()
		must(t, w.CheckImportSize(j, 1000))
		wantCode(t, w.CheckImportSize(j, 1001), Unprocessable, "quota_exceeded")
		wantCode(t, w.CheckImportSize(j, 1501), Unprocessable, "file_too_large")
		if err := w.FinishImport(j, w.temp(size)); !IsKind(err, Unprocessable) {
			t.Errorf("%d bytes: %v", size, err)
		}
		must(t, w.FailClip(j, "too much"))
		if c = get(w.Clip(u.UUID, c.UUID))(t); c.Status != ClipFailed || c.Error != "too much" || w.used(u) != 0 {
			t.Errorf("the clip is %+v", c)
		}
	}
	// The storage that other imports have used since then counts.
	first, second := w.importing(p, 600), w.importing(p, 600)
	j := w.claimImport()
	must(t, w.FinishImport(j, w.temp(600)))
	j = w.claimImport()
	wantCode(t, w.CheckImportSize(j, 600), Unprocessable, "quota_exceeded")
	must(t, w.FailClip(j, "too much"))
	must(t, w.DeleteClip(u.UUID, first.UUID))
	must(t, w.DeleteClip(u.UUID, second.UUID))
	must(t, w.EmptyTrash(u.UUID, p.UUID))
	if left := append(w.filesUnder("media"), w.filesUnder("tmp")...); len(left) > 0 || w.used(u) != 0 {
		t.Errorf("left behind: %v, %d bytes counted", left, w.used(u))
	}
	w.clean()
}

func TestImportSurvivesRestarts(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	c := w.importing(p, 0)
	j := w.claimImport()
	// The file was moved in, but its row was not written yet.
	k := clipKey(c.ClipFileID, fileOriginal)
	get(w.moveIn(w.temp(500), k))(t)
	w.reopen()
	w.clean()
	if _, err := os.Stat(w.FilePath(k)); !os.IsNotExist(err) {
		t.Errorf("a partial import is left: %v", err)
	}
	if err := w.FinishImport(j, w.temp(500)); err == nil {
		t.Error("the job from before the restart is still valid")
	}
	again := w.claimImport()
	if again.Attempt != 2 {
		t.Errorf("attempt %d", again.Attempt)
	}
	must(t, w.ReleaseJob(again))
	must(t, w.FinishImport(w.claimImport(), w.temp(500)))
	w.ingest(1000)

	c = w.importing(p, 0)
	for range maxAttempts {
		w.claimImport()
		w.reopen()
	}
	if c = get(w.Clip(p.UserUUID, c.UUID))(t); c.Status != ClipFailed || c.Error != poisonReason {
		t.Errorf("after %d crashes the clip is %+v", maxAttempts, c)
	}
	w.clean()
}

func TestImportEndsWithItsClip(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	removeImport(t, w, w.project(u), "clip", func(_ Project, c Clip) error { return w.DeleteClip(u.UUID, c.UUID) })
	removeImport(
		t,
		w,
		w.project(u),
		"project",
		func(p Project, _ Clip) error { return w.DeleteProject(u.UUID, p.UUID) },
	)
	removeImport(t, w, w.project(u), "account", func(Project, Clip) error { return w.DeleteUser(u.UUID, "hash") })
}

func removeImport(t *testing.T, w *world, p Project, name string, remove func(Project, Clip) error) {
	t.Helper()
	c := w.importing(p, 0)
	j := w.claimImport()
	must(t, remove(p, c))
	select {
	case id := <-w.Cancellations():
		if id != j.UUID {
			t.Errorf("%s: job %s is cancelled, not %s", name, id, j.UUID)
		}
	default:
		t.Errorf("%s: the worker got no cancellation", name)
	}
	if err := w.CheckImportSize(j, 1); err != ErrStaleJob { //nolint:errorlint // returned unwrapped
		t.Errorf("%s: the job is still valid: %v", name, err)
	}
	if err := w.FinishImport(j, w.temp(500)); err == nil {
		t.Errorf("%s: the import was accepted", name)
	}
	if left := append(w.filesUnder("media"), w.filesUnder("tmp")...); len(left) > 0 {
		t.Errorf("%s: left behind: %v", name, left)
	}
	w.clean()
}

// An imported asset joins its group at once, has no file until the download ends, and is then
// probed.
func TestImportBecomesAnAsset(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	n := NewImport{
		Address:     "https://example.org/jingle.mp3?key=sesame",
		Name:        "jingle.mp3",
		ContentType: "audio/mpeg",
		SizeBytes:   300,
	}
	group := get(w.CreateGroup(u.UUID, Group{Name: "Jingles"}))(t)
	stranger := w.user("eve")
	_, err := w.ImportAsset(stranger.UUID, n, &group.UUID, "")
	wantCode(t, err, Forbidden, "forbidden")
	a := get(w.ImportAsset(u.UUID, n, &group.UUID, " "))(t)
	if a.Status != AssetPending || a.DisplayName != "jingle.mp3" || a.Kind != "audio" || a.GroupUUID == nil ||
		*a.GroupUUID != group.UUID ||
		w.used(u) != 0 {
		t.Errorf("the asset is %+v", a)
	}
	if list, n, err := w.Assets(u.UUID, AssetFilter{}, Page{}); err != nil || n != 1 || list[0].UUID != a.UUID {
		t.Errorf("the library is %+v, %v", list, err)
	}
	_, err = w.EditAsset(u.UUID, a.UUID, AssetEdit{EndMS: ptr(int64(10))})
	wantCode(t, err, Conflict, "asset_not_ready")
	w.clean()
	w.claimImport()
	w.reopen()
	w.clean()
	j := w.claimImport()
	must(t, w.CheckImportSize(j, 300))
	must(t, w.FinishImport(j, w.temp(300)))
	if found := w.bucketsNaming("sesame"); len(found) > 0 || w.used(u) != 300 {
		t.Errorf("the address is kept in %v, %d bytes count", found, w.used(u))
	}
	if j = w.claim(); j.Kind != JobAsset || j.Subject != a.UUID {
		t.Errorf("claimed %+v", j)
	}
	w.clean()

	failed := get(w.ImportAsset(u.UUID, n, nil, "Mine"))(t)
	must(t, w.FailAsset(w.claimImport(), "The download broke off."))
	if failed = get(w.Asset(u.UUID, failed.UUID))(
		t,
	); failed.Status != AssetFailed || failed.Error != "The download broke off." ||
		failed.DisplayName != "Mine" {
		t.Errorf("the asset is %+v", failed)
	}
	deleted := get(w.ImportAsset(u.UUID, n, nil, ""))(t)
	j = w.claimImport()
	must(t, w.DeleteAsset(u.UUID, deleted.UUID))
	if err := w.FinishImport(j, w.temp(300)); err == nil {
		t.Error("the import of a deleted asset was accepted")
	}
	w.clean()
}

// Imports have their own queue and wake only their own workers.
func TestImportsHaveTheirOwnQueue(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	c := w.uploaded(p, 10)
	<-w.JobQueued()
	<-w.ImportQueued()
	w.importing(p, 0)
	select {
	case <-w.JobQueued():
		t.Error("an import woke the workers of other jobs")
	default:
	}
	<-w.ImportQueued()
	get(w.ConfirmClip(p.UserUUID, p.UUID, c.UUID))(t)
	<-w.JobQueued()
	if j := w.claim(); j.Kind != JobClip {
		t.Errorf("claimed %+v", j)
	}
	if j := w.claimImport(); j.Kind != JobImport {
		t.Errorf("claimed %+v", j)
	}
}
