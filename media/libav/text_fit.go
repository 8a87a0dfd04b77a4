package libav

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"roughcut/media"
)

// Shrinking of captions that do not fit: the font size in pixels for measuring them, the factor of
// each step, and the smallest total factor. To keep a word whole, captions shrink less.
const (
	rulerSize       = 32
	smallerBy       = 0.88
	smallestBy      = 0.1
	smallestForWord = smallerBy * smallerBy * smallerBy * smallerBy
)

// widestLetter is the approximate width of the widest letter of the bundled fonts, relative to the
// font size.
const widestLetter = 1.3

// fitted is a caption whose lines fit the frame.
type fitted struct {
	media.Caption
	size string // override tag for a smaller size, empty for the size of the style
}

// fitCaptions returns the captions of a plan as their style shows them. It breaks rows without
// spaces that are wider than the frame, and shrinks captions that are then too high or have a word
// that is wider than the frame. Words are divided only if that would make the caption too small. It
// calls alive for each caption.
func fitCaptions(plan media.RenderPlan, alive func()) ([]fitted, error) {
	style := captionStyle(plan)
	width, height := float64(plan.Width-2*style.side), float64(plan.Height-2*style.edgeDistance)
	var r *ruler
	var out []fitted
	for _, c := range plan.CaptionOptions.Style().Shown(plan.Captions) {
		alive()
		if fitsSurely(c.Text, width, height, style) {
			out = append(out, fitted{Caption: c})
			continue
		}

		if r == nil {
			var err error
			if r, err = newRuler(style); err != nil {
				return nil, err
			}
			defer r.close()
		}

		out = append(out, r.fit(c, width, height))
	}

	return out, nil
}

// fitsSurely reports that a text fits a width and a height without measuring it: every letter is an
// ordinary one, and even the widest ones would fit.
func fitsSurely(text string, width, height float64, style assStyle) bool {
	letter := style.size / media.DefaultCaptionLayout().LineHeight * widestLetter
	rows := 0.0
	for row := range strings.SplitSeq(text, "\n") {
		length := 0.0
		for _, word := range strings.Fields(row) {
			n := 0.0
			for _, c := range word {
				if n++; !hasUsualWidth(c) {
					return false
				}
			}

			if length += n + 1; n*letter > width {
				return false
			}
		}

		rows += 1 + 2*length*letter/width // words are not broken, so lines can be half empty
	}

	return rows*style.size < height
}

// hasUsualWidth reports a rune that is at most as wide as widestLetter in any font. Some symbols
// are as wide as a sentence.
func hasUsualWidth(c rune) bool {
	const symbols = 0x2e00
	return c < symbols || isSquare(c)
}

// isSquare reports a rune that is as wide as it is high in every font: a Chinese, Japanese or
// Korean character.
func isSquare(c rune) bool {
	const first, last, firstHangul, lastHangul = 0x3000, 0x9fff, 0xac00, 0xd7af
	return (c >= first && c <= last) || (c >= firstHangul && c <= lastHangul)
}

// countSquares returns the number of letters in a text. ok is false unless all of them are square.
func countSquares(text string) (n int, ok bool) {
	for _, c := range text {
		if n++; !isSquare(c) {
			return 0, false
		}
	}

	return n, true
}

// ruler measures text in the caption style. close frees it.
type ruler struct {
	*assRenderer
	scale float64 // ruler pixels per output pixel
	size  float64 // of the style, in output pixels
	style int
}

func newRuler(style assStyle) (*ruler, error) {
	s, err := newASSRenderer(style.font)
	if err != nil {
		return nil, err
	}
	r := &ruler{assRenderer: s, scale: rulerSize / style.size, size: style.size}
	style.size = rulerSize
	style.alignment = alignLeft | alignTop
	style.side = 0
	style.edgeDistance = 0
	style.outline = 0
	style.shadow = 0
	style.blur = 0
	style.border = borderOutline
	r.style = s.addStyle(style)
	return r, nil
}

// fit returns a caption that fits a width and a height in output pixels.
func (r *ruler) fit(c media.Caption, width, height float64) fitted {
	ends := sync.OnceValue(func() []int { return lineEnds(c) })
	_, mustDivide := r.broken(c, ends, width/smallestForWord)
	for by := 1.0; ; by *= smallerBy {
		caption, divides := r.broken(c, ends, width/by)
		if divides && !mustDivide && by >= smallestBy {
			continue
		}
		f := fitted{Caption: caption}
		if by < 1 {
			f.size = fmt.Sprintf(`{\fs%.3f}`, r.size*by)
		}
		if by < smallestBy || r.height(f.Text, width/by) <= height/by {
			return f
		}
	}
}

