package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media"
)

// Desktops offer Roughcut for the recordings that it reads: by content type on Linux, and by
// extension on Windows.
func TestPackagesRegisterRecordings(t *testing.T) {
	read := func(path ...string) string {
		text, err := os.ReadFile(filepath.Join(append([]string{"..", ".ci", "dist"}, path...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	_, entry, _ := strings.Cut(read("desktop", "roughcut-desktop.desktop"), "\nMimeType=")
	entry, _, _ = strings.Cut(entry, "\n")
	metadata, installer := read("desktop", "metainfo.xml"), read("windows", "installer.nsi")
	for _, kind := range media.RecordingTypes() {
		if !strings.Contains(";"+entry, ";"+kind.ContentType+";") {
			t.Errorf("the desktop entry lacks %s", kind.ContentType)
		}
	}

	for kind := range strings.SplitSeq(strings.TrimSuffix(entry, ";"), ";") {
		if !strings.Contains(metadata, "<mediatype>"+kind+"</mediatype>") {
			t.Errorf("the AppStream metadata lacks %s", kind)
		}
	}

	for _, extension := range media.RecordingTypes().Extensions() {
		if !strings.Contains(installer, "!insertmacro OpenWith "+strings.TrimPrefix(extension, ".")+"\n") {
			t.Errorf("the Windows installer lacks %s", extension)
		}
	}
}
