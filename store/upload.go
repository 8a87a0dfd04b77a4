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

// maxOpenUploads is how many uploads a user may have open at once.
const maxOpenUploads = 5

// freeCheckBytes is after how many bytes an upload looks at the free space again.
const freeCheckBytes = 8 << 20

// uploads knows the open uploads, one for each file, and orders what happens to one file.
type uploads struct {
	mu    sync.Mutex
	open  map[string]*Upload // by file id
	seed  maphash.Seed
	locks [64]sync.Mutex
}

// lock holds off every other commit, confirm and collection of a file until the returned function
// is called.
func (u *uploads) lock(fileID string) (unlock func()) {
	m := &u.locks[maphash.String(u.seed, fileID)%uint64(len(u.locks))]
	m.Lock()
	return m.Unlock
}

// awaiting is a record that waits for the upload of its file: a clip or an asset.
type awaiting interface {
	waits() bool // no upload was confirmed yet
	slot() slot
	prolong(t *txn, until time.Time) error // lets the upload go unconfirmed until then
	takeOver(t *txn, bytes int64) error    // goes on with the file, which is in place and has passed the gate
	collect(t *txn) error                  // removes the record, which nobody confirmed
}

// slot is where an upload goes.
type slot struct {
	owner, userUUID string
	fileID          string // of the clip file or asset file
	key             string
	declared        int64 // bytes
	collectAt       time.Time
}

// Upload receives the bytes of one clip or asset file from one goroutine. Exactly one of Commit and
// Abort ends it; Abort after Commit does nothing, so that it can be deferred. Abort keeps what has
// come of a resumable upload, and so does a Commit that fails.
type Upload struct {
	s        *Store
	slot     slot
	path     string
	file     *os.File
	size     int64
	checked  int64       // size at which the free space was last looked at
	part     bool        // resumable: see ResumeUpload
	kept     int64       // size at which a resumable upload was last flushed
	replaced atomic.Bool // a later upload of the same file, or a confirm, took over
	ended    bool
}

