package detect

import (
	"math"
	"slices"
	"unicode/utf8"

	"roughcut/media"
	"roughcut/media/audio"
)

// talk is the evidence of a clip, prepared for detection.
type talk struct {
	Evidence
	settings           Settings
	language           string // of the fillers
	threshold, padding int64
	speech             []media.Span  // voice activity, words and sounds that stay: sorted, disjoint
	noises             []audio.Sound // sound that is neither a word nor likely speech, sorted
	loud               []audio.Sound // sound without voice as loud as speech, sorted
	pauses             []media.Span  // the gaps in speech from 0 to the end of the clip, never empty
	inventions         inventions    // the words that cut nothing
}

func newTalk(e Evidence, k Settings) *talk {
	t := &talk{Evidence: e, settings: k, language: k.Language}
	t.threshold, t.padding = PauseThreshold(k.PacingLevel), PausePadding(k.PacingLevel)
	whole := media.Span{EndMS: e.DurationMS}
	speech := t.sortSounds()
	for _, s := range t.audibleVoice() {
		if s = s.Intersect(whole); len(e.Words) > 0 && t.isNoise(s) {
			t.noises = append(t.noises, audio.Sound{Span: s, Kind: audio.SoundNoise})
			continue
		}

		speech = append(speech, s)
	}

	for _, w := range e.Words {
		if s := (media.Span{StartMS: w.StartMS, EndMS: w.EndMS}); !t.removesFaint(s) {
			speech = append(speech, s.Intersect(whole))
		}
	}

	slices.SortStableFunc(t.noises, func(a, b audio.Sound) int { return int(a.StartMS - b.StartMS) })
	t.speech = media.MergeSpans(speech)
	t.pauses = media.KeptSpans(e.DurationMS, t.speech)
	t.inventions = t.invented()
	return t
}

// longestPhrase is how many characters of a script without blanks tell a person where something is.
// Many words of such scripts are single characters.
const longestPhrase = 8

// wordBefore returns the last word that starts before ms, or an empty text. In a script without
// blanks, it is the end of the phrase.
func (t *talk) wordBefore(ms int64) string {
	i, _ := slices.BinarySearchFunc(t.Words, ms, func(w media.Word, at int64) int { return int(w.StartMS - at) })
	if i == 0 {
		return ""
	}
	first := i - 1
	for first > 0 && t.continues(first-1) && utf8.RuneCountInString(t.phrase(first-1, i)) <= longestPhrase {
		first--
	}

	return t.phrase(first, i)
}

// continues reports whether the word after one belongs to its phrase, without a blank or a pause.
func (t *talk) continues(word int) bool {
	before, after := t.Words[word], t.Words[word+1]
	return after.StartMS-before.EndMS < phraseGapMS && media.WrittenTogether(before.Text, after.Text) &&
		!media.EndsPhrase(before.Text, after.Text)
}

// phrase returns the text of words [from, to).
func (t *talk) phrase(from, to int) string {
	var texts []string
	for _, w := range t.Words[from:to] {
		texts = append(texts, w.Text)
	}
	return media.TrimPunct(media.JoinWords(texts))
}

// wordAfter returns the first word that starts at ms or later, or an empty text. In a script
// without blanks, it is the start of the phrase.
func (t *talk) wordAfter(ms int64) string {
	i, _ := slices.BinarySearchFunc(t.Words, ms, func(w media.Word, at int64) int { return int(w.StartMS - at) })
	if i == len(t.Words) {
		return ""
	}
	end := i + 1
	for end < len(t.Words) && t.continues(end-1) && utf8.RuneCountInString(t.phrase(i, end+1)) <= longestPhrase {
		end++
	}

	return t.phrase(i, end)
}

// wordsIn returns the words whose middle is in a span.
func (t *talk) wordsIn(s media.Span) (words []media.Word) {
	for _, w := range t.Words {
		if middle := (w.StartMS + w.EndMS) / 2; middle >= s.StartMS && middle < s.EndMS {
			words = append(words, w)
		}
	}

	return words
}

// textIn returns the words in a span.
func (t *talk) textIn(s media.Span) string {
	var texts []string
	for _, w := range t.wordsIn(s) {
		texts = append(texts, w.Text)
	}
	return media.JoinWords(texts)
}

// levelOf returns the mean level of the voice in a span, in dBFS.
func (t *talk) levelOf(s media.Span) float64 {
	power, frames := 0.0, 0
	for _, v := range t.speech {
		v = v.Intersect(s)
		for ms := v.StartMS; ms < v.EndMS; ms += audio.VoiceFrameMS {
			power, frames = power+math.Pow(10, t.Voice.Level(ms)/10), frames+1
		}
	}

	return math.Round(10*10*math.Log10(max(power/float64(max(frames, 1)), 1e-10))) / 10
}
