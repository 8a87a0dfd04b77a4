package media

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// Info describes a media file. At least one of Video and Audio is set.
type Info struct {
	Format      string     `json:"format"`       // short libav name of the container: "mov", "matroska", …
	ContentType string     `json:"content_type"` // from the container and its streams, never from a file name
	DurationMS  int64      `json:"duration_ms"`  // of the video, or of the audio without video
	Video       *VideoInfo `json:"video,omitempty"`
	Audio       *AudioInfo `json:"audio,omitempty"`
	// Timecode is the label of the first frame as the file states it, such as 01:00:00:00, or
	// 01:00:00;00 for drop-frame timecode. It is empty if the file has none.
	Timecode string `json:"timecode,omitempty"`
	// TimeReference is when a Broadcast Wave file starts, in samples of its audio since midnight.
	// Recorders write it as their timecode. It is 0 if the file has none.
	TimeReference int64 `json:"time_reference,omitempty"`
	// AudioTracks are all audio tracks of the file, in its order; earlier versions did not list the
	// only one. Audio describes the one that Roughcut plays, or the mix of several.
	AudioTracks []AudioTrack `json:"audio_tracks,omitempty"`
	// Chapters of the file, in the order of their times, which are clip time.
	Chapters []Chapter `json:"chapters,omitempty"`
}

// VariableRate reports whether the file has video whose frames are not evenly spaced.
func (i Info) VariableRate() bool { return i.Video != nil && i.Video.VariableRate }

// VideoInfo describes a video stream as players show it, with the display rotation applied.
type VideoInfo struct {
	Codec        string `json:"codec"`
	Width        int    `json:"width"`  // display pixels, even; rotation and sample aspect ratio are applied
	Height       int    `json:"height"` // display pixels, even; rotation and sample aspect ratio are applied
	Rate         Rate   `json:"rate"`   // snapped as by SnapRate, but can exceed MaxRate
	VariableRate bool   `json:"variable_rate"`
	RotationDeg  int    `json:"rotation_deg"` // clockwise rotation for playback: 0, 90, 180 or 270
	HDR          bool   `json:"hdr"`          // PQ or HLG transfer function
	Still        bool   `json:"still"`        // a single image
	// BitRate is in bits per second, as the container states it; 0 if unknown.
	BitRate int64 `json:"bit_rate,omitempty"`
	// StartUS is the time of the first frame in microseconds after the start of the recording: more
	// than 0 if the audio starts earlier.
	StartUS int64 `json:"start_us,omitempty"`
	// Aligned says that the first frame is exactly on the grid of the frame rate, so StartUS is a
	// whole number of frames. Otherwise the first frame takes the nearest grid frame, and is early
	// or late against the audio by half a frame at most.
	Aligned bool `json:"aligned,omitempty"`
	// Converted says that the colors are not BT.709 limited range. An export can keep them only if
	// all clips with video have the same colors, and nothing but a waveform is drawn.
	Converted bool `json:"converted,omitempty"`
	// Interlaced says that frames consist of two fields. Proxies and exports deinterlace them.
	Interlaced bool `json:"interlaced,omitempty"`
}

// AudioInfo describes the audio stream of a recording.
type AudioInfo struct {
	Codec      string `json:"codec"`
	SampleRate int    `json:"sample_rate"`
	Channels   int    `json:"channels"`
	BitRate    int64  `json:"bit_rate,omitempty"` // bits per second, as the container states it; 0 if unknown
	// Microphones says that the channels are microphones although the file names speakers for them:
	// the one for low frequencies has a voice. Mixes have all at equal levels.
	Microphones bool `json:"microphones,omitempty"`
	// Unheard are the channels, from 0, that never pause and have no voice, such as time code. The
	// analysis leaves them out, and so do mixes.
	Unheard []int `json:"unheard,omitempty"`
	// VoiceOn is the channel that has the voice of a stereo recording alone, VoiceLeft or
	// VoiceRight, or the louder one of two opposite channels. It is empty for any other recording.
	VoiceOn string `json:"voice_on,omitempty"`
	// Opposite says that the channels cancel each other out on one loudspeaker.
	Opposite bool `json:"opposite,omitempty"`
	// VoiceGain is the linear gain that VoiceOn needs on both sides to be as loud as the recording,
	// as a meter measures it.
	VoiceGain float64 `json:"voice_gain,omitempty"`
}

// The values of AudioInfo.VoiceOn.
const (
	VoiceLeft  = "left"
	VoiceRight = "right"
)

