package detect

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"roughcut/media"
)

func captionTexts(lines []media.TimedText) string {
	var out []string
	for _, l := range lines {
		out = append(out, l.Text)
	}
	return strings.Join(out, " | ")
}

func TestCaptionLinesBreakAtNaturalPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		max  int
		want string
	}{
		"at a pause": {
			"hello guys [700] welcome to my channel", 7, "hello guys | welcome to my channel",
		},
		"at punctuation": {
			"this is my camera. it is really good", 6, "this is my camera. | it is really good",
		},
		"before a conjunction": {
			"the lens is small but the picture is good", 6, "the lens is small | but the picture is good",
		},
		"evenly without natural places": {
			"one two three four five six seven", 4, "one two three four | five six seven",
		},
		"not after an article": {
			"they found the house they bought the car", 5, "they found the house | they bought the car",
		},
		"below the minimum": {"one two three four", 0, "one two | three four"},
		"chinese":           {"今 天 天 气", 20, "今天天气"},
		"nothing":           {"", 5, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := captionTexts(CaptionLines(evidenceOf(c.text).Words, c.max)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestCaptionLinesNeverSpanACut(t *testing.T) {
	words := evidenceOf("we are going [300] we are going to the beach").Words
	got := CaptionLines(words, 20, media.Span{StartMS: 0, EndMS: 880})
	if captionTexts(got) != "we are going | we are going to the beach" || got[0].EndMS > 880 || got[1].StartMS < 880 {
		t.Errorf("got %+v", got)
	}
}

func TestCaptionLinesKeepTheirLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var words []media.Word
		at := int64(0)
		for range rapid.IntRange(0, 60).Draw(t, "words") {
			at += rapid.SampledFrom([]int64{0, 0, 0, 50, 130, 300, 700, 3000}).Draw(t, "gap")
			end := at + rapid.Int64Range(30, 900).Draw(t, "length")
			words = append(
				words,
				media.Word{Text: rapid.StringMatching(`[a-z]{1,14}[.,]?`).Draw(t, "text"), StartMS: at, EndMS: end},
			)
			at = end
		}
		var cuts []media.Span
		for range rapid.IntRange(0, 4).Draw(t, "cuts") {
			start := rapid.Int64Range(0, at+1).Draw(t, "cut")
			cuts = append(
				cuts,
				media.Span{StartMS: start, EndMS: start + rapid.Int64Range(1, 3000).Draw(t, "cut length")},
			)
		}
		most := rapid.IntRange(2, 20).Draw(t, "max words")
		lines := CaptionLines(words, most, cuts...)
		var all []string
		for i, l := range lines {
			fields := strings.Fields(l.Text)
			all = append(all, fields...)
			if len(fields) > most || utf8.RuneCountInString(l.Text) > 84 {
				t.Fatalf("line %q exceeds %d words or 84 characters", l.Text, most)
			}
			if l.EndMS <= l.StartMS || l.EndMS-l.StartMS > maxCaptionMS+1 {
				t.Fatalf("line %+v is empty or too long", l)
			}
			if i > 0 && l.StartMS < lines[i-1].EndMS {
				t.Fatalf("lines overlap: %+v", lines[i-1:i+1])
			}
		}
		var said []string
		for _, w := range words {
			said = append(said, w.Text)
		}
		if strings.Join(all, " ") != strings.Join(said, " ") {
			t.Fatalf("the lines contain %q, want %q", all, said)
		}
	})
}

func TestCaptionLinesHaveOneSpeaker(t *testing.T) {
	var words []media.Word
	for i, w := range [][2]string{{"hello", "Ada"}, {"there", "Ada"}, {"hi", "Bo"}, {"you", "Bo"}} {
		start := int64(i) * 300
		words = append(words, media.Word{Text: w[0], Speaker: w[1], StartMS: start, EndMS: start + 290})
	}
	if got := captionTexts(CaptionLines(words, 7)); got != "hello there | hi you" {
		t.Errorf("lines are %q", got)
	}
}
