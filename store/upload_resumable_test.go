package store

import (
	"bytes"
	"os"
	"testing"
	"time"
)

// send writes bytes to a resumable upload and leaves it as after a lost connection.
func (w *world) send(c Clip, data []byte) {
	w.t.Helper()
	up := get(w.ResumeUpload(c.ClipFileID))(w.t)
	if _, err := up.Write(data); err != nil {
		w.t.Fatal(err)
	}
	must(w.t, up.Abort())
}

func (w *world) wantOffset(c Clip, offset int64, stored bool) {
	w.t.Helper()
	size, got, whole, err := w.UploadState(c.ClipFileID)
	must(w.t, err)
	if size != c.DeclaredBytes || got != offset || whole != stored {
		w.t.Fatalf("%d of %d bytes, stored %v; want %d, %v", got, size, whole, offset, stored)
	}
}

func TestResumableUploadSurvivesARestart(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	c := get(w.PresignClip(p.UserUUID, p.UUID, "a.mp4", "video/mp4", 9))(t)
	w.wantOffset(c, 0, false)
	w.send(c, []byte("abc"))
	w.wantOffset(c, 3, false)

	// Bytes after the last flush do not count after a crash.
	up := get(w.ResumeUpload(c.ClipFileID))(t)
	if _, err := up.Write([]byte("lost, and more than the file has")); err != nil {
		t.Fatal(err)
	}
	w.wantOffset(c, 3, false)
	w.reopen()
	must(t, up.file.Close())
	w.wantOffset(c, 3, false)
	w.clean()

	up = get(w.ResumeUpload(c.ClipFileID))(t)
	must(t, up.DeclareSize(9))
	if _, err := up.Write([]byte("defghi")); err != nil {
		t.Fatal(err)
	}
	must(t, up.Commit())
	w.wantOffset(c, 9, true)
	if data, err := os.ReadFile(w.FilePath(clipKey(c.ClipFileID, fileOriginal))); err != nil ||
		!bytes.Equal(data, []byte("abcdefghi")) {
		t.Errorf("the file holds %q, %v", data, err)
	}
	get(w.ConfirmClip(p.UserUUID, p.UUID, c.UUID))(t)
	_, _, _, err := w.UploadState(c.ClipFileID)
	wantCode(t, err, Conflict, "conflict")
	_, err = w.ResumeUpload(c.ClipFileID)
	wantCode(t, err, Conflict, "conflict")
	w.clean()
}

