package detect

import (
	"cmp"
	"slices"
	"strings"

	"roughcut/media"
)

// Edit is a proposal to cut a span of a clip.
type Edit struct {
	Type string `json:"type"` // a name of media.DetectedKinds
	media.Span
	Active     bool    `json:"active"`     // whether the cut applies unless the user rejects it
	Reason     string  `json:"reason"`     // for the user, with the durations and words behind it
	Confidence float64 `json:"confidence"` // 0-1: how likely the user is to agree
	// of a FalseStart that cuts a take of a take group; nil for other edits
	Take *TakeRef `json:"take,omitempty"`
}

// Settings are the user's choices. Values out of range are clamped, and an empty choice selects its
// default.
type Settings struct {
	media.CutOptions
	Language    string     // ISO 639-1, with or without region; selects the fillers, none if empty
	FillerWords WordChoice // changes to the fillers of the language
}

// activeFrom is the lowest confidence of an active edit.
const activeFrom = 0.5

// Edits derives the proposed edits of one clip, sorted by start and end. The result is
// deterministic. Edits of one type do not overlap. A silence may overlap edits of other types, so
// that the silence is still cut if the user rejects the other edit.
func Edits(e Evidence, k Settings) []Edit {
	edits, _ := Propose(e, k)
	return edits
}

// Propose derives the proposed edits of one clip, as Edits does, and its take groups, by time. The
// proposed take of a group has no edit. Each other take has one FalseStart edit with Take set.
func Propose(e Evidence, k Settings) ([]Edit, []TakeGroup) {
	t := newTalk(e, k)
	out := t.silences()
	abandoned, groups := t.falseStarts(k)
	out = append(out, abandoned...)
	fillers := t.fillers(k)
	out = append(out, fillers...)
	out = append(out, t.stutters(k, abandoned)...)
	out = append(out, t.suspectedFillers(k, append(spansOf(abandoned), spansOf(fillers)...))...)
	for i, e := range out {
		out[i].Confidence = curveOf(e.Type).show(e.Confidence)
	}
	slices.SortStableFunc(out, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.StartMS, b.StartMS), cmp.Compare(a.EndMS, b.EndMS), strings.Compare(a.Type, b.Type))
	})
	return out, groups
}

func clampPercent(n int) int { return min(max(n, 0), 100) }
