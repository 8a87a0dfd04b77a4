package media_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"roughcut/media"
)

func word(text string, from, to int64) media.Word {
	return media.Word{Text: text, StartMS: from, EndMS: to, Probability: 1}
}

// Lines keep to the footage that they were made for: what is cut is gone from them, and what stays
// is shown where it is heard.
func TestCaptionsFollowTheCuts(t *testing.T) {
	thirty := media.Rate{Num: 30, Den: 1}
	words := []media.Word{
		word("one", 1000, 1400),
		word("two,", 1500, 2000),
		word("three", 2100, 2600),
		word("four.", 5000, 5500),
		word("neuf", 10_500, 11_000),
	}
	for name, c := range map[string]struct {
		lines []media.CaptionLine
		cuts  []media.Span
		want  []media.Caption
	}{
		"no cut": {[]media.CaptionLine{{Text: "one two, three", StartMS: 1000, EndMS: 2600}}, nil,
			[]media.Caption{{Text: "one two, three", StartMS: 1000, EndMS: 2600, Words: []media.Word{word("one ", 1000, 1400), word("two, ", 1500, 2000), word("three", 2100, 2600)}}}},
		"before": {[]media.CaptionLine{{Text: "edited by hand", StartMS: 1000, EndMS: 2600}}, []media.Span{{StartMS: 0, EndMS: 500}},
			[]media.Caption{{Text: "edited by hand", StartMS: 500, EndMS: 2100}}},
		"a word in the middle": {[]media.CaptionLine{{Text: "one two, three", StartMS: 1000, EndMS: 2600}}, []media.Span{{StartMS: 1450, EndMS: 2050}},
			[]media.Caption{{Text: "one three", StartMS: 1000, EndMS: 2000, Words: []media.Word{word("one ", 1000, 1400), word("three", 1500, 2000)}}}},
		"all of it": {[]media.CaptionLine{{Text: "one two, three", StartMS: 1000, EndMS: 2600}, {Text: "four.", StartMS: 5000, EndMS: 5500}}, []media.Span{{StartMS: 900, EndMS: 3000}},
			[]media.Caption{{Text: "four.", StartMS: 2900, EndMS: 3400, Words: []media.Word{word("four.", 2900, 3400)}}}},
		"second clip": {[]media.CaptionLine{{Text: "neuf", StartMS: 10_500, EndMS: 11_000}}, []media.Span{{StartMS: 9000, EndMS: 10_200}},
			[]media.Caption{{Text: "neuf", StartMS: 9300, EndMS: 9800, Words: []media.Word{word("neuf", 9300, 9800)}}}},
	} {
		plan, err := media.NewRenderPlan(
			[]media.RenderClip{clip(10_000, thirty), clip(5000, thirty)},
			c.cuts,
			media.RenderSettings{Captions: &media.CaptionTrack{Lines: c.lines, Words: words}},
		)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, plan.Captions); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// With a thousand cuts captions are no frame away from what is shown: times come from frames, not
// from sums.
func TestCaptionsDoNotDrift(t *testing.T) {
	rate := media.Rate{Num: 30000, Den: 1001}
	var cuts []media.Span
	var lines []media.CaptionLine
	for i := range int64(1000) {
		cuts = append(cuts, media.Span{StartMS: i*1711 + 300, EndMS: i*1711 + 777})
		lines = append(lines, media.CaptionLine{Text: "x", StartMS: i*1711 + 800, EndMS: i*1711 + 1600})
	}
	plan, err := media.NewRenderPlan(
		[]media.RenderClip{clip(1_711_000, rate)},
		cuts,
		media.RenderSettings{Captions: &media.CaptionTrack{Lines: lines}},
	)
	if err != nil || len(plan.Captions) != 1000 {
		t.Fatalf("%d captions, %v", len(plan.Captions), err)
	}
	for i, c := range plan.Captions {
		seg := plan.Segments[i+1]
		want := rate.MS(seg.Start) + lines[i].StartMS - rate.MS(seg.In)
		if c.StartMS != want {
			t.Fatalf("caption %d begins at %d, what it belongs to at %d", i, c.StartMS, want)
		}
	}
}

// Any text becomes one that is safe to show, and plain text stays as it is.
func TestCleanCaption(t *testing.T) {
	for in, want := range map[string]string{
		"plain text, as it is": "plain text, as it is", "two\nrows": "two\nrows", "\r\n a \t b\x00c \r\n": "a b c", "a\nb\nc\nd\ne": "a\nb\nc\nd e",
		"bad \xff\xfe bytes": "bad bytes", "": "", " \n ": "", "{\\an8}\\N%{x}": "{\\an8}\\N%{x}", "👩‍👩‍👧 שלום": "👩‍👩‍👧 שלום",
		"z" + strings.Repeat("\u0301", 300): "z" + strings.Repeat("\u0301", 4),
	} {
		if got := media.CleanCaption(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	if got := media.CleanCaption(
		strings.Repeat("very long ", 1000),
	); utf8.RuneCountInString(got) > media.MaxCaptionRunes ||
		!strings.HasSuffix(got, "…") {
		t.Errorf("10,000 characters became %d", utf8.RuneCountInString(got))
	}
}

// What is silenced covers the word with its margins, on the output, and never what lies behind a
// join.
func TestSilencedSamples(t *testing.T) {
	plan, err := media.NewRenderPlan(
		[]media.RenderClip{clip(10_000, media.Rate{Num: 30, Den: 1})},
		[]media.Span{{StartMS: 0, EndMS: 1000}, {StartMS: 3000, EndMS: 4000}},
		media.RenderSettings{
			Audio: media.AudioSettings{
				Censor: media.CensorBleep,
				Censored: []media.Span{
					{StartMS: 2000, EndMS: 2300},
					{StartMS: 2340, EndMS: 2500},
					{StartMS: 2980, EndMS: 3000},
					{StartMS: 500, EndMS: 700},
				},
			},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	want := []media.SampleRange{{From: 960 * 48, To: 1540 * 48}, {From: 1940 * 48, To: 2000 * 48}}
	if diff := cmp.Diff(want, plan.Audio.Silenced); diff != "" || !plan.Audio.Bleep {
		t.Error(diff)
	}
}
