package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// asWriter is the environment variable that makes the test binary claim a file, say so, and wait.
const asWriter = "ROUGHCUT_TEST_CLAIM"

func TestMain(m *testing.M) {
	if path := os.Getenv(asWriter); path != "" {
		f, err := Claim(path, Options{})
		fmt.Println(err)
		_, _ = io.ReadAll(os.Stdin)
		if err == nil {
			f.Close()
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// text writes a text.
func text(what string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, what)
		return err
	}
}

// holds fails the test unless the file at path has the content and its folder holds only that file
// and the others.
func holds(t *testing.T, path, content string, others ...string) {
	t.Helper()
	got, err := os.ReadFile(path)
	must(t, err)
	if string(got) != content {
		t.Errorf("%s holds %q, want %q", path, got, content)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := append(others, filepath.Base(path))
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("the folder holds %q, want %q", names, want)
	}
}

// Of many writers of one file, one writes at a time and the others fail at once.
func TestOnlyOneWriterClaimsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.mp4")
	for _, replace := range []bool{false, true} {
		var done, inside atomic.Int32
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				err := Write(path, Options{Replace: replace}, func(w io.Writer) error {
					if inside.Add(1) != 1 {
						t.Error("two writers claim the file")
					}
					defer inside.Add(-1)
					return text("whole")(w)
				})
				switch {
				case err == nil:
					done.Add(1)
				case !errors.Is(err, ErrBusy) && (replace || !errors.Is(err, ErrExists)):
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := done.Load(); n < 1 || (!replace && n != 1) {
			t.Errorf("replace %v: %d writers succeeded", replace, n)
		}
		holds(t, path, "whole")
	}
}

// A claim of another process ends when that process is killed. The next claim removes its file.
func TestClaimEndsWithItsProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.mp4")
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), asWriter+"="+path)
	said, err := other.StdoutPipe()
	must(t, err)
	hold, err := other.StdinPipe()
	must(t, err)
	defer hold.Close()
	must(t, other.Start())
	line := make([]byte, len("<nil>"))
	_, err = io.ReadFull(said, line)
	must(t, err)
	if string(line) != "<nil>" {
		t.Fatalf("the other process says %q", line)
	}
	if _, err := Claim(path, Options{Replace: true}); !errors.Is(err, ErrBusy) {
		t.Errorf("a file of another process: %v", err)
	}
	must(t, other.Process.Kill())
	_ = other.Wait() // says that it was killed
	must(t, Write(path, Options{}, text("mine")))
	holds(t, path, "mine")
}

// A claim removes the temporary files of its file only.
func TestClaimRemovesStaleFiles(t *testing.T) {
	dir := t.TempDir()
	others := []string{".p.mp4.x.part", ".q.mp4.1234.part", "p.mp4.1234.part"}
	for _, name := range append(others, ".p.mp4.1234.part", ".p.mp4.lock") {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o600))
	}
	must(t, Write(filepath.Join(dir, "p.mp4"), Options{}, text("whole")))
	holds(t, filepath.Join(dir, "p.mp4"), "whole", others...)
}

// A failed write leaves the existing file, and no other.
func TestFailedWriteChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.mp4")
	must(t, os.WriteFile(path, []byte("mine"), 0o600))
	if err := Write(path, Options{}, text("new")); !errors.Is(err, ErrExists) {
		t.Errorf("an existing file: %v", err)
	}
	full := errors.New("full")
	if err := Write(path, Options{Replace: true}, func(w io.Writer) error {
		return errors.Join(text("half")(w), full)
	}); !errors.Is(err, full) {
		t.Errorf("a failed write: %v", err)
	}
	holds(t, path, "mine")
}

// A file that another program creates after the claim is not replaced.
func TestCommitReplacesNoNewFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.mp4")
	err := Write(path, Options{}, func(w io.Writer) error {
		return errors.Join(text("new")(w), os.WriteFile(path, []byte("mine"), 0o600))
	})
	if !errors.Is(err, ErrExists) {
		t.Errorf("got %v", err)
	}
	holds(t, path, "mine")
}

func TestClaimRefusesOtherThanRegularFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "folder")
	must(t, os.Mkdir(dir, 0o700))
	if _, err := Claim(dir, Options{Replace: true}); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Claim(filepath.Join(dir, "none", "p.mp4"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
}

// A new file has the mode of any new file, a replaced one keeps its mode, and a private file has
// its own.
func TestModes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p.mp4")
	mode := func(path string) fs.FileMode {
		info, err := os.Stat(path)
		must(t, err)
		return info.Mode().Perm()
	}
	plain := filepath.Join(dir, "plain")
	file, err := os.Create(plain)
	must(t, errors.Join(err, file.Close()))
	must(t, Write(path, Options{}, text("a")))
	if got := mode(path); got != mode(plain) {
		t.Errorf("a new file has mode %v, want %v", got, mode(plain))
	}
	must(t, os.Chmod(path, 0o640))
	kept := mode(path)
	must(t, Write(path, Options{Replace: true}, func(io.Writer) error { return nil }))
	if got := mode(path); got != kept {
		t.Errorf("a replaced file has mode %v, want %v", got, kept)
	}
	must(t, os.Chmod(plain, 0o600))
	must(t, Write(path, Options{Replace: true, Mode: 0o600}, text("b")))
	if got := mode(path); got != mode(plain) {
		t.Errorf("a private file has mode %v, want %v", got, mode(plain))
	}
}

// A folder is writable if a file can be created in it; the check leaves nothing there.
func TestWritable(t *testing.T) {
	dir := t.TempDir()
	if !Writable(dir) {
		t.Error("files cannot be created in an empty folder")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("the test left %v, %v", entries, err)
	}
	if Writable(filepath.Join(dir, "missing")) {
		t.Error("files can be created in a missing folder")
	}
	if os.Geteuid() != 0 { // root ignores modes
		must(t, os.Chmod(dir, 0o500))
		if Writable(dir) {
			t.Error("files can be created in a read-only folder")
		}
	}
}

// Names as long as a file system accepts them can be written.
func TestLongNames(t *testing.T) {
	for _, name := range []string{strings.Repeat("é", 127), strings.Repeat("a", 255)} {
		path := filepath.Join(t.TempDir(), name)
		must(t, Write(path, Options{}, text("whole")))
		holds(t, path, "whole")
	}

	dir, stem := t.TempDir(), strings.Repeat("a", 251)
	for _, name := range []string{stem + ".mp4", stem + ".srt"} {
		claim, err := Claim(filepath.Join(dir, name), Options{})
		must(t, err) // also while a file is claimed whose name begins alike
		defer claim.Close()
	}
}

func TestSame(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.WriteFile(in("talk.mp4"), []byte("a"), 0o600))
	must(t, os.WriteFile(in("other.mp4"), []byte("a"), 0o600))
	must(t, os.Mkdir(in("folder"), 0o700))
	must(t, os.Link(in("talk.mp4"), in("hard.mp4")))
	_, caseErr := os.Stat(in("TALK.mp4"))
	for b, want := range map[string]bool{
		in("talk.mp4"):                          true,
		dir + "/folder/../talk.mp4":             true,
		dir + "//./talk.mp4":                    true,
		in("hard.mp4"):                          true,
		in("other.mp4"):                         false,
		in("missing.mp4"):                       false,
		in("folder/talk.mp4"):                   false,
		in("TALK.mp4"):                          caseErr == nil, // depends on the file system
		filepath.Join(t.TempDir(), "talk.mp4"):  false,
		filepath.Join(dir, "missing/talk.mp4"):  false,
		filepath.Join(dir, "folder", "..", "x"): false,
	} {
		if got := Same(in("talk.mp4"), b); got != want {
			t.Errorf("Same(talk.mp4, %s) = %v", b, got)
		}
	}
	if os.Symlink(dir, in("link")) == nil {
		must(t, os.Symlink(in("talk.mp4"), in("soft.mp4")))
		if !Same(in("soft.mp4"), in("talk.mp4")) || !Same(in("link/talk.mp4"), in("talk.mp4")) {
			t.Error("symbolic links hide a file")
		}
		must(t, os.Symlink(in("folder"), in("sub")))
		if !Same(dir+"/sub/../new.mp4", in("new.mp4")) {
			t.Error("a folder above a symbolic link hides a file")
		}
		must(t, Write(dir+"/sub/../up.mp4", Options{}, text("whole")))
		if !Same(dir+"/sub/../up.mp4", in("up.mp4")) {
			t.Error("a file above a symbolic link was written elsewhere")
		}
		if !Same(in("link/New.mp4"), in("new.mp4")) {
			t.Error("two new files that may be one count as different")
		}
	}
}
