package store

import (
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// maxOpenUploads is how many uploads a user may have open at once.
const maxOpenUploads = 5

// freeCheckBytes is after how many bytes an upload looks at the free space again.
const freeCheckBytes = 8 << 20

// uploads knows the open uploads, one for each file, and orders what happens to one clip file.
type uploads struct {
	mu    sync.Mutex
	open  map[string]*Upload // by clip file id
	seed  maphash.Seed
	locks [64]sync.Mutex
}

// lock holds off every other commit, confirm and collection of a clip file until the returned function is called.
func (u *uploads) lock(clipFileID string) (unlock func()) {
	m := &u.locks[maphash.String(u.seed, clipFileID)%uint64(len(u.locks))]
	m.Lock()
	return m.Unlock
}

// Upload receives the bytes of one clip file from one goroutine. Exactly one of Commit and Abort ends it; Abort after Commit does
// nothing, so that it can be deferred. Abort keeps what has come of a resumable upload, and so does a Commit that fails.
type Upload struct {
	s          *Store
	clipUUID   string
	clipFileID string
	userUUID   string
	path       string
	file       *os.File
	size       int64
	checked    int64       // size at which the free space was last looked at
	part       bool        // resumable: see ResumeUpload
	kept       int64       // size at which a resumable upload was last flushed
	replaced   atomic.Bool // a later upload of the same file, or a confirm, took over
	ended      bool
}

// OpenUpload begins an upload of a clip file; one that is open for the same file already loses its effect. Errors: NotFound;
// Conflict after confirm; RateLimited with too many open uploads; StorageFull.
func (s *Store) OpenUpload(clipFileID string) (*Upload, error) {
	u := &Upload{s: s, clipFileID: clipFileID}
	err := s.view(func(t *txn) error {
		row, err := t.pendingClip(clipFileID)
		if err == nil {
			u.clipUUID, u.userUUID = row.UUID, row.UserUUID
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.CheckFree(0); err != nil {
		return nil, err
	}
	if u.path, err = s.TempPath(".upload"); err != nil {
		return nil, err
	}
	if err := s.uploads.add(u); err != nil {
		return nil, err
	}
	if u.file, err = os.OpenFile(u.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err != nil {
		s.uploads.remove(u)
		return nil, userError(fmt.Errorf("opening an upload: %w", err))
	}
	return u, nil
}

// pendingClip returns the clip that waits for a file. Errors: NotFound, Conflict once it waits no longer.
func (t *txn) pendingClip(clipFileID string) (*clipRow, error) {
	row, err := clips.lookup(t, clipsByFile, clipFileID)
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, notFound(clips.what)
	}
	if row.Status != ClipPending {
		return nil, fail(Conflict, "conflict", "This upload was confirmed already; add another clip for another file.")
	}
	return row, nil
}

// RenewUpload lets an upload that was begun go unconfirmed for as long again as a new one. Errors: NotFound; Conflict after confirm.
func (s *Store) RenewUpload(userUUID, projectUUID, clipUUID string) (Clip, error) {
	var row *clipRow
	err := s.update(func(t *txn) error {
		found, err := t.ownClip(userUUID, clipUUID)
		if err != nil {
			return err
		}
		if found.ProjectUUID != projectUUID {
			return notFound(clips.what)
		}
		if row, err = t.pendingClip(found.ClipFileID); err != nil {
			return err
		}
		row.CollectAt = t.now.Add(s.o.UploadURLTTL)
		return clips.put(t, row)
	})
	if err != nil {
		return Clip{}, err
	}
	return row.Clip, nil
}

// add notes an open upload. Resumable ones of the same user that were begun count as open too. Errors: RateLimited.
func (u *uploads) add(up *Upload, begun ...*partRow) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	others := map[string]bool{}
	for id, other := range u.open {
		others[id] = other.userUUID == up.userUUID
	}
	for _, row := range begun {
		others[row.FileID] = true
	}
	others[up.clipFileID] = false
	n := 0
	for _, counts := range others {
		if counts {
			n++
		}
	}
	if n >= maxOpenUploads {
		e := fail(RateLimited, "rate_limited", "At most %d uploads at once; wait for one to end.", maxOpenUploads)
		e.RetryAfter = 5 * time.Second
		return e
	}
	if earlier := u.open[up.clipFileID]; earlier != nil {
		earlier.replaced.Store(true)
	}
	u.open[up.clipFileID] = up
	return nil
}

func (u *uploads) remove(up *Upload) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.open[up.clipFileID] == up {
		delete(u.open, up.clipFileID)
	}
}

// close takes the effect from the open upload of a file.
func (u *uploads) close(clipFileID string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if up := u.open[clipFileID]; up != nil {
		up.replaced.Store(true)
		delete(u.open, clipFileID)
	}
}

func (u *uploads) isOpen(clipFileID string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.open[clipFileID] != nil
}

// Write takes more bytes. Errors: TooLarge past the per-file maximum; StorageFull; Conflict when another upload took over.
func (u *Upload) Write(p []byte) (int, error) {
	if err := u.alive(); err != nil {
		return 0, err
	}
	if err := u.tooLarge(u.size + int64(len(p))); err != nil {
		return 0, err
	}
	if u.size-u.checked >= freeCheckBytes {
		if err := u.s.CheckFree(int64(len(p))); err != nil {
			return 0, err
		}
		u.checked = u.size
	}
	n, err := u.file.Write(p)
	u.size += int64(n)
	if err == nil && u.part && u.size-u.kept >= keepBytes {
		err = u.keep()
	}
	return n, userError(err)
}

// Announce says how many bytes the file will have, so that what cannot be kept is refused before it is sent. Errors: TooLarge, StorageFull.
func (u *Upload) Announce(size int64) error {
	if err := u.tooLarge(size); err != nil {
		return err
	}
	return u.s.CheckFree(size - u.size)
}

// tooLarge refuses a size past the per-file maximum.
func (u *Upload) tooLarge(size int64) error {
	if !u.s.o.Plans.Owner && size > u.s.o.MaxUploadBytes {
		return fail(TooLarge, "too_large", "A file may have at most %d MiB.", u.s.o.MaxUploadBytes>>20)
	}
	return nil
}

func (u *Upload) alive() error {
	if u.replaced.Load() {
		return fail(Conflict, "conflict", "Another upload of the same file took over.")
	}
	return nil
}

// Commit makes the bytes durable as the clip's file, in place of an earlier upload. Errors: Conflict when another upload took over
// or the clip was confirmed meanwhile; NotFound when it was deleted; StorageFull.
func (u *Upload) Commit() error {
	if u.ended {
		return errors.New("committing an upload that has ended")
	}
	err := u.commit()
	if err != nil && u.part {
		return userError(errors.Join(err, u.Abort()))
	}
	return userError(errors.Join(err, u.end()))
}

func (u *Upload) commit() error {
	if err := u.file.Sync(); err != nil {
		return fmt.Errorf("flushing an upload: %w", err)
	}
	defer u.s.uploads.lock(u.clipFileID)()
	if err := u.alive(); err != nil {
		return err
	}
	if err := u.s.view(func(t *txn) error { _, err := t.pendingClip(u.clipFileID); return err }); err != nil {
		return err
	}
	k := clipKey(u.clipFileID, fileOriginal)
	size, err := u.s.moveIn(u.path, k)
	if err != nil {
		return err
	}
	err = u.s.batch(func(t *txn) error {
		row, err := t.pendingClip(u.clipFileID)
		if err != nil {
			return err
		}
		row.CollectAt = t.now.Add(u.s.o.UploadURLTTL)
		if err := clips.put(t, row); err != nil {
			return err
		}
		if err := t.dropPart(u.clipFileID); err != nil {
			return err
		}
		return t.putFile(&fileRow{Key: k, Size: size, Owner: row.UUID, UserUUID: row.UserUUID, CreatedAt: t.now})
	})
	if err != nil {
		u.s.discard(k)
	}
	return err
}

// Abort gives the upload up and removes what was written, unless it is resumable: then that is made durable.
func (u *Upload) Abort() error {
	if u.ended {
		return nil
	}
	if !u.part {
		return u.end()
	}
	u.ended = true
	err := u.keep()
	u.s.uploads.remove(u)
	return errors.Join(err, u.file.Close())
}

func (u *Upload) end() error {
	u.ended = true
	u.s.uploads.remove(u)
	return errors.Join(u.file.Close(), remove(u.path))
}

// ConfirmClip takes an uploaded file over: its real size passes the quota gate and counts from now on, and its processing is
// queued. A second confirm returns the record and changes nothing. Errors: Conflict not_uploaded; Unprocessable unprocessable for
// an empty file and quota_exceeded, both of which delete the file.
func (s *Store) ConfirmClip(userUUID, projectUUID, clipUUID string) (Clip, error) {
	var row *clipRow
	read := func(t *txn) (err error) {
		if _, err = t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		if row, err = t.ownClip(userUUID, clipUUID); err == nil && row.ProjectUUID != projectUUID {
			err = notFound(clips.what)
		}
		return err
	}
	if err := s.view(read); err != nil {
		return Clip{}, err
	}
	if row.Status != ClipPending {
		return row.Clip, nil
	}
	defer s.uploads.lock(row.ClipFileID)()
	k := clipKey(row.ClipFileID, fileOriginal)
	st, err := os.Stat(s.FilePath(k))
	if errors.Is(err, os.ErrNotExist) {
		if err := s.view(read); err != nil || row.Status != ClipPending {
			return row.Clip, err
		}
		return Clip{}, fail(Conflict, "not_uploaded", "Nothing was uploaded yet; send the file to its upload address first.")
	}
	if err != nil {
		return Clip{}, fmt.Errorf("looking at an upload: %w", err)
	}
	var verdict error
	err = s.batch(func(t *txn) error {
		verdict = nil
		if err := read(t); err != nil || row.Status != ClipPending {
			return err
		}
		if verdict = t.gate(userUUID, st.Size()); verdict != nil {
			return t.dropFiles(row.UUID)
		}
		return t.confirm(row, k, st.Size())
	})
	if err = errors.Join(err, verdict); err != nil {
		return Clip{}, err
	}
	s.uploads.close(row.ClipFileID)
	return row.Clip, nil
}

// gate decides whether a file of so many bytes is taken over.
func (t *txn) gate(userUUID string, bytes int64) error {
	if bytes == 0 {
		return failField("file", "The uploaded file is empty; upload it again.")
	}
	return t.checkQuota(userUUID, bytes)
}

func (t *txn) confirm(row *clipRow, fileKey string, bytes int64) error {
	if err := t.dropPart(row.ClipFileID); err != nil {
		return err
	}
	if err := t.putFile(&fileRow{Key: fileKey, Size: bytes, Owner: row.UUID, UserUUID: row.UserUUID, Counted: true, CreatedAt: t.now}); err != nil {
		return err
	}
	if err := t.addStorage(row.UserUUID, bytes); err != nil {
		return err
	}
	row.Status, row.SizeBytes, row.UpdatedAt = ClipProcessing, bytes, t.now
	if err := clips.put(t, row); err != nil {
		return err
	}
	if err := t.enqueue(JobClip, row.UUID, row.UserUUID, row.ProjectUUID); err != nil {
		return err
	}
	project, err := projects.get(t, row.ProjectUUID)
	if err != nil {
		return err
	}
	return t.refresh(project)
}

// settleUploads brings the rows of unconfirmed uploads in step with the files: a crash may have come between a file's replacement
// and its row.
func (s *Store) settleUploads() error {
	sizes := map[string]int64{}
	var pending []*clipRow
	err := s.view(func(t *txn) (err error) {
		pending, err = clips.list(t, clipsPending)
		return err
	})
	if err != nil {
		return err
	}
	for _, row := range pending {
		k := clipKey(row.ClipFileID, fileOriginal)
		if st, err := os.Stat(s.FilePath(k)); err == nil {
			sizes[k] = st.Size()
		} else if !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if len(pending) == 0 {
		return nil
	}
	return s.update(func(t *txn) error {
		for _, row := range pending {
			file, err := files.find(t, clipKey(row.ClipFileID, fileOriginal))
			if err != nil {
				return err
			}
			if file == nil {
				continue
			}
			size, there := sizes[file.Key]
			switch {
			case !there:
				err = files.delete(t, file.Key)
			case size != file.Size:
				file.Size = size
				err = files.put(t, file)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// collectUploads removes the clips whose upload address died without a confirm.
func (s *Store) collectUploads() error {
	var due []*clipRow
	err := s.view(func(t *txn) error {
		pending, err := clips.list(t, clipsPending)
		for _, row := range pending {
			if !row.CollectAt.After(t.now) {
				due = append(due, row)
			}
		}
		return err
	})
	for _, row := range due {
		err = errors.Join(err, s.collectUpload(row))
	}
	return err
}

func (s *Store) collectUpload(found *clipRow) error {
	defer s.uploads.lock(found.ClipFileID)()
	if s.uploads.isOpen(found.ClipFileID) {
		return nil
	}
	return s.update(func(t *txn) error {
		row, err := clips.find(t, found.UUID)
		if err != nil || row == nil || row.Status != ClipPending || row.CollectAt.After(t.now) {
			return err
		}
		project, err := projects.get(t, row.ProjectUUID)
		if err != nil {
			return err
		}
		if err := t.dropClip(row); err != nil {
			return err
		}
		return t.refresh(project)
	})
}
