package store

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"roughcut/store/account"
)

func (w *world) backup(models bool) []byte {
	w.t.Helper()
	b := get(w.OpenBackup(context.Background(), "test", models))(w.t)
	defer func() { must(w.t, b.Close()) }()
	var out bytes.Buffer
	must(w.t, b.WriteArchive(context.Background(), &out))
	return out.Bytes()
}

func restoreInto(dir string, archive []byte) (Manifest, error) {
	o := Options{Dir: dir, MinFreeBytes: 1, Log: slog.New(slog.DiscardHandler)}
	return Restore(context.Background(), bytes.NewReader(archive), int64(len(archive)), o, func(int64) {})
}

// A backup that is taken while files are added and removed has every file that its database names,
// and everything that was acknowledged before.
func TestBackupDuringChangesIsConsistent(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode, func(o *Options) { o.Now = time.Now })
	u := w.user("ada")
	ctx, cancel := context.WithCancel(context.Background())
	var busy sync.WaitGroup
	defer func() { cancel(); busy.Wait() }()
	for range 3 {
		v := &killed{s: w.Store, random: rand.New(rand.NewPCG(1, 2)), out: json.NewEncoder(io.Discard), user: u.UUID}
		busy.Go(func() {
			for ctx.Err() == nil {
				var e *Error
				if err := v.step(); err != nil && !errors.As(err, &e) && !errors.Is(err, ErrStaleJob) {
					t.Error(err)
					return
				}
			}
		})
	}
	files := 0
	for i := range 25 {
		p := get(w.CreateProject(u.UUID, fmt.Sprint("before ", i), nil))(t)
		b := get(w.OpenBackup(ctx, "test", false))(t)
		if i%5 > 0 {
			must(t, b.Close())
			continue
		}
		var archive bytes.Buffer
		must(t, b.WriteArchive(ctx, &archive))
		must(t, b.Close())
		dir := t.TempDir()
		m := get(restoreInto(dir, archive.Bytes()))(t)
		files += len(b.files)
		if m.Version != "test" || m.Bytes == 0 {
			t.Errorf("label %+v", m)
		}
		again := open(t, ownerMode, func(o *Options) { o.Dir = dir })
		get(again.Project(u.UUID, p.UUID))(t)
		again.clean()
	}
	if files < 50 {
		t.Errorf("only %d files were backed up", files)
	}
	if left := w.filesUnder("tmp"); strings.Contains(strings.Join(left, " "), ".backup") {
		t.Errorf("left in tmp: %v", left)
	}
}

// A restore ends all sessions. Accounts, personal access tokens, shorts and speech models stay.
func TestRestoreEndsSessions(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	must(t, w.CreateSession(account.Session{Hash: "s", UserUUID: u.UUID, ExpiresAt: w.Now().Add(time.Hour)}, u.Epoch))
	get(w.CreateAccessToken(account.AccessToken{UserUUID: u.UUID, Name: "script", Hash: "hash"}, u.Epoch))(t)
	must(t, os.WriteFile(filepath.Join(w.opts.Dir, "models", "ggml-x.bin"), []byte("model"), 0o600))
	p := w.project(u)
	w.ready(p, 1000)
	w.short(p, "short", 0, 1)
	for _, models := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "new", "data")
		m := get(restoreInto(dir, w.backup(models)))(t)
		if len(m.Models) != 1 || m.Models[0] != (ArchivedFile{Path: "models/ggml-x.bin", Size: 5}) {
			t.Errorf("models %+v", m.Models)
		}
		if _, err := os.Stat(filepath.Join(dir, "models", "ggml-x.bin")); (err == nil) != models {
			t.Errorf("the model with models=%t: %v", models, err)
		}
		again := open(t, func(o *Options) { o.Dir = dir })
		if _, _, err := again.Session("s", time.Hour); !IsKind(err, NotFound) {
			t.Errorf("the session: %v", err)
		}
		if now := get(again.User(u.UUID))(t); now.Epoch != u.Epoch+1 || now.PasswordHash != "hash" {
			t.Errorf("account %+v", now)
		}
		equal(t, "shorts", again.times(p), []string{"short 0-1"})
		if tokens := get(again.AccessTokens(u.UUID))(t); len(tokens) != 1 {
			t.Errorf("tokens %v", tokens)
		}
		again.clean()
	}
}

