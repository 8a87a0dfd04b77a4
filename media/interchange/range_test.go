package interchange_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"roughcut/media"
	"roughcut/media/interchange"
)

// A timeline of a range has the footage, the edits and the texts of the range only, from its start
// on. A whole timeline has the footage of the range that is cut, too.
func TestTimelineOfRange(t *testing.T) {
	rate := media.Rate{Num: 25, Den: 1}
	word := func(text string, at int64) media.Word { return media.Word{Text: text, StartMS: at, EndMS: at + 300} }
	edit := func(id string, from, to int64) interchange.Edit {
		return interchange.Edit{UUID: id, Kind: media.EditSilence, StartMS: from, EndMS: to, Active: true}
	}
	p := interchange.Project{
		Name: "Short", VolumePercent: 100, Range: media.Span{StartMS: 8000, EndMS: 13_000},
		Recordings: []interchange.Recording{
			{UUID: "a", Name: "a.mp4", Info: video(rate, 250)}, {UUID: "b", Name: "b.mp4", Info: video(rate, 250)},
			{UUID: "c", Name: "c.mp4", Info: video(rate, 250)},
		},
		Edits: []interchange.Edit{
			edit("early", 1000, 2000), edit("across", 7000, 8400), edit("inside", 11_000, 12_000),
			edit("late", 16_000, 17_000),
		},
		Transcript: media.Transcript{
			Words: []media.Word{word("no", 500), word("yes", 9000), word("end", 18_000)},
			Segments: []media.TimedText{
				{Text: "no", StartMS: 500, EndMS: 800}, {Text: "yes", StartMS: 9000, EndMS: 9300},
				{Text: "end", StartMS: 18_000, EndMS: 18_300},
			},
		},
	}
	type clip struct {
		source         int
		in, out, start int64
		disabled       bool
	}
	for _, c := range []struct {
		whole   bool
		clips   []clip
		word    int64
		markers int
	}{
		{false, []clip{{0, 210, 250, 0, false}, {1, 0, 25, 40, false}, {1, 50, 75, 65, false}}, 600, 2},
		{true, []clip{
			{0, 200, 210, 0, true}, {0, 210, 250, 10, false}, {1, 0, 25, 50, false}, {1, 25, 50, 75, true},
			{1, 50, 75, 100, false},
		}, 1000, 0},
	} {
		line, err := interchange.New(p, interchange.Place{}, c.whole)
		if err != nil {
			t.Fatal(err)
		}
		var clips []clip
		for _, l := range line.Clips {
			clips = append(clips, clip{l.Source, l.In, l.Out, l.Start, l.Disabled})
		}
		if diff := cmp.Diff(c.clips, clips, cmp.AllowUnexported(clip{})); diff != "" {
			t.Errorf("whole %v: clips (-want +got):\n%s", c.whole, diff)
		}
		if len(line.Words) != 1 || line.Words[0].StartMS != c.word || len(line.Phrases) != 1 {
			t.Errorf("whole %v: words %+v, phrases %+v, want the word at %d", c.whole, line.Words, line.Phrases, c.word)
		}
		if len(line.Markers) != c.markers {
			t.Errorf("whole %v: markers %+v, want %d", c.whole, line.Markers, c.markers)
		}
	}
}
