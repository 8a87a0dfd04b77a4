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

// Edit is a proposal to leave a stretch of a clip out.
type Edit struct {
	Type string `json:"type"` // Silence, FalseStart or Filler
	media.Span
	Active     bool    `json:"active"`     // whether it is applied unless somebody objects
	Reason     string  `json:"reason"`     // in plain words, with the figures and words that it rests on
	Confidence float64 `json:"confidence"` // 0-1: how likely a person would agree
}

// Knobs are a person's choices. Values out of range are taken for the nearest in range.
type Knobs struct {
	Pacing      int        // 0-100: how short pauses become; see PauseThreshold and PausePadding
	FalseStarts int        // 0-100: 0 cuts exact repeats of four words only, 100 also restarts after two similar words
	Language    string     // ISO 639-1, with or without region: whose fillers are looked for; empty means none
	CutFillers  bool       // whether fillers are proposed as active edits
	FillerWords WordChoice // how the fillers differ from those of the language
}

// activeFrom is the confidence below which an edit is proposed but not applied.
const activeFrom = 0.5

// Edits derives the proposed edits of one clip: sorted by start, then end, and the same for the
// same input. A silence may lie inside a false start or filler, so that it is still cut when the
// other edit is switched off; edits of one type do not overlap.
func Edits(e Evidence, k Knobs) []Edit {
	t := newTalk(e, k)
	out := append(t.silences(), t.falseStarts(clampPercent(k.FalseStarts))...)
	out = append(out, t.fillers(k.Language, k.FillerWords, k.CutFillers)...)
	slices.SortStableFunc(out, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.StartMS, b.StartMS), cmp.Compare(a.EndMS, b.EndMS), strings.Compare(a.Type, b.Type))
	})
	return out
}

func clampPercent(n int) int { return min(max(n, 0), 100) }
