package store

import (
	"errors"
	"os"
	"testing"
	"time"

	"roughcut/store/billing"
)

func TestPresignRules(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *Options) { o.MaxUploadBytes = 1000 })
	u, stranger := w.user("ada"), w.user("eve")
	p := w.project(u)
	cases := []struct {
		name, contentType string
		size              int64
		code              string
	}{
		{"fits", "video/mp4", 1000, ""},
		{"too large", "video/mp4", 1001, "file_too_large"},
		{"no video", "image/png", 10, "content_type_not_allowed"},
		{"no bytes", "video/mp4", 0, "unprocessable"},
		{"larger than any disk", "video/mp4", 1 << 60, "file_too_large"},
	}
	for _, c := range cases {
		clip, err := w.PresignClip(u.UUID, p.UUID, c.name, c.contentType, c.size)
		if c.code == "" {
			must(t, err)
			if clip.Status != ClipPending || clip.ClipFileID == "" || clip.DurationMS != nil {
				t.Errorf("clip %+v", clip)
			}
		} else {
			wantCode(t, err, Unprocessable, c.code)
		}
	}
	_, err := w.PresignClip(stranger.UUID, p.UUID, "a", "video/mp4", 1)
	wantCode(t, err, Forbidden, "forbidden")
	_, err = w.PresignClip(u.UUID, "none", "a", "video/mp4", 1)
	wantCode(t, err, NotFound, "not_found")
}

func TestQuotaCountsActualBytes(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *Options) {
		o.TierTable = billing.DefaultTierTable()
		plan := o.TierTable.Tiers[billing.Creator]
		plan.StorageQuotaBytes = 1000
		o.TierTable.Tiers[billing.Creator] = plan
	})
	u := w.user("ada")
	p := w.project(u)
	first := w.uploaded(p, 600)
	c := get(w.PresignClip(u.UUID, p.UUID, "b.mp4", "video/mp4", 10))(t)
	w.put(c, 600)
	get(w.ConfirmClip(u.UUID, p.UUID, first.UUID))(t)
	_, err := w.PresignClip(u.UUID, p.UUID, "c.mp4", "video/mp4", 401)
	wantCode(t, err, Unprocessable, "quota_exceeded")
	_, err = w.ConfirmClip(u.UUID, p.UUID, c.UUID)
	wantCode(t, err, Unprocessable, "quota_exceeded")
	if _, err := os.Stat(w.FilePath(clipKey(c.ClipFileID, fileOriginal))); err == nil {
		t.Error("the file still exists")
	}
	_, err = w.ConfirmClip(u.UUID, p.UUID, c.UUID)
	wantCode(t, err, Conflict, "not_uploaded")
	w.put(c, 0)
	_, err = w.ConfirmClip(u.UUID, p.UUID, c.UUID)
	wantCode(t, err, Unprocessable, "unprocessable")
	w.put(c, 400)
	get(w.ConfirmClip(u.UUID, p.UUID, c.UUID))(t)
	if got := get(w.User(u.UUID))(t); got.StorageUsedBytes != 1000 {
		t.Errorf("%d bytes used", got.StorageUsedBytes)
	}
	must(t, w.FailClip(w.claim(), "no video"))
	must(t, w.DeleteClip(u.UUID, c.UUID))
	must(t, w.EmptyTrash(u.UUID, p.UUID))
	if got := get(w.User(u.UUID))(t); got.StorageUsedBytes != 0 {
		t.Errorf("%d bytes used", got.StorageUsedBytes)
	}
	w.clean()
	failed := get(w.ConfirmClip(u.UUID, p.UUID, first.UUID))(t)
	if failed.Status != ClipFailed || failed.Error != "no video" {
		t.Errorf("a confirm after the failure: %+v", failed)
	}
}

