package models

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// flip changes one byte of a file.
func flip(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 0x10
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCheckIntactRefusesModelsThatHaveChanged(t *testing.T) {
	w := newWorld(t)
	if _, err := w.download(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Add(t.Context(), "own", 100, bytes.NewReader(append([]byte(header), make([]byte, 92)...))); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(w.dir, "ggml-copied.bin") // by hand, before the first use
	if err := os.WriteFile(copied, append([]byte(header), 1, 2, 3, 4), 0o600); err != nil {
		t.Fatal(err)
	}
	inDir := func(name string) string { return filepath.Join(w.dir, name) }
	for _, path := range []string{inDir("ggml-test.en.bin"), inDir("ggml-own.bin"), copied} {
		for range 2 {
			if err := w.CheckIntact(path); err != nil {
				t.Fatal(err)
			}
		}
		flip(t, path)
		for range 2 {
			if err, damaged := w.CheckIntact(path), (*DamagedError)(nil); !errors.As(err, &damaged) {
				t.Errorf("a flipped bit in %s: %v", filepath.Base(path), err)
			}
		}
		flip(t, path)
		if err := w.CheckIntact(path); err != nil {
			t.Errorf("the original of %s: %v", filepath.Base(path), err)
		}
	}
}

// A model of the catalog is compared with the catalog where its checksum was not recorded.
func TestCheckIntactKnowsTheCatalog(t *testing.T) {
	w := newWorld(t)
	if _, err := w.download(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.dir, "ggml-test.en.bin")
	if err := os.Remove(path + sumSuffix); err != nil {
		t.Fatal(err)
	}
	flip(t, path)
	if err, damaged := w.CheckIntact(path), (*DamagedError)(nil); !errors.As(err, &damaged) {
		t.Errorf("a flipped bit: %v", err)
	}
}

// Roughcut writes nothing next to a model outside its folder.
func TestCheckIntactLeavesOtherFoldersAlone(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "ggml-mine.bin")
	if err := os.WriteFile(path, []byte(header), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.CheckIntact(path); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}
