package voices_test

import (
	"math"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest/voices"
)

func TestPhrasesStartAndEndWithTheirSpeech(t *testing.T) {
	all := voices.Load(t)
	if len(all) < 300 {
		t.Errorf("%d phrases, want at least 300", len(all))
	}
	for _, u := range all {
		if u.MS() < 500 || u.MS() > 8000 {
			t.Errorf("%s %s takes %d ms", u.Voice, u.Prompt, u.MS())
		}
		loud := level(u.PCM)
		for _, edge := range [][]int16{u.PCM[:160], u.PCM[len(u.PCM)-160:]} {
			if l := level(edge); l < loud-50 {
				t.Errorf("%s %s has an edge at %.0f dB, %.0f dB below its level", u.Voice, u.Prompt, l, loud-l)
			}
		}
	}
}

func TestConditionsKeepTheTruth(t *testing.T) {
	voices.Load(t)
	for i, condition := range voices.Conditions() {
		voice := voices.Names()[i%len(voices.Names())]
		r := voices.Talk(t, uint64(i), voice, condition, voices.Options{Seconds: 20})
		if got := int64(len(r.PCM)) * 1000 / media.SpeechSampleRate; got != r.DurationMS || got < 20000 {
			t.Errorf("%s: %d ms of audio, want %d ms", condition, got, r.DurationMS)
		}
		all := media.MergeSpans(append(slices.Clone(r.Speech), r.Pauses...))
		if len(all) != 1 || all[0] != (media.Span{EndMS: r.DurationMS}) {
			t.Errorf("%s: speech and pauses cover %v of %d ms", condition, all, r.DurationMS)
		}
		speech, pauses := mean(r, r.Speech), mean(r, r.Pauses)
		if speech < -45 || pauses > speech-5 {
			t.Errorf("%s %s: speech has %.1f dB, pauses %.1f dB", voice, condition, speech, pauses)
		}
	}
}

func TestRetakesListEveryTake(t *testing.T) {
	voices.Load(t)
	for _, level := range voices.Difficulties() {
		r := voices.Retakes(t, 3, voices.Names()[0], level)
		if (len(r.Groups) == 0) != (level == "none" || level == "refrain") {
			t.Errorf("%s has %d groups", level, len(r.Groups))
		}
		for _, g := range r.Groups {
			if len(g.Takes) < 2 || !g.Takes[g.Best()].Complete {
				t.Errorf("%s: group %+v", level, g)
			}
		}
	}
}

func TestEqualArgumentsGiveEqualRecordings(t *testing.T) {
	voices.Load(t)
	voice := voices.Names()[0]
	a := voices.Talk(t, 5, voice, "desk", voices.Options{Seconds: 10})
	b := voices.Talk(t, 5, voice, "desk", voices.Options{Seconds: 10})
	c := voices.Talk(t, 6, voice, "desk", voices.Options{Seconds: 10})
	if !slices.Equal(a.PCM, b.PCM) || !slices.Equal(a.Speech, b.Speech) {
		t.Error("the same seed gives different recordings")
	}
	if slices.Equal(a.PCM, c.PCM) {
		t.Error("different seeds give the same recording")
	}
}

// mean returns the mean level of spans in dBFS.
func mean(r voices.Recording, spans []media.Span) float64 {
	var pcm []int16
	for _, s := range spans {
		pcm = append(pcm, r.PCM[s.StartMS*16:s.EndMS*16]...)
	}
	return level(pcm)
}

func level(pcm []int16) float64 {
	sum := 0.0
	for _, s := range pcm {
		sum += float64(s) * float64(s) / (32768 * 32768)
	}
	return 10 * math.Log10(sum/float64(max(len(pcm), 1))+1e-12)
}
