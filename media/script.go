package media

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Spaceless reports whether a character belongs to a script without spaces between words.
func Spaceless(r rune) bool { return isIdeographic(r) || Phrased(r) }

// isIdeographic reports a character of Chinese or Japanese. Lines end between any two of them.
func isIdeographic(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Bopomofo) || isKatakana(r)
}

// isKatakana reports a character of a run of katakana, which is one word.
func isKatakana(r rune) bool {
	const longVowel, halfLongVowel = 'ー', 'ｰ'
	return unicode.Is(unicode.Katakana, r) || r == longVowel || r == halfLongVowel
}

// Phrased reports whether a character belongs to a script whose words only a dictionary can tell.
// Spaces are between phrases.
func Phrased(r rune) bool {
	return unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// isWideMark reports punctuation of Chinese and Japanese, which includes its own space.
func isWideMark(r rune) bool {
	return (r > '\u3000' && r <= '\u303f') || (r > '\uff00' && r < '\uffef' && unicode.IsPunct(r)) || r == '・'
}

// IsSpoken reports whether a text contains letters or digits. Nobody says marks alone.
func IsSpoken(text string) bool { return strings.ContainsFunc(text, isLetter) }

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// InWord reports whether a character is part of a word: a letter, a digit, or a mark. Vowels of
// Devanagari and Thai are marks. Selectors of a drawing, as in emoji, are not part of a word.
func InWord(r rune) bool {
	return isLetter(r) || (unicode.IsMark(r) && !unicode.Is(unicode.Variation_Selector, r))
}

// TrimPunct returns a text without the spaces and punctuation around its words.
func TrimPunct(text string) string {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return !isLetter(r) })
	return strings.TrimRightFunc(text, func(r rune) bool { return !InWord(r) })
}

