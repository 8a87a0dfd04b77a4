package interchange_test

import (
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/interchange"
)

// Windows extracts every file of an archive, and the timeline in it names the files as the archive
// does. A changed timeline still matches its recordings by these names.
func TestArchivesHaveNamesForEverySystem(t *testing.T) {
	for _, name := range append(oddNames(), "Part 1: why?.mp4", "con.mp4", "LPT1", "ends with. ", "a|b*c.mov") {
		p := projectOf(1, interchange.Recording{Name: name, Info: video(media.Rate{Num: 25, Den: 1}, 900)})
		p.Name = name
		line := timelineOf(t, p, interchange.BundlePlace(), false)
		files, err := interchange.BundleFiles(p.Name, "edl", line, interchange.Options{},
			func(interchange.Source) (interchange.BundleFile, error) { return interchange.BundleFile{}, nil })
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			base := strings.TrimPrefix(f.Name, interchange.BundleFolder+"/")
			stem, _, _ := strings.Cut(strings.ToUpper(base), ".")
			if strings.ContainsAny(base, `<>:"/\|?*`) || base != strings.TrimRight(base, " .") ||
				stem == "CON" || stem == "LPT1" {
				t.Errorf("%q is in the archive as %q", name, f.Name)
			}
		}
		text := written(t, "otio", line, interchange.Options{})
		text = strings.ReplaceAll(text, `"clip-1"`, `"another"`) // so that the file names match
		if found := readBack(t, "otio", text, p); len(found.Changes) > 0 || len(found.Ignored) > 0 {
			t.Errorf("%q: %+v", name, found)
		}
	}
}
