package media

import (
	_ "embed"
	"maps"
	"slices"
)

// FileTypes are content types of files by their extension, in lower case and with the dot.
type FileTypes map[string]string

// Extensions returns the extensions in alphabetical order.
func (f FileTypes) Extensions() []string { return slices.Sorted(maps.Keys(f)) }

//go:embed filetypes.json
var fileTypesJSON []byte

var fileTypes = mustParse[struct {
	Video, Audio, Image FileTypes
	Also                []string // content types of recordings that browsers may name
}]("filetypes.json", fileTypesJSON)

// RecordingTypes returns the types of the recordings that Roughcut reads. A recording may have no
// video.
func RecordingTypes() FileTypes {
	types := maps.Clone(fileTypes.Video)
	maps.Copy(types, fileTypes.Audio)
	return types
}

// AssetTypes returns the types of the assets that Roughcut reads: recordings and images.
func AssetTypes() FileTypes {
	types := RecordingTypes()
	maps.Copy(types, fileTypes.Image)
	return types
}

// ContentTypes returns the content types that an upload of such a file may declare, in alphabetical
// order.
func (f FileTypes) ContentTypes() []string {
	types := slices.AppendSeq(slices.Clone(fileTypes.Also), maps.Values(f))
	slices.Sort(types)
	return slices.Compact(types)
}
