package media

import (
	"slices"
	"strings"
	"unicode"
)

// WordSpans returns when each word of a caption is spoken: every word until the next one starts,
// and the first one from the start of the caption. A span is empty if the next word starts no
// later.
func (c Caption) WordSpans() []Span {
	spans := make([]Span, len(c.Words))
	at := c.StartMS
	for i := range c.Words {
		end := c.EndMS
		if i+1 < len(c.Words) {
			end = min(max(c.Words[i+1].StartMS, at), c.EndMS)
		}
		spans[i] = Span{StartMS: at, EndMS: end}
		at = max(at, end)
	}

	return spans
}

// Shown returns captions as the style shows them: in capitals, or one for each word whose time is
// known. A dotless i in any caption means that i has a dotted capital in all of them, as in
// Turkish.
func (s CaptionStyle) Shown(captions []Caption) (out []Caption) {
	if !s.Upper && s.Shows != ShownWord {
		return captions
	}
	upper := unicode.SpecialCase(nil)
	if slices.ContainsFunc(captions, func(c Caption) bool { return strings.ContainsRune(c.Text, 'ı') }) {
		upper = unicode.TurkishCase
	}
	for _, c := range captions {
		if s.Upper {
			c = c.inCapitals(upper)
		}
		if s.Shows == ShownWord && len(c.Words) > 0 {
			out = append(out, c.wordByWord()...)
		} else {
			out = append(out, c)
		}
	}

	return out
}

func (c Caption) inCapitals(upper unicode.SpecialCase) Caption {
	c.Text = capitals(c.Text, upper)
	words := make([]Word, len(c.Words))
	for i, w := range c.Words {
		words[i] = w
		words[i].Text = capitals(w.Text, upper)
	}

	c.Words = words
	return c
}

// wordByWord returns a caption for each word.
func (c Caption) wordByWord() (out []Caption) {
	for i, span := range c.WordSpans() {
		word := c.Words[i]
		word.Text = strings.TrimSpace(word.Text)
		if span.Duration() > 0 && word.Text != "" {
			out = append(out, Caption{
				Text: word.Text, StartMS: span.StartMS, EndMS: span.EndMS, Words: []Word{word}, Speaker: c.Speaker,
			})
		}
	}

	return out
}

// capitals returns a text in capitals, letter by letter. Letters of scripts whose capitals fonts
// often lack stay small, such as the Georgian ones, and so does ß.
func capitals(text string, upper unicode.SpecialCase) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian) && r != 'ß' {
			return upper.ToUpper(r)
		}
		return r
	}, text)
}
