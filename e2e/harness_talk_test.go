package e2e

import (
	"math"
	"roughcut/media"
	"roughcut/media/mediatest"
	"slices"
	"strings"
	"testing"
)

// Settings of the analysis in the tests of a whole talk.
const (
	pacing      = 50
	falseStarts = 60
)

// pauseLimit returns the longest pause in milliseconds that a pacing level keeps: 2.5 s at 0, 150
// ms at 100, geometric in between.
func pauseLimit(pacing int) float64 { return 2500 * math.Pow(150.0/2500, float64(pacing)/100) }

// checkCut measures a rendered cut of a talk: its length, every word, every pause, and the A/V
// offset at every join. All silences are cut.
func checkCut(t *testing.T, talk mediatest.TalkFixture, path string, edits []cutEdit, durationMS int64) {
	t.Helper()
	for _, e := range edits {
		if e.Type == "silence" && !e.Active {
			t.Errorf("the silence from %d to %d ms is inactive", e.StartMS, e.EndMS)
		}
	}
	numbers := mediatest.FrameNumbers(t, path)
	if want := talkRate.Frame(durationMS); int64(len(numbers)) != want {
		t.Errorf("%d frames, the render plan has %d", len(numbers), want)
	}
	var cuts []media.Span
	for _, e := range edits {
		if e.Active {
			cuts = append(cuts, media.Span{StartMS: e.StartMS, EndMS: e.EndMS})
		}
	}
	var segments []media.Span // kept parts of the recording, as the frames show them
	var joins []int64         // output frames that start a segment
	for i, n := range numbers {
		if n < 0 {
			t.Fatalf("output frame %d has no readable number", i)
		}
		if i == 0 || n != numbers[i-1]+1 {
			segments = append(segments, media.Span{StartMS: talkRate.MS(n)})
			joins = append(joins, int64(i))
		}
		segments[len(segments)-1].EndMS = talkRate.MS(n + 1)
	}
	plan, err := media.NewRenderPlan(
		[]media.RenderClip{
			{Info: media.Info{DurationMS: int64(1000 * talk.Seconds), Video: &media.VideoInfo{Rate: talkRate}}},
		},
		cuts,
		media.RenderSettings{},
	)
	if err != nil {
		t.Fatal(err)
	}
	var planned []int64
	for _, s := range plan.Segments {
		for n := s.In; n < s.Out; n++ {
			planned = append(planned, n)
		}
	}
	if !slices.Equal(planned, numbers) || len(plan.Segments) < 10 {
		t.Errorf(
			"the frames differ from the %d frames in %d segments that the edits keep", len(planned),
			len(plan.Segments),
		)
	}
	checkWords(t, talk, segments, edits)
	const hz, window = 48000, 500
	measured := mediatest.Offsets(
		t, numbers, mediatest.PCM(t, path, hz), mediatest.PCM(t, talk.Path, hz), 30, 1, hz, window, joins,
	)
	if len(measured) < len(joins)-1 {
		t.Errorf("measured %d of %d joins", len(measured), len(joins))
	}
	for _, o := range measured {
		if math.Abs(o.MS) > 5 || o.Fit < 0.5 {
			t.Errorf("at frame %d the A/V offset is %.1f ms (fit %.2f)", o.Frame, o.MS, o.Fit)
		}
	}
}

// checkWords looks for each spoken word in the segments.
func checkWords(t *testing.T, talk mediatest.TalkFixture, segments []media.Span, edits []cutEdit) {
	t.Helper()
	frame := 1000 / talkRate.Float()
	limit := pauseLimit(pacing) + 2*frame
	lastEnd := int64(0) // of the last kept word, in the output
	at := int64(0)
	kept := 0
	for _, word := range talk.Words {
		inFalseStart := false
		for _, e := range edits {
			if e.Active && e.Type == "false_start" &&
				min(e.EndMS, word.EndMS)-max(e.StartMS, word.StartMS) > (word.EndMS-word.StartMS)/2 {
				inFalseStart = true
			}
		}
		if inFalseStart {
			continue
		}
		var shown int64 // milliseconds of the word in the output
		start := int64(-1)
		at = 0
		for _, s := range segments {
			if part := s.Intersect(media.Span{StartMS: word.StartMS, EndMS: word.EndMS}); part.EndMS > part.StartMS {
				shown += part.Duration()
				if start < 0 {
					start = at + part.StartMS - s.StartMS
				}
			}
			at += s.Duration()
		}
		if lost := word.EndMS - word.StartMS - shown; lost > 20 {
			t.Errorf("%q at %d ms is clipped by %d ms", word.Text, word.StartMS, lost)
			continue
		}
		if pause := float64(start - lastEnd); pause > limit {
			t.Errorf(
				"a pause of %.0f ms remains before %q at %d ms, the limit is %.0f", pause, word.Text,
				word.StartMS, limit,
			)
		}
		lastEnd = start + shown
		kept++
	}
	if pause := float64(at - lastEnd); pause > limit {
		t.Errorf("a pause of %.0f ms remains at the end", pause)
	}
	t.Logf("%d of %d words kept in %d segments", kept, len(talk.Words), len(segments))
}

// talkRate is the frame rate of the talks.
var talkRate = media.Rate{Num: 30, Den: 1}

// wholeTalk is a talk with pauses, false starts and fillers, up to its first long pause.
func wholeTalk(t *testing.T) mediatest.TalkFixture {
	t.Helper()
	script, _, _ := strings.Cut(mediatest.ThreeMinuteScript(), "pause 4000\n")
	return mediatest.Talk(t, mediatest.TalkOptions{Script: script + "pause 1200\n", Seconds: 42, Hiss: true})
}

// shortTalk is a talk of some seconds in a small frame size.
func shortTalk(t *testing.T) string {
	t.Helper()
	return mediatest.Talk(t, mediatest.TalkOptions{}).Path
}

// tinyTalk is the same talk in a smaller frame size, for tests with many runs.
func tinyTalk(t *testing.T) string {
	t.Helper()
	return mediatest.Talk(t, mediatest.TalkOptions{Width: 320, Height: 180, Script: tinyScript}).Path
}

const tinyScript = `rate 48000
floor -62
pause 600
say en-us 160 welcome back everyone
pause 1700
say en-us 160 the first thing you need is a good microphone
pause 1900
`
