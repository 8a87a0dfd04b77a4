package media

// Info is what a probe found in a file. At least one of Video and Audio is set.
type Info struct {
	Format      string     `json:"format"`       // short libav name of the container: "mov", "matroska", …
	ContentType string     `json:"content_type"` // from the container and streams, never from a file name
	DurationMS  int64      `json:"duration_ms"`  // of the picture, or of the sound where there is no picture
	Video       *VideoInfo `json:"video,omitempty"`
	Audio       *AudioInfo `json:"audio,omitempty"`
}

// VideoInfo describes the picture of a recording as it is shown, display rotation applied.
type VideoInfo struct {
	Codec        string `json:"codec"`
	Width        int    `json:"width"`  // pixels as displayed: rotation and sample aspect ratio applied, even
	Height       int    `json:"height"` // likewise
	Rate         Rate   `json:"rate"`   // snapped; see SnapRate
	VariableRate bool   `json:"variable_rate"`
	RotationDeg  int    `json:"rotation_deg"` // clockwise turn that playing it needs: 0, 90, 180, 270
	HDR          bool   `json:"hdr"`          // PQ or HLG transfer
	Still        bool   `json:"still"`        // a single image
}

// AudioInfo describes the first sound track of a recording.
type AudioInfo struct {
	Codec      string `json:"codec"`
	SampleRate int    `json:"sample_rate"`
	Channels   int    `json:"channels"`
}

// IngestRequest names what one decode pass over a recording shall leave behind. All paths are of
// files that do not exist yet; an empty path leaves that product out.
type IngestRequest struct {
	Path       string // the recording
	ProxyPath  string // MP4, H.264 with a keyframe each half second, short side at most 540, constant Rate, AAC
	SpritePath string // JPEG of tiles, SpriteColumns a row
	SpeechPath string // raw 16 kHz mono signed 16-bit little endian, from clip time 0
	// no proxy of what browsers play well as it is, on the clip's own clock: nothing is then left
	// at ProxyPath
	SkipProxyIfPlayable bool
}

// Sprite sheet: tiles of at most SpriteTileWidth x SpriteTileHeight pixels, SpriteColumns in a row,
// at most MaxSpriteTiles of them: the time between two tiles is the smallest whole number of
// seconds that keeps to that.
const (
	SpriteTileWidth  = 160
	SpriteTileHeight = 160
	SpriteColumns    = 10
	MaxSpriteTiles   = 400
)

// PeaksPerSecond is the resolution of a stored waveform.
const PeaksPerSecond = 100

// Ingested is what an ingest found and made.
type IngestResult struct {
	Info     Info     `json:"info"` // DurationMS is now what was really decoded, not what a header claimed
	Sprite   Sprite   `json:"sprite"`
	Energies []Energy `json:"-"` // of each 100 ms; nil without sound
	// PeaksPerSecond a second: largest absolute sample of all channels in each, 0-255; nil without
	// sound
	Peaks []byte `json:"-"`
	// Clip times in milliseconds, rising, of the pictures from which on packets can be copied into
	// an export; nil where none can.
	Keyframes []int64 `json:"-"`
}

// Sprite tells how a sprite sheet is laid out. The zero Sprite means that there is none.
type Sprite struct {
	TileWidth      int `json:"tile_width_px"`
	TileHeight     int `json:"tile_height_px"`
	TilesPerRow    int `json:"tiles_per_row"`
	TotalTiles     int `json:"total_tiles"`
	SecondsPerTile int `json:"seconds_per_tile"`
}

// RenderResult describes the file that a render wrote. The store keeps it as JSON, so the tags keep
// the field names of earlier versions.
type RenderResult struct {
	Frames     int64 // video frames written
	DurationMS int64
	Width      int
	Height     int
	SizeBytes  int64

	// Where the frames came from: packets copied from the recording, frames encoded by this render,
	// and cached frames encoded by an earlier one.
	Copied, Encoded int64
	Reused          int64  `json:"Kept"`
	EncodedBecause  string `json:"WhyEncoded"` // why nothing was copied; empty if something was
	VerifiedParts   int    `json:"Verified"`   // parts whose first and last frames were compared with the recording
	Codec           string // of the video, "h264" or "hevc"; empty without video
	H264Because     string `json:"WhyH264"` // why the requested HEVC was not kept; usually empty
	RepeatedBecause string `json:"Again"`   // why the render was repeated with everything encoded; usually empty
}
