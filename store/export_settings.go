package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"roughcut/media"
)

// ExportSettings are the options of an export, with every default filled in.
type ExportSettings struct {
	Resolution          string         `json:"resolution"`           // a name in media.Resolutions: the short side
	AspectRatio         string         `json:"aspect_ratio"`         // a name in media.AspectRatios
	LetterboxBackground string         `json:"letterbox_background"` // #rrggbb
	Fit                 string         `json:"fit"`                  // letterbox, crop
	FlipH               bool           `json:"video_flip_h"`
	FlipV               bool           `json:"video_flip_v"`
	AudioCensorship     string         `json:"audio_censorship"` // none, mute, bleep
	Audio               AudioSettings  `json:"audio"`
	Captions            CaptionOptions `json:"captions"`
	PunchIn             PunchIn        `json:"punch_in"`
	CropKeyframes       []CropKeyframe `json:"crop_keyframes,omitempty"` // those of other projects have no effect
	AudioClips          AudioClips     `json:"audio_clips"`
	// h264, source; empty for exports from before this setting existed
	VideoCodec string `json:"video_codec,omitempty"`
	// a name in media.ExportFormatNames; empty for exports from before this setting existed
	Format string `json:"format,omitempty"`
	// KeepLocation keeps the place where the first recording was made.
	KeepLocation bool `json:"keep_location,omitempty"`
	// DropOtherTracks leaves out the audio tracks that are not heard.
	DropOtherTracks bool `json:"drop_other_tracks,omitempty"`
	// Range is the span of project time that is exported; nil for all of it.
	Range *media.Span `json:"range,omitempty"`
}

// within returns the span of project time that is exported, empty for all of it.
func (s ExportSettings) within() (span media.Span) {
	if s.Range != nil {
		span = *s.Range
	}
	return span
}

// The values of PunchIn.Center.
const (
	CenterFace  = "face"  // the face of the recording; the point if none is found
	CenterPoint = "point" // the point X, Y
)

// PunchIn are the options that enlarge every other segment of a recording. X and Y are the point of
// the frame that keeps its place, as fractions of its sides.
type PunchIn struct {
	ScalePercent int     `json:"scale_percent"` // 100-200; 100 enlarges nothing
	Ease         bool    `json:"ease"`          // change the size gradually after a join
	X            float64 `json:"x"`
	Y            float64 `json:"y"`
	Center       string  `json:"center"`
	Joins        []Join  `json:"joins,omitempty"` // those of other projects have no effect
}

// Join is a person's choice for the join at a time of a clip, which the cuts remove. Empty texts
// follow PunchIn.
type Join struct {
	ClipUUID string `json:"clip_uuid"`
	AtMS     int64  `json:"at_ms"`
	Size     string `json:"size,omitempty"`   // in, out
	Change   string `json:"change,omitempty"` // hard, eased
}

// AudioClips says what the frame shows during clips without video.
type AudioClips struct {
	Waveform bool   `json:"waveform"`
	Color    string `json:"color"` // #rrggbb
	// an image of the library that fills the frame as Fit says; without a cover, empty or a deleted
	// image
	CoverAssetFileID string `json:"cover_asset_file_id,omitempty"`
}

// CropKeyframe is where the crop of a clip is centered at a time of the clip, as fractions of the
// sides of the footage.
type CropKeyframe struct {
	ClipUUID string  `json:"clip_uuid"`
	AtMS     int64   `json:"at_ms"`
	X        float64 `json:"x"`
	Y        float64 `json:"y"`
}

// Limits of the lists of one export.
const (
	maxCropKeyframes = 1000
	maxJoins         = 5000
)

// AudioSettings are the audio options of an export.
type AudioSettings struct {
	MainVolumePercent int     `json:"main_volume_percent"` // 0-100
	NoiseReduction    bool    `json:"noise_reduction"`
	NoiseFloor        float64 `json:"noise_floor"` // dB, -80 to -5: lower is more aggressive
	Normalize         bool    `json:"normalize"`
	TargetLUFS        float64 `json:"target_lufs"` // -40 to -5
	BothEars          bool    `json:"both_ears"`   // a voice on one channel only is on both sides
	KeepChannels      bool    `json:"keep_channels"`
}

// CaptionOptions are the caption options of an export.
type CaptionOptions struct {
	Enabled bool   `json:"enabled"`
	Style   string `json:"style"` // a name in media.CaptionStyles
	// 8-200 pixels for a frame with a short side of 1080 pixels; 0 selects a readable size
	FontSize int    `json:"font_size,omitempty"`
	Position string `json:"position"` // top, middle, bottom
	Color    string `json:"color"`    // #rrggbb
	// an installed font family; empty selects the built-in font
	Font string `json:"font,omitempty"`
}

// The point of PunchIn without a choice.
const defaultPointX, defaultPointY = 0.5, 0.4

