package media

import "slices"

// Kinds of assets.
const (
	KindImage = "image" // a still image, or one that moves and has no sound (GIF)
	KindVideo = "video"
	KindAudio = "audio"
)

// PosterSide is the most pixels that the long side of a poster has.
const MaxPosterSide = 480

// AssetRequest asks what an asset is and for what the library shows of it. The paths that are
// written are of files that do not exist yet; an empty one leaves that product out.
type AssetRequest struct {
	Path       string
	PosterPath string // JPEG, at most PosterSide pixels on its long side; nothing is left there for sound
	ProxyPath  string // an MP4 that browsers play; nothing is left there where they play the original
	Outline    bool   // of sound without pictures
}

// OutlineBars is how many values the outline of a sound has.
const OutlineBars = 64

// Asset is what an asset holds.
type Asset struct {
	Info        Info   // DurationMS is measured, not claimed, and 0 for a still image
	Kind        string // KindImage, KindVideo or KindAudio
	ContentType string // from the data, not from the name
	SizeBytes   int64
	// of sound alone: its loudest sample in each of OutlineBars equal parts, 0-255; nil where it
	// was not asked for or cannot be read
	Outline []byte
}

// Outlined sums up a waveform in OutlineBars values.
func OutlineOf(peaks []byte) []byte {
	if len(peaks) == 0 {
		return nil
	}
	outline := make([]byte, OutlineBars)
	for i := range outline {
		from := i * len(peaks) / OutlineBars
		outline[i] = slices.Max(peaks[from:max(from+1, (i+1)*len(peaks)/OutlineBars)])
	}
	return outline
}

// TrimRequest asks for part of an asset as a file of its own.
type TrimRequest struct {
	Path, OutPath  string
	StartMS, EndMS int64  // the range that stays; EndMS 0 means the end
	Cuts           []Span // taken out of it, on the source's time
	AudioOnly      bool   // sound alone, as .m4a
	Fast           bool   // copy packets, cutting at keyframes
}

// Removed returns what a trim takes out of an asset that lasts durationMS; what lies beyond the end
// is clamped.
func (r TrimRequest) RemovedSpans(durationMS int64) []Span {
	removed := append([]Span{{EndMS: r.StartMS}}, r.Cuts...)
	if r.EndMS > 0 {
		removed = append(removed, Span{StartMS: r.EndMS, EndMS: max(r.EndMS, durationMS)})
	}
	return removed
}
