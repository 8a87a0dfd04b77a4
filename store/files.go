package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"roughcut/store/table"
)

// fileRow records that a file is part of the data. A file exists before its row, and its row is
// deleted before the file. A file without a row is therefore garbage, and a row without a file is
// damage.
type fileRow struct {
	Key  string // path under media/ with slashes
	Size int64
	// uuid of the clip, export or asset, or of an export that still needs the file of a deleted
	// asset
	Owner       string
	UserUUID    string
	Counted     bool // an original, which counts in the user's StorageUsedBytes
	Unconfirmed bool `json:",omitempty"` // an upload, which counts nowhere before its confirm
	CreatedAt   time.Time
}

// generated reports whether the file counts in the user's GeneratedBytes: Roughcut made it, or
// keeps it for an export.
func (r *fileRow) generated() bool { return !r.Counted && !r.Unconfirmed }

var filesByOwner = &table.Index[fileRow]{
	Name: "files.by_owner",
	Keys: func(r *fileRow) [][]byte { return table.Entry(r.Owner) },
}

var files = &table.Table[fileRow]{
	Name:    "files",
	Noun:    "file",
	Key:     func(r *fileRow) []byte { return []byte(r.Key) },
	Indexes: []*table.Index[fileRow]{filesByOwner},
}

func clipKey(clipFileID, name string) string { return "clips/" + clipFileID + "/" + name }

// key returns the key of the export's file.
func (e Export) key() string { return "exports/" + e.UUID + formatOf(e.Settings).Extension }

// refusedKey stands for a key that leads out of its folder. No file has this name.
const refusedKey = "refused"

// safeKey reports whether a key names something inside its folder. The database of a hostile backup
// can hold other keys. os.Root cannot do this, because engines open files by their paths.
func safeKey(key string) bool {
	return key != "." && path.Clean(key) == key && !strings.ContainsAny(key, "\\\x00") &&
		filepath.IsLocal(filepath.FromSlash(key))
}

