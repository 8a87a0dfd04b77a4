package media

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strconv"
)

// RGBA is a color with alpha, "#rrggbbaa" in JSON.
type RGBA [4]uint8

// UnmarshalText reads "#rrggbbaa".
func (c *RGBA) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text[min(1, len(text)):]), 16, 32)
	*c = RGBA{uint8(n >> 24), uint8(n >> 16), uint8(n >> 8), uint8(n)}
	return err
}

// RGB is an opaque color, "#rrggbb" in JSON.
type RGB [3]uint8

// UnmarshalText reads "#rrggbb".
func (c *RGB) UnmarshalText(text []byte) (err error) {
	*c, err = ParseColor(string(text))
	return err
}

// The values of CaptionStyle.Box.
const (
	BoxNone  = "none"
	BoxBlock = "block" // one box behind all rows
	BoxRows  = "rows"  // a box behind each row
)

// The values of CaptionStyle.Highlight.
const (
	HighlightNone = "none"
	HighlightWord = "word" // the spoken word changes color
	HighlightBox  = "box"  // a box is behind the spoken word
)

// The values of CaptionStyle.Shows.
const (
	ShownCaption = "caption" // the whole caption
	ShownWord    = "word"    // the spoken word
	ShownSpoken  = "spoken"  // the words up to the spoken one
)

// AlignLeft is the value of CaptionStyle.Align for rows that start at the left margin.
const AlignLeft = "left"

// CaptionStyle is the design of a caption style. Lengths are fractions of the font size.
type CaptionStyle struct {
	Name         string  `json:"name"`        // in settings and in the API
	Label        string  `json:"label"`       // in the UI
	Description  string  `json:"description"` // one line
	Font         string  `json:"font"`        // family of a CaptionFont
	Scale        float64 `json:"scale"`       // of the default font size
	Outline      float64 `json:"outline"`
	Shadow       float64 `json:"shadow"` // offset to the right and down; of a style with a box, the padding of the box
	Blur         float64 `json:"blur"`   // of the outline
	OutlineColor RGBA    `json:"outline_color"`
	ShadowColor  RGBA    `json:"shadow_color"` // of the shadow, or of the box
	Box          string  `json:"box"`          // BoxNone, BoxBlock or BoxRows
	Highlight    string  `json:"highlight"`    // HighlightNone, HighlightWord or HighlightBox
	// Color stands for white in CaptionOptions.Color.
	Color    RGB    `json:"color"`
	Shows    string `json:"shows"`    // ShownCaption, ShownWord or ShownSpoken
	Upper    bool   `json:"upper"`    // the text is in capitals
	Align    string `json:"align"`    // center or AlignLeft
	Position string `json:"position"` // top, middle or bottom, unless the user chooses another
}

// Highlights reports whether the spoken word looks different.
func (s CaptionStyle) Highlights() bool { return s.Highlight != HighlightNone }

// FollowsWords reports whether the drawing changes with every spoken word.
func (s CaptionStyle) FollowsWords() bool { return s.Highlights() || s.Shows != ShownCaption }

// CaptionFont is a bundled font. Letters that it lacks are drawn in the first bundled font, or else
// in a font of the system that is as heavy.
type CaptionFont struct {
	Family string `json:"family"`
	File   string `json:"file"`   // in package fonts
	Weight int    `json:"weight"` // 1 to 1000, as in OpenType; 400 is regular
	// Ascent and Descent are the metrics of the font, as fractions of an em. libass scales a font
	// by their sum.
	Ascent  float64 `json:"ascent"`
	Descent float64 `json:"descent"`
}

// CaptionLayout is what all caption styles share: metrics, margins and default font sizes.
type CaptionLayout struct {
	LineHeight  float64 `json:"line_height"`  // as a fraction of the font size
	SidePercent int     `json:"side_percent"` // left and right margin, of the frame width
	EdgePercent int     `json:"edge_percent"` // top and bottom margin, of the frame height
	// PortraitEdgePercent replaces EdgePercent in portrait frames, so that captions stay above the
	// controls that phones draw over a video.
	PortraitEdgePercent int `json:"portrait_edge_percent"`
	// Sizes are the default font sizes, in pixels of a frame whose short side is 1080.
	Sizes struct {
		Landscape float64 `json:"landscape"`
		Portrait  float64 `json:"portrait"`
		Square    float64 `json:"square"`
	} `json:"sizes"`
}

