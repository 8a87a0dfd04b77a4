package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"roughcut/media"
)

// LinkedFile is a recording outside the data directory. Roughcut reads it, and never writes, moves
// or deletes it. The caller decides who may link a path: that person can make Roughcut read any
// video on this machine that the process can read.
type LinkedFile struct {
	Path        string // absolute, without symbolic links
	SizeBytes   int64
	ModifiedAt  time.Time
	Fingerprint string `json:"Print"` // see fingerprint
}

// States of a linked file.
const (
	LinkedFilePresent = "present"
	LinkedFileMissing = "missing"
	LinkedFileChanged = "changed" // another file, or the same one with other content
)

// fingerprintEdge is how many bytes of each end of a file its fingerprint covers.
const fingerprintEdge = 1 << 20

// LinkClip creates a clip of a linked file and queues its processing. The file does not count
// towards the quota. Errors: Unprocessable unprocessable for a path that is not a readable file,
// and content_type_not_allowed; StorageFull.
func (s *Store) LinkClip(userUUID, projectUUID, path string) (Clip, error) {
	ref, obstacle := s.newLinkedFile(path)
	if obstacle == nil {
		obstacle = s.CheckFree(0)
	}
	return updated(s, func(t *txn) (Clip, error) {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return Clip{}, err
		}
		if obstacle != nil {
			return Clip{}, obstacle
		}
		row := &clipRow{
			Clip: Clip{
				Name:          orText(oneLine(filepath.Base(ref.Path)), "recording"),
				Status:        ClipProcessing,
				Source:        SourceLocal,
				ContentType:   media.RecordingTypes().ByExtension()[extension(ref.Path)],
				DeclaredBytes: ref.SizeBytes,
				SizeBytes:     ref.SizeBytes,
				LinkedFile:    &ref,
			},
		}
		if err := t.addClip(project, row); err != nil {
			return Clip{}, err
		}
		if err := t.checkGenerated(userUUID); err != nil {
			return Clip{}, err
		}
		if err := t.admitJob(userUUID); err != nil {
			return Clip{}, err
		}
		if err := t.enqueue(JobClip, row.UUID, userUUID, projectUUID); err != nil {
			return Clip{}, err
		}

		return row.Clip, t.refresh(project)
	})
}

// RelinkClip sets the new path of the linked file of a clip. Errors: Conflict not_a_reference,
// reference_mismatch for another recording; Unprocessable as for LinkClip.
func (s *Store) RelinkClip(userUUID, clipUUID, path string) (Clip, error) {
	ref, refused := s.newLinkedFile(path)
	return updated(s, func(t *txn) (Clip, error) {
		row, err := t.ownClip(userUUID, clipUUID)
		if err != nil {
			return Clip{}, err
		}
		if refused != nil {
			return Clip{}, refused
		}
		if row.LinkedFile == nil || row.Status == ClipFailed {
			return Clip{}, fail(
				Conflict,
				"not_a_reference",
				"This clip has no linked file. To use another file, add it as a new clip.",
			)
		}

		if ref.SizeBytes != row.LinkedFile.SizeBytes || ref.Fingerprint != row.LinkedFile.Fingerprint {
			return Clip{}, fail(
				Conflict,
				"reference_mismatch",
				"The file %s is not the recording of this clip, so its cuts would not fit. "+
					"Choose the same recording, or add this file as a new clip.",
				filepath.Base(ref.Path),
			)
		}

		row.LinkedFile, row.UpdatedAt = &ref, t.Now
		row.TracksKnown = row.TracksKnown && !lacksTracks(row.Info)
		err = t.putShared(row)
		return row.Clip, err
	})
}

// newLinkedFile reads and checks a file to link. Errors: Unprocessable.
func (s *Store) newLinkedFile(path string) (LinkedFile, error) {
	resolved, err := s.outsideFile(path, media.RecordingTypes())
	if err != nil {
		return LinkedFile{}, err
	}
	ref, err := readLinkedFile(resolved)
	if err != nil {
		return LinkedFile{}, unreadable(path, err)
	}
	if ref.SizeBytes == 0 {
		return LinkedFile{}, failField("path", "%s is empty.", filepath.Base(path))
	}
	return ref, nil
}

// outsideFile returns a path without symbolic links, for a file outside the data directory whose
// extension is among types. Errors: Unprocessable.
func (s *Store) outsideFile(path string, types media.FileTypes) (resolved string, err error) {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return "", failField("path", "The path is not absolute. Enter the full path of the file.")
	}
	if resolved, err = filepath.EvalSymlinks(path); err != nil {
		return "", unreadable(path, err)
	}
	own, err := filepath.EvalSymlinks(s.o.Dir)
	if err != nil {
		return "", fmt.Errorf("resolving the data directory: %w", err)
	}
	if inside, err := filepath.Rel(own, resolved); err == nil && filepath.IsLocal(inside) {
		return "", failField(
			"path",
			"The file is in Roughcut's data directory, where files can be removed at any time. "+
				"Choose a file in another folder.",
		)
	}

	if types.ByExtension()[extension(resolved)] == "" {
		e := failField(
			"path",
			"The type of the file %s is not supported. Supported extensions are %s.",
			filepath.Base(resolved),
			strings.Join(types.Extensions(), ", "),
		)
		e.Code = "content_type_not_allowed"
		return "", e
	}

	return resolved, nil
}

