package media

import (
	_ "embed"
	"encoding/json"
	"strconv"
)

// RGBA is a colour with how opaque it is, "#rrggbbaa" as JSON.
type RGBA [4]uint8

// UnmarshalText reads "#rrggbbaa".
func (c *RGBA) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text[min(1, len(text)):]), 16, 32)
	*c = RGBA{uint8(n >> 24), uint8(n >> 16), uint8(n >> 8), uint8(n)}
	return err
}

// CaptionLook is what a style looks like. Lengths are shares of the size of the letters.
type CaptionLook struct {
	Font    string  `json:"font"`  // family
	Scale   float64 `json:"scale"` // of a size that nobody chose
	Outline float64 `json:"outline"`
	Shadow  float64 `json:"shadow"` // how far it lies to the right and below; of a box its margin
	Blur    float64 `json:"blur"`   // of the outline
	Edge    RGBA    `json:"edge"`   // of the outline
	Shade   RGBA    `json:"shade"`  // of the shadow, or of the box
	Boxed   bool    `json:"boxed"`  // on a box around all rows
}

// CaptionLooks is how captions and the watermark look in any size of picture. The preview in the
// browser reads the same file.
type CaptionLooks struct {
	LineHeight float64 `json:"line_height"` // as a share of the size of the letters
	// of our fonts above the base line, as a share of an em: with Descent the height of a line, for
	// which libass scales a font
	Ascent      float64 `json:"ascent"`
	Descent     float64 `json:"descent"`      // the same below it
	SidePercent int     `json:"side_percent"` // of the width, from both sides
	EdgePercent int     `json:"edge_percent"` // of the height, from top or bottom
	// the same in a picture that is higher than wide: what phones lay over a video lies below
	PortraitEdgePercent int `json:"portrait_edge_percent"`
	Sizes               struct {
		Landscape float64 `json:"landscape"`
		Portrait  float64 `json:"portrait"`
		Square    float64 `json:"square"`
	} `json:"sizes"` // that nobody chose, in pixels where the short side of the picture has 1080
	Spoken    string                 `json:"spoken"` // the word that lights up, "#rrggbb", where no colour is chosen
	Styles    map[string]CaptionLook `json:"styles"`
	Watermark struct {
		Text          string  `json:"text"`
		Font          string  `json:"font"`
		Size          float64 `json:"size"` // where the short side of the picture has 1080
		Smallest      float64 `json:"smallest"`
		MarginPercent int     `json:"margin_percent"` // of the short side
		Outline       float64 `json:"outline"`
		Color         RGBA    `json:"color"`
		Edge          RGBA    `json:"edge"`
	} `json:"watermark"`
}

//go:embed captionlook.json
var captionLookJSON []byte

// Looks is captionlook.json.
var Looks = func() (looks CaptionLooks) {
	if err := json.Unmarshal(captionLookJSON, &looks); err != nil {
		panic("captionlook.json: " + err.Error())
	}
	return looks
}()

// Look returns what a style looks like; one that has no name of a style is classic.
func (s CaptionStyle) Look() CaptionLook {
	if look, ok := Looks.Styles[s.Name]; ok {
		return look
	}
	return Looks.Styles[CaptionClassic]
}

// Size returns the height of the letters in pixels of a picture where FontSize leaves it open, or
// brings it to that picture's size.
func (s CaptionStyle) Size(width, height int) float64 {
	size := float64(s.FontSize)
	if s.FontSize == 0 {
		switch {
		case height > width:
			size = Looks.Sizes.Portrait
		case height == width:
			size = Looks.Sizes.Square
		default:
			size = Looks.Sizes.Landscape
		}
		size *= s.Look().Scale
	}
	return size * float64(min(width, height)) / 1080
}
