package store

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// MissingFile turns the error of opening a missing stored file into an error for the user, which
// names the file and says what to do. It queues the job that makes a derived file of a clip or an
// asset again. It returns other errors unchanged. Errors: Conflict conflict.
func (s *Store) MissingFile(err error) error {
	var failed *fs.PathError
	if !errors.As(err, &failed) || !errors.Is(failed, fs.ErrNotExist) {
		return err
	}
	rel, relErr := filepath.Rel(filepath.Join(s.o.Dir, "media"), failed.Path)
	key := filepath.ToSlash(rel)
	if relErr != nil || !safeKey(key) {
		return err
	}
	reason := err
	queueErr := s.update(func(t *txn) error {
		row, err := files.Find(t, key)
		if err != nil || row == nil {
			return err
		}
		reason, err = t.queueRemake(row)
		return err
	})
	if queueErr != nil {
		return userError(queueErr)
	}
	return reason
}

// queueRemake queues the job that makes a derived file again, and returns what to tell the user.
func (t *txn) queueRemake(row *fileRow) (reason, err error) {
	if clip, err := clips.Find(t, row.Owner); err != nil {
		return nil, err
	} else if clip != nil {
		original, missing := t.s.OriginalPath(clip.Clip)
		if missing != nil {
			return missing, nil
		}
		if path.Base(row.Key) == fileOriginal || gone(original) {
			return missingOriginal("recording", clip.Name, clipKey(clip.ClipFileID, fileOriginal)), nil
		}
		if clip.Trashed != nil { // a duplicate may need it
			if clip, err = t.clipOfFile(clip.ClipFileID); err != nil {
				return nil, err
			}
		}

		trashed, err := t.trashed(clip)
		if err != nil {
			return nil, err
		}
		if clip.Status != ClipReady || trashed {
			return beingMade(clip.Name), nil
		}
		return beingMade(clip.Name), t.enqueueOnce(JobClip, clip.UUID, clip.UserUUID, clip.ProjectUUID)
	}

	if asset, err := assets.Find(t, row.Owner); err != nil {
		return nil, err
	} else if asset != nil {
		if row.Key == asset.FileKey() || gone(t.s.FilePath(asset.FileKey())) {
			return missingOriginal("asset", asset.DisplayName, asset.FileKey()), nil
		}
		return beingMade(asset.DisplayName), t.enqueueOnce(JobAsset, asset.UUID, asset.UserUUID, "")
	}

	return conflict(
		"The file media/%s of the export is missing. Export again, or restore the file from a backup.", row.Key,
	), nil
}

// enqueueOnce queues a job unless its subject has one.
func (t *txn) enqueueOnce(kind JobKind, subject, userUUID, projectUUID string) error {
	job, err := jobs.Lookup(t, jobsBySubject, subject)
	if err != nil || job != nil {
		return err
	}
	return t.enqueue(kind, subject, userUUID, projectUUID)
}

// gone reports whether a file does not exist.
func gone(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

func beingMade(name string) *Error {
	return conflict(
		"A file that belongs to %q was missing. Roughcut makes it again from the original. Try again in a minute.",
		name,
	)
}

func missingOriginal(noun, name, key string) *Error {
	return conflict(
		"The file of the %s %q is missing: media/%s in the data directory. Restore it from a backup, "+
			"or delete the %s and upload the file again.", noun, name, key, noun,
	)
}

// remakeMissing looks for rows without a file after the start, and queues the jobs that make
// derived files again. found holds the keys of all files.
func (s *Store) remakeMissing(found map[string]bool) error {
	var missing []string
	err := s.view(func(t *txn) error {
		return files.Each(t, func(row *fileRow) error {
			if !found[row.Key] {
				missing = append(missing, row.Key)
			}
			return nil
		})
	})
	if err != nil || len(missing) == 0 {
		return err
	}
	s.o.Log.Warn("stored files are missing; roughcut doctor lists them", "files", len(missing), "first", missing[0])
	for _, key := range missing {
		err := s.MissingFile(&fs.PathError{Op: "open", Path: s.FilePath(key), Err: fs.ErrNotExist})
		if user := (*Error)(nil); !errors.As(err, &user) {
			return err
		}
	}

	return nil
}