// AudioTrack is one of several audio tracks of a recording, such as the microphone and the system
// sound of a screen recorder.
type AudioTrack struct {
	Stream     int  `json:"stream"`   // index among all streams of the file, from 0
	Channels   int  `json:"channels"` // 0 if unknown
	SampleRate int  `json:"sample_rate"`
	Played     bool `json:"played,omitempty"` // Roughcut plays and analyzes this track, alone or in a mix

	Codec       string `json:"codec,omitempty"`       // libav's name; empty if an earlier version listed the track
	BitRate     int64  `json:"bit_rate,omitempty"`    // as in AudioInfo
	Language    string `json:"language,omitempty"`    // as the file states it, such as "eng"
	Title       string `json:"title,omitempty"`       // as the file states it
	Undecodable bool   `json:"undecodable,omitempty"` // damaged, or in a codec that Roughcut does not read
	Speech      *bool  `json:"speech,omitempty"`      // someone speaks; nil if nothing has listened to the track
}

// HeardTracks returns the indexes in AudioTracks of those that Roughcut plays; nil for a file with
// one audio track.
func (i Info) HeardTracks() (tracks []int) {
	if len(i.AudioTracks) < 2 {
		return nil
	}
	for at, t := range i.AudioTracks {
		if t.Played {
			tracks = append(tracks, at)
		}
	}

	return tracks
}

// otherTracks returns the indexes in AudioTracks of those that Roughcut can decode and does not
// play. A file that plays no audio has none.
func (i Info) otherTracks() (tracks []int) {
	for at, t := range i.AudioTracks {
		if i.Audio != nil && !t.Played && !t.Undecodable {
			tracks = append(tracks, at)
		}
	}

	return tracks
}

// Hear makes Roughcut play some of the AudioTracks, by their index. It mixes several at equal
// levels. Errors: a track that does not exist or does not decode, or none.
func (i *Info) Hear(heard []int) error {
	for _, at := range heard {
		switch {
		case at < 0 || at >= len(i.AudioTracks):
			return fmt.Errorf("audio track %d does not exist; the file has %d", at+1, len(i.AudioTracks))
		case i.AudioTracks[at].Undecodable:
			return fmt.Errorf("audio track %d cannot be decoded; choose another one", at+1)
		}
	}

	if len(heard) == 0 {
		return errors.New("choose at least one audio track")
	}
	tracks := slices.Clone(i.AudioTracks)
	var mix AudioInfo
	for at := range tracks {
		t := &tracks[at]
		if t.Played = slices.Contains(heard, at); !t.Played {
			continue
		}
		mix.Channels = max(mix.Channels, t.Channels)
		mix.SampleRate = max(mix.SampleRate, t.SampleRate)
		mix.Codec, mix.BitRate = t.Codec, t.BitRate
	}

	i.AudioTracks = tracks
	if len(i.HeardTracks()) > 1 {
		mix = AudioInfo{SampleRate: SampleRate, Channels: min(mix.Channels, 2)}
	}
	i.Audio = &mix
	return nil
}

// IngestRequest names the outputs of one pass over a recording. The output paths must not exist
// yet. An empty output path skips that output. Video is decoded only for outputs that show it.
type IngestRequest struct {
	Path       string // the recording
	ProxyPath  string // MP4: H.264, keyframe every 0.5 s except in stills, short side at most 540, AAC
	SpritePath string // JPEG of tiles, SpriteColumns in a row
	SpeechPath string // a speech file from clip time 0: see audio.SpeechWriter
	// SkipProxyIfPlayable writes no proxy of a recording that browsers play well and whose
	// timestamps match clip time.
	SkipProxyIfPlayable bool
	// Motion measures the motion of the video. Without a proxy and a sprite sheet, this decodes a
	// keyframe for each second.
	Motion bool
	// Screen recognizes a recording of a screen. Without a proxy and a sprite sheet, this decodes
	// some keyframes.
	Screen bool
	// TilesLaterMS leaves the sprite sheet and the motion to a TilesRequest if the recording is at
	// least this long and needs no proxy: decoding its keyframes takes longer than everything else.
	// 0 leaves nothing.
	TilesLaterMS int64
	// SkipLevels measures no loudness, and the waveform only of a recording without video.
	SkipLevels bool
	// Tracks are the audio tracks that are heard, as in Info.HeardTracks. Without any, an ingest
	// that writes a speech file listens to all tracks of a file with several, and hears the first
	// one with speech.
	Tracks []int
	// Listen makes an ingest with Tracks that writes a speech file note which tracks have speech.
	Listen bool
	// Speech gets the audio of the speech file while it is decoded, as raw signed 16-bit
	// little-endian samples; see IngestResult.SpeechSent. Its errors do not end the ingest. It may
	// be nil.
	Speech io.Writer `json:"-"`
}

