package cli

import (
	"fmt"
	"path/filepath"
)

// screenNote returns what to know about a recording of a screen whose demonstrations are not kept,
// or "". screen is of media.IngestResult.
func screenNote(path string, screen *bool) string {
	if screen == nil || !*screen {
		return ""
	}
	return fmt.Sprintf(
		"%s is a screen recording; --keep-demonstrations keeps its silences while the video changes.",
		filepath.Base(path),
	)
}
