package libav

import (
	"fmt"
	"strings"

	"roughcut/media"
)

// titleLook is how text looks, in pixels of the output. Colours are red, green, blue and transparency, a byte each.
type titleLook struct {
	name, font         string
	size               float64
	color, edge, shade uint32
	border             int // 1 is an outline, 4 a box around all rows, of which shadow is the margin and shade the colour
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

const (
	white      = 0xffffff00
	black      = 0x00000000
	halfBlack  = 0x00000060
	spokenWord = 0xffd60a00 // that lights up, where no colour is chosen
)

func rgba(c [3]uint8) uint32 { return uint32(c[0])<<24 | uint32(c[1])<<16 | uint32(c[2])<<8 }

// lineHeight is how much higher than its letters a line of our fonts is: libass takes the former for the size of a font.
const lineHeight = 1.21

// captionLook returns how the captions of a plan look.
func captionLook(plan media.Plan) titleLook {
	s := plan.Style
	size := s.Size(plan.Width, plan.Height)
	l := titleLook{name: "caption", font: familySemiBold, size: size * lineHeight, color: rgba(s.Color), edge: black, shade: halfBlack, border: 1,
		outline: 0.06 * size, shadow: 0.03 * size, alignment: alignCenter, side: plan.Width * 6 / 100, edgeDistance: plan.Height * 7 / 100}
	if plan.Height > plan.Width {
		l.edgeDistance = plan.Height * 16 / 100 // what phones lay over a video lies below
	}
	switch s.Name {
	case media.CaptionBoxed:
		l.border, l.outline, l.shadow, l.shade = 4, 0, 0.16*size, 0x10101030
	case media.CaptionBold:
		l.font, l.outline = familyExtraBold, 0.09*size
	case media.CaptionKaraoke:
		l.font, l.outline, l.color = familyExtraBold, 0.08*size, white
	case media.CaptionMinimal:
		l.outline, l.shadow, l.edge, l.blur = 0.03*size, 0, 0x00000080, 0.04*size
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
func watermarkLook(plan media.Plan) titleLook {
	short := min(plan.Width, plan.Height)
	size := max(10, float64(short)*28/1080)
	return titleLook{name: "mark", font: familySemiBold, size: size * lineHeight, color: 0xffffff50, edge: 0x00000090, shade: 0x000000ff, border: 1, outline: 0.05 * size,
		alignment: alignRight, side: short * 2 / 100, edgeDistance: short * 2 / 100}
}

// watermark is the text of the watermark.
const watermark = "Made with Roughcut"

// titleEvent is a text while it is shown, on output time. Its text is read for tags.
type titleEvent struct {
	text           string
	startMS, endMS int64
	watermark      bool
}

// titleEvents returns what is shown of a plan, with its captions as they fit. Karaoke needs one event a word.
func titleEvents(plan media.Plan, captions []fitted) (events []titleEvent) {
	if plan.Watermark {
		events = append(events, titleEvent{text: watermark, endMS: plan.DurationMS() + 1000, watermark: true})
	}
	for _, c := range captions {
		if plan.Style.Name != media.CaptionKaraoke || len(c.Words) == 0 {
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
				events = append(events, titleEvent{text: c.size + spoken(c.Words, i, plan.Style), startMS: at, endMS: end})
				at = end
			}
		}
	}
	return events
}

// spoken returns the text of words of which one lights up.
func spoken(words []media.Word, now int, style media.CaptionStyle) string {
	lit := uint32(spokenWord)
	if chosen := rgba(style.Color); chosen != white {
		lit = chosen
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

// escapeTitle makes of a text one that libass shows as it is: braces are escaped, and a word joiner, which is not seen, keeps a backslash from
// meaning anything. Rows are divided as libass divides them.
func escapeTitle(text string) string {
	return strings.NewReplacer(`\`, "\\\u2060", `{`, `\{`, `}`, `\}`, "\n", `\N`).Replace(text)
}
