package media

import (
	"cmp"
	"slices"
)

// MaxSpeakerRunes limits the name of a speaker.
const MaxSpeakerRunes = 100

// SpeakerTurn marks the time when a speaker starts to talk.
type SpeakerTurn struct {
	AtMS    int64  `json:"at_ms"`   // start of a word, in clip time
	Speaker string `json:"speaker"` // empty for words without a speaker
}

// SpeakerTurns returns the turns of words, which are sorted. It returns none if no word has a
// speaker.
func SpeakerTurns(words []Word) []SpeakerTurn {
	var turns []SpeakerTurn
	last := ""
	for _, w := range words {
		if w.Speaker != last {
			turns, last = append(turns, SpeakerTurn{AtMS: w.StartMS, Speaker: w.Speaker}), w.Speaker
		}
	}

	return turns
}

// SetSpeakers gives sorted words the speakers of turns.
func SetSpeakers(words []Word, turns []SpeakerTurn) {
	next, speaker := 0, ""
	for i := range words {
		for next < len(turns) && turns[next].AtMS <= words[i].StartMS {
			speaker = turns[next].Speaker
			next++
		}

		words[i].Speaker = speaker
	}
}

// SetLineSpeakers gives sorted words the speakers that a person chose for their caption lines.
func SetLineSpeakers(words []Word, lines []CaptionLine) {
	for _, line := range lines {
		if line.Speaker == "" {
			continue
		}
		said := wordsInLine(words, line)
		for i := range said {
			said[i].Speaker = line.Speaker
		}
	}
}

// MainSpeaker returns the speaker who says most of the words, by time; the first one of several.
func MainSpeaker(words []Word) string {
	type share struct {
		speaker string
		ms      int64
	}
	var shares []share
	for _, w := range words {
		i := slices.IndexFunc(shares, func(s share) bool { return s.speaker == w.Speaker })
		if i < 0 {
			i, shares = len(shares), append(shares, share{speaker: w.Speaker})
		}
		shares[i].ms += w.EndMS - w.StartMS
	}

	if len(shares) == 0 {
		return ""
	}
	slices.SortStableFunc(shares, func(a, b share) int { return cmp.Compare(b.ms, a.ms) })
	return shares[0].speaker
}
