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
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"roughcut/store/account"
)

// ErrBadArchive says that a file is not a complete backup.
var ErrBadArchive = errors.New("the file is not a complete Roughcut backup; try another backup")

// restoring is the folder inside the data directory that a restore fills. Its parts move out after
// all checks, the database last. A data directory with this folder but without a database is
// therefore an unfinished restore.
const restoring = "restoring"

// maxManifestBytes limits what a restore reads into memory.
const maxManifestBytes = 256 << 20

// Restore extracts an archive of size bytes into o.Dir, which must be missing, empty, or left by an
// interrupted restore. It checks all checksums and invariants before the data counts. After an
// error the directory is empty.
//
// All sessions, links in mails and signed addresses become invalid, so users must sign in again.
// Personal access tokens stay valid. Restore calls report with the number of archive bytes that it
// has read.
//
// Errors: ErrBadArchive, ErrNewer, ErrDamaged with the broken invariants, ErrInUse; StorageFull.
func Restore(
	ctx context.Context,
	archive io.Reader,
	size int64,
	o Options,
	report func(read int64),
) (m Manifest, err error) {
	o = o.withDefaults()
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return m, fmt.Errorf("restoring: %w", err)
	}
	_, missing := os.Stat(o.Dir)
	if err := makeDir(o.Dir); err != nil {
		return m, fmt.Errorf("creating the data directory: %w", userError(err))
	}
	lock := flock.New(filepath.Join(o.Dir, lockFile))
	if ok, err := lock.TryLock(); err != nil {
		return m, fmt.Errorf("locking the data directory: %w", err)
	} else if !ok {
		return m, ErrInUse
	}

	defer func() {
		if err == nil {
			err = lock.Close()
			return
		}

		err = errors.Join(userError(err), lock.Close())
		if missing != nil {
			_ = os.Remove(filepath.Join(o.Dir, lockFile))
			_ = os.Remove(o.Dir) // fails when the folder is not empty
		}
	}()
	if err := clearUnfinished(o.Dir); err != nil {
		return m, err
	}
	part := o
	part.Dir = filepath.Join(o.Dir, restoring)
	defer func() { err = errors.Join(err, os.RemoveAll(part.Dir)) }()
	r := &restore{
		ctx:     ctx,
		dir:     part.Dir,
		size:    size,
		minFree: o.MinFreeBytes,
		report:  report,
		found:   map[string]ArchivedFile{},
	}
	if err := r.extract(archive); err != nil {
		return m, err
	}
	if err := syncDirs(part.Dir); err != nil {
		return m, err
	}
	if err := settleRestored(ctx, part); err != nil {
		return m, err
	}
	return r.label, moveOut(o.Dir)
}

// clearUnfinished removes what an interrupted restore left, and refuses a directory with other
// content. Errors: Conflict.
func clearUnfinished(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("reading the data directory: %w", err)
	}
	// a refused start also creates folders
	parts := []string{"media", "models", "index", "outbox", "tmp", "uploads", "chunks", restoring}
	held := map[string]bool{}
	for _, e := range entries {
		held[e.Name()] = true
	}
	for name := range held {
		partOfRestore := held[restoring] && !held[archiveDatabase] && slices.Contains(parts, name)
		if !partOfRestore && name != lockFile && name != "lost+found" {
			return conflict(
				"The directory %s is not empty: it contains %s. "+
					"Restore into an empty or missing directory. Nothing was changed.",
				dir,
				name,
			)
		}
	}

	for _, name := range parts { // the marker folder goes last
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("removing an unfinished restore: %w", err)
		}
	}

	return nil
}

// restore extracts one archive.
type restore struct {
	ctx     context.Context
	dir     string
	root    *os.Root // dir, so that no entry can write outside
	size    int64    // of the archive
	minFree int64
	read    int64
	report  func(int64)
	label   Manifest
	found   map[string]ArchivedFile
}

// countingReader counts the bytes of the archive that were read.
type countingReader struct {
	r    *restore
	from io.Reader
}

func (c countingReader) Read(p []byte) (int, error) {
	if err := c.r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.from.Read(p)
	c.r.read += int64(n)
	c.r.report(c.r.read)
	return n, err
}

// extract writes the files of the archive and compares them with its manifest.
func (r *restore) extract(archive io.Reader) (err error) {
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		return fmt.Errorf("creating the data directory: %w", err)
	}
	if r.root, err = os.OpenRoot(r.dir); err != nil {
		return fmt.Errorf("opening the data directory: %w", err)
	}
	defer func() { _ = r.root.Close() }() // each file was flushed
	in := tar.NewReader(countingReader{r, archive})
	if err := r.readLabel(in); err != nil {
		return err
	}
	for {
		header, err := in.Next()
		if err != nil {
			return r.bad(err, "the end is missing")
		}
		if err := r.checkEntry(header); err != nil {
			return err
		}
		if header.Name == archiveManifest {
			return r.checkManifest(in, header)
		}
		if err := r.extractFile(in, header); err != nil {
			return err
		}
	}
}

