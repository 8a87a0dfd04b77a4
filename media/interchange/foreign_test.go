package interchange_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roughcut/media/interchange"
	"roughcut/media/mediatest"
)

// otioReader returns a function that reads an OTIO file with OpenTimelineIO's library, in a chroot
// of a Debian release that has it.
func otioReader(t *testing.T) func(text string) (string, error) {
	t.Helper()
	cache := os.Getenv("ROUGHCUT_CACHE")
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		cache = filepath.Join(dir, "roughcut")
	}
	setup := exec.Command("../../.ci/otio-chroot", cache)
	setup.Stderr = os.Stderr
	out, err := setup.Output()
	if err != nil {
		t.Fatalf("otio-chroot: %v", err)
	}
	root := strings.TrimSpace(string(out))
	inside := func(stdin string, args ...string) (string, error) {
		args = append([]string{"chroot", root}, args...)
		if os.Getuid() != 0 {
			args = append([]string{"sudo"}, args...)
		}
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Stdin = strings.NewReader(stdin)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("%w: %s", err, stderr.String())
		}
		return stdout.String(), nil
	}
	source, err := os.ReadFile("testdata/otioread.cpp")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := inside(string(source), "g++", "-std=c++17", "-x", "c++", "-", "-o", "/tmp/otioread",
		"-I/usr/include/opentimelineio", "-lopentimelineio", "-lopentime"); err != nil {
		t.Fatal(err)
	}
	return func(text string) (string, error) {
		if _, err := inside(text, "tee", "/tmp/timeline.otio"); err != nil {
			return "", err
		}
		return inside("", "/tmp/otioread", "/tmp/timeline.otio")
	}
}

// otioTracks returns what the reader must print for the main tracks of a timeline.
func otioTracks(line interchange.Timeline, path func(interchange.Source) string) (tracks []string) {
	for _, kind := range []string{"Video", "Audio"} {
		var track strings.Builder
		for _, c := range line.Clips {
			s := line.Sources[c.Source]
			if (kind == "Video" && s.Info.Video == nil) || (kind == "Audio" && s.Info.Audio == nil) {
				continue
			}
			state := map[bool]string{false: "enabled", true: "disabled"}[c.Disabled]
			fmt.Fprintf(&track, "%s %d+%d at %d %s\n", path(s), s.Origin+c.In, c.Frames(), c.Start, state)
		}
		if track.Len() > 0 {
			tracks = append(tracks, "track "+kind+"\n"+track.String())
		}
	}
	return tracks
}

// compareTracks checks the main tracks in the output of the reader, with decoded addresses.
func compareTracks(t *testing.T, name, printed string, want []string) {
	t.Helper()
	var decoded strings.Builder
	for _, row := range strings.SplitAfter(printed, "\n") {
		if address, rest, ok := strings.Cut(row, " "); ok && address != "track" {
			row = fileOf(t, address) + " " + rest
		}
		decoded.WriteString(row)
	}
	for _, track := range want {
		if !strings.Contains(decoded.String(), track) {
			t.Errorf("%s: OpenTimelineIO reads\n%.2000s\nwant\n%.2000s", name, decoded.String(), track)
		}
	}
}

// OpenTimelineIO's own library reads the clips of OTIO and OTIOZ files of footage of every kind.
func TestLongOpenTimelineIOReads(t *testing.T) {
	mediatest.NeedsLong(t)
	read := otioReader(t)
	if out, err := read(`{"OTIO_SCHEMA": "Timeline.1", "tracks": 5}`); err == nil {
		t.Errorf("the reader accepts a wrong file: %s", out)
	}
	for _, p := range allProjects() {
		for _, whole := range []bool{false, true} {
			name := fmt.Sprintf("%s, whole %v", p.name, whole)
			line := timelineOf(t, p.project, place, whole)
			printed, err := read(written(t, "otio", line, interchange.Options{}))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			compareTracks(t, name, printed, otioTracks(line, func(s interchange.Source) string { return s.Path }))
		}
		line := timelineOf(t, p.project, interchange.BundlePlace(), false)
		content, files := unpacked(t, line)
		printed, err := read(content)
		if err != nil {
			t.Errorf("%s, OTIOZ: %v", p.name, err)
		}
		compareTracks(t, p.name+", OTIOZ", printed, otioTracks(line, func(s interchange.Source) string {
			if !files[s.Path] {
				t.Errorf("%s: the OTIOZ file lacks %q", p.name, s.Path)
			}
			return s.Path
		}))
	}
}

// unpacked returns the timeline in the OTIOZ file of a timeline, and the names of its files.
func unpacked(t *testing.T, line interchange.Timeline) (content string, names map[string]bool) {
	t.Helper()
	list, err := interchange.BundleFiles(line.Name, "otio", line, interchange.Options{},
		func(s interchange.Source) (interchange.BundleFile, error) {
			return interchange.BundleFile{Write: func(w io.Writer) error {
				_, err := io.WriteString(w, s.Name)
				return err
			}}, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := interchange.NewBundle(t.Context(), list, time.Unix(0, 0), interchange.NewBundleSums())
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(bundle)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	names = map[string]bool{}
	for _, f := range archive.File {
		names[f.Name] = true
		if f.Name != "content.otio" {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		content = string(text)
	}
	return content, names
}
