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
)

// Reference is a recording that stays where it is on this machine. It is read, and never written,
// moved or deleted, whatever becomes of its clip. Who may name a path is for callers to decide:
// whoever may can have any video on this machine read that the program can.
type LinkedFile struct {
	Path        string // absolute, without symbolic links
	SizeBytes   int64
	ModifiedAt  time.Time
	Fingerprint string `json:"Print"` // see filePrint
}

// States of a reference: what lies at its path now.
const (
	LinkedFilePresent = "present"
	LinkedFileMissing = "missing"
	LinkedFileChanged = "changed" // another file, or the same one with other content
)

// printEdge is how many bytes of each end of a file its print is made of.
const printEdge = 1 << 20

// referenceTypes are the content types of recordings by the end of their names, in lower case.
var referenceTypes = map[string]string{
	".mp4":  "video/mp4",
	".mov":  "video/quicktime",
	".m4v":  "video/x-m4v",
	".webm": "video/webm",
	".mkv":  "video/x-matroska",
	".avi":  "video/x-msvideo",
	".mpg":  "video/mpeg",
	".mpeg": "video/mpeg",
	".ts":   "video/mp2t",
	".mts":  "video/mp2t",
	".m2ts": "video/mp2t",
}

// ReferenceClip makes a clip of a recording that stays where it is, and queues its processing. Its
// bytes do not count towards the quota. Errors: Unprocessable unprocessable for a path that names
// no file that can be read, content_type_not_allowed; StorageFull.
func (s *Store) LinkClip(userUUID, projectUUID, path string) (Clip, error) {
	ref, refused := s.newReference(path)
	full := s.CheckFree(0)
	var row *clipRow
	err := s.update(func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		if err := errors.Join(refused, full); err != nil {
			return err
		}
		position, err := t.nextPosition(projectUUID)
		if err != nil {
			return err
		}
		row = &clipRow{
			Clip: Clip{
				UUID:          s.NewID(),
				ClipFileID:    s.NewID(),
				ProjectUUID:   projectUUID,
				UserUUID:      userUUID,
				Position:      position,
				Name:          orText(oneLine(filepath.Base(ref.Path)), "recording"),
				Status:        ClipProcessing,
				Source:        SourceLocal,
				ContentType:   referenceTypes[extension(ref.Path)],
				DeclaredBytes: ref.SizeBytes,
				SizeBytes:     ref.SizeBytes,
				LinkedFile:    &ref,
				CreatedAt:     t.now,
				UpdatedAt:     t.now,
			},
		}
		if err := clips.put(t, row); err != nil {
			return err
		}
		if err := t.enqueue(JobClip, row.UUID, userUUID, projectUUID); err != nil {
			return err
		}
		return t.refresh(project)
	})
	if err != nil {
		return Clip{}, err
	}
	return row.Clip, nil
}

// RelinkClip says where the recording of a clip that is kept by reference lies now. Errors:
// Conflict not_a_reference, reference_mismatch for another recording; Unprocessable as
// ReferenceClip.
func (s *Store) RelinkClip(userUUID, clipUUID, path string) (Clip, error) {
	ref, refused := s.newReference(path)
	var row *clipRow
	err := s.update(func(t *txn) (err error) {
		if row, err = t.ownClip(userUUID, clipUUID); err != nil {
			return err
		}
		if refused != nil {
			return refused
		}
		if row.LinkedFile == nil || row.Status == ClipFailed {
			return fail(
				Conflict,
				"not_a_reference",
				"The recording of this clip is not one that stays where it is. Add it again to use another file.",
			)
		}
		if ref.SizeBytes != row.LinkedFile.SizeBytes || ref.Fingerprint != row.LinkedFile.Fingerprint {
			return fail(
				Conflict,
				"reference_mismatch",
				"The file %s is another recording than the one this clip was made of, so its cuts would not fit. Choose the same file, or add this one as a new clip.",
				filepath.Base(ref.Path),
			)
		}
		row.LinkedFile, row.UpdatedAt = &ref, t.now
		return clips.put(t, row)
	})
	if err != nil {
		return Clip{}, err
	}
	return row.Clip, nil
}

// newReference looks at a file that is to stay where it is.
func (s *Store) newReference(path string) (LinkedFile, error) {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return LinkedFile{}, failField("path", "Give the whole path of the file, from the root on.")
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return LinkedFile{}, unreadable(path, err)
	}
	own, err := filepath.EvalSymlinks(s.o.Dir)
	if err != nil {
		return LinkedFile{}, fmt.Errorf("looking for the data directory: %w", err)
	}
	if inside, err := filepath.Rel(own, resolved); err == nil && filepath.IsLocal(inside) {
		return LinkedFile{}, failField(
			"path",
			"The file lies in Roughcut's own folder, whose files come and go; choose one elsewhere.",
		)
	}
	if referenceTypes[extension(resolved)] == "" {
		e := failField(
			"path",
			"%s is no recording that can be used here; allowed are %s.",
			filepath.Base(resolved),
			allowedExtensions(),
		)
		e.Code = "content_type_not_allowed"
		return LinkedFile{}, e
	}
	ref, err := readReference(resolved)
	if err != nil {
		return LinkedFile{}, unreadable(path, err)
	}
	if ref.SizeBytes == 0 {
		return LinkedFile{}, failField("path", "%s is empty.", filepath.Base(path))
	}
	return ref, nil
}