func TestUploadRules(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *Options) { o.MaxUploadBytes = 100 })
	u, stranger := w.user("ada"), w.user("eve")
	p := w.project(u)
	_, err := w.OpenUpload("none")
	wantCode(t, err, NotFound, "not_found")
	c := get(w.PresignClip(u.UUID, p.UUID, "a.mp4", "video/mp4", 10))(t)
	_, err = w.ConfirmClip(u.UUID, p.UUID, c.UUID)
	wantCode(t, err, Conflict, "not_uploaded")
	_, err = w.ConfirmClip(stranger.UUID, p.UUID, c.UUID)
	wantCode(t, err, Forbidden, "forbidden")

	up := get(w.OpenUpload(c.ClipFileID))(t)
	get(up.Write(make([]byte, 100)))(t)
	_, err = up.Write([]byte{1})
	wantCode(t, err, TooLarge, "too_large")
	must(t, up.Abort())

	first := get(w.OpenUpload(c.ClipFileID))(t)
	second := get(w.OpenUpload(c.ClipFileID))(t)
	_, err = first.Write([]byte{1})
	wantCode(t, err, Conflict, "conflict")
	wantCode(t, first.Commit(), Conflict, "conflict")
	get(second.Write([]byte{1, 2}))(t)
	must(t, second.Commit())
	must(t, second.Abort())

	open := get(w.OpenUpload(c.ClipFileID))(t)
	get(open.Write([]byte{1, 2, 3}))(t)
	if got := get(w.ConfirmClip(u.UUID, p.UUID, c.UUID))(t); got.SizeBytes != 2 || got.Status != ClipProcessing {
		t.Errorf("clip %+v", got)
	}
	wantCode(t, open.Commit(), Conflict, "conflict")
	_, err = w.OpenUpload(c.ClipFileID)
	wantCode(t, err, Conflict, "conflict")
	if st := get(os.Stat(w.FilePath(clipKey(c.ClipFileID, fileOriginal))))(t); st.Size() != 2 {
		t.Errorf("%d bytes", st.Size())
	}
	if left := w.filesUnder("tmp"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	w.clean()
}

func TestOpenUploadsAreLimited(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, other := w.user("ada"), w.user("eve")
	p, q := w.project(u), w.project(other)
	presign := func(p Project) string {
		return get(w.PresignClip(p.UserUUID, p.UUID, "a.mp4", "video/mp4", 10))(t).ClipFileID
	}
	var ups []*Upload
	for range maxOpenUploads {
		ups = append(ups, get(w.OpenUpload(presign(p)))(t))
	}
	_, err := w.OpenUpload(presign(p))
	wantCode(t, err, RateLimited, "rate_limited")
	theirs := get(w.OpenUpload(presign(q)))(t)
	must(t, ups[0].Abort())
	ups[0] = get(w.OpenUpload(presign(p)))(t)
	for _, up := range append(ups, theirs) {
		must(t, up.Abort())
	}
}

func TestUnconfirmedUploadsExpire(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	never := get(w.PresignClip(u.UUID, p.UUID, "a.mp4", "video/mp4", 10))(t)
	done := w.uploaded(p, 10)
	slow := get(w.PresignClip(u.UUID, p.UUID, "b.mp4", "video/mp4", 10))(t)
	up := get(w.OpenUpload(slow.ClipFileID))(t)
	w.clock.Advance(59 * time.Minute)
	late := w.uploaded(p, 10)
	get(w.SweepExpired())(t)
	if n := len(get(w.Clips(u.UUID, p.UUID))(t)); n != 4 {
		t.Fatalf("%d clips before the timeout", n)
	}
	w.clock.Advance(time.Minute)
	get(w.SweepExpired())(t)
	list := get(w.Clips(u.UUID, p.UUID))(t)
	if len(list) != 2 || list[0].UUID != slow.UUID || list[1].UUID != late.UUID || list[1].Position != 1 {
		t.Fatalf("%+v are left, not %s and %s", list, slow.UUID, late.UUID)
	}
	for _, c := range []Clip{never, done} {
		if _, err := w.OpenUpload(c.ClipFileID); !IsKind(err, NotFound) {
			t.Errorf("got %v", err)
		}
	}
	get(up.Write([]byte{1}))(t)
	must(t, up.Commit())
	get(w.ConfirmClip(u.UUID, p.UUID, slow.UUID))(t)
	if got := get(w.Project(u.UUID, p.UUID))(t); got.ClipCount != 2 {
		t.Errorf("project %+v", got)
	}
	w.clean()
}

func TestUploadOfADeletedClip(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := get(w.PresignClip(u.UUID, p.UUID, "a.mp4", "video/mp4", 10))(t)
	up := get(w.OpenUpload(c.ClipFileID))(t)
	must(t, w.DeleteProject(u.UUID, p.UUID))
	if err := up.Commit(); !IsKind(err, NotFound) {
		t.Errorf("got %v", err)
	}
	if err := up.Commit(); err == nil || errors.As(err, new(*Error)) {
		t.Errorf("a second commit: %v", err)
	}
	if left := append(w.filesUnder("tmp"), w.filesUnder("media")...); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
