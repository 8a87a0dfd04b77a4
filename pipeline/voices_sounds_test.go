package pipeline

import (
	"math"
	"math/rand/v2"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest/voices"
	"roughcut/store"
)

// asides is a recording of one voice that speaks at three levels: loud, and quietly in the pauses.
type asides struct {
	voices.Recording
	quiet []media.Span
}

// recordAsides alternates between phrases at full level and phrases that are quieter by some
// decibels, with pauses of 1.5 s and noise at -75 dBFS.
func recordAsides(t *testing.T, voice string, quieterDB float64) asides {
	t.Helper()
	const pause = 1500 * media.SpeechSampleRate / 1000
	var long []voices.Utterance
	for _, u := range voices.Load(t) {
		if u.Voice == voice && u.MS() > 1500 && u.MS() < 4000 {
			long = append(long, u)
		}
	}
	var a asides
	random := rand.New(rand.NewPCG(7, 7))
	for i := range 9 {
		a.PCM = append(a.PCM, make([]int16, pause)...)
		gain, start := 1.0, int64(len(a.PCM))*1000/media.SpeechSampleRate
		if i%3 == 1 {
			gain = math.Pow(10, -quieterDB/20)
		}
		u := long[i*len(long)/9]
		for _, s := range u.PCM {
			a.PCM = append(a.PCM, int16(gain*float64(s)))
		}
		if gain < 1 {
			a.quiet = append(a.quiet, media.Span{StartMS: start, EndMS: start + u.MS()})
		}
	}
	for i := range a.PCM {
		a.PCM[i] = int16(min(max(float64(a.PCM[i])+6*random.NormFloat64(), math.MinInt16), math.MaxInt16))
	}
	a.DurationMS = int64(len(a.PCM)) * 1000 / media.SpeechSampleRate
	return a
}

// removedBy returns how much of some spans the cuts of silences remove, in milliseconds.
func removedBy(a Analysis, o media.CutOptions, spans []media.Span) (ms int64) {
	o.PacingLevel, o.FalseStartSensitivity = 50, 50
	var cuts []media.Span
	for _, e := range a.Edits(store.AnalysisSettings{CutOptions: o}) {
		if e.Active && e.Type == media.EditSilence {
			cuts = append(cuts, e.Span)
		}
	}
	cuts = media.MergeSpans(cuts)
	for _, s := range spans {
		ms += voices.Within(s, cuts)
	}
	return ms
}

// Quiet speech stays unless the user removes it. The network hears only the louder half of it.
func TestQuietSpeechFollowsTheChoice(t *testing.T) {
	t.Parallel()
	var all, kept, removed int64
	for _, voice := range voices.Names() {
		r := recordAsides(t, voice, 27)
		a := heard(t, r.Recording)
		for _, s := range r.quiet {
			all += s.Duration()
		}
		kept += removedBy(a, media.CutOptions{}, r.quiet)
		removed += removedBy(a, media.CutOptions{FaintSpeech: media.ChoiceRemove}, r.quiet)
	}
	if 4*kept > all || 2*removed < all {
		t.Errorf("of %d ms of quiet speech, %d ms are cut by default and %d ms on request", all, kept, removed)
	}
}

// Breaths are removed, shortened or kept.
func TestBreathsFollowTheChoice(t *testing.T) {
	t.Parallel()
	for i, voice := range voices.Names() {
		r := voices.Talk(t, uint64(10+i), voice, "breaths loud", voices.Options{})
		a := heard(t, r)
		var breaths []media.Span
		for _, e := range r.Events {
			breaths = append(breaths, e.Span)
		}
		cut := func(choice string) int64 { return removedBy(a, media.CutOptions{Breaths: choice}, breaths) }
		remove, shorten, keep := cut(media.ChoiceRemove), cut(media.ChoiceShorten), cut(media.ChoiceKeep)
		if len(breaths) == 0 || shorten >= remove || keep >= shorten {
			t.Errorf(
				"%s: of %d breaths, removing cuts %d ms, shortening %d ms, keeping %d ms", voice, len(breaths), remove,
				shorten, keep,
			)
		}
	}
}
