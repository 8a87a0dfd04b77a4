package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// ChunkDir is the folder of the engine's cache of encoded pieces. Each clip file has a folder in
// it, named after its id, that goes with it.
func (s *Store) ChunkDir() string { return filepath.Join(s.o.Dir, "chunks") }

// footageID names the content of a stored clip file for good.
func footageID(key string) string { return path.Base(path.Dir(key)) }

// dropChunks removes what was made of footage that is gone.
func (s *Store) dropChunks(clipFileID string) error {
	return os.RemoveAll(filepath.Join(s.ChunkDir(), clipFileID))
}

// sweepChunks removes what was made of footage that is no longer there: a render may have gone on
// while its clip was deleted.
func (s *Store) sweepChunks() error {
	folders, err := os.ReadDir(s.ChunkDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("listing the kept chunks: %w", err)
	}
	var gone []string
	err = s.view(func(t *txn) error {
		for _, f := range folders {
			row, err := clips.Lookup(t, clipsByFile, f.Name())
			if err != nil {
				return err
			}
			if row == nil {
				gone = append(gone, f.Name())
			}
		}
		return nil
	})
	for _, name := range gone {
		err = errors.Join(err, s.dropChunks(name))
	}
	return err
}
