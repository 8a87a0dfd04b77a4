package store

import (
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// maxOpenUploads is the maximum number of open uploads of a user.
const maxOpenUploads = 5

// freeCheckBytes is how many bytes an upload writes between two checks of the free space.
const freeCheckBytes = 8 << 20

// uploads knows the open uploads, at most one for each file, and serializes operations on one file.
type uploads struct {
	mu    sync.Mutex
	open  map[string]*Upload // by file id
	seed  maphash.Seed
	locks [64]sync.Mutex
}

// lock blocks other commits, confirms and expiries of a file until the returned function is called.
func (u *uploads) lock(fileID string) (unlock func()) {
	m := &u.locks[maphash.String(u.seed, fileID)%uint64(len(u.locks))]
	m.Lock()
	return m.Unlock
}

// pendingUpload is a clip or asset that waits for the upload of its file.
type pendingUpload interface {
	awaitsUpload() bool // the upload is not confirmed yet
	slot() slot
	extend(t *txn, until time.Time) error // extends the time to confirm
	accept(t *txn, bytes int64) error     // starts processing; the file is in place and checked
	expire(t *txn) error                  // deletes the row, which no one confirmed
}

// slot is the destination of an upload.
type slot struct {
	owner, userUUID string
	fileID          string // of the clip file or asset file
	key             string
	declared        int64 // bytes
	collectAt       time.Time
}

// Upload receives the bytes of one clip or asset file. Only one goroutine may use it. Either Commit
// or Abort ends it. Abort after Commit does nothing, so that a caller can defer it. A resumable
// upload keeps its bytes after Abort and after a failed Commit.
type Upload struct {
	s         *Store
	slot      slot
	path      string
	file      *os.File
	size      int64
	checked   int64       // size at the last check of the free space
	resumable bool        // see ResumeUpload
	flushed   int64       // size of a resumable upload at the last flush
	replaced  atomic.Bool // a later upload of the same file, or a confirm, replaced this one
	closed    bool        // file is closed
	ended     bool
}

// OpenUpload starts the upload of a clip or asset file. It replaces an open upload of the same
// file. Errors: NotFound; Conflict after the confirm; RateLimited for too many open uploads;
// StorageFull.
func (s *Store) OpenUpload(fileID string) (*Upload, error) {
	u := &Upload{s: s}
	err := s.view(func(t *txn) error {
		record, err := t.awaitingUpload(fileID)
		if err == nil {
			u.slot = record.slot()
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

// awaitingUpload returns the clip or asset that waits for a file. Errors: NotFound; Conflict after
// the confirm.
func (t *txn) awaitingUpload(fileID string) (pendingUpload, error) {
	clip, err := t.clipOfFile(fileID)
	if err != nil {
		return nil, err
	}
	asset, err := assets.Lookup(t, assetsByFile, fileID)
	if err != nil {
		return nil, err
	}
	var record pendingUpload
	switch {
	case clip != nil:
		if _, err := projects.Get(t, clip.ProjectUUID); err != nil {
			return nil, err
		}
		record = clip
	case asset != nil:
		record = asset
	default:
		return nil, notFound("upload")
	}

	if !record.awaitsUpload() {
		return nil, conflict(
			"This upload is already confirmed. Request a new upload address for another file.",
		)
	}

	return record, nil
}

// RenewClipUpload restarts the time to confirm an upload. Errors: NotFound; Conflict after the
// confirm.
func (s *Store) RenewClipUpload(userUUID, projectUUID, clipUUID string) (Clip, error) {
	return updated(s, func(t *txn) (Clip, error) {
		found, err := t.ownClip(userUUID, clipUUID)
		if err != nil {
			return Clip{}, err
		}
		if found.ProjectUUID != projectUUID {
			return Clip{}, notFound(clips.Noun)
		}
		if _, err := t.awaitingUpload(found.ClipFileID); err != nil {
			return Clip{}, err
		}
		return found.Clip, found.extend(t, t.Now.Add(s.o.UploadURLTTL))
	})
}

// RenewAssetUpload is RenewClipUpload for an asset.
func (s *Store) RenewAssetUpload(userUUID, assetUUID string) (Asset, error) {
	return updated(s, func(t *txn) (Asset, error) {
		found, err := t.ownAsset(userUUID, assetUUID)
		if err != nil {
			return Asset{}, err
		}
		if _, err := t.awaitingUpload(found.AssetFileID); err != nil {
			return Asset{}, err
		}
		return found.Asset, found.extend(t, t.Now.Add(s.o.UploadURLTTL))
	})
}

// add registers an open upload. Resumable uploads that the same user started also count as open.
// Errors: RateLimited.
func (u *uploads) add(up *Upload, begun ...*partRow) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	others := map[string]bool{}
	for id, other := range u.open {
		others[id] = other.slot.userUUID == up.slot.userUUID
	}
	for _, row := range begun {
		others[row.FileID] = true
	}
	others[up.slot.fileID] = false
	n := 0
	for _, counts := range others {
		if counts {
			n++
		}
	}

	if n >= maxOpenUploads {
		e := fail(
			RateLimited,
			"rate_limited",
			"You have %d open uploads, which is the maximum. Wait until one has ended.",
			maxOpenUploads,
		)
		e.RetryAfter = 5 * time.Second
		return e
	}

	if earlier := u.open[up.slot.fileID]; earlier != nil {
		earlier.replaced.Store(true)
	}
	u.open[up.slot.fileID] = up
	return nil
}

func (u *uploads) remove(up *Upload) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.open[up.slot.fileID] == up {
		delete(u.open, up.slot.fileID)
	}
}

// close makes the open upload of a file ineffective.
func (u *uploads) close(fileID string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if up := u.open[fileID]; up != nil {
		up.replaced.Store(true)
		delete(u.open, fileID)
	}
}

func (u *uploads) isOpen(fileID string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.open[fileID] != nil
}

// Write appends bytes. Errors: TooLarge above the maximum file size; StorageFull; Conflict when
// another upload replaced this one.
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
	if err == nil && u.resumable && u.size-u.flushed >= flushBytes {
		err = u.recordProgress()
	}
	return n, userError(err)
}

// DeclareSize sets the size that the file will have, so that a file that is too large is refused
// before it is sent. Errors: TooLarge, StorageFull.
func (u *Upload) DeclareSize(size int64) error {
	if err := u.tooLarge(size); err != nil {
		return err
	}
	return u.s.CheckFree(size - u.size)
}

// tooLarge refuses a size above the maximum file size. Errors: TooLarge.
func (u *Upload) tooLarge(size int64) error {
	if limit := u.s.o.MaxUploadBytes; limit > 0 && size > limit {
		return fail(TooLarge, "too_large", "The file is too large. The maximum is %d MiB.", limit>>20)
	}
	return nil
}

func (u *Upload) alive() error {
	if u.replaced.Load() {
		return conflict("Another upload of the same file has replaced this one.")
	}
	return nil
}

// Commit stores the bytes durably as the file of the clip or asset. It replaces the file of an
// earlier upload. Errors: Conflict when another upload replaced this one or the upload was
// confirmed; NotFound when the clip or asset was deleted; StorageFull.
func (u *Upload) Commit() error {
	if u.ended {
		return errors.New("committing an upload that has ended")
	}
	err := u.commit()
	end := u.end
	if err != nil && u.resumable {
		end = u.Abort
	}
	return userError(errors.Join(err, end()))
}

func (u *Upload) commit() error {
	if err := u.file.Sync(); err != nil {
		return fmt.Errorf("flushing an upload: %w", err)
	}
	defer u.s.uploads.lock(u.slot.fileID)()
	if err := u.alive(); err != nil {
		return err
	}
	if err := u.s.view(func(t *txn) error { _, err := t.awaitingUpload(u.slot.fileID); return err }); err != nil {
		return err
	}
	if err := u.closeFile(); err != nil { // Windows does not move open files
		return fmt.Errorf("closing an upload: %w", err)
	}
	size, err := u.s.moveIn(u.path, u.slot.key)
	if err == nil {
		err = u.s.batch(func(t *txn) error { return u.arrived(t, size) })
	}
	gone := IsKind(err, NotFound) || IsKind(err, Conflict) // deleted or confirmed since
	switch {
	case err == nil:
	case u.resumable && !gone:
		err = errors.Join(err, u.takeBack())
	default:
		u.s.discardFiles(u.slot.key)
	}

	return err
}

// arrived writes the row of a file that is in place.
func (u *Upload) arrived(t *txn, size int64) error {
	record, err := t.awaitingUpload(u.slot.fileID)
	if err != nil {
		return err
	}
	if err := record.extend(t, t.Now.Add(u.s.o.UploadURLTTL)); err != nil {
		return err
	}
	if err := t.dropPart(u.slot.fileID); err != nil {
		return err
	}
	return t.putFile(&fileRow{
		Key:         u.slot.key,
		Size:        size,
		Owner:       u.slot.owner,
		UserUUID:    u.slot.userUUID,
		Unconfirmed: true,
		CreatedAt:   t.Now,
	})
}

// takeBack moves the bytes of a resumable upload back to where ResumeUpload finds them, after their
// row was refused.
func (u *Upload) takeBack() error {
	err := os.Rename(u.s.FilePath(u.slot.key), u.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // they were not moved yet
	}
	u.s.removeFolder(u.slot.key)
	if err != nil {
		return err
	}
	return syncDir(filepath.Dir(u.path))
}

// Abort ends the upload without a file. It removes the bytes, or flushes them if the upload is
// resumable.
func (u *Upload) Abort() error {
	if u.ended {
		return nil
	}
	if !u.resumable {
		u.s.expectAgain(u.slot.fileID)
		return u.end()
	}

	u.ended = true
	err := u.recordProgress()
	u.s.uploads.remove(u)
	return errors.Join(err, u.closeFile())
}

func (u *Upload) end() error {
	u.ended = true
	u.s.uploads.remove(u)
	_ = u.closeFile() // its bytes are removed
	return removeIfExists(u.path)
}

// closeFile closes the file of the bytes, once.
func (u *Upload) closeFile() error {
	if u.closed {
		return nil
	}
	u.closed = true
	return u.file.Close()
}

// confirmUpload accepts an uploaded file. It checks the actual size against the quota, adds it to
// the user's storage, and queues the processing. The function find returns the clip or asset, and
// also assigns it for the caller. The result fresh is false, and nothing changes, when the upload
// was confirmed before. Errors: the error of find; Conflict not_uploaded; Unprocessable
// unprocessable for an empty file, and quota_exceeded. The last two also delete the file.
func (s *Store) confirmUpload(find func(*txn) (pendingUpload, error)) (fresh bool, err error) {
	var record pendingUpload
	read := func(t *txn) (err error) { record, err = find(t); return err }
	if err := s.view(read); err != nil || !record.awaitsUpload() {
		return false, err
	}
	place := record.slot()
	defer s.uploads.lock(place.fileID)()
	st, err := os.Stat(s.FilePath(place.key))
	if errors.Is(err, os.ErrNotExist) {
		if err := s.view(read); err != nil || !record.awaitsUpload() {
			return false, err
		}
		return false, fail(
			Conflict,
			"not_uploaded",
			"The file was not uploaded yet. Send it to its upload address first.",
		)
	}

	if err != nil {
		return false, fmt.Errorf("reading the size of an upload: %w", err)
	}
	var verdict error
	err = s.batch(func(t *txn) error {
		verdict, fresh = nil, false
		if err := read(t); err != nil || !record.awaitsUpload() {
			return err
		}
		if verdict = t.checkUploadSize(place.userUUID, st.Size()); verdict != nil {
			return t.dropFiles(place.owner)
		}
		if err := t.checkGenerated(place.userUUID); err != nil {
			return err // the file stays, and a later confirm can succeed
		}
		if err := t.admitJob(place.userUUID); err != nil {
			return err // the file stays, and a later confirm can succeed
		}
		fresh = true
		return t.acceptUpload(record, st.Size())
	})
	if err == nil {
		err = verdict
	}
	if err != nil {
		return false, err
	}
	s.uploads.close(place.fileID)
	return fresh, nil
}

// checkUploadSize refuses an empty file and a file that exceeds the quota. Errors: Unprocessable.
func (t *txn) checkUploadSize(userUUID string, bytes int64) error {
	if bytes == 0 {
		return failField("file", "The uploaded file is empty. Upload it again.")
	}
	return t.checkQuota(userUUID, bytes)
}

func (t *txn) acceptUpload(record pendingUpload, bytes int64) error {
	place := record.slot()
	if err := t.dropPart(place.fileID); err != nil {
		return err
	}
	if err := t.putFile(&fileRow{
		Key:       place.key,
		Size:      bytes,
		Owner:     place.owner,
		UserUUID:  place.userUUID,
		Counted:   true,
		CreatedAt: t.Now,
	}); err != nil {
		return err
	}

	return record.accept(t, bytes)
}

// unconfirmedUploads returns the clips and assets that wait for an upload.
func (t *txn) unconfirmedUploads() ([]pendingUpload, error) {
	waitingClips, err := clips.List(t, clipsPending)
	if err != nil {
		return nil, err
	}
	waitingAssets, err := assets.List(t, assetsAwaiting)
	list := make([]pendingUpload, 0, len(waitingClips)+len(waitingAssets))
	for _, row := range waitingClips {
		list = append(list, row)
	}
	for _, row := range waitingAssets {
		list = append(list, row)
	}
	return list, err
}

// settleUploads corrects the rows of unconfirmed uploads. A crash may have happened between the
// replacement of a file and the update of its row.
func (s *Store) settleUploads() error {
	sizes := map[string]int64{}
	var pending []pendingUpload
	err := s.view(func(t *txn) (err error) {
		pending, err = t.unconfirmedUploads()
		return err
	})
	if err != nil || len(pending) == 0 {
		return err
	}
	for _, record := range pending {
		k := record.slot().key
		if st, err := os.Stat(s.FilePath(k)); err == nil {
			sizes[k] = st.Size()
		} else if !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}

	return s.update(func(t *txn) error {
		for _, record := range pending {
			file, err := files.Find(t, record.slot().key)
			if err != nil {
				return err
			}
			if file == nil {
				continue
			}
			size, there := sizes[file.Key]
			switch {
			case !there:
				err = files.Delete(t, file.Key)
			case size != file.Size:
				file.Size = size
				err = files.Put(t, file)
			}

			if err != nil {
				return err
			}
		}

		return nil
	})
}

// collectUploads deletes clips and assets whose upload was not confirmed in time.
func (s *Store) collectUploads() error {
	var due []slot
	err := s.view(func(t *txn) error {
		pending, err := t.unconfirmedUploads()
		for _, record := range pending {
			if place := record.slot(); !place.collectAt.After(t.Now) {
				due = append(due, place)
			}
		}

		return err
	})
	return joinEach(err, due, func(place slot) error { return s.collectUpload(place.fileID) })
}

func (s *Store) collectUpload(fileID string) error {
	defer s.uploads.lock(fileID)()
	if s.uploads.isOpen(fileID) {
		return nil
	}
	return s.updateOnReserve(func(t *txn) error {
		record, err := t.awaitingUpload(fileID)
		if IsKind(err, NotFound) || IsKind(err, Conflict) {
			return nil // deleted or confirmed since
		}
		if err != nil || record.slot().collectAt.After(t.Now) {
			return err
		}
		return record.expire(t)
	})
}
