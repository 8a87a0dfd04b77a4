package whisper

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"roughcut/media"
	"roughcut/media/audio"
)

func TestTokensJoinToWords(t *testing.T) {
	for name, c := range map[string]struct {
		tokens []string
		want   string
	}{
		"plain":               {[]string{" hello", " wor", "ld", "."}, "hello|world."},
		"apostrophe":          {[]string{" it", "'s", " fine", ",", " really", "!"}, "it's|fine,|really!"},
		"split character":     {[]string{" caf", "\xc3", "\xa9", " au", " lait"}, "café|au|lait"},
		"dash":                {[]string{" the", " -", " the", " end"}, "the -|the|end"},
		"stage direction":     {[]string{" [", "music", "]", " hello", " (", "applause", ")"}, "hello"},
		"notes":               {[]string{" ♪", " la", " ♪"}, "la"},
		"chinese":             {[]string{"今天", "天", "\xe6\xb0", "\x94", "。"}, "今天|天|气。"},
		"broken bytes":        {[]string{" ok", "\xff\xfe"}, "ok"},
		"only punctuation":    {[]string{" ...", "?"}, ""},
		"first without space": {[]string{"Hi", " there"}, "Hi|there"},
	} {
		t.Run(name, func(t *testing.T) {
			var seg segment
			for i, text := range c.tokens {
				seg.tokens = append(
					seg.tokens,
					token{text: text, probability: 0.5, startMS: int64(100 * i), endMS: int64(100*i + 100)},
				)
			}
			seg.tokens = append(seg.tokens, token{text: "[_EOT_]", special: true})
			var got []string
			for _, w := range wordsOfSegment(seg, 0) {
				got = append(got, w.text)
			}
			if strings.Join(got, "|") != c.want {
				t.Errorf("got %q, want %q", strings.Join(got, "|"), c.want)
			}
		})
	}
}

// voiceOf returns the voice activity of a recording that is loud in spans and silent elsewhere.
func voiceOf(durationMS int64, spans ...media.Span) audio.VoiceActivity {
	v := audio.VoiceActivity{
		DurationMS: durationMS,
		Levels:     make([]byte, durationMS/audio.VoiceFrameMS),
		FloorDB:    -90,
		SpeechDB:   -20,
		Spans:      spans,
	}
	for i := range v.Levels {
		v.Levels[i] = 20
		for _, s := range spans {
			if at := int64(i) * audio.VoiceFrameMS; at >= s.StartMS && at < s.EndMS {
				v.Levels[i] = 160
			}
		}
	}
	return v
}

func raw(text string, start, end int64) rawWord {
	return rawWord{text: text, startMS: start, endMS: end, probability: 0.9}
}

func lines(words []rawWord) string {
	var out []string
	for _, w := range words {
		out = append(out, fmt.Sprintf("%s %d-%d", w.text, w.startMS, w.endMS))
	}
	return strings.Join(out, ", ")
}

