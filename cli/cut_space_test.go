package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestCutNeedsFreeSpace(t *testing.T) {
	dir := t.TempDir()
	err := checkSpace(dir, "The video", 1<<60)
	if err == nil || !strings.Contains(err.Error(), "The video needs about 1152921504607 MB in "+dir+", which has ") {
		t.Errorf("a file larger than the disk: %v", err)
	}
	if err := checkSpace(dir, "The video", 1); err != nil {
		t.Errorf("a byte: %v", err)
	}
	if err := checkSpace(filepath.Join(dir, "none"), "The video", 1<<60); err != nil {
		t.Errorf("a folder whose free space is unknown: %v", err)
	}
}
