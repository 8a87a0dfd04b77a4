package libav

import (
	"cmp"
	"fmt"
	"strings"

	"roughcut/media"
)

// assStyle is the style of a text, in output pixels. Colors have one byte each for red, green,
// blue and transparency.
type assStyle struct {
	name, font         string
	weight             int // of media.CaptionFont; 0 for other fonts, which stay regular
	size               float64
	color, edge, shade uint32
	border             int // one of the kinds of borders
	outline            float64
	shadow, blur       float64
	alignment          int
	side, edgeDistance int // margins: left and right, and top or bottom
}

// Kinds of borders of libass.
const (
	borderOutline = 1
	borderBoxes   = 3 // a box around the letters of each row, with margin outline and color edge
	borderBlock   = 4 // a box around all rows, with margin shadow and color shade
)

// Alignments of libass.
const (
	alignCenter = 2
	alignRight  = 3
	alignLeft   = 1
	alignTop    = 4
	alignMiddle = 8
)

func opaqueColor(c media.RGB) uint32 { return uint32(c[0])<<24 | uint32(c[1])<<16 | uint32(c[2])<<8 }

// assColor returns a color with libass's transparency byte.
func assColor(c media.RGBA) uint32 { return opaqueColor(media.RGB(c[:3])) | uint32(255-c[3]) }

// captionStyle returns the style of a plan's captions.
func captionStyle(plan media.RenderPlan) assStyle {
	options := plan.CaptionOptions
	preset, size := options.Style(), options.FontHeight(plan.Width, plan.Height)
	text, accent := options.Colors()
	l := assStyle{
		name:         "caption",
		font:         cmp.Or(options.Font, preset.Font),
		size:         size * media.DefaultCaptionLayout().LineHeight,
		color:        opaqueColor(text),
		edge:         assColor(preset.OutlineColor),
		shade:        assColor(preset.ShadowColor),
		border:       borderOutline,
		outline:      preset.Outline * size,
		shadow:       preset.Shadow * size,
		blur:         preset.Blur * size,
		alignment:    alignCenter,
		side:         plan.Width * media.DefaultCaptionLayout().SidePercent / 100,
		edgeDistance: plan.Height * media.DefaultCaptionLayout().EdgePercent / 100,
	}

	if plan.Height > plan.Width {
		l.edgeDistance = plan.Height * media.DefaultCaptionLayout().PortraitEdgePercent / 100
	}
	if preset.Align == media.AlignLeft {
		l.alignment = alignLeft
	}
	switch cmp.Or(options.Position, preset.Position) {
	case "top":
		l.alignment |= alignTop
	case "middle":
		l.alignment |= alignMiddle
	}

	switch {
	case preset.Box == media.BoxBlock:
		l.border = borderBlock
	case preset.Box == media.BoxRows:
		l = l.inBoxes(opaqueColor(accent))
	case preset.Highlight == media.HighlightBox:
		l.shadow = 0 // the padding of the spoken word
	}

	l.weight = weightOf(l.font)
	return l
}

// inBoxes returns a style with a box of a color behind each row. The box is as wide as the shadow
// around the text.
func (l assStyle) inBoxes(color uint32) assStyle {
	l.border = borderBoxes
	l.edge = color
	l.outline = l.shadow
	l.shadow = 0
	l.blur = 0
	return l
}

// spokenStyle returns the style of the spoken word of a plan's captions. ok is false if no box is
// behind that word.
func spokenStyle(plan media.RenderPlan) (l assStyle, ok bool) {
	options := plan.CaptionOptions
	preset := options.Style()
	if preset.Highlight != media.HighlightBox {
		return l, false
	}
	_, box := options.Colors()
	l = captionStyle(plan)
	l.name = spokenName
	l.color = opaqueColor(box.OnBox())
	l.shadow = preset.Shadow * options.FontHeight(plan.Width, plan.Height)
	return l.inBoxes(opaqueColor(box)), true
}

// spokenName is the name of spokenStyle in tags.
const spokenName = "spoken"

// weightOf returns the weight of a bundled font, and 0 for others.
func weightOf(family string) int {
	for _, font := range media.CaptionFonts() {
		if font.Family == family {
			return font.Weight
		}
	}

	return 0
}

