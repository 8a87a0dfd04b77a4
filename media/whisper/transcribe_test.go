package whisper

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

const talk = `rate 16000
floor -70
pause 900
say en-us 160 hello and welcome to my channel
pause 700
say en-us 160 so today we are going to
pause 450
say en-us 160 so today we are going to talk about the new camera
pause 1800
say en-us 155 i bought it last week and i have been using it every day
pause 600
say en-us 165 the lens is small but the picture looks really good
pause 3000
say en-us 160 you can
pause 250
say en-us 160 you can record for two hours with one battery
pause 500
say en-us 150 that is a very very long time
pause 1200
say en-us 160 um the microphone is not the best
pause 800
say en-us 160 i want to show you the
pause 900
say en-us 160 i want to show you the charts
pause 2600
say en-us 160 let's start with the first question
pause 1500
`

func openModel(t testing.TB) *Model {
	t.Helper()
	m, err := Open(mediatest.Model(t), 2, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// A large model takes seconds for a window, and users want to see progress during this time.
func TestProgressMovesWithinAWindow(t *testing.T) {
	var script strings.Builder
	script.WriteString("rate 16000\n")
	for range 4 {
		script.WriteString("say en-us 160 hello and welcome to my channel today we talk about the new camera\n")
		script.WriteString("pause 400\n")
	}
	m, s := openModel(t), speak(t, script.String())
	raw := s.raw()
	voice, err := m.voiceActivity(context.Background(), bytes.NewReader(raw), int64(len(raw)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(m.packing().windows(voice)); n != 1 {
		t.Fatalf("the recording has %d windows", n)
	}
	var within []float64
	if _, err := m.Transcribe(context.Background(), bytes.NewReader(raw), int64(len(raw)), Options{}, func(p float64) {
		if p > 0 && p < firstPassShare {
			within = append(within, p)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if len(within) == 0 || !slices.IsSorted(within) {
		t.Errorf("within the only window, progress is %v", within)
	}
	t.Logf("%.2f", within)
}

func TestTranscribeTalk(t *testing.T) {
	m, s := openModel(t), speak(t, talk)
	raw := s.raw()
	last := -1.0
	got, err := m.Transcribe(context.Background(), bytes.NewReader(raw), int64(len(raw)), Options{}, func(p float64) {
		if p < last || p > 1 {
			t.Errorf("progress goes from %v to %v", last, p)
		}
		last = p
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != 1 {
		t.Errorf("progress ends at %v, want 1", last)
	}
	diff := mediatest.CompareWords(s.words, got.Words)
	median, p95 := mediatest.Percentile(diff.StartErrorsMS, 50), mediatest.Percentile(diff.StartErrorsMS, 95)
	t.Logf("WER %d/%d; start median %d p95 %d ms; end median %d p95 %d ms", diff.Errors, len(s.words),
		median, p95, mediatest.Percentile(diff.EndErrorsMS, 50), mediatest.Percentile(diff.EndErrorsMS, 95))
	if diff.Errors*100 > 12*len(s.words) {
		t.Errorf("%d errors in %d words, want at most 12 %%", diff.Errors, len(s.words))
	}
	if median > 15 || p95 > 120 {
		t.Errorf("start times are off by %d ms in the median and %d ms at the 95th percentile", median, p95)
	}
	for i, x := range got.Segments {
		if x.Text == "" || x.EndMS <= x.StartMS || (i > 0 && x.StartMS < got.Segments[i-1].EndMS) {
			t.Errorf("segment %d: %+v", i, x)
		}
	}
}
