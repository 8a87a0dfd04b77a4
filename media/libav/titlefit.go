package libav

import (
	"fmt"
	"strings"
	"unicode"

	"roughcut/media"
)

// Of captions that do not fit the picture: the size in pixels at which they are measured, the steps
// in which they are made smaller, and the smallest.
const (
	rulerSize  = 32
	smallerBy  = 0.88
	smallestBy = 0.1
)

// widestLetter is about how wide a letter of our fonts is at most, as a share of the size.
const widestLetter = 1.3

// fitted is a caption with the rows that fit the picture.
type fitted struct {
	media.Caption
	size string // the tag that makes it smaller, empty where it has the size of its style
}

// fitCaptions breaks words that are wider than the picture of a plan, and makes smaller what is
// then too high for it. alive is called for each.
func fitCaptions(plan media.RenderPlan, alive func()) ([]fitted, error) {
	look := captionLook(plan)
	width, height := float64(plan.Width-2*look.side), float64(plan.Height-2*look.edgeDistance)
	var r *ruler
	var out []fitted
	for _, c := range plan.Captions {
		alive()
		if fitsSurely(c.Text, width, height, look) {
			out = append(out, fitted{Caption: c})
			continue
		}
		if r == nil {
			var err error
			if r, err = newRuler(look); err != nil {
				return nil, err
			}
			defer r.close()
		}
		out = append(out, r.fit(c, width, height))
	}
	return out, nil
}

// fitsSurely reports that a text of plain letters fits a width and a height whatever letters they
// are.
func fitsSurely(text string, width, height float64, look titleLook) bool {
	letter := look.size / media.DefaultCaptionLayout().LineHeight * widestLetter
	rows := 0.0
	for row := range strings.SplitSeq(text, "\n") {
		length := 0.0
		for _, word := range strings.Fields(row) {
			n := 0.0
			for _, c := range word {
				if n++; !usual(c) {
					return false
				}
			}
			if length += n + 1; n*letter > width {
				return false
			}
		}
		rows += 1 + 2*length*letter/width // words are not broken, so rows can be half empty
	}
	return rows*look.size < height
}

// usual reports a rune that is no wider than widestLetter in any font: there are single ones as
// wide as a sentence.
func usual(c rune) bool {
	const symbols = 0x2e00
	return c < symbols || square(c)
}

// square reports a rune that is as wide as it is high in every font: a character of Chinese,
// Japanese or Korean.
func square(c rune) bool {
	const first, last, firstHangul, lastHangul = 0x3000, 0x9fff, 0xac00, 0xd7af
	return c >= first && c <= last || c >= firstHangul && c <= lastHangul
}

// squares returns how many letters a text has, where all of them are square.
func squares(text string) (n int, ok bool) {
	for _, c := range text {
		if n++; !square(c) {
			return 0, false
		}
	}
	return n, true
}

// ruler measures texts in the look of captions. close frees it.
type ruler struct {
	*stage
	scale float64 // pixels of the ruler in one of the output
	size  float64 // of the style, in pixels of the output
	style int
}

func newRuler(look titleLook) (*ruler, error) {
	s, err := newStage()
	if err != nil {
		return nil, err
	}
	r := &ruler{stage: s, scale: rulerSize / look.size, size: look.size}
	look.size = rulerSize
	look.alignment = alignLeft | alignTop
	look.side = 0
	look.edgeDistance = 0
	look.outline = 0
	look.shadow = 0
	look.blur = 0
	look.border = 1
	r.style = s.addStyle(look)
	return r, nil
}

// fit returns a caption as it fits a width and a height in pixels of the output.
func (r *ruler) fit(c media.Caption, width, height float64) fitted {
	for by := 1.0; ; by *= smallerBy {
		f := fitted{Caption: r.broken(c, width/by)}
		if by < 1 {
			f.size = fmt.Sprintf(`{\fs%.3f}`, r.size*by)
		}
		if by < smallestBy || r.height(f.Text, width/by) <= height/by {
			return f
		}
	}
}