// Layout of a sprite sheet: tiles of at most SpriteTileWidth x SpriteTileHeight pixels,
// SpriteColumns in a row, at most MaxSpriteTiles in total. The interval between tiles is the
// smallest whole number of seconds that satisfies this limit.
const (
	SpriteTileWidth  = 160
	SpriteTileHeight = 160
	SpriteColumns    = 10
	MaxSpriteTiles   = 400
)

// PeaksPerSecond is the resolution of a stored waveform.
const PeaksPerSecond = 100

// EnergyMS is the length in milliseconds of the step that one Energy measures.
const EnergyMS = 100

// Energy is the level of one step of audio. The loudness of any cut of a recording follows from its
// energies, without decoding the audio again.
type Energy struct {
	Power float64 // K-weighted mean square, summed over both channels
	Peak  float64 // largest sample, full scale is 1
}

// Scale returns the level after a linear gain.
func (e Energy) Scale(gain float64) Energy {
	return Energy{Power: e.Power * gain * gain, Peak: e.Peak * gain}
}

// IngestResult is what an ingest found and produced.
type IngestResult struct {
	Info     Info     `json:"info"` // DurationMS is the measured length, not the one in the header
	Sprite   Sprite   `json:"sprite"`
	Energies []Energy `json:"-"` // one for each 100 ms; nil without audio, or if skipped
	// Peaks holds PeaksPerSecond values a second: the largest absolute sample of all channels,
	// 0-255. It is nil without audio.
	Peaks []byte `json:"-"`
	// Keyframes holds, in ascending milliseconds of clip time, where packet copies into an export
	// can start. It is nil if no packet can be copied.
	Keyframes []int64 `json:"-"`
	// Motion holds how much the video changes, one value for each second: see MotionOf. It is nil
	// without video, if it was not requested and if nothing is known.
	Motion []byte `json:"-"`
	// Screen says whether the video shows a screen, as in a recorded demonstration. It is nil
	// without video, if it was not requested and if too few frames were decoded.
	Screen *bool `json:"screen,omitempty"`
	// SpeechSent says that IngestRequest.Speech got all audio of the speech file, and nothing else.
	SpeechSent bool `json:"speech_sent,omitempty"`
	// TilesLeft says that the sprite sheet and the motion need a TilesRequest: see TilesLaterMS.
	TilesLeft bool `json:"tiles_left,omitempty"`
}

// TilesRequest asks for the sprite sheet and the motion of a recording whose ingest left them.
type TilesRequest struct {
	Path       string // the recording
	SpritePath string // as in IngestRequest
	DurationMS int64  // as the ingest measured it
}

// TilesResult is the part of an IngestResult that a TilesRequest adds.
type TilesResult struct {
	Sprite Sprite `json:"sprite"`
	Motion []byte `json:"motion"`
}

// ErrNeedsProxy says that a recording without a proxy needs one after all, because not all of its
// keyframes show what browsers would show.
var ErrNeedsProxy = errors.New("the recording needs a proxy")

// Sprite describes the layout of a sprite sheet. The zero Sprite means "no sheet".
type Sprite struct {
	TileWidth      int `json:"tile_width_px"`
	TileHeight     int `json:"tile_height_px"`
	TilesPerRow    int `json:"tiles_per_row"`
	TotalTiles     int `json:"total_tiles"`
	SecondsPerTile int `json:"seconds_per_tile"`
}

// RoomToneRequest asks for the room tone of a muted part of a recording.
type RoomToneRequest struct {
	Path         string
	Info         Info   // of the recording, from ingest
	EnergiesPath string // packed energies of the recording, which Ingest measured
	Tracks       []int  // of Info.HeardTracks
	Muted        SampleRange
	Avoid        []SampleRange // muted parts, which must not be a source of room tone
}

// RenderRates compares the finished renders of one kind with a typical machine and with the
// recordings. A factor of 0 is unknown.
type RenderRates struct {
	Kind string  `json:"kind"`
	Time float64 `json:"time,omitempty"` // times the time of a typical machine
	Size float64 `json:"size,omitempty"` // times the bytes that the encoded frames have in the recordings
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
	H264Because     string `json:"WhyH264"`    // why the requested HEVC was not kept; usually empty
	RepeatedBecause string `json:"Again"`      // why the render was repeated with everything encoded; usually empty
	Encoder         string `json:",omitempty"` // x264, x265 or a hardware encoder; empty if no frame was encoded
	SoftwareBecause string `json:",omitempty"` // why a hardware encoder did not encode them; usually empty
	// OverDB is how far the audio exceeded full scale before the render lowered it, in decibels. It
	// is 0 if the audio did not.
	OverDB       float64 `json:",omitempty"`
	TookMS       int64   `json:",omitempty"` // how long the render took
	EncodedBytes int64   `json:",omitempty"` // of the frames that this render encoded
	// Rates are what the render took, for the estimates of later ones.
	Rates RenderRates `json:",omitzero"`
}