// DefaultExportSettings returns the settings of an export without options.
func DefaultExportSettings() ExportSettings {
	return ExportSettings{
		Resolution:          media.AsRecorded,
		AspectRatio:         media.AsRecorded,
		LetterboxBackground: "#000000",
		Fit:                 "letterbox",
		AudioCensorship:     media.CensorNone,
		Audio:               AudioSettings{MainVolumePercent: 100, NoiseFloor: -25, TargetLUFS: -14},
		Captions: CaptionOptions{
			Style:    media.DefaultCaptionStyle().Name,
			Position: "bottom",
			Color:    "#ffffff",
		},
		PunchIn:    PunchIn{ScalePercent: 100, X: defaultPointX, Y: defaultPointY, Center: CenterFace},
		AudioClips: AudioClips{Waveform: true, Color: "#3ddbb0"},
		VideoCodec: media.CodecH264,
		Format:     media.DefaultExportFormat().Name,
	}
}

var (
	hexColor   = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)
	fontFamily = compiled(`^[\p{L}\p{N}][\p{L}\p{N} _-]{0,63}$`)
)

// parseSettings reads export settings over the defaults. It ignores unknown fields. Errors:
// Unprocessable.
func parseSettings(raw json.RawMessage) (ExportSettings, error) {
	settings := DefaultExportSettings()
	settings.PunchIn.Center = ""
	if err := json.Unmarshal(raw, &settings); err != nil {
		return settings, failField("export_settings", "The export settings cannot be read: %v.", err)
	}
	settings.PunchIn.chooseCenter()
	choices := []struct {
		field, value string
		allowed      []string
	}{
		{"resolution", settings.Resolution, media.Resolutions()},
		{"aspect_ratio", settings.AspectRatio, media.AspectRatios()},
		{"fit", settings.Fit, []string{"letterbox", "crop"}},
		{"video_codec", settings.VideoCodec, []string{media.CodecH264, media.CodecSource}},
		{"format", settings.Format, media.ExportFormatNames()},
		{"audio_censorship", settings.AudioCensorship, []string{media.CensorNone, media.CensorMute, media.CensorBleep}},
		{"captions.style", settings.Captions.Style, media.CaptionStyleNames()},
		{"punch_in.center", settings.PunchIn.Center, []string{CenterFace, CenterPoint}},
		{"captions.position", settings.Captions.Position, []string{"top", "middle", "bottom"}},
	}
	for _, c := range choices {
		if !slices.Contains(c.allowed, c.value) {
			return settings, failField(
				"export_settings."+c.field,
				"%q is not one of the values %q.",
				c.value,
				c.allowed,
			)
		}
	}

	for _, c := range []struct{ field, value string }{
		{"letterbox_background", settings.LetterboxBackground},
		{"audio_clips.color", settings.AudioClips.Color},
	} {
		if !hexColor.MatchString(c.value) {
			return settings, failField(
				"export_settings."+c.field, "%q is not a color. Use the form #rrggbb.", c.value,
			)
		}
	}

	if r := settings.Range; r != nil {
		if err := checkSpan("export_settings.range.", &r.StartMS, &r.EndMS); err != nil {
			return settings, err
		}
	}

	if err := settings.Captions.check(); err != nil {
		return settings, err
	}
	if err := settings.checkFraming(); err != nil {
		return settings, err
	}
	return settings, settings.Audio.check()
}

func (s ExportSettings) checkFraming() error {
	if v := s.PunchIn.ScalePercent; v < 100 || v > 200 {
		return failField("export_settings.punch_in.scale_percent", "The scale must be 100 to 200 %%, not %d.", v)
	}
	within := func(field string, values ...float64) error {
		for _, v := range values {
			if v < 0 || v > 1 {
				return failField("export_settings."+field, "A position must be 0 to 1, not %v.", v)
			}
		}

		return nil
	}
	if err := within("punch_in", s.PunchIn.X, s.PunchIn.Y); err != nil {
		return err
	}
	if n := len(s.CropKeyframes); n > maxCropKeyframes {
		return failField("export_settings.crop_keyframes", "At most %d keyframes are allowed, not %d.",
			maxCropKeyframes, n)
	}

	for _, k := range s.CropKeyframes {
		if k.AtMS < 0 {
			return failField("export_settings.crop_keyframes", "Times cannot be negative.")
		}
		if err := within("crop_keyframes", k.X, k.Y); err != nil {
			return err
		}
	}

	return s.PunchIn.checkJoins()
}

// chooseCenter sets an empty center. A point that a person has set stays.
func (p *PunchIn) chooseCenter() {
	switch {
	case p.Center != "":
	case p.X == defaultPointX && p.Y == defaultPointY:
		p.Center = CenterFace
	default:
		p.Center = CenterPoint
	}
}

func (p PunchIn) checkJoins() error {
	const field = "punch_in.joins"
	if n := len(p.Joins); n > maxJoins {
		return failField("export_settings."+field, "At most %d joins are allowed, not %d.", maxJoins, n)
	}
	for _, j := range p.Joins {
		if j.AtMS < 0 {
			return failField("export_settings."+field, "Times cannot be negative.")
		}
		sizes, changes := []string{"", media.JoinIn, media.JoinOut}, []string{"", media.JoinHard, media.JoinEased}
		if !slices.Contains(sizes, j.Size) {
			return failField("export_settings."+field, "The size of a join must be in or out, not %q.", j.Size)
		}
		if !slices.Contains(changes, j.Change) {
			return failField("export_settings."+field, "The change of a join must be hard or eased, not %q.", j.Change)
		}
	}

	return nil
}