// watermarkStyle returns the style of the watermark: small, in the corner, half transparent.
func watermarkStyle(plan media.RenderPlan) assStyle {
	mark, short := media.DefaultWatermark(), min(plan.Width, plan.Height)
	size, margin := max(mark.Smallest, mark.Size*float64(short)/1080), short*mark.MarginPercent/100
	return assStyle{
		name:         "mark",
		font:         mark.Font,
		weight:       weightOf(mark.Font),
		size:         size * media.DefaultCaptionLayout().LineHeight,
		color:        assColor(mark.Color),
		edge:         assColor(mark.OutlineColor),
		shade:        0x000000ff,
		border:       borderOutline,
		outline:      mark.Outline * size,
		alignment:    alignRight,
		side:         margin,
		edgeDistance: margin,
	}
}

// textEvent is a text and the output time that shows it. The text may contain tags.
type textEvent struct {
	text           string
	startMS, endMS int64
	watermark      bool
}

// textEvents returns the texts of a plan, with its captions as they fit. A style that highlights
// words needs one event per word.
func textEvents(plan media.RenderPlan, captions []fitted) (events []textEvent) {
	if plan.Watermark {
		events = append(
			events,
			textEvent{text: media.DefaultWatermark().Text, endMS: plan.DurationMS() + 1000, watermark: true},
		)
	}

	style := plan.CaptionOptions.Style()
	for _, c := range captions {
		if !style.FollowsWords() || style.Shows == media.ShownWord || len(c.Words) == 0 {
			events = append(events, textEvent{text: c.size + escapeASS(c.Text), startMS: c.StartMS, endMS: c.EndMS})
			continue
		}

		for i, span := range c.WordSpans() {
			if span.Duration() > 0 {
				text := c.size + textAtWord(c, i, plan.CaptionOptions)
				events = append(events, textEvent{text: text, startMS: span.StartMS, endMS: span.EndMS})
			}
		}
	}

	return events
}

// textAtWord returns the text of a caption while one of its words is spoken.
func textAtWord(c fitted, now int, options media.CaptionOptions) string {
	style := options.Style()
	if style.Shows == media.ShownSpoken {
		return textUntilWord(c.Words, now, style)
	}
	before, after := spokenTags(c, options)
	var out strings.Builder
	for i, w := range c.Words {
		if i != now {
			out.WriteString(escapeASS(w.Text))
			continue
		}

		bare := strings.TrimRight(w.Text, " \n")
		out.WriteString(before + escapeASS(bare) + after + escapeASS(w.Text[len(bare):]))
	}

	return out.String()
}

// spokenTags returns the tags before and after the spoken word.
func spokenTags(c fitted, options media.CaptionOptions) (before, after string) {
	if options.Style().Highlight == media.HighlightBox {
		return `{\r` + spokenName + `}` + c.size, `{\r}` + c.size
	}
	text, accent := options.Colors()
	return colorTag(accent), colorTag(text)
}

func colorTag(c media.RGB) string { return fmt.Sprintf(`{\1c&H%02X%02X%02X&}`, c[2], c[1], c[0]) }

// textUntilWord returns the text of words with those after the spoken one invisible, so that the
// others do not move. A box keeps its color.
func textUntilWord(words []media.Word, now int, style media.CaptionStyle) string {
	hidden := `{\1a&HFF&\3a&HFF&\4a&HFF&}`
	if style.Box == media.BoxBlock {
		hidden = `{\1a&HFF&\3a&HFF&}`
	}
	var out strings.Builder
	for i, w := range words {
		if i == now+1 {
			out.WriteString(hidden)
		}
		out.WriteString(escapeASS(w.Text))
	}

	return out.String()
}

// escapeASS escapes a text so that libass shows it literally. It escapes braces, puts an invisible
// word joiner after each backslash, and converts line breaks to the notation of libass.
func escapeASS(text string) string {
	return strings.NewReplacer(`\`, "\\\u2060", `{`, `\{`, `}`, `\}`, "\n", `\N`).Replace(text)
}
