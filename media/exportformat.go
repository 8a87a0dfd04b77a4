package media

import (
	_ "embed"
	"slices"
	"strings"
)

// ExportFormat is a file format that exports can have.
type ExportFormat struct {
	Name         string `json:"name"` // unique
	Label        string `json:"label"`
	Extension    string `json:"extension"` // of the file name, with the dot; unique
	ContentType  string `json:"content_type"`
	Muxer        string `json:"muxer"`         // name of the muxer in libav
	AudioEncoder string `json:"audio_encoder"` // name of the encoder in libav
	AudioOnly    bool   `json:"audio_only"`
	// AudioTracks says that the file can have several audio tracks.
	AudioTracks bool   `json:"audio_tracks"`
	Description string `json:"description"` // its use, for people
}

//go:embed exportformats.json
var exportFormatsJSON []byte

var exportFormats = mustParse[[]ExportFormat]("exportformats.json", exportFormatsJSON)

// ExportFormats returns every export format in display order. The first one is the default.
func ExportFormats() []ExportFormat { return slices.Clone(exportFormats) }

// ExportFormatNames returns the names of all export formats in display order.
func ExportFormatNames() []string {
	names := make([]string, len(exportFormats))
	for i, f := range exportFormats {
		names[i] = f.Name
	}
	return names
}

// DefaultExportFormat returns the format that exports have unless the user chooses another.
func DefaultExportFormat() ExportFormat { return exportFormats[0] }

// FindExportFormat returns the format with the given name. An empty name selects the default
// format.
func FindExportFormat(name string) (f ExportFormat, ok bool) {
	if name == "" {
		return DefaultExportFormat(), true
	}
	return findFormat(func(f ExportFormat) bool { return f.Name == name })
}

// ExportFormatOf returns the format with a file name extension, which includes the dot. Case does
// not matter.
func ExportFormatOf(extension string) (f ExportFormat, ok bool) {
	return findFormat(func(f ExportFormat) bool { return strings.EqualFold(f.Extension, extension) })
}

func findFormat(is func(ExportFormat) bool) (f ExportFormat, ok bool) {
	i := slices.IndexFunc(exportFormats, is)
	if i < 0 {
		return f, false
	}
	return exportFormats[i], true
}