// FoldWord returns a word in lower case without its punctuation, to compare it with other ones.
func FoldWord(text string) string {
	return strings.Map(func(r rune) rune {
		if !InWord(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// IsWide reports whether a character is as wide as it is high: those of Chinese, Japanese and
// Korean.
func IsWide(r rune) bool {
	const firstHalf, lastHalf = '\uff61', '\uffdc' // half-width forms
	return (isIdeographic(r) || isWideMark(r) || unicode.Is(unicode.Hangul, r)) && (r < firstHalf || r > lastHalf)
}

// WrittenTogether reports whether two consecutive words are written without a space between them.
// Chinese and Japanese have none around words of other scripts either; the others do.
func WrittenTogether(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	isTight := func(r rune) bool { return Spaceless(r) || isWideMark(r) }
	isForeign := func(r rune) bool {
		isWord := isLetter(r) || r == '%'
		return isWord && !Phrased(r) && !unicode.Is(unicode.Hangul, r)
	}
	switch {
	case isTight(last) && isTight(first), unicode.Is(unicode.M, first):
		return true
	case isIdeographic(first):
		isPunct := last > unicode.MaxLatin1 && unicode.IsPunct(last)
		return isForeign(last) || isPunct
	case isIdeographic(last):
		return isForeign(first)
	}

	isMarkOfForeign := isWideMark(first) && isForeign(last)
	return isWideMark(last) || isMarkOfForeign
}

// JoinWords returns words as a text, with spaces between them if their scripts have spaces, and
// after those that end with one.
func JoinWords(words []string) string {
	var out strings.Builder
	before := ""
	for _, raw := range words {
		w := strings.TrimSpace(raw)
		if w == "" {
			continue
		}
		if before != "" && !WrittenTogether(before, w) {
			out.WriteByte(' ')
		}
		out.WriteString(w)
		before = raw
	}

	return out.String()
}

// JoinRows returns a text of several rows as one row.
func JoinRows(text string) string { return JoinWords(strings.Split(text, "\n")) }

// LineBreaks returns the byte offsets in a text where a line may end, by UAX #14. A run of katakana
// is a word, which that rule would divide, and so is a run of Hangul, because Korean has spaces.
func LineBreaks(text string) (offsets []int) {
	rest, state, at := text, -1, 0
	for len(rest) > 0 {
		var segment string
		segment, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
		at += len(segment)
		last, _ := utf8.DecodeLastRuneInString(segment)
		first, _ := utf8.DecodeRuneInString(rest)
		isKatakanaWord := isKatakana(last) && isKatakana(first)
		isHangulWord := unicode.Is(unicode.Hangul, last) && unicode.Is(unicode.Hangul, first)
		if rest != "" && !isKatakanaWord && !isHangulWord {
			offsets = append(offsets, at)
		}
	}

	return offsets
}

// Characters of scripts that need a dictionary and that belong to one next to them: vowels written
// before their consonant, vowels and signs after it, signs that a final consonant follows, signs
// that make a consonant final or silent, and signs that stack consonants.
const (
	leadingVowels = "เแโใไເແໂໃໄ"
	trailingSigns = "ะาำๅฯๆະາຳຽໆຯ"
	beforeFinals  = "\u0e31\u0e47\u0eb1\u0ebb"
	afterFinals   = "\u0e4c\u0ecc\u103a\u1039\u17cb\u17cd"
	stackingSigns = "\u1039\u17d2"
	toneMarks     = "\u0e48\u0e49\u0e4a\u0e4b\u0ec8\u0ec9\u0eca\u0ecb\u1037\u1038"
	silentVowels  = "\u0e34\u0e38"
)

// InSyllable reports whether a border of two texts is inside a syllable of Thai, Lao, Khmer or
// Burmese, if the characters next to it tell.
func InSyllable(before, after string) bool {
	first, size := utf8.DecodeRuneInString(after)
	if !Phrased(first) {
		return false
	}
	head := strings.TrimRight(before, toneMarks)
	last, _ := utf8.DecodeLastRuneInString(head)
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(after[size:], toneMarks+silentVowels))
	return unicode.Is(unicode.M, first) || strings.ContainsRune(trailingSigns, first) ||
		strings.ContainsRune(leadingVowels+beforeFinals+stackingSigns, last) || strings.ContainsRune(afterFinals, next)
}

// breakContext is how many bytes of a text decide about a break next to it.
const breakContext = 32

// MayBreak reports whether a line may end between two consecutive words. Words of scripts that need
// a dictionary end where the transcript says, but not inside a syllable.
func MayBreak(before, after string) bool {
	first, _ := utf8.DecodeRuneInString(after)
	last, _ := utf8.DecodeLastRuneInString(before)
	if !WrittenTogether(before, after) {
		return true
	}
	if Phrased(last) && Phrased(first) {
		return !InSyllable(before, after)
	}
	for len(before) > breakContext {
		_, size := utf8.DecodeRuneInString(before)
		before = before[size:]
	}

	if len(after) > breakContext {
		after = after[:breakContext]
	}
	for _, at := range LineBreaks(before + after) {
		if at >= len(before) {
			return at == len(before)
		}
	}

	return false
}

// SplitWords returns the words of a text. In Chinese and Japanese, a word is the shortest text that
// lines do not divide: a character with the punctuation and the small characters that belong to it,
// or a run of katakana. In scripts whose words only a dictionary can tell, it is a phrase. A word
// ends with a space if the text has one there that JoinWords would not add.
func SplitWords(text string) (words []string) {
	for field := range strings.FieldsSeq(text) {
		from := 0
		if n := len(words); n > 0 {
			words[n-1] = SpaceAfter(words[n-1], field)
		}

		for _, at := range LineBreaks(field) {
			last, _ := utf8.DecodeLastRuneInString(field[:at])
			first, _ := utf8.DecodeRuneInString(field[at:])
			endsWord := isIdeographic(last) || isIdeographic(first) || isWideMark(last) || isWideMark(first)
			if endsWord && IsSpoken(field[at:]) {
				words, from = append(words, field[from:at]), at
			}
		}

		words = append(words, field[from:])
	}

	return words
}

// SpaceAfter returns a word that a space divides from the next one, for JoinWords.
func SpaceAfter(word, next string) string {
	if WrittenTogether(word, next) {
		return word + " "
	}
	return word
}

// EndsPhrase reports whether a phrase of Japanese ends between two consecutive words: after the
// endings, which are hiragana, and before a word with a meaning, which is not. Polite prefixes are
// hiragana too.
func EndsPhrase(before, after string) bool {
	before = strings.TrimSpace(before)
	if before == "お" || before == "ご" {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(after))
	hasMeaning := unicode.Is(unicode.Han, first) || isKatakana(first)
	return unicode.Is(unicode.Hiragana, last) && hasMeaning
}