// height returns the height of a text wrapped to a width, in output pixels.
func (r *ruler) height(text string, width float64) float64 {
	const most = 64 // lines
	r.frame(int(width*r.scale), most*rulerSize)
	r.wrap(true)
	_, h := r.extent(escapeASS(text), r.style)
	return float64(h) / r.scale
}

// fits reports whether unwrapped text is at most width output pixels wide.
func (r *ruler) fits(text string, width float64) bool {
	if n, ok := countSquares(text); ok {
		return float64(n)*r.size/media.DefaultCaptionLayout().LineHeight <= width
	}
	most := int(width * r.scale)
	r.frame(2*most, 4*rulerSize)
	r.wrap(false)
	w, _ := r.extent(escapeASS(text), r.style)
	return w <= most
}

// broken returns a caption with line breaks in what is wider than width and has no spaces: where
// lines may end, or else between any two letters of a word. divides reports the latter.
func (r *ruler) broken(c media.Caption, ends func() []int, width float64) (out media.Caption, divides bool) {
	breaks := map[int]bool{} // byte offsets in the text; the break goes before
	at := 0
	for _, row := range strings.SplitAfter(c.Text, "\n") {
		for _, field := range strings.SplitAfter(row, " ") {
			bare := strings.TrimRight(field, " \n")
			for from := 0; from < len(bare); {
				n := r.longest(bare[from:], width)
				if from+n < len(bare) {
					end, isWhole := lastBetween(ends(), at+from, at+from+n)
					if isWhole {
						n = end - at - from
					}
					divides = divides || !isWhole
					breaks[at+from+n] = true
				}

				from += n
			}

			at += len(field)
		}
	}

	if len(breaks) == 0 {
		return c, false
	}
	// The concatenated words of a caption are its text.
	words, from := make([]media.Word, len(c.Words)), 0
	for i, w := range c.Words {
		words[i] = w
		words[i].Text = withBreaks(w.Text, from, breaks)
		from += len(w.Text)
	}

	c.Text, c.Words = withBreaks(c.Text, 0, breaks), words
	return c, divides
}

// lastBetween returns the largest of sorted numbers that is over one limit and not over another.
func lastBetween(sorted []int, over, notOver int) (n int, ok bool) {
	i, _ := slices.BinarySearch(sorted, notOver+1)
	if i == 0 || sorted[i-1] <= over {
		return 0, false
	}
	return sorted[i-1], true
}

// lineEnds returns the sorted byte offsets in the text of a caption where a line may end. Scripts
// that need a dictionary permit it where a spoken word ends.
func lineEnds(c media.Caption) []int {
	ends := media.LineBreaks(c.Text)
	at := 0
	for i, w := range c.Words {
		if i > 0 && media.MayBreak(c.Words[i-1].Text, w.Text) {
			ends = append(ends, at)
		}
		at += len(w.Text)
	}

	slices.Sort(ends)
	return ends
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

// withBreaks inserts breaks into a text. Break offsets count from a start that is from bytes before
// the text.
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

// letterEnds returns the byte offsets where a word can be broken. It never separates combining
// marks, emoji sequences and closing punctuation from the letter before them, nor the letters of a
// syllable of Burmese. The last offset is the end of the word.
func letterEnds(word string) (ends []int) {
	before := rune(0)
	for i, c := range word {
		if i > 0 && !staysWith(before, c) && !media.InSyllable(word[:i], word[i:]) {
			ends = append(ends, i)
		}
		before = c
	}

	return append(ends, len(word))
}

// closing are the punctuation and the small letters that do not start a line.
const closing = ".,;:!?)]}%»”’…。、，．：；！？）］｝」』】〉》々ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ"

// staysWith reports whether a rune must stay with the rune before it.
func staysWith(before, c rune) bool {
	const joiner, firstFlag, lastFlag, firstTone, lastTone = 0x200d, 0x1f1e6, 0x1f1ff, 0x1f3fb, 0x1f3ff
	flag := func(r rune) bool { return r >= firstFlag && r <= lastFlag }
	isTone := c >= firstTone && c <= lastTone
	endsFlag := flag(before) && flag(c)
	return unicode.Is(unicode.M, c) || c == joiner || before == joiner || isTone || endsFlag ||
		strings.ContainsRune(closing, c)
}
