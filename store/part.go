package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// partRow says how much of a resumable upload is safely on disk. The bytes are in the file
// uploads/<file_id>; what it has past the offset came after the last flush and does not count.
type partRow struct {
	FileID, UserUUID string
	Offset           int64
	CreatedAt        time.Time
}

var (
	partsByUser = &index[partRow]{
		name: "upload_parts.by_user",
		keys: func(r *partRow) [][]byte { return one(r.UserUUID) },
	}
	parts = &table[partRow]{
		name:    "upload_parts",
		what:    "upload",
		key:     func(r *partRow) []byte { return []byte(r.FileID) },
		indexes: []*index[partRow]{partsByUser},
	}
)

// keepBytes is after how many bytes a resumable upload is flushed, so that a crash costs no more
// than these.
const keepBytes = 64 << 20

// MaxUploadBytes is the largest upload; 0 knows no limit but the disk.
func (s *Store) MaxUploadBytes() int64 {
	if s.o.TierTable.Owner {
		return 0
	}
	return s.o.MaxUploadBytes
}

func (s *Store) partPath(fileID string) string { return filepath.Join(s.o.Dir, "uploads", fileID) }

// UploadState returns how many bytes a file was declared to have and how many of them are safely on
// disk. Stored says that all are, and that the file only waits for its confirm. Errors: NotFound;
// Conflict after confirm.
func (s *Store) UploadState(fileID string) (size, offset int64, stored bool, err error) {
	err = s.view(func(t *txn) error {
		record, err := t.awaiting(fileID)
		if err != nil {
			return err
		}
		size = record.slot().declared
		part, err := parts.find(t, fileID)
		if err != nil {
			return err
		}
		if part != nil {
			offset = part.Offset
			return nil
		}
		file, err := files.find(t, record.slot().key)
		if err == nil && file != nil && file.Size == size {
			offset, stored = size, true
		}
		return err
	})
	return size, offset, stored, err
}

// ResumeUpload begins or goes on with a resumable upload: Abort keeps what has come so far, also
// through a restart, and a later ResumeUpload writes on from there. Errors: as OpenUpload.
func (s *Store) ResumeUpload(fileID string) (*Upload, error) {
	defer s.uploads.lock(fileID)()
	u := &Upload{s: s, path: s.partPath(fileID), part: true}
	var begun []*partRow
	err := s.view(func(t *txn) error {
		record, err := t.awaiting(fileID)
		if err != nil {
			return err
		}
		u.slot = record.slot()
		begun, err = parts.list(t, partsByUser, u.slot.userUUID)
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
		return nil, userError(fmt.Errorf("going on with an upload: %w", err))
	}
	return u, nil
}

// openPart opens the file of a resumable upload behind the bytes that count. The file is there
// before its row.
func (u *Upload) openPart() error {
	var err error
	if u.file, err = os.OpenFile(u.path, os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		return err
	}
	err = syncDir(filepath.Dir(u.path))
	if err == nil {
		err = u.s.batch(func(t *txn) error {
			if _, err := t.awaiting(u.slot.fileID); err != nil {
				return err
			}
			row, err := parts.find(t, u.slot.fileID)
			if err != nil {
				return err
			}
			if row != nil {
				u.size = row.Offset
				return nil
			}
			u.size = 0
			return parts.put(t, &partRow{FileID: u.slot.fileID, UserUUID: u.slot.userUUID, CreatedAt: t.now})
		})
	}
	if err == nil {
		err = u.file.Truncate(u.size)
	}
	if err == nil {
		_, err = u.file.Seek(u.size, io.SeekStart)
	}
	if err != nil {
		return errors.Join(err, u.file.Close())
	}
	u.checked, u.kept = u.size, u.size
	return nil
}

// keep makes what has come of a resumable upload durable.
func (u *Upload) keep() error {
	if err := u.alive(); err != nil {
		return err
	}
	if err := u.file.Sync(); err != nil {
		return userError(fmt.Errorf("flushing an upload: %w", err))
	}
	err := u.s.batch(func(t *txn) error {
		row, err := parts.get(t, u.slot.fileID)
		if err != nil {
			return err
		}
		row.Offset = u.size
		return parts.put(t, row)
	})
	if err == nil {
		u.kept = u.size
	}
	return err
}

// dropPart forgets a resumable upload, if there is one. Its file goes after the commit.
func (t *txn) dropPart(fileID string) error {
	row, err := parts.find(t, fileID)
	if err != nil || row == nil {
		return err
	}
	t.dropParts = append(t.dropParts, fileID)
	return parts.delete(t, fileID)
}

// removeParts removes the files of resumable uploads that were dropped.
func (s *Store) removeParts(fileIDs []string) {
	for _, id := range fileIDs {
		if err := remove(s.partPath(id)); err != nil {
			s.o.Log.Warn("a part of an upload could not be removed; it will be at the next start", "error", err)
		}
	}
}

// settleParts brings rows and files of resumable uploads in step after a crash: files without a row
// go, and a row counts no more than its file has.
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
		return parts.all(t, func(row *partRow) error {
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
			if err := parts.put(t, row); err != nil {
				return err
			}
		}
		return nil
	})
}