// unreadable explains why a file cannot be used. Errors: Unprocessable.
func unreadable(path string, err error) error {
	name := filepath.Base(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failField("path", "The file %s does not exist. Check the path.", path)
	case errors.Is(err, fs.ErrPermission):
		return failField(
			"path",
			"The user that runs Roughcut has no permission to read %s. Change the permissions of the file.",
			name,
		)
	case errors.Is(err, errNotRegular):
		return failField("path", "%s is not a regular file. Choose a recording.", name)
	}

	return failField("path", "The file %s cannot be read: %v.", name, err)
}

var errNotRegular = errors.New("not a regular file")

// readLinkedFile reads the size, time and fingerprint of the file at a path without symbolic links.
func readLinkedFile(path string) (LinkedFile, error) {
	file, st, err := openLinkedFile(path)
	if err != nil {
		return LinkedFile{}, err
	}
	defer file.Close()
	print, err := fingerprint(file, st.Size())
	if err != nil {
		return LinkedFile{}, err
	}
	return LinkedFile{Path: path, SizeBytes: st.Size(), ModifiedAt: st.ModTime().UTC(), Fingerprint: print}, nil
}

// openLinkedFile opens a regular file. It refuses pipes and devices, because opening one may block
// or have an effect.
func openLinkedFile(path string) (*os.File, fs.FileInfo, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, nil, errNotRegular
	}
	file, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	st, err := file.Stat()
	if err == nil && !os.SameFile(before, st) {
		err = errNotRegular
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}

	return file, st, nil
}

// fingerprint returns the SHA-256, in hex, of a file's size and of its first and last mebibyte. It
// tells recordings apart without reading them completely.
func fingerprint(file io.ReaderAt, size int64) (string, error) {
	sum := sha256.New()
	sum.Write(binary.BigEndian.AppendUint64(nil, uint64(size)))
	for _, from := range []int64{0, max(0, size-fingerprintEdge)} {
		if _, err := io.Copy(sum, io.NewSectionReader(file, from, fingerprintEdge)); err != nil {
			return "", err
		}
	}

	return hex.EncodeToString(sum.Sum(nil)), nil
}

// State compares the file at the path with the linked file. A file with another modification time
// but the same size and fingerprint is the same file.
func (r LinkedFile) State() string {
	resolved, err := filepath.EvalSymlinks(r.Path)
	if err != nil || resolved != r.Path {
		return LinkedFileMissing
	}
	st, err := os.Lstat(r.Path)
	switch {
	case err != nil || !st.Mode().IsRegular():
		return LinkedFileMissing
	case st.Size() != r.SizeBytes:
		return LinkedFileChanged
	case st.ModTime().Equal(r.ModifiedAt):
		return LinkedFilePresent
	}

	now, err := readLinkedFile(r.Path)
	switch {
	case err != nil:
		return LinkedFileMissing
	case now.SizeBytes != r.SizeBytes || now.Fingerprint != r.Fingerprint:
		return LinkedFileChanged
	}

	return LinkedFilePresent
}

// Check returns an error unless the linked file is present and unchanged. Errors: Conflict
// reference_missing, reference_changed.
func (r LinkedFile) Check() error {
	switch r.State() {
	case LinkedFileMissing:
		return fail(
			Conflict,
			"reference_missing",
			"The recording %s is no longer at %s. Move it back, connect its disk, "+
				"or select its new location in the clip.",
			filepath.Base(r.Path),
			r.Path,
		)
	case LinkedFileChanged:
		return fail(
			Conflict,
			"reference_changed",
			"The file at %s has changed since the clip was added. Restore the original file, "+
				"or select its new location in the clip.",
			r.Path,
		)
	}

	return nil
}

// checkLinkedFiles returns the first error of Check.
func checkLinkedFiles(list []LinkedFile) error {
	for _, r := range list {
		if err := r.Check(); err != nil {
			return err
		}
	}

	return nil
}

// OriginalPath returns the path of a clip's recording. Errors: see LinkedFile.Check.
func (s *Store) OriginalPath(c Clip) (string, error) {
	if c.LinkedFile == nil {
		return s.FilePath(clipKey(c.ClipFileID, fileOriginal)), nil
	}
	return c.LinkedFile.Path, c.LinkedFile.Check()
}

// projectLinkedFiles returns the linked files of a project's ready clips.
func (s *Store) projectLinkedFiles(projectUUID string) (list []LinkedFile, err error) {
	return viewed(s, func(t *txn) (list []LinkedFile, err error) {
		rows, err := clips.List(t, clipsByProject, projectUUID)
		for _, row := range rows {
			if row.LinkedFile != nil && row.Status == ClipReady {
				list = append(list, *row.LinkedFile)
			}
		}

		return list, err
	})
}

// LinkedFiles returns all linked files. It reads all clips, so it is for maintenance only.
func (s *Store) LinkedFiles() (list []LinkedFile, err error) {
	return viewed(s, func(t *txn) ([]LinkedFile, error) { return linkedFiles(t) })
}

// linkedFiles returns all linked files by path, each path once.
func linkedFiles(t *txn) (list []LinkedFile, err error) {
	err = clips.Each(t, func(row *clipRow) error {
		if row.LinkedFile != nil && row.Status != ClipFailed {
			list = append(list, *row.LinkedFile)
		}
		return nil
	})
	slices.SortFunc(list, func(a, b LinkedFile) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(list, func(a, b LinkedFile) bool { return a.Path == b.Path }), err
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }
