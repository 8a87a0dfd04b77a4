package whisper

import (
	"strings"
	"unicode/utf8"

	"roughcut/media"
	"roughcut/media/align"
	"roughcut/media/audio"
)

// rawWord is a word with times of the model in milliseconds of clip time, before snapping.
type rawWord struct {
	text        string
	startMS     int64
	endMS       int64
	probability float64
	segment     int // index of its segment
}

// wordsOfSegment joins the tokens of a segment into words. A token that starts with a space starts
// a word. In scripts without spaces, every token does unless no line may end before it, as in a run
// of katakana. Punctuation belongs to the word before it.
// Non-speech annotations such as "[music]" are dropped.
func wordsOfSegment(seg segment, index int) []rawWord {
	var out []rawWord
	var pending []token // tokens that end within a character
	text := ""
	depth := 0 // of brackets
	for _, t := range seg.tokens {
		if t.special {
			continue
		}
		text += t.text
		pending = append(pending, t)
		if !utf8.ValidString(text) && len(pending) < utf8.UTFMax {
			continue
		}
		part := strings.ToValidUTF8(text, "")
		opens := strings.Count(part, "[") + strings.Count(part, "(")
		closes := strings.Count(part, "]") + strings.Count(part, ")")
		if depth+opens == 0 && strings.Trim(part, " ♪♫") != "" {
			out = appendText(out, part, pending, index)
		}
		depth = max(depth+opens-closes, 0)
		text, pending = "", nil
	}

	return trimWords(out)
}

// appendText adds text to the last word, or starts a new word.
func appendText(words []rawWord, part string, tokens []token, index int) []rawWord {
	probability := 0.0
	for _, t := range tokens {
		probability += t.probability / float64(len(tokens))
	}
	first, last := tokens[0], tokens[len(tokens)-1]
	n := len(words)
	if n > 0 && continues(words[n-1].text, part) {
		w := &words[n-1]
		w.text += part
		if media.IsSpoken(part) {
			w.endMS = max(w.endMS, last.endMS)
			w.probability = min(w.probability, probability)
		}

		return words
	}

	return append(
		words,
		rawWord{text: part, startMS: first.startMS, endMS: last.endMS, probability: probability, segment: index},
	)
}

// continues reports whether text belongs to the word before it.
func continues(before, part string) bool {
	if strings.HasPrefix(part, " ") {
		return !media.IsSpoken(part) && strings.TrimSpace(part) != ""
	}
	if !media.IsSpoken(part) || !media.IsSpoken(before) {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(part)
	return !media.Spaceless(last) || !media.Spaceless(first) || !media.MayBreak(before, part)
}

// trimWords trims spaces and drops words without letters and digits. Spaces between phrases of a
// script without spaces stay, at the end of words.
func trimWords(words []rawWord) []rawWord {
	out := words[:0]
	for _, w := range words {
		isDivided := strings.HasPrefix(w.text, " ")
		w.text = strings.TrimSpace(w.text)
		if !media.IsSpoken(w.text) {
			continue
		}
		if n := len(out); isDivided && n > 0 && out[n-1].segment == w.segment {
			out[n-1].text = media.SpaceAfter(out[n-1].text, w.text)
		}
		out = append(out, w)
	}

	return out
}

// snap aligns words with the voiced parts of a recording. It drops words without sound nearby.
func snap(words []rawWord, v audio.VoiceActivity) []rawWord {
	rough := make([]align.Word, len(words))
	for i, w := range words {
		rough[i] = align.Word{
			Word:    media.Word{Text: w.text, StartMS: w.startMS, EndMS: w.endMS, Probability: w.probability},
			Segment: w.segment,
		}
	}

	snapped := align.Snap(rough, v)
	out := make([]rawWord, len(snapped))
	for i, w := range snapped {
		out[i] = rawWord{w.Text, w.StartMS, w.EndMS, w.Probability, w.Segment}
	}
	return out
}
