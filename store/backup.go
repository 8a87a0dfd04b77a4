package store

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"roughcut/store/pages"
)

// Entries of an archive. They follow in this order: the label, the database, files in media/ and
// models/, and the manifest. An archive without a manifest at its end is incomplete.
const (
	archiveLabel    = "backup.json"
	archiveDatabase = DatabaseFile
	archiveManifest = "manifest.json"
	archiveFormat   = 1
)

// Manifest describes the content of an archive. The label of an archive is its manifest without
// Files.
type Manifest struct {
	Format    int            `json:"format"`
	Version   string         `json:"version"` // of Roughcut
	Schema    uint64         `json:"schema"`  // of the database
	CreatedAt time.Time      `json:"created_at"`
	Bytes     int64          `json:"bytes"`  // of all files in the archive
	Models    []ArchivedFile `json:"models"` // installed speech models, archived or not
	Files     []ArchivedFile `json:"files,omitempty"`
	// References are the linked files, which are not in the archive.
	References []ArchivedFile `json:"references,omitempty"`
}

// ArchivedFile is a file of an archive.
type ArchivedFile struct {
	Path   string `json:"path"` // with slashes, relative to the data directory; absolute for a linked file
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256,omitempty"` // in hex
}

// Backup is a snapshot of the data in a folder under tmp/. It has a copy of the database and a hard
// link to every file, so that files that are deleted later stay available until Close.
type Backup struct {
	Label Manifest
	dir   string
	files []ArchivedFile
}

// OpenBackup takes a consistent snapshot while others read and write. Version is the version of
// Roughcut. Installed models are listed, and archived only with withModels. Errors: StorageFull;
// ErrDamaged when the copy of the database cannot be read.
func (s *Store) OpenBackup(ctx context.Context, version string, withModels bool) (_ *Backup, err error) {
	dir, err := s.TempPath(".backup")
	if err != nil {
		return nil, err
	}
	b := &Backup{
		dir:   dir,
		Label: Manifest{Format: archiveFormat, Version: version, Schema: uint64(len(migrations)), CreatedAt: s.Now()},
	}
	defer func() {
		if err != nil {
			_ = b.Close() // the next start empties tmp/
			err = userError(err)
		}
	}()
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating a folder for the backup: %w", err)
	}
	if b.Label.Models, err = s.archivedModels(); err != nil {
		return nil, err
	}
	if withModels {
		for _, m := range b.Label.Models {
			if err := b.hold(filepath.Join(s.o.Dir, filepath.FromSlash(m.Path)), m); err != nil {
				return nil, err
			}
		}
	}

	if err := s.holdData(ctx, b); err != nil {
		return nil, err
	}
	if err := b.checkCopy(); err != nil {
		return nil, err
	}
	for _, f := range b.files {
		b.Label.Bytes += f.Size
	}
	return b, nil
}

// archivedModels returns the installed speech models.
func (s *Store) archivedModels() ([]ArchivedFile, error) {
	entries, err := os.ReadDir(filepath.Join(s.o.Dir, "models"))
	if err != nil {
		return nil, fmt.Errorf("listing the models: %w", err)
	}
	found := []ArchivedFile{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), ".bin") {
			found = append(found, ArchivedFile{Path: "models/" + e.Name(), Size: info.Size()})
		}
	}

	return found, nil
}

// holdData links every file that the database names, then copies the database from the same read
// transaction. No file is removed before all links exist.
func (s *Store) holdData(ctx context.Context, b *Backup) error {
	return s.guard(func() error {
		tx, err := s.holdFiles(ctx, b)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // a read transaction
		return b.copyDatabase(ctx, tx)
	})
}

// holdFiles links the files, and returns the read transaction that named them.
func (s *Store) holdFiles(ctx context.Context, b *Backup) (_ *bolt.Tx, err error) {
	s.removal.Lock()
	defer s.removal.Unlock()
	tx, err := s.db.Begin(false)
	if err != nil {
		return nil, fmt.Errorf("reading the database: %w", err)
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback() // a read transaction
		}
	}()
	if err := s.CheckFree(tx.Size()); err != nil {
		return nil, err
	}
	t := s.begin(tx)
	err = files.Each(t, func(row *fileRow) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return b.hold(s.FilePath(row.Key), ArchivedFile{Path: "media/" + row.Key, Size: row.Size})
	})
	if err != nil {
		return nil, err
	}
	linked, err := linkedFiles(t)
	for _, r := range linked {
		b.Label.References = append(b.Label.References, ArchivedFile{Path: r.Path, Size: r.SizeBytes})
	}
	return tx, err
}

