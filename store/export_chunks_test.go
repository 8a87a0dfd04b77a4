package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// The chunks of a clip are removed with the clip, even when a render wrote them during the
// deletion.
func TestChunksAreRemovedWithTheirClip(t *testing.T) {
	t.Parallel()
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
	if _, err := w.SweepExpired(); err != nil || gone() {
		t.Fatalf("the chunks of an existing clip: %v", err)
	}
	must(t, w.DeleteClip(user.UUID, clip.UUID))
	if gone() {
		t.Error("the chunks of a clip in the trash are gone")
	}
	must(t, w.EmptyTrash(user.UUID, clip.ProjectUUID))
	if !gone() {
		t.Error("the chunks still exist after the clip was deleted")
	}
	keep()
	if _, err := w.SweepExpired(); err != nil || !gone() {
		t.Errorf("the sweep left the chunks of a deleted clip: %v", err)
	}
}
