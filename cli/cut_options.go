package cli

import (
	"github.com/spf13/pflag"

	"roughcut/media"
	"roughcut/store"
)

// addCutOptions adds the flags of the options. It returns the names of those for all recordings,
// and of those for special ones.
func addCutOptions(f *pflag.FlagSet, o *media.CutOptions) (all, special []string) {
	for _, c := range media.CutOptionTable() {
		switch field := c.In(o).(type) {
		case *int:
			f.IntVar(field, c.Flag, c.Default, c.Help)
		case *bool:
			f.BoolVar(field, c.Flag, false, c.Help)
		case *string:
			f.StringVar(field, c.Flag, c.Choices()[0], c.Help)
		case *[]string:
			f.StringSliceVar(field, c.Flag, nil, c.Help+media.OrList(c.Choices()))
		}

		if c.Special {
			special = append(special, c.Flag)
		} else {
			all = append(all, c.Flag)
		}
	}

	return all, special
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
