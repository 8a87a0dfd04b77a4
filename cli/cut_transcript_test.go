package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A transcript with a bad line is read, and the person hears of the line.
func TestTranscriptsWarn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "talk.srt")
	if err := os.WriteFile(path, []byte("1\n00:00:03,000 --> 00:00:02,000\nHello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var status strings.Builder
	list, err := readTranscripts([]string{path}, 1, &status)
	want := path + ": Line 1 ends before it starts. It lasts until the next line. Check its times.\n"
	if err != nil || len(list[0].Words) != 1 || status.String() != want {
		t.Errorf("%v, %+v, status %q, want %q", err, list, status.String(), want)
	}
}