// checkKeys refuses a database with keys of files that lead out of the data directory, before the
// sweep removes anything. Errors: ErrDamaged.
func (s *Store) checkKeys() error {
	return s.view(func(t *txn) error {
		for _, name := range []string{bucketTombstones, files.Name, uploadParts.Name} {
			err := t.Bucket([]byte(name)).ForEach(func(k, _ []byte) error {
				if !safeKey(string(k)) {
					return fmt.Errorf("%w (%s names the file %q outside the data directory)", ErrDamaged, name, k)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}

		return nil
	})
}

// FilePath returns the absolute path of the stored file with a key. The path is always inside the
// data directory.
func (s *Store) FilePath(key string) string {
	if !safeKey(key) {
		key = refusedKey
	}
	return filepath.Join(s.o.Dir, "media", filepath.FromSlash(key))
}

// TempPath returns an unused path in the temporary folder, which is on the same disk as all files.
// The caller removes the file. The next start removes files that are left there.
func (s *Store) TempPath(suffix string) (string, error) {
	dir := filepath.Join(s.o.Dir, "tmp")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", userError(fmt.Errorf("making the temporary folder: %w", err))
	}
	return filepath.Join(dir, s.NewID()+suffix), nil
}

// CheckFree returns a StorageFull error when writing need bytes would leave less than the required
// free space.
func (s *Store) CheckFree(need int64) error { return CheckFree(s.o.Dir, need, s.o.MinFreeBytes) }

// CheckFree returns a StorageFull error when writing need bytes would leave less than floor bytes
// on the disk of a folder.
func CheckFree(dir string, need, floor int64) error {
	free, err := FreeBytes(dir)
	if err != nil {
		return fmt.Errorf("reading the free space of %s: %w", dir, err)
	}
	if free-need < floor {
		return storageFull()
	}
	return nil
}

// moveIn moves a temporary file to the place of a key, durably, and returns its size. The caller
// then writes its row.
func (s *Store) moveIn(temp, key string) (int64, error) {
	size, err := syncFile(temp)
	if err != nil {
		return 0, fmt.Errorf("flushing %s: %w", key, err)
	}
	dest := s.FilePath(key)
	if err := makeDir(filepath.Dir(dest)); err != nil {
		return 0, fmt.Errorf("creating the folder of %s: %w", key, err)
	}
	if err := os.Rename(temp, dest); err != nil {
		return 0, fmt.Errorf("moving %s in: %w", key, err)
	}
	return size, syncDir(filepath.Dir(dest))
}

// writeIn writes a file for a key, durably, and returns its size. The caller then writes its row.
func (s *Store) writeIn(data []byte, key string) (int64, error) {
	temp, err := s.TempPath(".part")
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(temp, data, 0o600); err != nil {
		return 0, dropTemp(temp, fmt.Errorf("writing %s: %w", key, err))
	}
	size, err := s.moveIn(temp, key)
	if err != nil {
		return 0, dropTemp(temp, err)
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

// makeDir creates a folder and its missing parents, durably.
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

// removeIfExists deletes a file. It ignores a missing file.
func removeIfExists(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// putFiles writes the rows of files that a job made.
func (t *txn) putFiles(made []fileRow) error {
	for _, file := range made {
		file.CreatedAt = t.Now
		if err := t.putFile(&file); err != nil {
			return err
		}
	}

	return nil
}

// discardMade removes the files that a job made, and its temporary files, after an error, which it
// returns for users. An empty temporary path means that the file does not exist.
func (s *Store) discardMade(err error, made []fileRow, temps ...string) error {
	for _, file := range made {
		s.discardFiles(file.Key)
	}
	for _, temp := range temps {
		if temp != "" {
			err = dropTemp(temp, err)
		}
	}

	return userError(err)
}

// dropTemp deletes a file that a failed step leaves, and returns err, joined with the error of the
// deletion.
func dropTemp(path string, err error) error { return errors.Join(err, removeIfExists(path)) }

// putFile writes the row of a file that is in place, removes the tombstone for it, and adds its
// bytes to the user's storage.
func (t *txn) putFile(row *fileRow) error {
	if err := t.Bucket([]byte(bucketTombstones)).Delete([]byte(row.Key)); err != nil {
		return err
	}
	if err := t.countFile(row.Key, row); err != nil {
		return err
	}
	return files.Put(t, row)
}

// countFile adds the change in size between the stored row of a file and its new row to the storage
// of the user. row is nil if the file is deleted. Call countFile before the row is written.
func (t *txn) countFile(key string, row *fileRow) error {
	old, err := files.Find(t, key)
	if err != nil {
		return err
	}
	var counted, generated int64
	user := ""
	for sign, r := range map[int64]*fileRow{-1: old, 1: row} {
		switch {
		case r == nil:
			continue
		case r.Counted:
			counted += sign * r.Size
		case r.generated():
			generated += sign * r.Size
		}

		user = r.UserUUID
	}

	return t.registry().AddStorage(user, counted, generated)
}

// dropFiles deletes the file rows of a clip, export or asset, adds a tombstone for each, and
// subtracts their bytes from the user's storage. The files are removed after the commit. A file
// that a running export needs stays until the export has ended.
func (t *txn) dropFiles(owner string) error {
	rows, err := files.List(t, filesByOwner, owner)
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
	if held, err := t.holdFile(row); held || err != nil {
		return err
	}
	if err := t.countFile(row.Key, nil); err != nil {
		return err
	}
	if err := files.Delete(t, row.Key); err != nil {
		return err
	}
	t.drops = append(t.drops, row.Key)
	t.Spend(0)
	return t.Bucket([]byte(bucketTombstones)).Put([]byte(row.Key), []byte{})
}

// discardFiles removes files that have no row because their transaction was refused.
func (s *Store) discardFiles(keys ...string) {
	var rubbish []string
	err := s.view(func(t *txn) error {
		for _, k := range keys {
			row, err := files.Find(t, k)
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
		err = dropTemp(s.FilePath(k), err)
		s.removeFolder(k)
	}

	if err != nil {
		s.o.Log.Warn("cannot remove an orphaned file; the next start removes it", "error", err)
	}
}

// sweepFiles removes what a crash left: temporary files, files with a tombstone, and files without
// a row.
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
	if err := s.unlinkFiles(dead); err != nil {
		return err
	}
	found, err := s.storedFiles()
	if err != nil {
		return err
	}
	orphans, err := s.orphanKeys(found)
	if err != nil {
		return err
	}
	for _, k := range orphans {
		s.o.Log.Info("removing an orphaned file", "file", k)
		if err := removeIfExists(s.FilePath(k)); err != nil {
			return err
		}
		s.removeFolder(k)
	}

	if err := s.settleUploads(); err != nil {
		return err
	}
	if err := s.settleParts(); err != nil {
		return err
	}
	return s.remakeMissing(found)
}

// storedFiles returns the keys of all files on the disk.
func (s *Store) storedFiles() (map[string]bool, error) {
	found := map[string]bool{}
	root := filepath.Join(s.o.Dir, "media")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		found[filepath.ToSlash(rel)] = true
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listing the files: %w", err)
	}
	return found, nil
}

// orphanKeys returns those keys of files that have no row.
func (s *Store) orphanKeys(found map[string]bool) ([]string, error) {
	return viewed(s, func(t *txn) (orphans []string, err error) {
		for k := range found {
			row, err := files.Find(t, k)
			if err != nil {
				return orphans, err
			}
			if row == nil {
				orphans = append(orphans, k)
			}
		}

		return orphans, nil
	})
}

// removeFolder removes the folder of a removed clip or asset file, if it is empty.
func (s *Store) removeFolder(k string) {
	if strings.Count(k, "/") > 1 && safeKey(k) {
		_ = os.Remove(filepath.Dir(s.FilePath(k))) // fails when the folder is not empty
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
