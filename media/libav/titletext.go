package libav

import (
	"fmt"
	"strings"

	"roughcut/media"
)

// titleLook is how text looks, in pixels of the output. Colours are red, green, blue and
// transparency, a byte each.
type titleLook struct {
	name, font         string
	size               float64
	color, edge, shade uint32
	// 1 is an outline, 4 a box around all rows, of which shadow is the margin and shade the colour
	border             int
	outline            float64
	shadow, blur       float64
	alignment          int
	side, edgeDistance int // from the sides, and from top or bottom
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

func rgba(c [3]uint8) uint32 { return uint32(c[0])<<24 | uint32(c[1])<<16 | uint32(c[2])<<8 }

// assColor returns a colour as libass takes it, with how transparent it is.
func assColor(c media.RGBA) uint32 { return rgba([3]uint8(c[:3])) | uint32(255-c[3]) }

// captionLook returns how the captions of a plan look.
func captionLook(plan media.RenderPlan) titleLook {
	s := plan.CaptionOptions
	look, size := s.Style(), s.FontHeight(plan.Width, plan.Height)
	l := titleLook{
		name:         "caption",
		font:         look.Font,
		size:         size * media.DefaultCaptionLayout().LineHeight,
		color:        rgba(s.Color),
		edge:         assColor(look.OutlineColor),
		shade:        assColor(look.ShadowColor),
		border:       1,
		outline:      look.Outline * size,
		shadow:       look.Shadow * size,
		blur:         look.Blur * size,
		alignment:    alignCenter,
		side:         plan.Width * media.DefaultCaptionLayout().SidePercent / 100,
		edgeDistance: plan.Height * media.DefaultCaptionLayout().EdgePercent / 100,
	}
	if plan.Height > plan.Width {
		l.edgeDistance = plan.Height * media.DefaultCaptionLayout().PortraitEdgePercent / 100
	}
	if look.Boxed {
		l.border = 4
	}
	if look.HighlightsWords() {
		l.color = white
	}
	switch s.Position {
	case "top":
		l.alignment |= alignTop
	case "middle":
		l.alignment |= alignMiddle
	}
	if s.Font != "" {
		l.font = s.Font
	}
	return l
}

// watermarkLook returns how the watermark looks: small, in the corner, half transparent.
func watermarkLook(plan media.RenderPlan) titleLook {
	mark, short := media.DefaultWatermark(), min(plan.Width, plan.Height)
	size, margin := max(mark.Smallest, mark.Size*float64(short)/1080), short*mark.MarginPercent/100
	return titleLook{
		name:         "mark",
		font:         mark.Font,
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

// titleEvent is a text while it is shown, on output time. Its text is read for tags.
type titleEvent struct {
	text           string
	startMS, endMS int64
	watermark      bool
}

// titleEvents returns what is shown of a plan, with its captions as they fit. Karaoke needs one
// event a word.
func titleEvents(plan media.RenderPlan, captions []fitted) (events []titleEvent) {
	if plan.Watermark {
		events = append(
			events,
			titleEvent{text: media.DefaultWatermark().Text, endMS: plan.DurationMS() + 1000, watermark: true},
		)
	}
	highlights := plan.CaptionOptions.Style().HighlightsWords()
	for _, c := range captions {
		if !highlights || len(c.Words) == 0 {
			events = append(events, titleEvent{text: c.size + escapeTitle(c.Text), startMS: c.StartMS, endMS: c.EndMS})
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
					titleEvent{text: c.size + spoken(c.Words, i, plan.CaptionOptions), startMS: at, endMS: end},
				)
				at = end
			}
		}
	}
	return events
}

// spoken returns the text of words of which one lights up.
func spoken(words []media.Word, now int, style media.CaptionOptions) string {
	lit := rgba(style.Color)
	if lit == white {
		standard, _ := media.ParseColor(media.DefaultCaptionLayout().HighlightColor)
		lit = rgba(standard)
	}
	var out strings.Builder
	for i, w := range words {
		if i != now {
			out.WriteString(escapeTitle(w.Text))
			continue
		}
		fmt.Fprintf(&out, `{\1c&H%02X%02X%02X&}%s{\1c&HFFFFFF&}`, lit>>8&255, lit>>16&255, lit>>24, escapeTitle(w.Text))
	}
	return out.String()
}

// escapeTitle makes of a text one that libass shows as it is: braces are escaped, and a word
// joiner, which is not seen, keeps a backslash from meaning anything. Rows are divided as libass
// divides them.
func escapeTitle(text string) string {
	return strings.NewReplacer(`\`, "\\\u2060", `{`, `\{`, `}`, `\}`, "\n", `\N`).Replace(text)
}