// entry is an entry of an archive.
type entry struct {
	header tar.Header
	body   string
}

func unpack(t *testing.T, archive []byte) (entries []entry) {
	t.Helper()
	for in := tar.NewReader(bytes.NewReader(archive)); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		must(t, err)
		entries = append(entries, entry{*header, string(get(io.ReadAll(in))(t))})
	}
}

func pack(t *testing.T, entries []entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		e.header.Size = int64(len(e.body))
		must(t, w.WriteHeader(&e.header))
		get(io.WriteString(w, e.body))(t)
	}
	must(t, w.Close())
	return out.Bytes()
}

// A restore refuses a file that is not a complete backup. It writes nothing outside the directory
// and leaves the directory unchanged.
func TestRestoreRefusesBadArchives(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	clip := w.ready(p, 3000)
	good := w.backup(false)
	original := "media/" + clipKey(clip.ClipFileID, fileOriginal)
	change := func(fn func([]entry) []entry) []byte { return pack(t, fn(unpack(t, good))) }
	add := func(e entry) []byte {
		return change(func(all []entry) []entry { return append([]entry{all[0], e}, all[1:]...) })
	}
	flip := func(name string, at int) []byte {
		return change(func(all []entry) []entry {
			for i := range all {
				if all[i].header.Name == name {
					body := []byte(all[i].body)
					body[at] ^= 1
					all[i].body = string(body)
				}
			}
			return all
		})
	}
	for _, c := range []struct {
		name    string
		archive []byte
		want    error
	}{
		{"nothing", nil, ErrBadArchive},
		{"no archive", bytes.Repeat([]byte("not a backup "), 1000), ErrBadArchive},
		{"cut off", good[:len(good)/2], ErrBadArchive},
		{"cut off before its manifest", good[:bytes.LastIndex(good, []byte(archiveManifest))], ErrBadArchive},
		{"a changed recording", flip(original, 100), ErrBadArchive},
		{"a changed database", flip(archiveDatabase, 8192), ErrBadArchive},
		{"a missing file", change(func(all []entry) []entry { return append(all[:2], all[3:]...) }), ErrBadArchive},
		{
			"an added file",
			add(entry{tar.Header{Name: "media/clips/x/original", Typeflag: tar.TypeReg}, "x"}),
			ErrBadArchive,
		},
		{
			"a way out",
			add(entry{tar.Header{Name: "media/../../../escaped", Typeflag: tar.TypeReg}, "x"}),
			ErrBadArchive,
		},
		{"an absolute path", add(entry{tar.Header{Name: "/media/escaped", Typeflag: tar.TypeReg}, "x"}), ErrBadArchive},
		{"a backslash", add(entry{tar.Header{Name: `media\..\..\escaped`, Typeflag: tar.TypeReg}, "x"}), ErrBadArchive},
		{
			"a link",
			add(entry{tar.Header{Name: "media/clips", Typeflag: tar.TypeSymlink, Linkname: ".."}, ""}),
			ErrBadArchive,
		},
		{
			"a hard link",
			add(entry{tar.Header{Name: "media/x", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}, ""}),
			ErrBadArchive,
		},
		{"a device", add(entry{tar.Header{Name: "media/x", Typeflag: tar.TypeChar}, ""}), ErrBadArchive},
		{"a file twice", change(func(all []entry) []entry { return append(all[:2:2], all[1:]...) }), ErrBadArchive},
		{"the lock", add(entry{tar.Header{Name: lockFile, Typeflag: tar.TypeReg}, "x"}), ErrBadArchive},
		{"a size that cannot be", hugeEntry(t), ErrBadArchive},
		{"a newer schema", change(func(all []entry) []entry {
			all[0].body = strings.Replace(all[0].body, fmt.Sprintf(`"schema":%d`, len(migrations)), `"schema":99`, 1)
			return all
		}), ErrNewer},
		{"a newer format", change(func(all []entry) []entry {
			all[0].body = strings.Replace(all[0].body, `"format":1`, `"format":2`, 1)
			return all
		}), ErrNewer},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			missing, empty := filepath.Join(root, "a", "missing"), filepath.Join(root, "empty")
			must(t, os.Mkdir(empty, 0o700))
			for _, dir := range []string{missing, empty} {
				if _, err := restoreInto(dir, c.archive); !errors.Is(err, c.want) {
					t.Errorf("got %v", err)
				}
			}
			if _, err := os.Stat(missing); !os.IsNotExist(err) {
				t.Errorf("the directory exists after a refused restore: %v", err)
			}
			for _, left := range get(os.ReadDir(empty))(t) {
				if left.Name() != lockFile {
					t.Errorf("left behind: %s", left.Name())
				}
			}
			if escaped, _ := filepath.Glob(filepath.Join(root, "*escaped")); escaped != nil {
				t.Errorf("outside: %v", escaped)
			}
			get(restoreInto(empty, good))(t) // a refused archive does not block the next restore
		})
	}
}

