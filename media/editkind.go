package media

import (
	_ "embed"
	"slices"
)

// Names of the edit kinds that code refers to. editkinds.json describes them.
const (
	EditSilence    = "silence"
	EditFalseStart = "false_start"
	EditFiller     = "filler"
	EditStutter    = "stutter"
	EditManual     = "manual"
	EditAsset      = "asset"
)

// Actions of a cut.
const (
	ActionCut  = "cut"  // removes its span from the video
	ActionMute = "mute" // replaces the audio of its span by room tone; the picture stays
)

// EditKind describes one kind of edit.
type EditKind struct {
	Name        string `json:"name"` // in stored data and in the API
	Label       string `json:"label"`
	LabelPlural string `json:"label_plural"`
	Cuts        bool   `json:"cuts"`        // removes its span from the video
	Detected    bool   `json:"detected"`    // proposed by the analysis
	MarksWords  bool   `json:"marks_words"` // the transcript marks the words in its span
	Pattern     string `json:"pattern"`     // of its swatch in the UI: stripes, lattice, dots, lines or none
}

//go:embed editkinds.json
var editKindsJSON []byte

var editKinds = mustParse[[]EditKind]("editkinds.json", editKindsJSON)

// EditKinds returns every edit kind in display order.
func EditKinds() []EditKind { return slices.Clone(editKinds) }

// LookupEditKind returns the kind with the given name; ok is false for an unknown name.
func LookupEditKind(name string) (kind EditKind, ok bool) {
	for _, k := range editKinds {
		if k.Name == name {
			return k, true
		}
	}

	return EditKind{}, false
}

// IsCut reports whether edits of the given kind remove their span from the video.
func IsCut(kind string) bool {
	k, _ := LookupEditKind(kind)
	return k.Cuts
}

// DetectedKinds returns the names of the kinds that the analysis proposes, in display order.
func DetectedKinds() []string {
	var names []string
	for _, k := range editKinds {
		if k.Detected {
			names = append(names, k.Name)
		}
	}

	return names
}
