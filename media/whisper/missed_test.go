package whisper

import (
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/audio"
)

func texts(words []rawWord) (out []string) {
	for _, w := range words {
		out = append(out, w.text)
	}
	return out
}

func TestLongWordsLastAsLongAsSeveral(t *testing.T) {
	words := []rawWord{
		{text: "we", startMS: 0, endMS: 170}, {text: "waited", startMS: 170, endMS: 550},
		{text: "here", startMS: 550, endMS: 820}, {text: "for", startMS: 820, endMS: 1_700},
		{text: "sooo", startMS: 1_700, endMS: 2_200},
	}
	if got := texts(longWords(words)); !slices.Equal(got, []string{"for"}) {
		t.Errorf("long words: %q", got)
	}
	if got := longWords(nil); got != nil {
		t.Errorf("long words of nothing: %v", got)
	}
}

func TestLongWordsGiveWayToTheWordsHeardInTheirTime(t *testing.T) {
	first := []rawWord{
		{text: "for", startMS: 100, endMS: 120, probability: 0.9, segment: 1},
		{text: "For,", startMS: 1_000, endMS: 1_100, probability: 0.8, segment: 2},
		{text: "now", startMS: 3_000, endMS: 3_200, probability: 0.9, segment: 2},
	}
	long := []rawWord{{text: "For,", startMS: 1_000, endMS: 2_000, probability: 0.8, segment: 2}}
	heard := func(text string, startMS int64) rawWord {
		return rawWord{text: text, startMS: startMS, endMS: startMS + 200, probability: 0.9, segment: 7}
	}
	unsure := func(text string, startMS int64) rawWord {
		w := heard(text, startMS)
		w.probability = 0.5
		return w
	}
	tests := []struct {
		name   string
		second []rawWord
		want   []string
	}{
		{
			"words that the model omitted",
			[]rawWord{heard("for", 1_000), heard("three", 1_300), heard("hours", 1_600)},
			[]string{"for", "for", "three", "hours", "now"},
		},
		{"only the word", []rawWord{heard("for", 1_000)}, []string{"for", "For,", "now"}},
		{
			"other words", []rawWord{heard("four", 1_000), heard("trees", 1_300)},
			[]string{"for", "four", "trees", "now"},
		},
		{"unsure words", []rawWord{unsure("fort", 1_000), unsure("tree", 1_300)}, []string{"for", "For,", "now"}},
		{
			"words outside its time", []rawWord{heard("for", 1_000), heard("now", 3_000)},
			[]string{"for", "For,", "now"},
		},
	}
	for _, test := range tests {
		if got := texts(inPlaceOf(first, long, test.second)); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// A repeated sentence that the model skipped comes from the second pass.
func TestSkippedSpeechComesFromTheSecondPass(t *testing.T) {
	heard := func(text string, startMS int64, probability float64) rawWord {
		return rawWord{text: text, startMS: startMS, endMS: startMS + 400, probability: probability}
	}
	first := []rawWord{heard("hello", 0, 0.9), heard("bye", 9_000, 0.9)}
	missed := missedSpeech(first, audio.VoiceActivity{DurationMS: 10_000, Spans: []media.Span{
		{StartMS: 0, EndMS: 450}, {StartMS: 3_000, EndMS: 6_000}, {StartMS: 8_950, EndMS: 9_500},
	}})
	if want := []media.Span{{StartMS: 3_000, EndMS: 6_000}}; !slices.Equal(missed, want) {
		t.Fatalf("missed %v, want %v", missed, want)
	}
	second := []rawWord{
		heard("hello", 10, 0.9), heard("hello", 4_000, 0.9), heard("hm", 4_500, 0.01), heard("bye", 9_010, 0.9),
	}
	if got := texts(mergeWords(first, second, missed)); !slices.Equal(got, []string{"hello", "hello", "bye"}) {
		t.Errorf("words %q", got)
	}
}

func TestMusicIsNotTranscribedAgain(t *testing.T) {
	v := audio.VoiceActivity{DurationMS: 10_000, Spans: []media.Span{{StartMS: 0, EndMS: 10_000}}}
	if !isSpeech([]media.Span{{StartMS: 0, EndMS: 3_000}}, v) {
		t.Error("3 of 10 seconds without words are not transcribed again")
	}
	if isSpeech([]media.Span{{StartMS: 0, EndMS: 5_000}}, v) {
		t.Error("music is transcribed again")
	}
	if isSpeech(nil, v) {
		t.Error("nothing is transcribed again")
	}
}
