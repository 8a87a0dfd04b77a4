package pipeline

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"roughcut/media"
)

// RecordingsIn returns the recordings of a folder, sorted by name, without hidden files and without
// subfolders.
func RecordingsIn(folder string) (paths []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	extensions := media.RecordingTypes().Extensions()
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		isKnown := slices.Contains(extensions, strings.ToLower(filepath.Ext(path))) && !strings.HasPrefix(e.Name(), ".")
		if info, err := os.Stat(path); isKnown && err == nil && info.Mode().IsRegular() {
			paths = append(paths, path)
		}
	}

	return paths, nil
}