func TestSnapMovesWordsToSound(t *testing.T) {
	v := voiceOf(6000, media.Span{StartMS: 500, EndMS: 1500}, media.Span{StartMS: 3000, EndMS: 3900})
	for name, c := range map[string]struct {
		words []rawWord
		want  string
	}{
		"late after a pause": {
			[]rawWord{raw("hello", 600, 1000), raw("world", 1000, 3300), raw("again", 3300, 3900)},
			"hello 500-1000, world 1000-1500, again 3000-3900",
		},
		"before the sound": {
			[]rawWord{raw("hello", 0, 1000), raw("world", 1000, 1500), raw("again", 2700, 3900)},
			"hello 500-1000, world 1000-1500, again 3000-3900",
		},
		"word in silence": {
			[]rawWord{
				raw("hello", 500, 1000), raw("world", 1000, 1500), raw("again", 3000, 3900), raw("thanks", 5500, 5800),
			},
			"hello 500-1000, world 1000-1500, again 3000-3900",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := lines(snap(c.words, v)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	if got := snap([]rawWord{raw("ghost", 100, 900)}, voiceOf(2000)); len(got) != 0 {
		t.Errorf("words %v in a silent recording", got)
	}
}

func TestSnapKeepsOrderAndBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var spans []media.Span
		at := int64(0)
		for range rapid.IntRange(0, 12).Draw(t, "spans") {
			at += 10 * rapid.Int64Range(5, 150).Draw(t, "gap")
			end := at + 10*rapid.Int64Range(3, 300).Draw(t, "length")
			spans = append(spans, media.Span{StartMS: at, EndMS: end})
			at = end
		}
		v := voiceOf(at+500, spans...)
		var words []rawWord
		for i := range rapid.IntRange(0, 40).Draw(t, "words") {
			start := rapid.Int64Range(0, v.DurationMS).Draw(t, "start")
			words = append(
				words,
				rawWord{
					text:    rapid.StringMatching(`[a-z]{1,12}`).Draw(t, "text"),
					startMS: start,
					endMS:   start + rapid.Int64Range(-50, 2000).Draw(t, "took"),
					segment: i / 5,
				},
			)
		}
		last := int64(0)
		for _, w := range snap(words, v) {
			if w.startMS < last || w.endMS <= w.startMS || w.endMS > v.DurationMS {
				t.Fatalf("%q is at %d-%d ms, the word before ends at %d, the recording at %d",
					w.text, w.startMS, w.endMS, last, v.DurationMS)
			}
			on := int64(0)
			for _, s := range spans {
				on += max(s.Intersect(media.Span{StartMS: w.startMS, EndMS: w.endMS}).Duration(), 0)
			}
			if on == 0 {
				t.Fatalf("%q is at %d-%d ms, in silence", w.text, w.startMS, w.endMS)
			}
			last = w.endMS
		}
	})
}

// A run of a model of Whisper's sizes costs the same for every window. A third of this talk is
// pauses; it must not take more runs than windows of 30 s without a look at the voice.
func TestLargeModelsGetFullWindows(t *testing.T) {
	var spans []media.Span
	for at := int64(0); at < 660_000; at += 3300 {
		spans = append(spans, media.Span{StartMS: at + 500, EndMS: at + 2700})
	}
	for width, most := range map[int]int{128: 40, 384: 18, 1280: 18} {
		m := &Model{info: ModelInfo{Width: width}}
		if got := m.packing().windows(voiceOf(660_000, spans...)); len(got) > most {
			t.Errorf("a model of width %d runs %d times, want at most %d", width, len(got), most)
		}
	}
}

func TestWindowsCoverAllVoicedSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var spans []media.Span
		at := int64(0)
		for range rapid.IntRange(0, 60).Draw(t, "spans") {
			at += 10 * rapid.Int64Range(5, 900).Draw(t, "gap")
			end := at + 10*rapid.Int64Range(3, 4000).Draw(t, "length")
			spans = append(spans, media.Span{StartMS: at, EndMS: end})
			at = end
		}
		v := voiceOf(at+200, spans...)
		last := int64(0)
		covered := int64(0)
		p := rapid.SampledFrom([]packing{shortWindows, fullWindows}).Draw(t, "packing")
		for _, w := range p.windows(v) {
			if w.duration() > 30_000 {
				t.Fatalf("a window lasts %d ms, want at most 30 s", w.duration())
			}
			for _, s := range w {
				covered += s.Duration()
				if s.StartMS < last-2*p.padding {
					t.Fatalf("window %v starts before %d", w, last)
				}
				last = s.EndMS
			}
			if got := w.clipTime(w.duration()); got != w[len(w)-1].EndMS {
				t.Fatalf("the end of window %v is at %d", w, got)
			}
		}
		for _, s := range spans {
			covered -= s.Duration()
		}
		if covered < 0 {
			t.Fatalf("%d ms of voice are in no window", -covered)
		}
	})
}
