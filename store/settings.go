package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// ExportSettings is what a person chose for an export, every default filled in.
type ExportSettings struct {
	Resolution          string        `json:"resolution"`           // 720p, 1080p: the short side
	AspectRatio         string        `json:"aspect_ratio"`         // 16:9, 9:16, 1:1
	LetterboxBackground string        `json:"letterbox_background"` // #rrggbb
	Fit                 string        `json:"fit"`                  // letterbox, crop
	FlipH               bool          `json:"video_flip_h"`
	FlipV               bool          `json:"video_flip_v"`
	Audio               AudioSettings `json:"audio"`
}

// AudioSettings is the part of ExportSettings about sound.
type AudioSettings struct {
	MainVolumePercent int `json:"main_volume_percent"` // 0-100
}

// DefaultExportSettings returns what holds where nothing is chosen.
func DefaultExportSettings() ExportSettings {
	return ExportSettings{Resolution: "1080p", AspectRatio: "16:9", LetterboxBackground: "#000000", Fit: "letterbox", Audio: AudioSettings{MainVolumePercent: 100}}
}

var hexColour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// parseSettings reads export settings over the defaults. Fields that it does not know are left to others.
func parseSettings(raw json.RawMessage) (ExportSettings, error) {
	settings := DefaultExportSettings()
	if err := json.Unmarshal(raw, &settings); err != nil {
		return settings, failField("export_settings", "The export settings cannot be read: %v.", err)
	}
	choices := []struct {
		field, value string
		allowed      []string
	}{
		{"resolution", settings.Resolution, []string{"720p", "1080p"}},
		{"aspect_ratio", settings.AspectRatio, []string{"16:9", "9:16", "1:1"}},
		{"fit", settings.Fit, []string{"letterbox", "crop"}},
	}
	for _, c := range choices {
		if !slices.Contains(c.allowed, c.value) {
			return settings, failField("export_settings."+c.field, "%q is not one of %q.", c.value, c.allowed)
		}
	}
	if !hexColour.MatchString(settings.LetterboxBackground) {
		return settings, failField("export_settings.letterbox_background", "%q is no colour; write it as #rrggbb.", settings.LetterboxBackground)
	}
	if v := settings.Audio.MainVolumePercent; v < 0 || v > 100 {
		return settings, failField("export_settings.audio.main_volume_percent", "The volume must be 0 to 100, not %d.", v)
	}
	return settings, nil
}

// MergeSettings lays one JSON object over another, leaf by leaf. A null leaf in over leaves that of base. Empty input counts as an
// empty object. Errors: Unprocessable when one of them is no object.
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
	decoder := json.NewDecoder(bytes.NewReader(object(raw)))
	decoder.UseNumber()
	var m map[string]any
	if err := decoder.Decode(&m); err != nil {
		return nil, failField("export_settings", "The export settings must be a JSON object.")
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

// effectiveSettings lays a draft's and the inline settings over the defaults.
func effectiveSettings(draft, inline json.RawMessage) (json.RawMessage, error) {
	merged, err := json.Marshal(DefaultExportSettings())
	if err != nil {
		return nil, fmt.Errorf("writing the default settings: %w", err)
	}
	for _, over := range []json.RawMessage{draft, inline} {
		if merged, err = MergeSettings(merged, over); err != nil {
			return nil, err
		}
	}
	_, err = parseSettings(merged)
	return merged, err
}
