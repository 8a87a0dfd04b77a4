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

// CaptionLine is a caption line in project time.
type CaptionLine struct {
	Text    string
	StartMS int64
	EndMS   int64
	Speaker string `json:",omitempty"` // the choice of a person; empty for the speaker of the words
}

// CaptionTrack holds the caption lines and words of a project, and the caption options.
type CaptionTrack struct {
	Options CaptionOptions
	Lines   []CaptionLine
	Words   []Word // every transcribed word, in project time
}

// CaptionOptions are a person's choices for captions.
type CaptionOptions struct {
	StyleName string // one of CaptionStyleNames; default DefaultCaptionStyle
	FontSize  int    // pixels of a frame whose short side is 1080; 0 means the default for the aspect ratio
	Position  string // top, middle or bottom; default CaptionStyle.Position
	// Color is the red, green and blue of the text, or of the accent of a style that has one, such
	// as the spoken word. White stands for CaptionStyle.Color.
	Color [3]uint8
	Font  string // family; default the bundled font of the style
}

// Caption is a caption line in output time.
type Caption struct {
	// Text has at most MaxCaptionRunes characters in MaxCaptionRows rows. "\n" separates rows; Text
	// contains no other control character.
	Text    string
	StartMS int64
	EndMS   int64
	Words   []Word // nil unless every word is known; their texts, which include spaces, add up to Text
	Speaker string // of the line, or the speaker of most words; empty if unknown
}

// minCaptionMS is the shortest time that the remainder of a caption line may be shown.
const minCaptionMS = 120

// captions maps caption lines to output time. It drops cut and muted words, and lines with nothing
// left. It also drops a mostly muted line whose text does not match its words.
func (l timeline) captions(c CaptionTrack, muted []Span) []Caption {
	muted = MergeSpans(muted)
	spoken := slices.Clone(c.Words)
	slices.SortStableFunc(spoken, func(a, b Word) int { return cmp.Compare(a.StartMS, b.StartMS) })
	SetLineSpeakers(spoken, c.Lines)
	var out []Caption
	for _, line := range c.Lines {
		shown, ok := l.outputSpan(Span{line.StartMS, line.EndMS})
		if !ok || shown.Duration() < minCaptionMS {
			continue
		}
		caption := Caption{Text: CleanCaption(line.Text), StartMS: shown.StartMS, EndMS: shown.EndMS}
		said := wordsInLine(spoken, line)
		caption.Speaker = MainSpeaker(said)
		if words, ok := SplitAmongWords(caption.Text, said); ok {
			audible := slices.DeleteFunc(slices.Clone(words), func(w Word) bool { return mostlyIn(w.span(), muted) })
			caption.Words = l.keptWords(audible)
			caption.Text, caption.Speaker = joinWords(caption.Words), MainSpeaker(caption.Words)
			caption.trim(words, audible)
		} else if mostlyIn(Span{line.StartMS, line.EndMS}, muted) {
			caption.Text = ""
		}

		if line.Speaker != "" {
			caption.Speaker = line.Speaker
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

// trim moves the ends of a caption to its words where the first or last word of its line is muted.
func (c *Caption) trim(words, audible []Word) {
	if len(c.Words) == 0 {
		return
	}
	if audible[0].StartMS > words[0].StartMS {
		c.StartMS = max(c.StartMS, c.Words[0].StartMS)
	}
	if audible[len(audible)-1].EndMS < words[len(words)-1].EndMS {
		c.EndMS = min(c.EndMS, c.Words[len(c.Words)-1].EndMS)
	}
}

// mostlyIn reports whether disjoint spans cover more than half of a span.
func mostlyIn(span Span, spans []Span) bool {
	var covered int64
	for _, s := range spans {
		covered += max(0, span.Intersect(s).Duration())
	}
	return 2*covered > span.Duration()
}

func (w Word) span() Span { return Span{w.StartMS, w.EndMS} }

// wordsInLine returns the words whose midpoint is in the line. The words must be sorted.
func wordsInLine(words []Word, line CaptionLine) []Word {
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

// SplitAmongWords splits a text at its words. Each word gets the characters up to the next word. ok
// is false unless the text contains all words in order.
func SplitAmongWords(text string, words []Word) (split []Word, ok bool) {
	rest := text
	for i, w := range words {
		at := strings.Index(rest, strings.TrimSpace(w.Text))
		if at < 0 || strings.TrimSpace(w.Text) == "" {
			return nil, false
		}
		if between := rest[:at]; i > 0 {
			split[i-1].Text += between
		} else if strings.TrimSpace(between) != "" {
			return nil, false
		}

		w.Text = strings.TrimSpace(w.Text)
		split, rest = append(split, w), rest[at+len(w.Text):]
	}

	if len(split) == 0 {
		return nil, false
	}
	split[len(split)-1].Text += rest
	return split, true
}

// keptWords returns the words that the cuts leave, in output time.
func (l timeline) keptWords(words []Word) []Word {
	var kept []Word
	for _, w := range words {
		middle := (w.StartMS + w.EndMS) / 2
		if _, ok := l.outputSpan(Span{middle, middle + 1}); !ok {
			continue
		}
		if span, ok := l.outputSpan(Span{w.StartMS, w.EndMS}); ok {
			w.StartMS, w.EndMS = span.StartMS, span.EndMS
			kept = append(kept, w)
		}
	}

	if n := len(kept); n > 0 {
		kept[n-1].Text = strings.TrimRight(kept[n-1].Text, " \n")
	}
	return kept
}

func joinWords(words []Word) string {
	var out strings.Builder
	for _, w := range words {
		out.WriteString(w.Text)
	}
	return out.String()
}

// CleanCaption makes any text safe to render. It removes control characters, limits the combining
// marks on one letter, truncates the text to MaxCaptionRunes, and joins the rows beyond
// MaxCaptionRows into the last row.
func CleanCaption(text string) string {
	const maxMarks = 4
	text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\r\n", "\n")
	var rows []string
	for row := range strings.SplitSeq(text, "\n") {
		marks := 0
		row = strings.Map(func(r rune) rune {
			if !unicode.Is(unicode.M, r) {
				marks = 0
			} else if marks++; marks > maxMarks {
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
		rows = append(rows[:MaxCaptionRows-1:MaxCaptionRows-1], JoinWords(rows[MaxCaptionRows-1:]))
	}
	clean := strings.Join(rows, "\n")
	if utf8.RuneCountInString(clean) > MaxCaptionRunes {
		clean = strings.TrimRight(string([]rune(clean)[:MaxCaptionRunes-1]), " \n") + "…"
	}
	return clean
}
