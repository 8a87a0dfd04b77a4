package cli

import (
	"os"
	"strings"
	"testing"

	"roughcut/media/libav/av"
)

// The version command and the server page name every library that reads files of others or holds
// the data.
func TestVersionsOfEverything(t *testing.T) {
	versions := map[string]string{}
	for _, c := range components(Build{Version: "1.2.3"}) {
		versions[c.Name] = c.Version
	}
	for _, name := range []string{"roughcut", "FFmpeg", "dav1d", "x264", "libass", "whisper.cpp", "Go"} {
		if !strings.Contains(versions[name], ".") {
			t.Errorf("%s has the version %q", name, versions[name])
		}
	}
	// A test has no list of modules, so compare with the one of the build.
	modules, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for path := range moduleNames() {
		if !strings.Contains(string(modules), "\t"+path+" v") {
			t.Errorf("%s is not in the build", path)
		}
	}
}

func TestOldLibrariesAreNamed(t *testing.T) {
	if old := belowFloor(av.Libraries(), safeVersions()); len(old) > 0 {
		t.Errorf("this build has %v", old)
	}
	known := map[string]bool{}
	for _, l := range av.Libraries() {
		known[l.Name] = true
	}
	for _, f := range safeVersions() {
		if !known[f.library] {
			t.Errorf("%s has a floor, but no version", f.library)
		}
	}
	old := belowFloor([]av.Library{{Name: "dav1d", Version: "1.3.9"}, {Name: "zlib", Version: "1.2.9"}}, safeVersions())
	if len(old) != 2 || !strings.Contains(old[0], "dav1d 1.3.9 has an integer overflow") {
		t.Errorf("%q", old)
	}
	if old := belowFloor([]av.Library{{Name: "dav1d", Version: "1.10"}}, safeVersions()); len(old) != 0 {
		t.Errorf("%q", old)
	}
}