// OpenUpload begins an upload of a clip or asset file; one that is open for the same file already
// loses its effect. Errors: NotFound; Conflict after confirm; RateLimited with too many open
// uploads; StorageFull.
func (s *Store) OpenUpload(fileID string) (*Upload, error) {
	u := &Upload{s: s}
	err := s.view(func(t *txn) error {
		record, err := t.awaiting(fileID)
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

// awaiting returns the record that waits for a file. Errors: NotFound, Conflict once it waits no
// longer.
func (t *txn) awaiting(fileID string) (awaiting, error) {
	clip, err := clips.lookup(t, clipsByFile, fileID)
	if err != nil {
		return nil, err
	}
	asset, err := assets.lookup(t, assetsByFile, fileID)
	if err != nil {
		return nil, err
	}
	var record awaiting
	switch {
	case clip != nil:
		record = clip
	case asset != nil:
		record = asset
	default:
		return nil, notFound("upload")
	}
	if !record.waits() {
		return nil, fail(
			Conflict,
			"conflict",
			"This upload was confirmed already; ask for a new upload address for another file.",
		)
	}
	return record, nil
}

// RenewUpload lets an upload that was begun go unconfirmed for as long again as a new one. Errors:
// NotFound; Conflict after confirm.
func (s *Store) RenewClipUpload(userUUID, projectUUID, clipUUID string) (Clip, error) {
	var row *clipRow
	err := s.update(func(t *txn) error {
		found, err := t.ownClip(userUUID, clipUUID)
		if err != nil {
			return err
		}
		if found.ProjectUUID != projectUUID {
			return notFound(clips.what)
		}
		if _, err := t.awaiting(found.ClipFileID); err != nil {
			return err
		}
		row = found
		return row.prolong(t, t.now.Add(s.o.UploadURLTTL))
	})
	if err != nil {
		return Clip{}, err
	}
	return row.Clip, nil
}

// RenewAsset is RenewUpload for an asset.
func (s *Store) RenewAssetUpload(userUUID, assetUUID string) (Asset, error) {
	var row *assetRow
	err := s.update(func(t *txn) error {
		found, err := t.ownAsset(userUUID, assetUUID)
		if err != nil {
			return err
		}
		if _, err := t.awaiting(found.AssetFileID); err != nil {
			return err
		}
		row = found
		return row.prolong(t, t.now.Add(s.o.UploadURLTTL))
	})
	if err != nil {
		return Asset{}, err
	}
	return row.Asset, nil
}

// add notes an open upload. Resumable ones of the same user that were begun count as open too.
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
		e := fail(RateLimited, "rate_limited", "At most %d uploads at once; wait for one to end.", maxOpenUploads)
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

// close takes the effect from the open upload of a file.
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

// Write takes more bytes. Errors: TooLarge past the per-file maximum; StorageFull; Conflict when
// another upload took over.
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

// Announce says how many bytes the file will have, so that what cannot be kept is refused before it
// is sent. Errors: TooLarge, StorageFull.
func (u *Upload) DeclareSize(size int64) error {
	if err := u.tooLarge(size); err != nil {
		return err
	}
	return u.s.CheckFree(size - u.size)
}

// tooLarge refuses a size past the per-file maximum.
func (u *Upload) tooLarge(size int64) error {
	if !u.s.o.TierTable.Owner && size > u.s.o.MaxUploadBytes {
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

// Commit makes the bytes durable as the record's file, in place of an earlier upload. Errors:
// Conflict when another upload took over or the record was confirmed meanwhile; NotFound when it
// was deleted; StorageFull.
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
	defer u.s.uploads.lock(u.slot.fileID)()
	if err := u.alive(); err != nil {
		return err
	}
	if err := u.s.view(func(t *txn) error { _, err := t.awaiting(u.slot.fileID); return err }); err != nil {
		return err
	}
	size, err := u.s.moveIn(u.path, u.slot.key)
	if err == nil {
		err = u.s.batch(func(t *txn) error { return u.arrived(t, size) })
	}
	gone := IsKind(err, NotFound) || IsKind(err, Conflict) // deleted or confirmed meanwhile: nobody goes on with it
	switch {
	case err == nil:
	case u.part && !gone:
		err = errors.Join(err, u.takeBack())
	default:
		u.s.discard(u.slot.key)
	}
	return err
}

// arrived writes the row of a file that is in place.
func (u *Upload) arrived(t *txn, size int64) error {
	record, err := t.awaiting(u.slot.fileID)
	if err != nil {
		return err
	}
	if err := record.prolong(t, t.now.Add(u.s.o.UploadURLTTL)); err != nil {
		return err
	}
	if err := t.dropPart(u.slot.fileID); err != nil {
		return err
	}
	return t.putFile(
		&fileRow{Key: u.slot.key, Size: size, Owner: u.slot.owner, UserUUID: u.slot.userUUID, CreatedAt: t.now},
	)
}

// takeBack puts the bytes of a resumable upload, which were moved in and got no row, back to where
// the upload goes on.
func (u *Upload) takeBack() error {
	err := os.Rename(u.s.FilePath(u.slot.key), u.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // they were not moved yet
	}
	u.s.removeFolder(u.slot.key)
	return errors.Join(err, syncDir(filepath.Dir(u.path)))
}

// Abort gives the upload up and removes what was written, unless it is resumable: then that is made
// durable.
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

// confirmUpload takes an uploaded file over: its real size passes the quota gate and counts from
// now on, and its processing is queued. find returns the record and assigns it outside; fresh is
// false, and nothing has changed, where it waits no longer. Errors: those of find; Conflict
// not_uploaded; Unprocessable unprocessable for an empty file and quota_exceeded, both of which
// delete the file.
func (s *Store) confirmUpload(find func(*txn) (awaiting, error)) (fresh bool, err error) {
	var record awaiting
	read := func(t *txn) (err error) { record, err = find(t); return err }
	if err := s.view(read); err != nil || !record.waits() {
		return false, err
	}
	place := record.slot()
	defer s.uploads.lock(place.fileID)()
	st, err := os.Stat(s.FilePath(place.key))
	if errors.Is(err, os.ErrNotExist) {
		if err := s.view(read); err != nil || !record.waits() {
			return false, err
		}
		return false, fail(
			Conflict,
			"not_uploaded",
			"Nothing was uploaded yet; send the file to its upload address first.",
		)
	}
	if err != nil {
		return false, fmt.Errorf("looking at an upload: %w", err)
	}
	var verdict error
	err = s.batch(func(t *txn) error {
		verdict, fresh = nil, false
		if err := read(t); err != nil || !record.waits() {
			return err
		}
		if verdict = t.gate(place.userUUID, st.Size()); verdict != nil {
			return t.dropFiles(place.owner)
		}
		fresh = true
		return t.takeOver(record, st.Size())
	})
	if err = errors.Join(err, verdict); err != nil {
		return false, err
	}
	s.uploads.close(place.fileID)
	return fresh, nil
}

// gate decides whether a file of so many bytes is taken over.
func (t *txn) gate(userUUID string, bytes int64) error {
	if bytes == 0 {
		return failField("file", "The uploaded file is empty; upload it again.")
	}
	return t.checkQuota(userUUID, bytes)
}

func (t *txn) takeOver(record awaiting, bytes int64) error {
	place := record.slot()
	if err := t.dropPart(place.fileID); err != nil {
		return err
	}
	if err := t.putFile(
		&fileRow{
			Key:       place.key,
			Size:      bytes,
			Owner:     place.owner,
			UserUUID:  place.userUUID,
			Counted:   true,
			CreatedAt: t.now,
		},
	); err != nil {
		return err
	}
	if err := t.addStorage(place.userUUID, bytes); err != nil {
		return err
	}
	return record.takeOver(t, bytes)
}

// unconfirmed returns the records that wait for an upload.
func (t *txn) unconfirmed() ([]awaiting, error) {
	waitingClips, err := clips.list(t, clipsPending)
	if err != nil {
		return nil, err
	}
	waitingAssets, err := assets.list(t, assetsAwaiting)
	list := make([]awaiting, 0, len(waitingClips)+len(waitingAssets))
	for _, row := range waitingClips {
		list = append(list, row)
	}
	for _, row := range waitingAssets {
		list = append(list, row)
	}
	return list, err
}

// settleUploads brings the rows of unconfirmed uploads in step with the files: a crash may have
// come between a file's replacement and its row.
func (s *Store) settleUploads() error {
	sizes := map[string]int64{}
	var pending []awaiting
	err := s.view(func(t *txn) (err error) {
		pending, err = t.unconfirmed()
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
			file, err := files.find(t, record.slot().key)
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

// collectUploads removes the records whose upload address died without a confirm.
func (s *Store) collectUploads() error {
	var due []slot
	err := s.view(func(t *txn) error {
		pending, err := t.unconfirmed()
		for _, record := range pending {
			if place := record.slot(); !place.collectAt.After(t.now) {
				due = append(due, place)
			}
		}
		return err
	})
	for _, place := range due {
		err = errors.Join(err, s.collectUpload(place.fileID))
	}
	return err
}

func (s *Store) collectUpload(fileID string) error {
	defer s.uploads.lock(fileID)()
	if s.uploads.isOpen(fileID) {
		return nil
	}
	return s.update(func(t *txn) error {
		record, err := t.awaiting(fileID)
		if IsKind(err, NotFound) || IsKind(err, Conflict) {
			return nil // deleted or confirmed meanwhile
		}
		if err != nil || record.slot().collectAt.After(t.now) {
			return err
		}
		return record.collect(t)
	})
}
