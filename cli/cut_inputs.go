package cli

import (
	"fmt"
	"os"

	"roughcut/pipeline"
)

// expandFolders replaces the folders among the inputs by their recordings, sorted by name. It does
// not read subfolders.
func (c *cutJob) expandFolders() error {
	var inputs []string
	for _, path := range c.inputs {
		info, err := os.Stat(path)
		if path == stdio || err != nil || !info.IsDir() {
			inputs = append(inputs, path) // a missing file has its own error
			continue
		}

		if out, err := os.Stat(c.each.outDir); c.each.on && err == nil && os.SameFile(info, out) {
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

// recordingsIn is pipeline.RecordingsIn for a folder that must have recordings.
func recordingsIn(folder string) (paths []string, err error) {
	paths, err = pipeline.RecordingsIn(folder)
	if err != nil {
		return nil, fmt.Errorf("cannot read the folder %q: %w", folder, fileCause(err))
	}
	if len(paths) == 0 {
		return nil, usageError{fmt.Errorf("the folder %q has no recordings", folder)}
	}
	return paths, nil
}

// checkInputs returns an error if a recording cannot be read.
func (c *cutJob) checkInputs() error {
	for _, path := range c.inputs {
		if _, err := os.Stat(path); path != stdio && err != nil {
			return fmt.Errorf("cannot read the recording %q: %w", path, fileCause(err))
		}
	}

	return nil
}
