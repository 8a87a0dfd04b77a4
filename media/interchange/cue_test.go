package interchange_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/interchange"
)

// captioned returns a project of 60 s with a caption line every 3 s and cuts. The cuts remove the
// footage of some lines.
func captioned() interchange.Project {
	p := projectOf(77, interchange.Recording{Name: "talk.mp4", Info: video(media.Rate{Num: 30000, Den: 1001}, 1800)})
	for i := range int64(19) {
		p.Captions = append(p.Captions, media.CaptionLine{
			Text: fmt.Sprintf("Line %d & <more>\nof “it”", i), StartMS: 3000 * i, EndMS: 3000*i + 2500,
		})
	}
	p.Captions[3].Speaker = "Ada"
	p.Transcript.Language = "de"
	return p
}

// FCPXML holds each caption on its clip, at the frames of the timeline and with its text.
func TestFCPXMLHoldsTheCaptions(t *testing.T) {
	for _, whole := range []bool{false, true} {
		line := timelineOf(t, captioned(), place, whole)
		doc := parseXML(t, written(t, "fcpxml", line, interchange.Options{}))
		n := 0
		for _, clip := range doc.all("spine")[0].children {
			offset, start := frames(t, clip.attr["offset"], line.Rate), frames(t, clip.attr["start"], line.Rate)
			for _, c := range clip.children {
				if c.name != "caption" {
					continue
				}
				want := line.Captions[n]
				n++
				at := offset + frames(t, c.attr["offset"], line.Rate) - start
				end := at + frames(t, c.attr["duration"], line.Rate)
				if at != line.Rate.Frame(want.StartMS) || end != line.Rate.Frame(want.EndMS) ||
					at < offset || at >= offset+frames(t, clip.attr["duration"], line.Rate) {
					t.Errorf("caption %d is on frames [%d, %d), want %+v", n, at, end, want)
				}
				text := c.all("text-style")[0].text
				if text != want.Text || c.attr["role"] != "iTT?captionFormat=ITT.de" {
					t.Errorf("caption %d is %q with %v, want %q", n, text, c.attr, want.Text)
				}
				if note := c.child("note").text; note != want.Speaker {
					t.Errorf("caption %d is said by %q, want %q", n, note, want.Speaker)
				}
			}
		}
		if n != len(line.Captions) || n < 10 {
			t.Errorf("%d captions, want %d", n, len(line.Captions))
		}
	}
}

// MLT, Shotcut and Kdenlive hold the captions as SubRip: inside, or in a file next to the project.
func TestMLTHoldsTheCaptions(t *testing.T) {
	line := timelineOf(t, captioned(), place, false)
	var srt bytes.Buffer
	interchange.WriteSRT(&srt, line.Captions)
	for _, format := range []string{"mlt", "shotcut"} {
		doc := parseXML(t, written(t, format, line, interchange.Options{}))
		filters := doc.all("tractor")[0].all("filter")
		feed := filters[len(filters)-1]
		if feed.property("mlt_service") != "subtitle_feed" || feed.property("lang") != "deu" ||
			feed.property("text") != srt.String() {
			t.Errorf("%s has the captions %q", format, feed.property("text"))
		}
	}
	if strings.Contains(written(t, "kdenlive", line, interchange.Options{}), "avfilter.subtitles") {
		t.Error("a project of Kdenlive names a file of captions that it does not have")
	}
	names := map[string]string{
		"kdenlive": "Talk & _more_.kdenlive.srt", "fcpxml": "Talk & _more_.srt", "otio": "media/Talk & _more_.srt",
	}
	for format, want := range names {
		files, err := interchange.BundleFiles(line.Name, format, line, interchange.Options{},
			func(interchange.Source) (interchange.BundleFile, error) { return interchange.BundleFile{}, nil })
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(files, func(f interchange.BundleFile) bool { return f.Name == want })
		if i < 0 || content(t, files[i]) != srt.String() {
			t.Errorf("the bundle of %s lacks the captions", format)
		}
		const named = "_more_.kdenlive.srt</property>"
		if format == "kdenlive" && !strings.Contains(content(t, files[0]), named) {
			t.Error("the project of Kdenlive does not name its captions")
		}
	}
}

// content returns what a file of a bundle writes.
func content(t *testing.T, f interchange.BundleFile) string {
	t.Helper()
	var out strings.Builder
	if err := f.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Captions that another editor changed are listed. Unchanged captions are not, even in footage that
// is cut.
func TestChangedCaptionsAreListed(t *testing.T) {
	p := captioned()
	for _, format := range []string{"fcpxml", "otio"} {
		for _, whole := range []bool{false, true} {
			line := timelineOf(t, p, place, whole)
			text := written(t, format, line, interchange.Options{})
			ignored := func(text string) []string {
				t.Helper()
				reading, err := interchange.Read(strings.NewReader(text), format)
				if err != nil {
					t.Fatal(err)
				}
				found, err := interchange.Compare(p, reading)
				if err != nil {
					t.Fatal(err)
				}
				if len(found.Changes) > 0 {
					t.Errorf("%s: changes %+v", format, found.Changes)
				}
				return found.Ignored
			}
			if got := ignored(text); len(got) > 0 {
				t.Errorf("%s, whole %v: an unchanged file gives %q", format, whole, got)
			}
			changed := strings.ReplaceAll(text, "Line 7 ", "Row 7 ")
			want := map[string]string{
				"fcpxml": `[The new text of the caption "Line 7 & <more> of “it”"]`,
				"otio": `[The removal of the caption "Line 7 & <more> of “it”" ` +
					`The new caption "Row 7 & <more> of “it”"]`,
			}[format]
			if got := fmt.Sprint(ignored(changed)); got != want {
				t.Errorf("%s, whole %v: a changed text gives %s", format, whole, got)
			}
		}
	}
}
