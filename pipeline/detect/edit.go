package detect

import (
	"cmp"
	"slices"
	"strings"

	"roughcut/media"
)

// Types of an Edit.
const (
	Silence    = media.EditSilence
	FalseStart = media.EditFalseStart
	Filler     = media.EditFiller
)

// Edit is a proposal to cut a span of a clip.
type Edit struct {
	Type string `json:"type"` // Silence, FalseStart or Filler
	media.Span
	Active     bool    `json:"active"`     // whether the cut applies unless the user rejects it
	Reason     string  `json:"reason"`     // for the user, with the durations and words behind it
	Confidence float64 `json:"confidence"` // 0-1: how likely the user is to agree
}

// Settings are the user's choices. Values out of range are clamped.
type Settings struct {
	Pacing      int        // 0-100: higher cuts shorter pauses; see PauseThreshold and PausePadding
	FalseStarts int        // 0-100: from exact repeats of four words only to restarts after two similar words
	Language    string     // ISO 639-1, with or without region; selects the fillers, none if empty
	CutFillers  bool       // proposes fillers as active edits
	FillerWords WordChoice // changes to the fillers of the language
}

// activeFrom is the confidence from which an edit is active.
const activeFrom = 0.5

// Edits derives the proposed edits of one clip, sorted by start and end. The result is
// deterministic. Edits of one type do not overlap. A silence may overlap a false start or filler,
// so that the silence is still cut if the user rejects the other edit.
func Edits(e Evidence, k Settings) []Edit {
	t := newTalk(e, k)
	out := append(t.silences(), t.falseStarts(clampPercent(k.FalseStarts))...)
	out = append(out, t.fillers(k.Language, k.FillerWords, k.CutFillers)...)
	slices.SortStableFunc(out, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.StartMS, b.StartMS), cmp.Compare(a.EndMS, b.EndMS), strings.Compare(a.Type, b.Type))
	})
	return out
}

func clampPercent(n int) int { return min(max(n, 0), 100) }
