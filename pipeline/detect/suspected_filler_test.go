package detect

import (
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/audio"
)

// withHeldSound returns the evidence of two words 2 s apart, between which the voice holds a sound.
func withHeldSound(startMS, endMS int64, pitch func(i int) byte) Evidence {
	e := evidenceOf("hello [2000] there")
	e.Voice.Spans = slices.Insert(e.Voice.Spans, 1, media.Span{StartMS: startMS, EndMS: endMS})
	for i := startMS / audio.VoiceFrameMS; i < endMS/audio.VoiceFrameMS; i++ {
		e.Voice.Levels[i] = 155
	}
	e.Pitch = make([]byte, e.DurationMS/audio.PitchFrameMS)
	for i := startMS / audio.PitchFrameMS; i < endMS/audio.PitchFrameMS; i++ {
		e.Pitch[i] = pitch(int(i))
	}
	return e
}

func flatPitch(i int) byte { return byte(120 + i%3) }

// fallingPitch falls by a semitone in 60 ms.
func fallingPitch(i int) byte { return byte(200 - 2*i) }

func TestHeldSoundWithoutAWordIsASuspectedFiller(t *testing.T) {
	held := func(ms int64) Evidence { return withHeldSound(400, 400+ms, flatPitch) }
	change := func(e Evidence, how func(*Evidence)) Evidence { how(&e); return e }
	for name, c := range map[string]struct {
		evidence Evidence
		want     string
	}{
		"a held sound":  {held(400), "Sound of 0.4 s without a word, held like a filler (inactive)"},
		"a short sound": {held(140), ""},
		"a long sound":  {held(1600), ""},
		"a rising pitch": {
			withHeldSound(900, 1300, func(i int) byte { return byte(60 + 2*i) }), "",
		},
		"a falling pitch and an even spectrum": {
			change(withHeldSound(400, 800, fallingPitch), func(e *Evidence) {
				e.Change = slices.Repeat([]byte{8}, len(e.Pitch))
			}),
			"Sound of 0.4 s without a word, held like a filler (inactive)",
		},
		"a mouth that closes": {
			change(withHeldSound(400, 800, fallingPitch), func(e *Evidence) {
				e.Change = slices.Repeat([]byte{8}, len(e.Pitch))
				copy(e.Change[28:], []byte{90, 90, 90})
			}),
			"Sound of 0.4 s without a word, held like a filler (inactive)",
		},
		"a spectrum that changes": {
			change(withHeldSound(400, 800, fallingPitch), func(e *Evidence) {
				e.Change = slices.Repeat([]byte{40}, len(e.Pitch))
			}), "",
		},
		"no pitch": {withHeldSound(900, 1300, func(int) byte { return 0 }), ""},
		"half of it flat": {withHeldSound(900, 1300, func(i int) byte {
			if i%20 < 10 {
				return 120
			}
			return 0
		}), ""},
		"a sound that repeats": {
			change(held(400), func(e *Evidence) {
				e.Repeats = []Repeat{{
					Earlier: media.Span{StartMS: 380, EndMS: 820}, Later: media.Span{StartMS: 2200, EndMS: 2400},
					Distance: 0.1, Margin: 3, Worst: 0.1,
				}}
			}),
			"Sound of 0.4 s without a word, held like a filler (inactive)",
		},
		"evidence of an earlier version": {change(held(400), func(e *Evidence) { e.Pitch = nil }), ""},
		"no transcript":                  {change(held(400), func(e *Evidence) { e.Words = nil }), ""},
		"a word": {change(held(400), func(e *Evidence) {
			e.Words = slices.Insert(slices.Clone(e.Words), 1, media.Word{Text: "ah", StartMS: 420, EndMS: 790})
		}), ""},
		"no voice":        {change(held(400), func(e *Evidence) { e.Voice.Probability = make([]byte, 80) }), ""},
		"an uneven level": {change(held(400), func(e *Evidence) { e.Voice.Levels[60] = 110 }), ""},
		"a quiet sound": {change(held(400), func(e *Evidence) {
			for i := 40; i < 80; i++ {
				e.Voice.Levels[i] = 100
			}
		}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			found := only(media.EditFiller, Edits(c.evidence, english(media.CutOptions{PacingLevel: 50})))
			_, got, _ := strings.Cut(found, " ")
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSuspectedFillersAreCutOnRequestIfTheyAreLong(t *testing.T) {
	for ms, active := range map[int64]bool{160: false, 400: true} {
		settings := english(media.CutOptions{PacingLevel: 50, CutFillers: true})
		edits := Edits(withHeldSound(900, 900+ms, flatPitch), settings)
		got := only(media.EditFiller, edits)
		if got == "" || strings.Contains(got, "inactive") == active {
			t.Errorf("a sound of %d ms: got %q, want active %v", ms, got, active)
		}
		for _, e := range edits {
			for _, w := range []media.Span{{EndMS: 200}, {StartMS: 2200, EndMS: 2400}} {
				if e.Intersect(w).Duration() > 0 {
					t.Errorf("the cut %v takes a word at %v", e.Span, w)
				}
			}
		}
	}
}
