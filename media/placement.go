package media

import "slices"

// The values of Placement.VisualMode.
const (
	VisualOverlay = "overlay" // on top of the footage
	VisualCutaway = "cutaway" // instead of the footage: fills the frame, cropped
	VisualNone    = "none"
)

// The values of Placement.AudioMode.
const (
	AudioMute    = "mute"
	AudioMix     = "mix"
	AudioReplace = "replace" // mutes the main audio
)

// PositionCustom places an overlay by its center.
const PositionCustom = "custom"

// NamedPositions returns the other positions of overlays, row by row: corners, edges and the center
// of the frame.
func NamedPositions() []string {
	return []string{"top_left", "top", "top_right", "left", "center", "right", "bottom_left", "bottom", "bottom_right"}
}

// Placement says how a placed asset appears and sounds.
type Placement struct {
	AssetFileID string // the asset in the library of a user
	OffsetMS    int64  // start position in the asset
	VisualMode  string
	AudioMode   string
	Position    string  // one of NamedPositions, or PositionCustom
	X, Y        float64 // 0-1, center as a fraction of the frame, for PositionCustom
	SizePercent int     // 1-100, of the frame width
	Appearance
	VolumePercent  int  // 0-200
	DuckMain       bool // lower the main audio while the asset is audible
	DuckUnderVoice bool // lower the asset while someone speaks

	FadeInMS, FadeOutMS int64 // 0-10000, of picture and audio
	Loop                bool  // a video or audio starts again at its end

	// UntilEnd lets the span end with the project, also after clips are added or removed.
	UntilEnd bool `json:",omitempty"`
}

// Appearance says how the frames of a placed asset are drawn.
type Appearance struct {
	OpacityPercent int // 0-100
	FlipH, FlipV   bool
	RotationDeg    int // -180 to 180, clockwise; cutaways are not rotated
}

// NewPlacement returns the default placement of an asset. Images and videos are overlays in the
// center at half the frame width, without audio. Audio is mixed in.
func NewPlacement(assetFileID, kind string) Placement {
	p := Placement{
		AssetFileID:   assetFileID,
		VisualMode:    VisualOverlay,
		AudioMode:     AudioMute,
		Position:      "center",
		X:             0.5,
		Y:             0.5,
		SizePercent:   50,
		Appearance:    Appearance{OpacityPercent: 100},
		VolumePercent: 100,
	}
	if kind == KindAudio {
		p.VisualMode, p.AudioMode = VisualNone, AudioMix
	}
	return p
}

// gridCell returns the column and row, 0 to 2, of a named position. Other positions are the center.
func (p Placement) gridCell() (column, row int) {
	if i := slices.Index(NamedPositions(), p.Position); i >= 0 {
		return i % 3, i / 3
	}
	return 1, 1
}
