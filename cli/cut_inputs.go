package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"roughcut/media"
)

// expandFolders replaces the folders among the inputs by their recordings, sorted by name. It does
// not read subfolders.
func (c *cutJob) expandFolders() error {
	var inputs []string
	for _, path := range c.inputs {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			inputs = append(inputs, path) // a missing file has its own error
			continue
		}

		if out, err := os.Stat(c.outDir); c.each && err == nil && os.SameFile(info, out) {
			return usageError{fmt.Errorf(
				"--out-dir must not be the folder of the recordings %s, or the next cut would read the results", path,
			)}
		}

		found, err := recordingsIn(path)
		if err != nil {
			return err
		}
		inputs = append(inputs, found...)
	}

	c.inputs = inputs
	return nil
}

// recordingsIn returns the recordings of a folder, sorted by name, without hidden files.
func recordingsIn(folder string) (paths []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("cannot read the folder %q: %w", folder, fileCause(err))
	}
	extensions := media.RecordingTypes().Extensions()
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		isKnown := slices.Contains(extensions, strings.ToLower(filepath.Ext(path))) && !strings.HasPrefix(e.Name(), ".")
		if info, err := os.Stat(path); isKnown && err == nil && info.Mode().IsRegular() {
			paths = append(paths, path)
		}
	}

	if len(paths) == 0 {
		return nil, usageError{fmt.Errorf("the folder %q has no recordings", folder)}
	}
	return paths, nil
}

// checkInputs returns an error if a recording cannot be read.
func (c *cutJob) checkInputs() error {
	for _, path := range c.inputs {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("cannot read the recording %q: %w", path, fileCause(err))
		}
	}

	return nil
}
