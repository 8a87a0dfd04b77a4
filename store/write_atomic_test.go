package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A killed process leaves its temporary file, which the next write of the same file removes. Files
// that a process still writes, and those of others, stay.
func TestWriteFileAtomicRemovesTheFilesOfKilledProcesses(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "backup.tar")
	for _, name := range []string{
		".backup.tar.1234.part", ".backup.tar.x.part", ".other.tar.1234.part", "backup.tar.1234.part",
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o600))
	}
	text := func(what string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, what)
			return err
		}
	}
	must(t, WriteFileAtomic(target, func(w io.Writer) error {
		return errors.Join(text("first")(w), WriteFileAtomic(target, text("second")))
	}))
	var names []string
	for _, e := range get(os.ReadDir(dir))(t) {
		names = append(names, e.Name())
	}
	want := []string{".backup.tar.x.part", ".other.tar.1234.part", "backup.tar", "backup.tar.1234.part"}
	if got := string(get(os.ReadFile(target))(t)); got != "first" || !slices.Equal(names, want) {
		t.Errorf("%q in %v, want the later write in %v", got, names, want)
	}
}
