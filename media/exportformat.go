package media

import (
	_ "embed"
	"slices"
)

// ExportFormat is a file format that exports can have.
type ExportFormat struct {
	Name        string `json:"name"` // unique
	Label       string `json:"label"`
	Extension   string `json:"extension"` // of the file name, with the dot
	ContentType string `json:"content_type"`
	Muxer       string `json:"muxer"` // name of the muxer in libav
}

//go:embed exportformats.json
var exportFormatsJSON []byte

var exportFormats = mustParse[[]ExportFormat]("exportformats.json", exportFormatsJSON)

// ExportFormats returns every export format in display order. The first one is the default.
func ExportFormats() []ExportFormat { return slices.Clone(exportFormats) }

// DefaultExportFormat returns the format that exports have unless the user chooses another.
func DefaultExportFormat() ExportFormat { return exportFormats[0] }
