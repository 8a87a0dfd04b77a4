package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"roughcut/media"
)

// fileRow says that a file is part of the data. A file is on disk before its row is, and its row
// goes before the file does, so a file without a row is rubbish and a row without a file is damage.
type fileRow struct {
	Key       string // slash-separated path under media/
	Size      int64
	Owner     string // uuid of the clip, export or asset; or of the export that still needs the file of an asset
	UserUUID  string
	Counted   bool // part of the user's StorageUsedBytes
	CreatedAt time.Time
}

var filesByOwner = &index[fileRow]{name: "files.by_owner", keys: func(r *fileRow) [][]byte { return one(r.Owner) }}

var files = &table[fileRow]{
	name:    "files",
	what:    "file",
	key:     func(r *fileRow) []byte { return []byte(r.Key) },
	indexes: []*index[fileRow]{filesByOwner},
}

func clipKey(clipFileID, name string) string { return "clips/" + clipFileID + "/" + name }

func exportKey(uuid string) string { return "exports/" + uuid + media.DefaultExportFormat().Extension }

// FilePath returns the absolute path of a stored file by its key.
func (s *Store) FilePath(key string) string {
	return filepath.Join(s.o.Dir, "media", filepath.FromSlash(key))
}

// TempPath returns a path in the temporary folder, on the same disk as all files, where nothing
// exists yet. What is left there is swept at the next start; who asks for a path removes the file
// when it is no longer needed.
func (s *Store) TempPath(suffix string) (string, error) {
	dir := filepath.Join(s.o.Dir, "tmp")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", userError(fmt.Errorf("making the temporary folder: %w", err))
	}
	return filepath.Join(dir, s.NewID()+suffix), nil
}

// CheckFree returns a StorageFull error unless need bytes can be written and the free-space floor
// still be kept.
func (s *Store) CheckFree(need int64) error { return CheckFree(s.o.Dir, need, s.o.MinFreeBytes) }

// CheckFree returns a StorageFull error unless need bytes can be written on the disk of a folder
// and floor bytes still be free.
func CheckFree(dir string, need, floor int64) error {
	free, err := freeBytes(dir)
	if err != nil {
		return fmt.Errorf("asking for the free space of %s: %w", dir, err)
	}
	if free-need < floor {
		return storageFull()
	}
	return nil
}

// moveIn makes a temporary file durable under a key and returns its size. The caller then writes
// its row.
func (s *Store) moveIn(temp, key string) (int64, error) {
	size, err := syncFile(temp)
	if err != nil {
		return 0, fmt.Errorf("flushing %s: %w", key, err)
	}
	dest := s.FilePath(key)
	if err := makeDir(filepath.Dir(dest)); err != nil {
		return 0, fmt.Errorf("making the folder of %s: %w", key, err)
	}
	if err := os.Rename(temp, dest); err != nil {
		return 0, fmt.Errorf("moving %s in: %w", key, err)
	}
	return size, syncDir(filepath.Dir(dest))
}

// writeIn makes bytes durable under a key. The caller then writes the row.
func (s *Store) writeIn(data []byte, key string) (int64, error) {
	temp, err := s.TempPath(".part")
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(temp, data, 0o600); err != nil {
		return 0, errors.Join(fmt.Errorf("writing %s: %w", key, err), remove(temp))
	}
	size, err := s.moveIn(temp, key)
	if err != nil {
		return 0, errors.Join(err, remove(temp))
	}
	return size, nil
}

// syncFile flushes a file to the disk and returns its size.
func syncFile(path string) (int64, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	st, err := f.Stat()
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	return st.Size(), nil
}

// makeDir makes a folder durable, with those above it that are missing.
func makeDir(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	parent := filepath.Dir(dir)
	if err := makeDir(parent); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return syncDir(parent)
}

// remove deletes a file that may be absent.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// putFile writes the row of a file that is in place, which also calls off its deletion.
func (t *txn) putFile(row *fileRow) error {
	if err := t.Bucket([]byte(bucketTombstones)).Delete([]byte(row.Key)); err != nil {
		return err
	}
	return files.put(t, row)
}

// dropFiles removes the rows of the files of a clip, an export or an asset, leaves a tombstone for
// each, and gives counted bytes back to their user. The files go after the commit; one that an
// export under way needs stays until that has ended.
func (t *txn) dropFiles(owner string) error {
	rows, err := files.list(t, filesByOwner, owner)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := t.dropFile(row); err != nil {
			return err
		}
	}
	return nil
}

func (t *txn) dropFile(row *fileRow) error {
	if row.Counted {
		if err := t.addStorage(row.UserUUID, -row.Size); err != nil {
			return err
		}
	}
	if held, err := t.holdFile(row); held || err != nil {
		return err
	}
	if err := files.delete(t, row.Key); err != nil {
		return err
	}
	t.drops = append(t.drops, row.Key)
	return t.Bucket([]byte(bucketTombstones)).Put([]byte(row.Key), []byte{})
}

// discard removes moved-in files that got no row because their transaction was refused.
func (s *Store) discard(keys ...string) {
	var rubbish []string
	err := s.view(func(t *txn) error {
		for _, k := range keys {
			row, err := files.find(t, k)
			if err != nil {
				return err
			}
			if row == nil {
				rubbish = append(rubbish, k)
			}
		}
		return nil
	})
	for _, k := range rubbish {
		err = errors.Join(err, remove(s.FilePath(k)))
		s.removeFolder(k)
	}
	if err != nil {
		s.o.Log.Warn("a file without a row could not be removed; it will be at the next start", "error", err)
	}
}

// sweepFiles removes at the start what a crash left: temporary files, deleted files, files that
// never got a row.
func (s *Store) sweepFiles() error {
	if err := emptyDir(filepath.Join(s.o.Dir, "tmp")); err != nil {
		return fmt.Errorf("emptying the temporary folder: %w", err)
	}
	var dead []string
	err := s.view(func(t *txn) error {
		return t.Bucket([]byte(bucketTombstones)).ForEach(func(k, _ []byte) error {
			dead = append(dead, string(k))
			return nil
		})
	})
	if err != nil {
		return err
	}
	if err := s.unlink(dead); err != nil {
		return err
	}
	orphans, err := s.orphans()
	if err != nil {
		return err
	}
	for _, k := range orphans {
		s.o.Log.Info("removing a file that no record names", "file", k)
		if err := remove(s.FilePath(k)); err != nil {
			return err
		}
		s.removeFolder(k)
	}
	return errors.Join(s.settleUploads(), s.settleParts())
}

// orphans returns the keys of files that have no row.
func (s *Store) orphans() ([]string, error) {
	var found []string
	root := filepath.Join(s.o.Dir, "media")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		found = append(found, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listing the files: %w", err)
	}
	var orphans []string
	err = s.view(func(t *txn) error {
		for _, k := range found {
			row, err := files.find(t, k)
			if err != nil {
				return err
			}
			if row == nil {
				orphans = append(orphans, k)
			}
		}
		return nil
	})
	return orphans, err
}

// removeFolder removes the folder that a removed file was in, where it was the last one there of a
// clip or asset.
func (s *Store) removeFolder(k string) {
	if strings.Count(k, "/") > 1 {
		_ = os.Remove(filepath.Dir(s.FilePath(k))) // succeeds only when the folder is empty
	}
}

// emptyDir removes everything in a folder.
func emptyDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// WriteWhole makes a file of what write writes, durably, or leaves what was there: the content is
// written beside it, readable for its owner alone, and takes the name when it is whole.
func WriteFileAtomic(path string, write func(io.Writer) error) (err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.part")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	err = write(temp)
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}
