package media

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a caption.
const (
	MaxCaptionRunes = 500
	MaxCaptionRows  = 4
	MinFontSize     = 8
	MaxFontSize     = 200
)

// CaptionLine is a line of captions on project time.
type CaptionLine struct {
	Text    string
	StartMS int64
	EndMS   int64
}

// CaptionTrack holds the caption lines and words of a project, and how they are shown.
type CaptionTrack struct {
	Options CaptionOptions
	Lines   []CaptionLine
	Words   []Word // all that was said, on project time
}

// CaptionOptions are a person's choices for captions.
type CaptionOptions struct {
	StyleName string // one of CaptionStyleNames; default DefaultCaptionStyle
	FontSize  int    // pixels of a frame whose short side is 1080; 0 means the default for the aspect ratio
	Position  string // top, middle or bottom (default)
	// Color is the red, green and blue of the text. A style that highlights words uses it for the
	// spoken word, and CaptionLayout.HighlightColor if it is white.
	Color [3]uint8
	Font  string // family; default the bundled font of the style
}

// Caption is a line as it is shown, on output time.
type Caption struct {
	Text    string // at most MaxCaptionRunes in MaxCaptionRows, rows divided by "\n", no other control characters
	StartMS int64
	EndMS   int64
	Words   []Word // its words, where all are known: their texts laid end to end, spaces and all, make Text
}

// shortestCaptionMS is how long what the cuts leave of a line must last to be shown.
const shortestCaptionMS = 120

// captions puts lines onto the output. A line of which everything is cut is gone, and so are the
// words that are cut out of one.
func (o timeline) captions(c CaptionTrack) []Caption {
	words := slices.Clone(c.Words)
	slices.SortStableFunc(words, func(a, b Word) int { return cmp.Compare(a.StartMS, b.StartMS) })
	var out []Caption
	for _, line := range c.Lines {
		shown, ok := o.output(Span{line.StartMS, line.EndMS})
		if !ok || shown.Duration() < shortestCaptionMS {
			continue
		}
		caption := Caption{Text: CleanCaption(line.Text), StartMS: shown.StartMS, EndMS: shown.EndMS}
		if said, ok := wordsOf(caption.Text, spokenIn(words, line)); ok {
			caption.Words = o.keptWords(said)
			caption.Text = textOf(caption.Words)
		}
		if caption.Text != "" {
			out = append(out, caption)
		}
	}
	slices.SortStableFunc(out, func(a, b Caption) int { return cmp.Compare(a.StartMS, b.StartMS) })
	for i := range out[:max(0, len(out)-1)] {
		out[i].EndMS = max(out[i].StartMS+1, min(out[i].EndMS, out[i+1].StartMS))
	}
	return out
}

// spokenIn returns the words, which are sorted, whose middle lies in a line.
func spokenIn(words []Word, line CaptionLine) []Word {
	middle := func(w Word) int64 { return (w.StartMS + w.EndMS) / 2 }
	from, _ := slices.BinarySearchFunc(
		words,
		line.StartMS,
		func(w Word, ms int64) int { return cmp.Compare(middle(w), ms) },
	)
	to := from
	for to < len(words) && middle(words[to]) < line.EndMS {
		to++
	}
	return words[from:to]
}

// wordsOf divides a text among words, each with what follows it up to the next; false where they
// are not all there in their order.
func wordsOf(text string, words []Word) (said []Word, ok bool) {
	rest := text
	for i, w := range words {
		at := strings.Index(rest, strings.TrimSpace(w.Text))
		if at < 0 || strings.TrimSpace(w.Text) == "" {
			return nil, false
		}
		if between := rest[:at]; i > 0 {
			said[i-1].Text += between
		} else if strings.TrimSpace(between) != "" {
			return nil, false
		}
		w.Text = strings.TrimSpace(w.Text)
		said, rest = append(said, w), rest[at+len(w.Text):]
	}
	if len(said) == 0 {
		return nil, false
	}
	said[len(said)-1].Text += rest
	return said, true
}

// keptWords returns the words that the cuts leave, on output time.
func (o timeline) keptWords(said []Word) []Word {
	var kept []Word
	for _, w := range said {
		middle := (w.StartMS + w.EndMS) / 2
		if _, ok := o.output(Span{middle, middle + 1}); !ok {
			continue
		}
		if span, ok := o.output(Span{w.StartMS, w.EndMS}); ok {
			w.StartMS, w.EndMS = span.StartMS, span.EndMS
			kept = append(kept, w)
		}
	}
	if n := len(kept); n > 0 {
		kept[n-1].Text = strings.TrimRight(kept[n-1].Text, " \n")
	}
	return kept
}

func textOf(words []Word) string {
	var out strings.Builder
	for _, w := range words {
		out.WriteString(w.Text)
	}
	return out.String()
}

// CleanCaption makes of any text one that can be shown: within MaxCaptionRunes and MaxCaptionRows,
// without control characters and without piles of marks on one letter. What is too long is cut off,
// what has too many rows is drawn together.
func CleanCaption(text string) string {
	const pile = 4
	text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\r\n", "\n")
	var rows []string
	for row := range strings.SplitSeq(text, "\n") {
		marks := 0
		row = strings.Map(func(r rune) rune {
			if !unicode.Is(unicode.M, r) {
				marks = 0
			} else if marks++; marks > pile {
				return -1
			}
			if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
				return ' '
			}
			return r
		}, row)
		if row = strings.Join(strings.Fields(row), " "); row != "" {
			rows = append(rows, row)
		}
	}
	if len(rows) > MaxCaptionRows {
		rows = append(rows[:MaxCaptionRows-1:MaxCaptionRows-1], strings.Join(rows[MaxCaptionRows-1:], " "))
	}
	clean := strings.Join(rows, "\n")
	if utf8.RuneCountInString(clean) > MaxCaptionRunes {
		clean = strings.TrimRight(string([]rune(clean)[:MaxCaptionRunes-1]), " \n") + "…"
	}
	return clean
}
