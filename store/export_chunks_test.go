package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// What the engine keeps of a recording goes with the recording, also where it was written while the
// clip was being deleted.
func TestKeptChunksGoWithTheirFootage(t *testing.T) {
	w := open(t)
	user := w.user("ada")
	clip := w.ready(w.project(user), 10_000)
	chunk := func() string { return filepath.Join(w.ChunkDir(), clip.ClipFileID, "piece.chunk") }
	keep := func() {
		t.Helper()
		if err := errors.Join(
			os.MkdirAll(filepath.Dir(chunk()), 0o700),
			os.WriteFile(chunk(), []byte("piece"), 0o600),
		); err != nil {
			t.Fatal(err)
		}
	}
	gone := func() bool {
		_, err := os.Stat(filepath.Dir(chunk()))
		return errors.Is(err, fs.ErrNotExist)
	}
	keep()
	if _, err := w.ExpireExports(); err != nil || gone() {
		t.Fatalf("chunks of footage that is there: %v", err)
	}
	if err := w.DeleteClip(user.UUID, clip.UUID); err != nil {
		t.Fatal(err)
	}
	if !gone() {
		t.Error("the chunks are still there after the clip was deleted")
	}
	keep()
	if _, err := w.ExpireExports(); err != nil || !gone() {
		t.Errorf("the sweep left the chunks of deleted footage: %v", err)
	}
}
