package av

import (
	"slices"
	"strings"
	"testing"
)

// The bundled libraries and the system's libraries report their versions.
func TestLibrariesTellTheirVersions(t *testing.T) {
	var names []string
	for _, l := range Libraries() {
		names = append(names, l.Name)
		if !strings.Contains(l.Version, ".") {
			t.Errorf("%s has the version %q", l.Name, l.Version)
		}
		t.Log(l.Name, l.Version)
	}
	for _, want := range []string{
		"FFmpeg", "dav1d", "x264", "x265", "zimg", "LAME", "Opus", "zlib", "libass", "FreeType", "HarfBuzz", "FriBidi",
		"Fontconfig",
	} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is missing", want)
		}
	}
}
