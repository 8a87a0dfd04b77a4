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

func line(text string, from, to int64) media.CaptionLine {
	return media.CaptionLine{Text: text, StartMS: from, EndMS: to}
}

func caption(text string, from, to int64, words ...media.Word) media.Caption {
	return media.Caption{Text: text, StartMS: from, EndMS: to, Words: words}
}

// Cut words disappear from their caption line. The rest of the line follows the footage.
func TestCaptionsFollowTheCuts(t *testing.T) {
	thirty := media.Rate{Num: 30, Den: 1}
	words := []media.Word{
		word("one", 1000, 1400),
		word("two,", 1500, 2000),
		word("three", 2100, 2600),
		word("four.", 5000, 5500),
		word("neuf", 10_500, 11_000),
	}
	cut := func(from, to int64) []media.Span { return []media.Span{{StartMS: from, EndMS: to}} }
	sentence := line("one two, three", 1000, 2600)
	for name, c := range map[string]struct {
		lines []media.CaptionLine
		cuts  []media.Span
		want  media.Caption
	}{
		"no cut": {
			[]media.CaptionLine{sentence}, nil,
			caption("one two, three", 1000, 2600,
				word("one ", 1000, 1400), word("two, ", 1500, 2000), word("three", 2100, 2600)),
		},
		"cut before an edited line": {
			[]media.CaptionLine{line("edited by hand", 1000, 2600)}, cut(0, 500),
			caption("edited by hand", 500, 2100),
		},
		"cut of a word in the middle": {
			[]media.CaptionLine{sentence}, cut(1450, 2050),
			caption("one three", 1000, 2000, word("one ", 1000, 1400), word("three", 1500, 2000)),
		},
		"cut of a whole line": {
			[]media.CaptionLine{sentence, line("four.", 5000, 5500)}, cut(900, 3000),
			caption("four.", 2900, 3400, word("four.", 2900, 3400)),
		},
		"second clip": {
			[]media.CaptionLine{line("neuf", 10_500, 11_000)}, cut(9000, 10_200),
			caption("neuf", 9300, 9800, word("neuf", 9300, 9800)),
		},
	} {
		plan, err := media.NewRenderPlan(
			[]media.RenderClip{clip(10_000, thirty), clip(5000, thirty)},
			c.cuts,
			media.RenderSettings{Captions: &media.CaptionTrack{Lines: c.lines, Words: words}},
		)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]media.Caption{c.want}, plan.Captions); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Muted words disappear from their caption line, which then starts and ends with words that are
// heard. The footage keeps its length.
func TestCaptionsLeaveOutMutedWords(t *testing.T) {
	words := []media.Word{word("one", 1000, 1400), word("two,", 1500, 2000), word("three", 2100, 2600)}
	sentence := line("one two, three", 1000, 2600)
	mute := func(from, to int64) []media.Span { return []media.Span{{StartMS: from, EndMS: to}} }
	for name, c := range map[string]struct {
		line  media.CaptionLine
		muted []media.Span
		want  []media.Caption
	}{
		"the first word": {sentence, mute(900, 1450), []media.Caption{
			caption("two, three", 1500, 2600, word("two, ", 1500, 2000), word("three", 2100, 2600)),
		}},
		"the last word": {sentence, mute(2050, 2700), []media.Caption{
			caption("one two,", 1000, 2000, word("one ", 1000, 1400), word("two,", 1500, 2000)),
		}},
		"a word in the middle": {sentence, mute(1450, 2050), []media.Caption{
			caption("one three", 1000, 2600, word("one ", 1000, 1400), word("three", 2100, 2600)),
		}},
		"less than half of a word": {sentence, mute(1300, 1400), []media.Caption{
			caption("one two, three", 1000, 2600,
				word("one ", 1000, 1400), word("two, ", 1500, 2000), word("three", 2100, 2600)),
		}},
		"a whole line":                  {sentence, mute(900, 2700), nil},
		"most of a line edited by hand": {line("edited by hand", 1000, 2600), mute(1000, 2000), nil},
		"little of a line edited by hand": {line("edited by hand", 1000, 2600), mute(1000, 1200), []media.Caption{
			caption("edited by hand", 1000, 2600),
		}},
	} {
		plan, err := media.NewRenderPlan(
			[]media.RenderClip{clip(10_000, media.Rate{Num: 30, Den: 1})},
			nil,
			media.RenderSettings{
				Captions: &media.CaptionTrack{Lines: []media.CaptionLine{c.line}, Words: words},
				Muted:    c.muted,
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, plan.Captions); diff != "" || plan.DurationMS() != 10_000 {
			t.Errorf("%s: %d ms, %s", name, plan.DurationMS(), diff)
		}
	}
}

// Caption times derive from frame numbers, not from sums. After a thousand cuts they are still
// exact.
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
			t.Fatalf("caption %d starts at %d ms, want %d", i, c.StartMS, want)
		}
	}
}

// CleanCaption makes any text safe to render and does not change plain text.
func TestCleanCaption(t *testing.T) {
	for in, want := range map[string]string{
		"plain text":                        "plain text",
		"two\nrows":                         "two\nrows",
		"\r\n a \t b\x00c \r\n":             "a b c",
		"a\nb\nc\nd\ne":                     "a\nb\nc\nd e",
		"bad \xff\xfe bytes":                "bad bytes",
		"":                                  "",
		" \n ":                              "",
		"{\\an8}\\N%{x}":                    "{\\an8}\\N%{x}",
		"👩‍👩‍👧 שלום":                        "👩‍👩‍👧 שלום",
		"z" + strings.Repeat("\u0301", 300): "z" + strings.Repeat("\u0301", 4),
	} {
		if got := media.CleanCaption(in); got != want {
			t.Errorf("CleanCaption(%q) = %q, want %q", in, got, want)
		}
	}
	got := media.CleanCaption(strings.Repeat("very long ", 1000))
	if n := utf8.RuneCountInString(got); n > media.MaxCaptionRunes || !strings.HasSuffix(got, "…") {
		t.Errorf("CleanCaption keeps %d of 10,000 characters, ending in %q", n, got[len(got)-10:])
	}
}

// Bleeped ranges cover each censored word and its margins in the output, and stop at joins.
func TestBleepedRangesStopAtJoins(t *testing.T) {
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
	if diff := cmp.Diff(want, plan.Audio.Bleeped); diff != "" {
		t.Error(diff)
	}
}

func TestCaptionsNameTheSpeakerOfWhatStays(t *testing.T) {
	said := func(speaker string, w media.Word) media.Word { w.Speaker = speaker; return w }
	words := []media.Word{
		said("Ada", word("hello", 0, 800)), said("Ada", word("there", 900, 1900)), said("Bo", word("yes", 2000, 2900)),
	}
	for want, cuts := range map[string][]media.Span{"Ada": nil, "Bo": {{StartMS: 0, EndMS: 1900}}} {
		plan, err := media.NewRenderPlan([]media.RenderClip{clip(5000, media.Rate{Num: 30, Den: 1})}, cuts,
			media.RenderSettings{Captions: &media.CaptionTrack{
				Lines: []media.CaptionLine{line("hello there yes", 0, 2900)}, Words: words,
			}})
		if err != nil || len(plan.Captions) != 1 || plan.Captions[0].Speaker != want {
			t.Errorf("%s: captions are %+v, %v", want, plan.Captions, err)
		}
	}
}
