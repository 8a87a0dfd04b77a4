package media

import (
	"reflect"
	"testing"
)

func spokenBy(speakers ...string) []Word {
	words := make([]Word, len(speakers))
	for i, s := range speakers {
		words[i] = Word{Text: "w", StartMS: int64(i) * 100, EndMS: int64(i)*100 + 90, Speaker: s}
	}
	return words
}

func TestTurnsKeepTheSpeakerOfEachWord(t *testing.T) {
	for _, speakers := range [][]string{{}, {"", ""}, {"Ada", "Ada", "Bo"}, {"", "Ada", "", "Bo", "Ada"}} {
		words := spokenBy(speakers...)
		again := spokenBy(make([]string, len(speakers))...)
		SetSpeakers(again, SpeakerTurns(words))
		if !reflect.DeepEqual(again, words) {
			t.Errorf("%q: turns %v give %v", speakers, SpeakerTurns(words), again)
		}
	}
	if turns := SpeakerTurns(spokenBy("Ada", "Ada", "Bo", "")); !reflect.DeepEqual(
		turns, []SpeakerTurn{{0, "Ada"}, {200, "Bo"}, {300, ""}},
	) {
		t.Errorf("turns are %v", turns)
	}
}

// Words that a replacement split get the speaker who talks when they start.
func TestTurnsOutliveOtherWords(t *testing.T) {
	turns := SpeakerTurns(spokenBy("Ada", "Bo"))
	words := []Word{{Text: "a", StartMS: 20}, {Text: "b", StartMS: 60}, {Text: "c", StartMS: 100}}
	SetSpeakers(words, turns)
	if words[0].Speaker != "Ada" || words[1].Speaker != "Ada" || words[2].Speaker != "Bo" {
		t.Errorf("words are %v", words)
	}
}

func TestMainSpeakerTalksTheLongest(t *testing.T) {
	for want, speakers := range map[string][]string{
		"": {}, "Ada": {"Ada", "Bo", "Ada"}, "Bo": {"", "Bo", "Bo"}, "Cy": {"Cy", "Di"},
	} {
		if got := MainSpeaker(spokenBy(speakers...)); got != want {
			t.Errorf("%q: %q, want %q", speakers, got, want)
		}
	}
}
