package whisper

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// rawWord is a word with the times that the model gave it, in milliseconds of clip time, before
// they are snapped to the sound.
type rawWord struct {
	text        string
	startMS     int64
	endMS       int64
	probability float64
	segment     int // index of the segment that it belongs to
}

// wordsOf joins the tokens of a segment into words. A word begins with a token that starts with a
// space; in text that is written without spaces, with each character or piece that the model has a
// token for. Punctuation stays with the word before it. Stage directions such as "[music]" are left
// out.
func wordsOf(seg segment, index int) []rawWord {
	var out []rawWord
	var pending []token // tokens whose bytes do not yet end at a character's border
	text := ""
	inside := 0 // depth of brackets
	for _, t := range seg.tokens {
		if t.special {
			continue
		}
		text += t.text
		pending = append(pending, t)
		if !utf8.ValidString(text) && len(pending) < utf8.UTFMax {
			continue
		}
		piece := strings.ToValidUTF8(text, "")
		opens, closes := strings.Count(piece, "[")+strings.Count(
			piece,
			"(",
		), strings.Count(piece, "]")+strings.Count(piece, ")")
		if inside+opens == 0 && strings.Trim(piece, " ♪♫") != "" {
			out = appendPiece(out, piece, pending, index)
		}
		inside = max(inside+opens-closes, 0)
		text, pending = "", nil
	}
	return trimmed(out)
}

// appendPiece adds a piece of text to the last word, or begins a new one with it.
func appendPiece(words []rawWord, piece string, tokens []token, index int) []rawWord {
	probability := 0.0
	for _, t := range tokens {
		probability += t.probability / float64(len(tokens))
	}
	first, last := tokens[0], tokens[len(tokens)-1]
	n := len(words)
	if n > 0 && continues(words[n-1].text, piece) {
		w := &words[n-1]
		w.text += piece
		if isSound(piece) {
			w.endMS = max(w.endMS, last.endMS)
			w.probability = min(w.probability, probability)
		}
		return words
	}
	return append(
		words,
		rawWord{text: piece, startMS: first.startMS, endMS: last.endMS, probability: probability, segment: index},
	)
}

// continues reports whether a piece belongs to the word before it.
func continues(before, piece string) bool {
	if strings.HasPrefix(piece, " ") {
		return !isSound(piece) && strings.TrimSpace(piece) != ""
	}
	if !isSound(piece) || !isSound(before) {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(piece)
	return !(spaceless(last) && spaceless(first)) || unicode.Is(unicode.Mn, first)
}

// isSound reports whether a text holds anything that is spoken.
func isSound(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// spaceless reports whether a character is of a script that is written without spaces between
// words.
func spaceless(r rune) bool {
	return unicode.In(
		r,
		unicode.Han,
		unicode.Hiragana,
		unicode.Katakana,
		unicode.Thai,
		unicode.Lao,
		unicode.Khmer,
		unicode.Myanmar,
		unicode.Tibetan,
	)
}

// trimmed takes the spaces off the words and leaves out those of which nothing is spoken.
func trimmed(words []rawWord) []rawWord {
	out := words[:0]
	for _, w := range words {
		w.text = strings.TrimSpace(w.text)
		if isSound(w.text) {
			out = append(out, w)
		}
	}
	return out
}

// joint returns what is written between two words.
func joint(before, after string) string {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	if (spaceless(last) || unicode.IsPunct(last) && last > unicode.MaxLatin1) && spaceless(first) {
		return ""
	}
	return " "
}
