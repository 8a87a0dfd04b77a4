package libav

import (
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
	// 1: outline; 4: box around all lines, with margin shadow and color shade
	border             int
	outline            float64
	shadow, blur       float64
	alignment          int
	side, edgeDistance int // margins: left and right, and top or bottom
}

// Alignments of libass.
const (
	alignCenter = 2
	alignRight  = 3
	alignLeft   = 1
	alignTop    = 4
	alignMiddle = 8
)

const white = 0xffffff00

func opaqueColor(c [3]uint8) uint32 { return uint32(c[0])<<24 | uint32(c[1])<<16 | uint32(c[2])<<8 }

// assColor returns a color with libass's transparency byte.
func assColor(c media.RGBA) uint32 { return opaqueColor([3]uint8(c[:3])) | uint32(255-c[3]) }

// captionStyle returns the style of a plan's captions.
func captionStyle(plan media.RenderPlan) assStyle {
	options := plan.CaptionOptions
	preset, size := options.Style(), options.FontHeight(plan.Width, plan.Height)
	l := assStyle{
		name:         "caption",
		font:         preset.Font,
		size:         size * media.DefaultCaptionLayout().LineHeight,
		color:        opaqueColor(options.Color),
		edge:         assColor(preset.OutlineColor),
		shade:        assColor(preset.ShadowColor),
		border:       1,
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
	if preset.Boxed {
		l.border = 4
	}
	if preset.HighlightsWords() {
		l.color = white
	}

	switch options.Position {
	case "top":
		l.alignment |= alignTop
	case "middle":
		l.alignment |= alignMiddle
	}

	if options.Font != "" {
		l.font = options.Font
	}
	l.weight = weightOf(l.font)
	return l
}

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
		border:       1,
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

	highlights := plan.CaptionOptions.Style().HighlightsWords()
	for _, c := range captions {
		if !highlights || len(c.Words) == 0 {
			events = append(events, textEvent{text: c.size + escapeASS(c.Text), startMS: c.StartMS, endMS: c.EndMS})
			continue
		}

		at := c.StartMS
		for i := range c.Words {
			end := c.EndMS
			if i+1 < len(c.Words) {
				end = min(max(c.Words[i+1].StartMS, at), c.EndMS)
			}
			if end > at {
				events = append(
					events,
					textEvent{text: c.size + highlightedText(c.Words, i, plan.CaptionOptions), startMS: at, endMS: end},
				)
				at = end
			}
		}
	}

	return events
}

// highlightedText returns the text of words with the current one highlighted.
func highlightedText(words []media.Word, now int, style media.CaptionOptions) string {
	lit := opaqueColor(style.Color)
	if lit == white {
		standard, _ := media.ParseColor(media.DefaultCaptionLayout().HighlightColor)
		lit = opaqueColor(standard)
	}

	var out strings.Builder
	for i, w := range words {
		if i != now {
			out.WriteString(escapeASS(w.Text))
			continue
		}

		fmt.Fprintf(&out, `{\1c&H%02X%02X%02X&}%s{\1c&HFFFFFF&}`, lit>>8&255, lit>>16&255, lit>>24, escapeASS(w.Text))
	}

	return out.String()
}

// escapeASS escapes a text so that libass shows it literally. It escapes braces, puts an invisible
// word joiner after each backslash, and converts line breaks to the notation of libass.
func escapeASS(text string) string {
	return strings.NewReplacer(`\`, "\\\u2060", `{`, `\{`, `}`, `\}`, "\n", `\N`).Replace(text)
}
