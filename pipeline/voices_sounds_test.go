package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
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
	for _, e := range a.Propose(store.AnalysisSettings{CutOptions: o}).Edits {
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

// A second speaker stays, however quiet: the start of a phrase is not a breath, and the phrase is
// not noise.
func TestQuietSecondSpeakersStay(t *testing.T) {
	t.Parallel()
	for _, db := range []float64{14, 17, 20, 22, 24, 27, 30} {
		var all, cut int64
		for _, voice := range voices.Names() {
			r := recordAsides(t, voice, db)
			for _, s := range r.quiet {
				all += s.Duration()
			}
			cut += removedBy(heard(t, r.Recording), media.CutOptions{}, r.quiet)
		}
		if 100*cut > all {
			t.Errorf("%.0f dB quieter, %d of %d ms are cut", db, cut, all)
		}
	}
}

// secondSpeaker is a talk of two synthetic voices. %s is the voice of the second one, and %d its
// gain.
const secondSpeaker = `rate 48000
floor %[3]d
pause 900
say en-us 160 welcome back everyone to another talk
pause 900
gain %[2]d
say %[1]s 165 thank you it is good to be here
pause 1000
gain 0
say en-us 160 today we look at the new camera and its lens
pause 1200
gain %[2]d
say %[1]s 165 which one do you like the best
pause 1400
gain 0
say en-us 160 the first thing you need is a good microphone
pause 1500
gain %[2]d
say %[1]s 165 we could open the window over there
pause 1400
gain 0
say en-us 160 thank you for watching and see you next week
pause 900
`

// Synthetic voices that are quieter than the main one stay too, in little and in more noise.
func TestQuietSyntheticVoicesStay(t *testing.T) {
	t.Parallel()
	for _, voice := range []string{"en-us", "en-us+f3", "en-gb+m4"} {
		for gain, floors := range map[int][]int{
			-20: {-70, -55}, -27: {-70}, -30: {-70},
		} {
			for _, floor := range floors {
				talk := mediatest.Talk(t, mediatest.TalkOptions{
					Script:  fmt.Sprintf(secondSpeaker, voice, gain, floor),
					NoVideo: true, Container: "wav", AudioCodec: "pcm_s16le",
				})
				var r voices.Recording
				for _, v := range mediatest.PCM(t, talk.Path, media.SpeechSampleRate) {
					r.PCM = append(r.PCM, int16(min(max(v, -1), 1)*math.MaxInt16))
				}
				r.DurationMS = int64(len(r.PCM)) * 1000 / media.SpeechSampleRate
				var words []media.Span
				for _, w := range talk.Words {
					words = append(words, media.Span{StartMS: w.StartMS, EndMS: w.EndMS})
				}
				if cut := removedBy(heard(t, r), media.CutOptions{}, words); cut > 100 {
					t.Errorf("%s at %d dB over noise of %d dB: %d ms of words are cut", voice, gain, floor, cut)
				}
			}
		}
	}
}
