package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"roughcut/store/table"
)

// partRow records how much of a resumable upload is flushed to the disk. The bytes are in the file
// uploads/<file_id>. Bytes after Offset came after the last flush and do not count.
type partRow struct {
	FileID, UserUUID string
	Offset           int64
	CreatedAt        time.Time
}

var (
	uploadPartsByUser = &table.Index[partRow]{
		Name: "upload_parts.by_user",
		Keys: func(r *partRow) [][]byte { return table.Entry(r.UserUUID) },
	}
	uploadParts = &table.Table[partRow]{
		Name:    "upload_parts",
		Noun:    "upload",
		Key:     func(r *partRow) []byte { return []byte(r.FileID) },
		Indexes: []*table.Index[partRow]{uploadPartsByUser},
	}
)

// flushBytes is how many bytes a resumable upload writes between two flushes: the most that a crash
// loses.
const flushBytes = 64 << 20

// MaxUploadBytes returns the maximum size of an upload, 0 for no limit except the disk.
func (s *Store) MaxUploadBytes() int64 { return s.o.MaxUploadBytes }

func (s *Store) partPath(fileID string) string {
	if !safeKey(fileID) {
		fileID = refusedKey
	}
	return filepath.Join(s.o.Dir, "uploads", fileID)
}

// UploadState returns the declared size of a file and how many bytes of it are flushed to the disk.
// The result stored is true when the file is complete and waits for its confirm. Errors: NotFound;
// Conflict after the confirm.
func (s *Store) UploadState(fileID string) (size, offset int64, stored bool, err error) {
	err = s.view(func(t *txn) error {
		record, err := t.awaitingUpload(fileID)
		if err != nil {
			return err
		}
		size = record.slot().declared
		part, err := uploadParts.Find(t, fileID)
		if err != nil {
			return err
		}
		if part != nil {
			offset = part.Offset
			return nil
		}

		file, err := files.Find(t, record.slot().key)
		if err == nil && file != nil && file.Size == size {
			offset, stored = size, true
		}
		return err
	})
	return size, offset, stored, err
}

// ResumeUpload starts or resumes a resumable upload. Abort keeps the bytes, also across a restart,
// and the next ResumeUpload continues after them. Errors: see OpenUpload.
func (s *Store) ResumeUpload(fileID string) (*Upload, error) {
	defer s.uploads.lock(fileID)()
	u := &Upload{s: s, path: s.partPath(fileID), resumable: true}
	var begun []*partRow
	err := s.view(func(t *txn) error {
		record, err := t.awaitingUpload(fileID)
		if err != nil {
			return err
		}
		u.slot = record.slot()
		begun, err = uploadParts.List(t, uploadPartsByUser, u.slot.userUUID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.CheckFree(0); err != nil {
		return nil, err
	}
	if err := s.uploads.add(u, begun...); err != nil {
		return nil, err
	}
	if err := u.openPart(); err != nil {
		s.uploads.remove(u)
		return nil, userError(fmt.Errorf("resuming an upload: %w", err))
	}

	return u, nil
}

// openPart opens the file of a resumable upload and seeks to the end of the bytes that count. The
// file exists before its row.
func (u *Upload) openPart() error {
	var err error
	if u.file, err = os.OpenFile(u.path, os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		return err
	}
	err = syncDir(filepath.Dir(u.path))
	if err == nil {
		err = u.s.batch(func(t *txn) error {
			if _, err := t.awaitingUpload(u.slot.fileID); err != nil {
				return err
			}
			row, err := uploadParts.Find(t, u.slot.fileID)
			if err != nil {
				return err
			}
			if row != nil {
				u.size = row.Offset
				return nil
			}

			u.size = 0
			return uploadParts.Put(t, &partRow{FileID: u.slot.fileID, UserUUID: u.slot.userUUID, CreatedAt: t.Now})
		})
	}

	if err == nil {
		err = u.file.Truncate(u.size)
	}
	if err == nil {
		_, err = u.file.Seek(u.size, io.SeekStart)
	}
	if err != nil {
		_ = u.file.Close() // err is the cause
		return err
	}

	u.checked, u.flushed = u.size, u.size
	return nil
}

// recordProgress flushes the bytes of a resumable upload and records their number.
func (u *Upload) recordProgress() error {
	if err := u.alive(); err != nil {
		return err
	}
	if !u.closed { // Commit flushes before it closes
		if err := u.file.Sync(); err != nil {
			return userError(fmt.Errorf("flushing an upload: %w", err))
		}
	}

	err := u.s.batch(func(t *txn) error {
		row, err := uploadParts.Get(t, u.slot.fileID)
		if err != nil {
			return err
		}
		row.Offset = u.size
		return uploadParts.Put(t, row)
	})
	if err == nil {
		u.flushed = u.size
	}
	return err
}

// dropPart deletes the row of a resumable upload, if there is one. Its file is removed after the
// commit.
func (t *txn) dropPart(fileID string) error {
	row, err := uploadParts.Find(t, fileID)
	if err != nil || row == nil {
		return err
	}
	t.dropParts = append(t.dropParts, fileID)
	return uploadParts.Delete(t, fileID)
}

// removeParts removes the files of resumable uploads that were dropped.
func (s *Store) removeParts(fileIDs []string) {
	for _, id := range fileIDs {
		if err := removeIfExists(s.partPath(id)); err != nil {
			s.o.Log.Warn("cannot remove a partial upload; the next start removes it", "error", err)
		}
	}
}

// settleParts makes rows and files of resumable uploads consistent after a crash. It removes files
// without a row, and lowers offsets to the size of the file.
func (s *Store) settleParts() error {
	entries, err := os.ReadDir(filepath.Join(s.o.Dir, "uploads"))
	if err != nil {
		return err
	}
	sizes := map[string]int64{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return err
		}
		sizes[e.Name()] = info.Size()
	}

	known := map[string]bool{}
	var wrong []*partRow
	err = s.view(func(t *txn) error {
		return uploadParts.Each(t, func(row *partRow) error {
			known[row.FileID] = true
			if sizes[row.FileID] < row.Offset {
				wrong = append(wrong, row)
			}
			return nil
		})
	})
	for name := range sizes {
		if !known[name] {
			err = errors.Join(err, os.RemoveAll(s.partPath(name)))
		}
	}

	if err != nil || len(wrong) == 0 {
		return err
	}
	return s.update(func(t *txn) error {
		for _, row := range wrong {
			row.Offset = sizes[row.FileID]
			if err := uploadParts.Put(t, row); err != nil {
				return err
			}
		}

		return nil
	})
}
