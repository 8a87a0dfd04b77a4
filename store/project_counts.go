package store

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"roughcut/store/table"
)

// ProjectCounts are the numbers of a project in a list.
type ProjectCounts struct {
	ToReview int // stretches of the active run with a cut without a decision
	Exports  int // completed exports that are not in the trash
}

// States of cuts in editsToReview.
const (
	stateCut     = "cut"
	stateMute    = "mute"
	stateOff     = "off"
	stateDecided = "-decided" // ends the state of a cut after a decision
)

// stretchState says what a cut does to its stretch.
func stretchState(r *editRow) string {
	state := stateOff
	switch {
	case r.Active && r.Action == ActionMute:
		state = stateMute
	case r.Active:
		state = stateCut
	}

	if r.Touched || r.RunUUID == nil {
		state += stateDecided
	}
	return state
}

// reviewCut is an entry of editsToReview: a span of a clip with what happens to it.
type reviewCut struct {
	start, end int64
	state      string
	undecided  bool
}

// reviewCuts returns the cuts of a run, or of persons, on a clip by time. It reads no edits.
func (t *txn) reviewCuts(run, clip string) (cuts []reviewCut) {
	for entry := range edits.Entries(t, editsToReview, run, clip) {
		start, end := binary.BigEndian.Uint64(entry), binary.BigEndian.Uint64(entry[9:])
		state, _, _ := strings.Cut(string(entry[18:]), "\x00")
		state, decided := strings.CutSuffix(state, stateDecided)
		cuts = append(cuts, reviewCut{int64(start), int64(end), state, !decided})
	}

	return cuts
}

// toReview counts the stretches of one clip with a cut without a decision. An inactive cut is a
// stretch too, unless it lies inside another one.
func toReview(cuts []reviewCut) (n int) {
	slices.SortStableFunc(cuts, func(a, b reviewCut) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})

	merged := map[string][]reviewCut{}
	for _, c := range cuts {
		group := merged[c.state]
		if last := len(group) - 1; c.state != stateOff && last >= 0 && c.start <= group[last].end {
			group[last].end = max(group[last].end, c.end)
			group[last].undecided = group[last].undecided || c.undecided
			continue
		}

		merged[c.state] = append(group, c)
	}

	removed := merged[stateCut] // by start, apart from each other
	for _, c := range append(merged[stateMute], merged[stateOff]...) {
		after, _ := slices.BinarySearchFunc(removed, c.start+1, func(r reviewCut, ms int64) int {
			return cmp.Compare(r.start, ms)
		})
		if around := after - 1; around >= 0 && c.end <= removed[around].end {
			removed[around].undecided = removed[around].undecided || c.undecided
		} else if c.undecided {
			n++
		}
	}

	for _, c := range removed {
		if c.undecided {
			n++
		}
	}

	return n
}

// count returns the counts of a project. It reads its clips, whose trash hides their cuts, and no
// edits.
func (t *txn) count(project *projectRow) (ProjectCounts, error) {
	counts := ProjectCounts{Exports: exports.Count(t, exportsCompleted, project.UUID)}
	if project.ActiveRunUUID == "" {
		return counts, nil
	}
	list, err := clips.List(t, clipsByProject, project.UUID)
	for _, clip := range list {
		found := t.reviewCuts(project.ActiveRunUUID, clip.UUID)
		counts.ToReview += toReview(append(found, t.reviewCuts("", clip.UUID)...))
	}

	return counts, err
}

// counted returns a project with its counts.
func (t *txn) counted(project *projectRow) (Project, error) {
	counts, err := t.count(project)
	listed := project.Project
	listed.Counts = counts
	return listed, err
}

// listed returns the projects of one page, with their counts.
func (t *txn) listed(rows []*projectRow, p Page) ([]Project, error) {
	rows = table.Cut(rows, p)
	list := make([]Project, 0, len(rows))
	for _, row := range rows {
		project, err := t.counted(row)
		if err != nil {
			return nil, err
		}
		list = append(list, project)
	}

	return list, nil
}
