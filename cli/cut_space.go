package cli

import (
	"context"
	"fmt"
	"os"

	"roughcut/media"
	"roughcut/store"
)

// checkSpace returns an error if a folder has no room for a file of a size in bytes. A disk that
// does not tell its free space is not refused.
func checkSpace(folder, what string, need int64) error {
	free, err := store.FreeBytes(folder)
	if err != nil || free >= need {
		return nil //nolint:nilerr // unknown
	}
	return fmt.Errorf(
		"%s needs about %s in %s, which has %s free. Free some space or choose another folder",
		what, fileSize(need), folder, fileSize(free),
	)
}

// checkSpeechSpace checks the room for the speech that the analysis reads from a temporary folder.
// The length of a recording that cannot be read yet counts nothing.
func (c *cutJob) checkSpeechSpace(ctx context.Context) error {
	var need int64
	for _, path := range c.inputs {
		if info, err := c.engine.Probe(ctx, path); err == nil && info.Audio != nil {
			need += info.DurationMS * media.SpeechSampleRate / 1000 * 2 // bytes of a sample
		}
	}

	return checkSpace(os.TempDir(), "The analysis", need)
}