// Plan returns the punch-in of a render plan. If only joins enlarge, it has the default scale.
func (p PunchIn) Plan() media.PunchIn {
	plan := media.PunchIn{
		Scale: float64(p.ScalePercent) / 100, Ease: p.Ease, X: p.X, Y: p.Y, Face: p.Center == CenterFace,
	}
	if p.ScalePercent == 100 && len(p.Joins) > 0 {
		plan.Scale, plan.JoinsOnly = media.DefaultPunchIn, true
	}
	return plan
}

// joinsOf returns the joins of a clip.
func (s ExportSettings) joinsOf(clipUUID string) (joins []media.Join) {
	for _, j := range s.PunchIn.Joins {
		if j.ClipUUID == clipUUID {
			joins = append(joins, media.Join{MS: j.AtMS, Size: j.Size, Change: j.Change})
		}
	}

	return joins
}

// cropOf returns the keyframes of a clip.
func (s ExportSettings) cropOf(clipUUID string) (keys []media.CropKeyframe) {
	for _, k := range s.CropKeyframes {
		if k.ClipUUID == clipUUID {
			keys = append(keys, media.CropKeyframe{MS: k.AtMS, X: k.X, Y: k.Y})
		}
	}

	return keys
}

func (a AudioSettings) check() error {
	if v := a.MainVolumePercent; v < 0 || v > 100 {
		return failField("export_settings.audio.main_volume_percent", "The volume must be 0 to 100, not %d.", v)
	}
	if v := a.NoiseFloor; v < -80 || v > -5 {
		return failField("export_settings.audio.noise_floor", "The noise floor must be -80 to -5 dB, not %v.", v)
	}
	if v := a.TargetLUFS; v < -40 || v > -5 {
		return failField("export_settings.audio.target_lufs", "The loudness must be -40 to -5 LUFS, not %v.", v)
	}
	return nil
}

func (c CaptionOptions) check() error {
	if c.FontSize != 0 && (c.FontSize < media.MinFontSize || c.FontSize > media.MaxFontSize) {
		return failField(
			"export_settings.captions.font_size",
			"The font size must be %d to %d, not %d.",
			media.MinFontSize,
			media.MaxFontSize,
			c.FontSize,
		)
	}

	if !hexColor.MatchString(c.Color) {
		return failField("export_settings.captions.color", "%q is not a color. Use the form #rrggbb.", c.Color)
	}
	if c.Font != "" && !fontFamily().MatchString(c.Font) {
		return failField(
			"export_settings.captions.font",
			"%q is not a font name. Use at most 64 letters, digits, spaces, hyphens and underscores.",
			c.Font,
		)
	}

	return nil
}

// MergeSettings merges one JSON object into another, leaf by leaf. A null leaf in over keeps the
// leaf of base. Empty input counts as an empty object. Errors: Unprocessable when one of them is
// not an object.
func MergeSettings(base, over json.RawMessage) (json.RawMessage, error) {
	a, err := readObject(base)
	if err != nil {
		return nil, err
	}
	b, err := readObject(over)
	if err != nil {
		return nil, err
	}
	return json.Marshal(mergeLeaves(a, b))
}

func readObject(raw json.RawMessage) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(OrEmptyObject(raw)))
	decoder.UseNumber()
	var m map[string]any
	if err := decoder.Decode(&m); err != nil {
		return nil, failField("export_settings", "The export settings are not a JSON object.")
	}
	return m, nil
}

func mergeLeaves(base, over map[string]any) map[string]any {
	for k, v := range over {
		if v == nil {
			continue
		}
		deep, isObject := v.(map[string]any)
		below, wasObject := base[k].(map[string]any)
		if isObject && wasObject {
			v = mergeLeaves(below, deep)
		}
		base[k] = v
	}

	return base
}

// effectiveSettings merges settings into the defaults, such as the settings of a draft, a short and
// a request. Errors: Unprocessable.
func effectiveSettings(list ...json.RawMessage) (json.RawMessage, error) {
	merged, err := json.Marshal(DefaultExportSettings())
	if err != nil {
		return nil, fmt.Errorf("writing the default settings: %w", err)
	}
	for _, over := range list {
		if merged, err = MergeSettings(merged, over); err != nil {
			return nil, err
		}
	}

	_, err = parseSettings(merged)
	return merged, err
}

// formatOf returns the format that export settings ask for; the default for those from before
// formats existed.
func formatOf(settings json.RawMessage) media.ExportFormat {
	var chosen struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(settings, &chosen); err != nil {
		return media.DefaultExportFormat()
	}
	if format, ok := media.FindExportFormat(chosen.Format); ok {
		return format
	}
	return media.DefaultExportFormat()
}