// Watermark is the design of the watermark.
type Watermark struct {
	Text          string  `json:"text"`
	Font          string  `json:"font"`
	Size          float64 `json:"size"`           // font size in pixels of a frame whose short side is 1080
	Smallest      float64 `json:"smallest"`       // lower limit of the font size in pixels
	MarginPercent int     `json:"margin_percent"` // of the short side
	Outline       float64 `json:"outline"`        // as a fraction of the font size
	Color         RGBA    `json:"color"`
	OutlineColor  RGBA    `json:"outline_color"`
}

// captionTable is captionstyles.json. The preview in the browser reads the same file.
type captionTable struct {
	CaptionLayout
	Fonts     []CaptionFont  `json:"fonts"`
	Styles    []CaptionStyle `json:"styles"`
	Watermark Watermark      `json:"watermark"`
}

//go:embed captionstyles.json
var captionStylesJSON []byte

var captionDesign = mustParse[captionTable]("captionstyles.json", captionStylesJSON)

// mustParse reads an embedded table. A table that is not valid JSON is a build mistake, so it
// panics.
func mustParse[T any](name string, data []byte) (table T) {
	if err := json.Unmarshal(data, &table); err != nil {
		panic(name + ": " + err.Error())
	}
	return table
}

// CaptionStyles returns every caption style in display order. The first one is the default.
func CaptionStyles() []CaptionStyle { return slices.Clone(captionDesign.Styles) }

// CaptionFonts returns the bundled fonts. The first one draws the letters that others lack.
func CaptionFonts() []CaptionFont { return slices.Clone(captionDesign.Fonts) }

// CaptionStyleNames returns the names of CaptionStyles.
func CaptionStyleNames() []string {
	names := make([]string, len(captionDesign.Styles))
	for i, s := range captionDesign.Styles {
		names[i] = s.Name
	}
	return names
}

// DefaultCaptionStyle returns the style that captions have unless the user chooses another.
func DefaultCaptionStyle() CaptionStyle { return captionDesign.Styles[0] }

// DefaultCaptionLayout returns the layout that all caption styles share.
func DefaultCaptionLayout() CaptionLayout { return captionDesign.CaptionLayout }

// DefaultWatermark returns the design of the watermark.
func DefaultWatermark() Watermark { return captionDesign.Watermark }

// Style returns the design of the chosen style; an unknown or empty name means
// DefaultCaptionStyle.
func (o CaptionOptions) Style() CaptionStyle {
	for _, s := range captionDesign.Styles {
		if s.Name == o.StyleName {
			return s
		}
	}

	return DefaultCaptionStyle()
}

// white stands for the color of the style in CaptionOptions.Color.
var white = RGB{255, 255, 255}

// Colors returns the colors of the text and of the accent: of the spoken word, of its box, or of
// the boxes behind the rows.
func (o CaptionOptions) Colors() (text, accent RGB) {
	style := o.Style()
	chosen := RGB(o.Color)
	if chosen == white {
		chosen = style.Color
	}

	switch {
	case style.Box == BoxRows:
		return chosen.OnBox(), chosen
	case style.Highlights():
		return white, chosen
	default:
		return chosen, chosen
	}
}

// OnBox returns the color of text that is readable on a color: black or white.
func (c RGB) OnBox() RGB {
	const middle = 140 // of 255; text on the colors of the UI is black
	if 0.2126*float64(c[0])+0.7152*float64(c[1])+0.0722*float64(c[2]) > middle {
		return RGB{}
	}
	return white
}

// FontHeight returns the font size in pixels of a frame of the given size. FontSize 0 means the
// default size for the aspect ratio, scaled by the style.
func (o CaptionOptions) FontHeight(width, height int) float64 {
	size := float64(o.FontSize)
	if o.FontSize == 0 {
		sizes := captionDesign.Sizes
		switch {
		case height > width:
			size = sizes.Portrait
		case height == width:
			size = sizes.Square
		default:
			size = sizes.Landscape
		}

		size *= o.Style().Scale
	}

	return size * float64(min(width, height)) / 1080
}
