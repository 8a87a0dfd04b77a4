package media

import "slices"

// Kinds of assets.
const (
	KindImage = "image" // a still image, or an animation without audio (GIF)
	KindVideo = "video"
	KindAudio = "audio"
)

// MaxPosterSide limits the long side of a poster, in pixels.
const MaxPosterSide = 480

// AssetRequest asks for the properties of an asset and for the previews that the library shows. The
// output paths must not exist yet. An empty output path skips that output.
type AssetRequest struct {
	Path       string
	PosterPath string // JPEG, long side at most MaxPosterSide; not written for audio
	ProxyPath  string // browser-playable MP4; not written if browsers play the original
	Outline    bool   // compute Asset.Outline; audio assets only
}

// OutlineBars is the number of values in an Asset.Outline.
const OutlineBars = 64

// Asset describes an asset file.
type Asset struct {
	Info        Info   // DurationMS is measured, not read from the header; 0 for a still image
	Kind        string // KindImage, KindVideo or KindAudio
	ContentType string // detected from the data, not from the file name
	SizeBytes   int64
	// Outline holds the peak of each of OutlineBars equal parts, 0-255. It is nil unless the asset
	// is audio, was requested, and can be decoded.
	Outline []byte
}

// OutlineOf reduces a waveform to OutlineBars peaks. It returns nil for an empty waveform.
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

// TrimRequest asks for part of an asset as a new file.
type TrimRequest struct {
	Path, OutPath  string
	StartMS, EndMS int64  // the range to keep; EndMS 0 means the end of the asset
	Cuts           []Span // removed from that range, in the time of the source
	AudioOnly      bool   // write only the audio, as .m4a
	Fast           bool   // copy packets and cut at keyframes
}

// RemovedSpans returns the spans that a trim removes from an asset of durationMS. An EndMS past the
// end removes nothing. Cuts are not clamped to the asset.
func (r TrimRequest) RemovedSpans(durationMS int64) []Span {
	removed := append([]Span{{EndMS: r.StartMS}}, r.Cuts...)
	if r.EndMS > 0 {
		removed = append(removed, Span{StartMS: r.EndMS, EndMS: max(r.EndMS, durationMS)})
	}
	return removed
}