// height returns how high a text is in rows of a width, in pixels of the output.
func (r *ruler) height(text string, width float64) float64 {
	const most = 64 // rows
	r.frame(int(width*r.scale), most*rulerSize)
	r.wrap(true)
	_, h := r.extent(escapeTitle(text), r.style)
	return float64(h) / r.scale
}

// fits reports whether a text that is not wrapped is no wider than a width in pixels of the output.
func (r *ruler) fits(text string, width float64) bool {
	if n, ok := squares(text); ok {
		return float64(n)*r.size/media.DefaultCaptionLayout().LineHeight <= width
	}
	most := int(width * r.scale)
	r.frame(2*most, 4*rulerSize)
	r.wrap(false)
	w, _ := r.extent(escapeTitle(text), r.style)
	return w <= most
}

// broken returns a caption of which words that are wider than a width go on in the next row.
func (r *ruler) broken(c media.Caption, width float64) media.Caption {
	breaks := map[int]bool{} // in the text, before this byte
	at := 0
	for _, row := range strings.SplitAfter(c.Text, "\n") {
		for _, word := range strings.SplitAfter(row, " ") {
			bare := strings.TrimRight(word, " \n")
			for from := 0; from < len(bare); {
				from += r.longest(bare[from:], width)
				if from < len(bare) {
					breaks[at+from] = true
				}
			}
			at += len(word)
		}
	}
	if len(breaks) == 0 {
		return c
	}
	// The words of a caption, laid end to end, are its text.
	words, from := make([]media.Word, len(c.Words)), 0
	for i, w := range c.Words {
		words[i] = w
		words[i].Text = withBreaks(w.Text, from, breaks)
		from += len(w.Text)
	}
	c.Text, c.Words = withBreaks(c.Text, 0, breaks), words
	return c
}

// longest returns how many bytes of a word fit a width, at least one letter.
func (r *ruler) longest(word string, width float64) int {
	ends := letterEnds(word)
	fit, tooLong := 0, 1
	for ; tooLong < len(ends) && r.fits(word[:ends[tooLong]], width); tooLong = min(2*tooLong, len(ends)-1) {
		if fit = tooLong; fit == len(ends)-1 {
			return len(word)
		}
	}
	for tooLong-fit > 1 {
		if middle := (fit + tooLong) / 2; r.fits(word[:ends[middle]], width) {
			fit = middle
		} else {
			tooLong = middle
		}
	}
	return ends[fit]
}

// withBreaks puts breaks into a text that begins at byte from of the text that they are counted in.
func withBreaks(text string, from int, breaks map[int]bool) string {
	var out strings.Builder
	for i := range len(text) {
		if breaks[from+i] {
			out.WriteByte('\n')
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// letterEnds returns where a word can be broken, as bytes from its start: not before marks and what
// else belongs to the letter before it, and not before punctuation that closes. The last is the end
// of the word.
func letterEnds(word string) (ends []int) {
	before := rune(0)
	for i, c := range word {
		if i > 0 && !belongs(before, c) {
			ends = append(ends, i)
		}
		before = c
	}
	return append(ends, len(word))
}

// closing is punctuation that does not begin a row.
const closing = ".,;:!?)]}%»”’…。、，．：；！？）］｝」』】〉》々ー"

// belongs reports whether a rune is part of what is written before it.
func belongs(before, c rune) bool {
	const joiner, firstFlag, lastFlag, firstTone, lastTone = 0x200d, 0x1f1e6, 0x1f1ff, 0x1f3fb, 0x1f3ff
	flag := func(r rune) bool { return r >= firstFlag && r <= lastFlag }
	return unicode.Is(unicode.M, c) || c == joiner || before == joiner || c >= firstTone && c <= lastTone ||
		flag(before) && flag(c) ||
		strings.ContainsRune(closing, c)
}