func TestResumableUploadFlushesRegularly(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	c := get(w.PresignClip(p.UserUUID, p.UUID, "a.mp4", "video/mp4", 2*flushBytes))(t)
	up := get(w.ResumeUpload(c.ClipFileID))(t)
	for range flushBytes>>20 + 1 {
		if _, err := up.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	w.wantOffset(c, flushBytes, false)
	w.reopen()
	must(t, up.file.Close())
	w.wantOffset(c, flushBytes, false)
}

func TestResumableUploadIsDeletedWithItsClip(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	part := func() Clip {
		c := get(w.PresignClip(u.UUID, p.UUID, "a.mp4", "video/mp4", 100))(t)
		w.send(c, []byte("abc"))
		return c
	}
	gone := func(what string) {
		t.Helper()
		if left := w.filesUnder("uploads"); len(left) != 0 {
			t.Errorf("%s leaves %v", what, left)
		}
		w.clean()
	}
	must(t, w.DeleteClip(u.UUID, part().UUID))
	gone("deletion")
	confirmed := part()
	w.put(confirmed, 50) // a plain upload instead
	get(w.ConfirmClip(u.UUID, p.UUID, confirmed.UUID))(t)
	gone("confirm")
	part()
	w.clock.Advance(time.Hour)
	get(w.SweepExpired())(t)
	gone("expiry")
	must(t, os.WriteFile(w.partPath("unknown"), []byte("x"), 0o600))
	w.reopen()
	gone("a restart")
	part()
	must(t, w.DeleteUser(u.UUID, "hash"))
	gone("the account's end")
}

func TestResumableUploadWithoutItsFileRestarts(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	c := get(w.PresignClip(p.UserUUID, p.UUID, "a.mp4", "video/mp4", 9))(t)
	w.send(c, []byte("abcdef"))
	must(t, os.Truncate(w.partPath(c.ClipFileID), 2))
	w.reopen()
	w.wantOffset(c, 2, false)
	must(t, os.Remove(w.partPath(c.ClipFileID)))
	w.reopen()
	w.wantOffset(c, 0, false)
	w.send(c, []byte("abc"))
	w.wantOffset(c, 3, false)
	w.clean()
}

func TestResumableUploadsAreLimited(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	var begun []Clip
	for range maxOpenUploads + 1 {
		begun = append(begun, get(w.PresignClip(u.UUID, p.UUID, "a.mp4", "video/mp4", 100))(t))
	}
	for _, c := range begun[:maxOpenUploads] {
		w.send(c, []byte("abc"))
	}
	last := begun[maxOpenUploads]
	_, err := w.ResumeUpload(last.ClipFileID)
	wantCode(t, err, RateLimited, "rate_limited")
	w.send(begun[0], []byte("def"))
	must(t, w.DeleteClip(u.UUID, begun[0].UUID))
	w.send(last, []byte("abc"))
	w.clean()
}

func TestLaterUploadReplacesAnEarlierOne(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	c := get(w.PresignClip(p.UserUUID, p.UUID, "a.mp4", "video/mp4", 9))(t)
	part := get(w.ResumeUpload(c.ClipFileID))(t)
	w.put(c, 5)
	_, err := part.Write([]byte("abc"))
	wantCode(t, err, Conflict, "conflict")
	wantCode(t, part.Abort(), Conflict, "conflict")
	plain := get(w.OpenUpload(c.ClipFileID))(t)
	w.send(c, []byte("abc"))
	wantCode(t, plain.Commit(), Conflict, "conflict")
	w.wantOffset(c, 3, false)
	w.clean()
}

func TestAssetUploadIsResumable(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	a := get(w.PresignAsset(u.UUID, NewAsset{FileName: "city.mp4", ContentType: "video/mp4", SizeBytes: 10}))(t)
	begun := get(w.ResumeUpload(a.AssetFileID))(t)
	get(begun.Write(make([]byte, 4)))(t)
	must(t, begun.Abort())
	w.clean()
	w.reopen()
	size, offset, stored, err := w.UploadState(a.AssetFileID)
	if err != nil || size != 10 || offset != 4 || stored {
		t.Fatalf("%d of %d, %v %v", offset, size, stored, err)
	}
	rest := get(w.ResumeUpload(a.AssetFileID))(t)
	get(rest.Write(make([]byte, 6)))(t)
	must(t, rest.Commit())
	if got, _, err := w.ConfirmAsset(u.UUID, a.UUID); err != nil || got.SizeBytes != 10 {
		t.Errorf("%+v %v", got, err)
	}
	other := get(w.PresignAsset(u.UUID, NewAsset{FileName: "b.mp4", ContentType: "video/mp4", SizeBytes: 10}))(t)
	begun = get(w.ResumeUpload(other.AssetFileID))(t)
	get(begun.Write(make([]byte, 4)))(t)
	must(t, begun.Abort())
	must(t, w.DeleteAsset(u.UUID, other.UUID))
	if left := w.filesUnder("uploads"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	w.clean()
}

// sendAll sends the rest of an upload after its first three bytes, without a commit.
func (w *world) sendAll(c Clip) *Upload {
	w.t.Helper()
	up := get(w.ResumeUpload(c.ClipFileID))(w.t)
	if _, err := up.Write([]byte("def")); err != nil {
		w.t.Fatal(err)
	}
	return up
}

// finishAfterFullDisk resumes and commits that upload.
func (w *world) finishAfterFullDisk(c Clip) {
	w.t.Helper()
	w.wantOffset(c, 3, false)
	must(w.t, w.sendAll(c).Commit())
	if data, err := os.ReadFile(w.FilePath(clipKey(c.ClipFileID, fileOriginal))); err != nil ||
		string(data) != "abcdef" {
		w.t.Errorf("after a full disk the file holds %q, %v", data, err)
	}
}