// bad wraps a problem of the archive in ErrBadArchive. It returns disk errors and cancellations
// unchanged.
func (r *restore) bad(cause error, what string) error {
	var path *os.PathError
	if r.ctx.Err() != nil || errors.As(cause, &path) {
		return cause
	}
	if cause == nil {
		return fmt.Errorf("%w (%s)", ErrBadArchive, what)
	}
	return fmt.Errorf("%w (%s: %w)", ErrBadArchive, what, cause)
}

// readLabel reads the first entry. It refuses an archive that cannot be restored before anything is
// written.
func (r *restore) readLabel(in *tar.Reader) error {
	header, err := in.Next()
	if err != nil || header.Name != archiveLabel || header.Typeflag != tar.TypeReg || header.Size > maxManifestBytes {
		return r.bad(err, "the label is missing")
	}
	if err := json.NewDecoder(io.LimitReader(in, maxManifestBytes)).Decode(&r.label); err != nil {
		return r.bad(err, "the label cannot be read")
	}
	if r.label.Format > archiveFormat || r.label.Schema > uint64(len(migrations)) {
		return fmt.Errorf("%w (the backup was made by roughcut %s)", ErrNewer, r.label.Version)
	}
	if r.label.Bytes < 0 || r.label.Bytes > r.size {
		return r.bad(nil, fmt.Sprintf("it has %d bytes but needs more than %d", r.size, r.label.Bytes))
	}
	free, err := FreeBytes(r.dir)
	if err != nil {
		return fmt.Errorf("reading the free space of %s: %w", r.dir, err)
	}
	if free-r.label.Bytes < r.minFree {
		return storageFull()
	}
	return nil
}

// checkEntry refuses entries that no backup has: links, devices, names outside the data directory,
// impossible sizes.
func (r *restore) checkEntry(header *tar.Header) error {
	name := header.Name
	known := name == archiveDatabase || name == archiveManifest || strings.HasPrefix(name, "media/") ||
		(strings.HasPrefix(name, "models/") && strings.HasSuffix(name, ".bin"))
	_, twice := r.found[name]
	switch {
	case !known,
		header.Typeflag != tar.TypeReg,
		path.Clean(name) != name,
		strings.ContainsAny(name, "\\\x00"),
		!filepath.IsLocal(filepath.FromSlash(name)):
		return r.bad(nil, fmt.Sprintf("it contains %q, which is not part of a backup", name))
	case twice:
		return r.bad(nil, fmt.Sprintf("it contains %s twice", name))
	case header.Size < 0, header.Size > r.size-r.read:
		return r.bad(nil, fmt.Sprintf("%s is larger than the rest of the file", name))
	}

	return nil
}

func (r *restore) extractFile(in io.Reader, header *tar.Header) (err error) {
	name := filepath.FromSlash(header.Name)
	if err := r.root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return r.bad(err, header.Name)
	}
	file, err := r.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return r.bad(err, header.Name)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(file, hash), in)
	if err != nil {
		return r.bad(err, header.Name+" is truncated")
	}
	r.found[header.Name] = ArchivedFile{Path: header.Name, Size: n, SHA256: hex.EncodeToString(hash.Sum(nil))}
	return file.Sync()
}

// checkManifest compares the extracted files with the manifest.
func (r *restore) checkManifest(in io.Reader, header *tar.Header) error {
	var manifest Manifest
	if header.Size > maxManifestBytes {
		return r.bad(nil, "the manifest is too large")
	}
	if err := json.NewDecoder(in).Decode(&manifest); err != nil {
		return r.bad(err, "the manifest cannot be read")
	}
	if len(manifest.Files) != len(r.found) {
		return r.bad(nil, fmt.Sprintf("it contains %d of %d files", len(r.found), len(manifest.Files)))
	}
	for _, want := range manifest.Files {
		if got, ok := r.found[want.Path]; !ok || got != want {
			return r.bad(nil, want.Path+" differs from the manifest")
		}
	}

	if _, ok := r.found[archiveDatabase]; !ok {
		return r.bad(nil, "the database is missing")
	}
	return nil
}

// settleRestored opens the restored data like a normal start, ends all sessions, and checks every
// invariant. Errors: ErrDamaged.
func settleRestored(ctx context.Context, o Options) error {
	s, err := Open(ctx, o)
	if err != nil {
		return err
	}
	err = s.update(func(t *txn) error {
		var all []string
		err := t.registry().EachUser(func(u account.User) error { all = append(all, u.UUID); return nil })
		if err != nil {
			return err
		}
		for _, uuid := range all {
			if _, err := t.registry().EndSessions(uuid); err != nil {
				return err
			}
		}

		return nil
	})
	var found []Finding
	if err == nil {
		found, err = s.Check(ctx)
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	for _, f := range found {
		err = errors.Join(err, fmt.Errorf("%s: %s", f.Code, f.Message))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

// syncDirs makes the renames and new files in a folder and its subfolders durable.
func syncDirs(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return syncDir(path)
	})
}

// moveOut moves the checked data into the data directory.
func moveOut(dir string) error {
	for _, name := range []string{"media", "models", archiveDatabase} {
		if err := os.Rename(filepath.Join(dir, restoring, name), filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("moving the restored %s in: %w", name, err)
		}
		if err := syncDir(dir); err != nil {
			return err
		}
	}

	return nil
}