// unreadable says why a file cannot be used.
func unreadable(path string, err error) error {
	name := filepath.Base(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failField("path", "There is no file %s.", path)
	case errors.Is(err, fs.ErrPermission):
		return failField("path", "%s may not be read by the user that runs Roughcut.", name)
	case errors.Is(err, errNoFile):
		return failField("path", "%s is no ordinary file.", name)
	}
	return failField("path", "%s cannot be read: %v.", name, err)
}

var errNoFile = errors.New("no ordinary file")

// readReference looks at the file at a path without symbolic links.
func readReference(path string) (LinkedFile, error) {
	file, st, err := openReference(path)
	if err != nil {
		return LinkedFile{}, err
	}
	print, err := filePrint(file, st.Size())
	if err = errors.Join(err, file.Close()); err != nil {
		return LinkedFile{}, err
	}
	return LinkedFile{Path: path, SizeBytes: st.Size(), ModifiedAt: st.ModTime().UTC(), Fingerprint: print}, nil
}

// openReference opens the ordinary file at a path; opening a pipe or device could wait or do
// something.
func openReference(path string) (*os.File, fs.FileInfo, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, nil, errNoFile
	}
	file, err := os.OpenFile(path, os.O_RDONLY|openAtOnce, 0)
	if err != nil {
		return nil, nil, err
	}
	st, err := file.Stat()
	if err == nil && !os.SameFile(before, st) {
		err = errNoFile
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, st, nil
}

// filePrint is the SHA-256 of a file's size and of its first and last mebibyte, in hex: it tells
// recordings apart without reading them whole.
func filePrint(file io.ReaderAt, size int64) (string, error) {
	sum := sha256.New()
	sum.Write(binary.BigEndian.AppendUint64(nil, uint64(size)))
	for _, from := range []int64{0, max(0, size-printEdge)} {
		if _, err := io.Copy(sum, io.NewSectionReader(file, from, printEdge)); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// State says what lies at the path now. A file with another time of change but the same size and
// print is the same.
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
	now, err := readReference(r.Path)
	switch {
	case err != nil:
		return LinkedFileMissing
	case now.SizeBytes != r.SizeBytes || now.Fingerprint != r.Fingerprint:
		return LinkedFileChanged
	}
	return LinkedFilePresent
}

// Check returns an error unless the recording is where it was, as it was. Errors: Conflict
// reference_missing, reference_changed.
func (r LinkedFile) Check() error {
	switch r.State() {
	case LinkedFileMissing:
		return fail(
			Conflict,
			"reference_missing",
			"The recording %s is no longer at %s. Put it back, connect the disk that it is on, or say on its clip where it is now. Your cuts are safe.",
			filepath.Base(r.Path),
			r.Path,
		)
	case LinkedFileChanged:
		return fail(
			Conflict,
			"reference_changed",
			"The file at %s is not the one that the clip was made of. Put that one back, or say on its clip where it is now. Your cuts are safe.",
			r.Path,
		)
	}
	return nil
}

// checkReferences returns the error of the first of some references that does not hold.
func checkReferences(list []LinkedFile) error {
	for _, r := range list {
		if err := r.Check(); err != nil {
			return err
		}
	}
	return nil
}

// OriginalPath is where the recording of a clip lies. Errors: those of Reference.Check.
func (s *Store) OriginalPath(c Clip) (string, error) {
	if c.LinkedFile == nil {
		return s.FilePath(clipKey(c.ClipFileID, fileOriginal)), nil
	}
	return c.LinkedFile.Path, c.LinkedFile.Check()
}

// projectReferences returns the recordings of a project's ready clips that stay where they are.
func (s *Store) projectReferences(projectUUID string) (list []LinkedFile, err error) {
	err = s.view(func(t *txn) error {
		rows, err := clips.list(t, clipsByProject, projectUUID)
		for _, row := range rows {
			if row.LinkedFile != nil && row.Status == ClipReady {
				list = append(list, *row.LinkedFile)
			}
		}
		return err
	})
	return list, err
}

// References returns every recording that stays where it is. It reads all clips, so it is for
// maintenance.
func (s *Store) LinkedFiles() (list []LinkedFile, err error) {
	err = s.view(func(t *txn) (err error) {
		list, err = references(t)
		return err
	})
	return list, err
}

// references returns the recordings that stay where they are, each path once.
func references(t *txn) (list []LinkedFile, err error) {
	err = clips.all(t, func(row *clipRow) error {
		if row.LinkedFile != nil && row.Status != ClipFailed {
			list = append(list, *row.LinkedFile)
		}
		return nil
	})
	slices.SortFunc(list, func(a, b LinkedFile) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(list, func(a, b LinkedFile) bool { return a.Path == b.Path }), err
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

func allowedExtensions() string {
	var list []string
	for e := range referenceTypes {
		list = append(list, e)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
