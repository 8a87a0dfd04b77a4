package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"roughcut/media"
	"roughcut/store"
)

// addCutOptions adds the flags that choose which sounds are cut, and how.
func addCutOptions(f *pflag.FlagSet, o *store.CutOptions) {
	f.StringVar(&o.Breaths, "breaths", store.ChoiceRemove, "breaths within a pause: remove, shorten or keep")
	f.StringVar(&o.Background, "background", store.ChoiceRemove, "background sound without speech: remove or keep")
	f.StringVar(&o.FaintSpeech, "faint-speech", store.ChoiceKeep, "speech too quiet to hear: keep or remove")
	f.BoolVar(&o.KeepDemonstrations, "keep-demonstrations", false, "keep silences in which the video changes")
	f.BoolVar(&o.ExactEdges, "exact-edges", false, "do not move the ends of cuts to keyframes")
	f.StringSliceVar(
		&o.MuteKinds,
		"mute-kinds",
		nil,
		"mute these kinds of edits instead of cutting them, separated by commas: "+orList(media.DetectedKinds()),
	)
}

// checkCutOptions refuses unknown choices.
func checkCutOptions(o store.CutOptions) error {
	for _, c := range []struct {
		flag, value string
		allowed     []string
	}{
		{"breaths", o.Breaths, []string{store.ChoiceRemove, store.ChoiceShorten, store.ChoiceKeep}},
		{"background", o.Background, []string{store.ChoiceRemove, store.ChoiceKeep}},
		{"faint-speech", o.FaintSpeech, []string{store.ChoiceKeep, store.ChoiceRemove}},
	} {
		if !slices.Contains(c.allowed, c.value) {
			return usageError{fmt.Errorf("--%s must be %s, not %q", c.flag, orList(c.allowed), c.value)}
		}
	}
	for _, kind := range o.MuteKinds {
		if kinds := media.DetectedKinds(); !slices.Contains(kinds, kind) {
			return usageError{fmt.Errorf("--mute-kinds must be %s, not %q", orList(kinds), kind)}
		}
	}
	return nil
}

// cutTakeGroup is a take group of `cut --json`. Its times refer to all inputs in sequence.
type cutTakeGroup struct {
	ID    string    `json:"id"`
	Takes []cutTake `json:"takes"`
}

// cutTake is a take of `cut --json`.
type cutTake struct {
	Number   int     `json:"number"`
	StartMS  int64   `json:"start_ms"`
	EndMS    int64   `json:"end_ms"`
	Text     string  `json:"text"`
	Complete bool    `json:"complete"`
	Fluent   bool    `json:"fluent"`
	Partial  bool    `json:"partial"`
	LevelDB  float64 `json:"level_db"`
	Proposed bool    `json:"proposed"`
	Reason   string  `json:"reason"`
}

// takeGroupsOf returns the take groups of a clip that starts at an offset.
func takeGroupsOf(clip string, offset int64, found []store.DetectedTakeGroup) []cutTakeGroup {
	var out []cutTakeGroup
	for _, g := range found {
		if g.ClipUUID != clip {
			continue
		}
		group := cutTakeGroup{ID: g.ID}
		for i, take := range g.Takes {
			group.Takes = append(group.Takes, cutTake{
				Number:   i + 1,
				StartMS:  take.Span.StartMS + offset,
				EndMS:    take.Span.EndMS + offset,
				Text:     take.Text,
				Complete: take.Complete,
				Fluent:   take.Fluent,
				Partial:  take.Partial,
				LevelDB:  take.LevelDB,
				Proposed: i+1 == g.Proposed,
				Reason:   take.Reason,
			})
		}
		out = append(out, group)
	}
	return out
}