// hugeEntry returns an archive whose first file claims to have a terabyte.
func hugeEntry(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	label := `{"format":1,"schema":1,"bytes":1}`
	must(t, w.WriteHeader(&tar.Header{Name: archiveLabel, Typeflag: tar.TypeReg, Size: int64(len(label))}))
	get(io.WriteString(w, label))(t)
	must(t, w.WriteHeader(&tar.Header{Name: "media/huge", Typeflag: tar.TypeReg, Size: 1 << 40}))
	return append(out.Bytes(), make([]byte, 10<<10)...)
}

// A restore refuses a backup whose data breaks an invariant.
func TestRestoreChecksInvariants(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	w.ready(w.project(u), 1000)
	must(t, w.update(func(t *txn) error { return t.registry().AddStorage(u.UUID, 7, 0) }))
	dir := t.TempDir()
	if _, err := restoreInto(dir, w.backup(false)); !errors.Is(err, ErrDamaged) ||
		!strings.Contains(err.Error(), "storage_count") {
		t.Errorf("got %v", err)
	}
}

// A restore refuses a directory with content and leaves it unchanged. It replaces the result of an
// interrupted restore, and no server opens that as an empty directory.
func TestRestoreRefusesDirectoriesWithContent(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	w.ready(w.project(u), 1000)
	good := w.backup(false)
	full := t.TempDir()
	must(t, os.WriteFile(filepath.Join(full, "notes.txt"), []byte("mine"), 0o600))
	_, err := restoreInto(full, good)
	wantCode(t, err, Conflict, "conflict")
	if text, err := os.ReadFile(filepath.Join(full, "notes.txt")); err != nil || string(text) != "mine" {
		t.Errorf("the existing file: %q, %v", text, err)
	}
	must(t, w.Close())
	_, err = restoreInto(w.opts.Dir, good)
	wantCode(t, err, Conflict, "conflict")
	w.start()
	w.clean()
	for _, crash := range []func(dir string) error{
		func(dir string) error {
			return os.MkdirAll(filepath.Join(dir, restoring, "media", "clips", "x"), 0o700)
		},
		func(dir string) error { // between two of the last steps
			return errors.Join(
				os.MkdirAll(filepath.Join(dir, restoring), 0o700),
				os.MkdirAll(filepath.Join(dir, "media", "clips", "y"), 0o700),
			)
		},
	} {
		dir := t.TempDir()
		must(t, crash(dir))
		if _, err := Open(context.Background(), Options{Dir: dir}); !errors.Is(err, ErrDamaged) ||
			!strings.Contains(err.Error(), "restore") {
			t.Errorf("opening an unfinished restore: %v", err)
		}
		get(restoreInto(dir, good))(t)
		again := open(t, func(o *Options) { o.Dir = dir })
		get(again.User(u.UUID))(t)
		again.clean()
		if _, err := os.Stat(filepath.Join(dir, restoring)); !os.IsNotExist(err) {
			t.Errorf("the folder of the restore: %v", err)
		}
	}
}

// A backup of a damaged database fails when it is made, not when it is needed.
func TestBackupOfADamagedDatabaseFails(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	clip := w.ready(p, 1000)
	must(t, os.Remove(w.FilePath(clipKey(clip.ClipFileID, fileOriginal))))
	if _, err := w.OpenBackup(context.Background(), "test", false); err == nil ||
		!strings.Contains(err.Error(), "doctor") {
		t.Errorf("got %v", err)
	}
	if left := w.filesUnder("tmp"); len(left) > 0 {
		t.Errorf("left in tmp: %v", left)
	}
}
