package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// ChunkDir returns the folder of the chunk cache, which the render engine writes. It has a folder
// for each clip file, named after its id, which is removed with the clip.
func (s *Store) ChunkDir() string { return filepath.Join(s.o.Dir, "chunks") }

// footageID returns the id of a stored clip file, which identifies its content permanently.
func footageID(key string) string { return path.Base(path.Dir(key)) }

// dropChunks removes the chunks of a clip file.
func (s *Store) dropChunks(clipFileID string) error {
	return os.RemoveAll(filepath.Join(s.ChunkDir(), clipFileID))
}

// sweepChunks removes the chunks of clip files that no longer exist. A render may have written some
// while its clip was deleted.
func (s *Store) sweepChunks() error {
	folders, err := os.ReadDir(s.ChunkDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("listing the chunk cache: %w", err)
	}
	var gone []string
	err = s.view(func(t *txn) error {
		for _, f := range folders {
			row, err := t.clipOfFile(f.Name())
			if err != nil {
				return err
			}
			if row == nil {
				gone = append(gone, f.Name())
			}
		}

		return nil
	})
	return joinEach(err, gone, s.dropChunks)
}