// copyDatabase copies the database from a read transaction.
func (b *Backup) copyDatabase(ctx context.Context, tx *bolt.Tx) error {
	copied, err := os.OpenFile(filepath.Join(b.dir, archiveDatabase), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("copying the database: %w", err)
	}
	size, err := tx.WriteTo(untilDone{ctx, copied})
	if err = errors.Join(err, copied.Close()); err != nil {
		return fmt.Errorf("copying the database: %w", err)
	}
	b.files = slices.Insert(b.files, 0, ArchivedFile{Path: archiveDatabase, Size: size})
	return nil
}

// hold links a file into the snapshot. An unconfirmed upload may have been replaced since its row
// was written, so the size of the linked file counts.
func (b *Backup) hold(path string, f ArchivedFile) error {
	held := filepath.Join(b.dir, filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(held), 0o700); err != nil {
		return fmt.Errorf("creating a folder for the backup: %w", err)
	}
	err := os.Link(path, held)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf(
			"the file %s is missing, so a backup would be incomplete; run roughcut doctor for details",
			f.Path,
		)
	}

	if err != nil {
		return fmt.Errorf(
			"linking %s for the backup (the disk of the data directory must support hard links): %w",
			f.Path,
			err,
		)
	}

	st, err := os.Stat(held)
	if err != nil {
		return fmt.Errorf("linking %s for the backup: %w", f.Path, err)
	}
	f.Size = st.Size()
	b.files = append(b.files, f)
	return nil
}

// checkCopy reads every page of the database copy, so that damage shows now and not during a
// restore. Errors: ErrDamaged.
func (b *Backup) checkCopy() error {
	copied, err := os.Open(filepath.Join(b.dir, archiveDatabase))
	if err != nil {
		return fmt.Errorf("checking the copy of the database: %w", err)
	}
	defer copied.Close()
	if _, fault := pages.Check(copied); fault != nil {
		return fmt.Errorf("%w (%w)", ErrDamaged, fault)
	}
	return nil
}

// WriteArchive writes the backup as a tar archive. A slow w does not block other users of the
// store.
func (b *Backup) WriteArchive(ctx context.Context, w io.Writer) error {
	out := tar.NewWriter(untilDone{ctx, w})
	if err := b.writeJSON(out, archiveLabel, b.Label); err != nil {
		return err
	}
	manifest := b.Label
	for _, f := range b.files {
		sum, err := b.writeFile(out, f)
		if err != nil {
			return fmt.Errorf("archiving %s: %w", f.Path, err)
		}
		f.SHA256 = sum
		manifest.Files = append(manifest.Files, f)
	}

	if err := b.writeJSON(out, archiveManifest, manifest); err != nil {
		return err
	}
	return out.Close()
}

func (b *Backup) writeJSON(out *tar.Writer, name string, value Manifest) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("archiving %s: %w", name, err)
	}
	if err := out.WriteHeader(b.header(name, int64(len(text)))); err != nil {
		return fmt.Errorf("archiving %s: %w", name, err)
	}
	_, err = out.Write(text)
	return err
}

func (b *Backup) writeFile(out *tar.Writer, f ArchivedFile) (sum string, err error) {
	file, err := os.Open(filepath.Join(b.dir, filepath.FromSlash(f.Path)))
	if err != nil {
		return "", err
	}
	defer file.Close()
	if err := out.WriteHeader(b.header(f.Path, f.Size)); err != nil {
		return "", err
	}
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(out, hash), file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

func (b *Backup) header(name string, size int64) *tar.Header {
	return &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: b.Label.CreatedAt}
}

// Close removes the snapshot.
func (b *Backup) Close() error { return os.RemoveAll(b.dir) }

// untilDone is a writer that fails after ctx has ended.
type untilDone struct {
	ctx context.Context
	w   io.Writer
}

func (u untilDone) Write(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(p)
}
