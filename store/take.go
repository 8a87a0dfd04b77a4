package store

import (
	"cmp"
	"slices"

	"roughcut/media"
	"roughcut/store/table"
)

// DetectedTakeGroup holds the takes of one sentence on a clip.
type DetectedTakeGroup struct {
	ID       string // unique in the project; a replan with other settings keeps it
	ClipUUID string
	Takes    []DetectedTake // by time
	Proposed int            // number of the take to keep, from 1
}

// DetectedTake is one attempt at a sentence, on clip time.
type DetectedTake struct {
	Span     media.Span
	Text     string  `json:",omitempty"` // empty without a transcript
	Complete bool    `json:",omitempty"` // reaches the end of the sentence
	Fluent   bool    `json:",omitempty"`
	Partial  bool    `json:",omitempty"` // aborts a sentence that a later take completes
	LevelDB  float64 // mean level of its voice in dBFS
	Reason   string  `json:",omitempty"` // why it is proposed or not
}

// TakeGroup holds the takes of one sentence, by time.
type TakeGroup struct {
	ID    string
	Takes []Take
}

// Take is one attempt at a sentence, in project time.
type Take struct {
	DetectedTake
	Number   int // from 1
	Proposed bool
	Kept     bool    // active edits leave at least half of it
	EditUUID *string // of the edit that removes it; nil without one
}

// takeGroupRow is the stored form of a DetectedTakeGroup.
type takeGroupRow struct {
	RunUUID, ProjectUUID string
	DetectedTakeGroup
}

var (
	takeGroupsByRun = &table.Index[takeGroupRow]{
		Name: "take_groups.by_run",
		Keys: func(r *takeGroupRow) [][]byte { return table.Entry(r.RunUUID) },
	}
	takeGroupsByProject = &table.Index[takeGroupRow]{
		Name: "take_groups.by_project",
		Keys: func(r *takeGroupRow) [][]byte { return table.Entry(r.ProjectUUID) },
	}
	takeGroups = &table.Table[takeGroupRow]{
		Name:    "take_groups",
		Noun:    "take group",
		Key:     func(r *takeGroupRow) []byte { return table.Key(r.RunUUID, r.ID) },
		Indexes: []*table.Index[takeGroupRow]{takeGroupsByRun, takeGroupsByProject},

		Undoable: true,
	}
	undoTakeGroups = &undoRows[takeGroupRow]{Table: takeGroups, only: []string{"Takes"}}
)

func (r *takeGroupRow) key() string { return string(table.Key(r.RunUUID, r.ID)) }

// putTakeGroups replaces the take groups of a run, except on clips in the trash. It drops takes
// that are not on their clip, and groups that then have fewer than two.
func (t *txn) putTakeGroups(run *runRow, line *timeline, found []DetectedTakeGroup) error {
	former, err := takeGroups.List(t, takeGroupsByRun, run.UUID)
	if err != nil {
		return err
	}
	for _, row := range former {
		if _, ok := line.find(row.ClipUUID); !ok {
			continue
		}
		if err := takeGroups.Delete(t, row.key()); err != nil {
			return err
		}
	}

	for _, g := range found {
		row := &takeGroupRow{RunUUID: run.UUID, ProjectUUID: run.ProjectUUID, DetectedTakeGroup: g}
		row.Takes = slices.Clone(g.Takes)
		kept := row.Takes[:0]
		for i, take := range row.Takes {
			if take.Span = line.clamp(g.ClipUUID, take.Span); take.Span.Duration() > 0 {
				kept = append(kept, take)
			} else if i < g.Proposed {
				row.Proposed--
			}
		}

		if row.Takes = kept; len(kept) < 2 {
			continue
		}
		row.Proposed = min(max(row.Proposed, 1), len(kept))
		if err := takeGroups.Put(t, row); err != nil {
			return err
		}
	}

	return nil
}

// TakeGroups returns the take groups of a project's active run, by time.
func (s *Store) TakeGroups(userUUID, projectUUID string) ([]TakeGroup, error) {
	list := []TakeGroup{}
	err := s.view(func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil || project.ActiveRunUUID == "" {
			return err
		}
		all, line, err := t.servedEdits(project)
		if err != nil {
			return err
		}
		elsewhere, err := t.elsewhere(projectUUID)
		if err != nil {
			return err
		}
		rows, err := takeGroups.List(t, takeGroupsByRun, project.ActiveRunUUID)
		for _, row := range rows {
			if g, ok := row.served(line, all); ok && !elsewhere.play(row) {
				list = append(list, g)
			}
		}

		return err
	})
	slices.SortFunc(list, func(a, b TakeGroup) int {
		return cmp.Or(cmp.Compare(a.Takes[0].Span.StartMS, b.Takes[0].Span.StartMS), cmp.Compare(a.ID, b.ID))
	})
	return list, err
}

// served returns the group in project time with the state that the edits leave. It returns false if
// the clip is not on the timeline.
func (r *takeGroupRow) served(line *timeline, all []Edit) (TakeGroup, bool) {
	p, ok := line.find(r.ClipUUID)
	if !ok {
		return TakeGroup{}, false
	}
	removed := removedSpans(all)
	g := TakeGroup{ID: r.ID}
	for i, take := range r.Takes {
		take.Span = media.Span{StartMS: p.start + take.Span.StartMS, EndMS: p.start + take.Span.EndMS}
		served := Take{DetectedTake: take, Number: i + 1, Proposed: i+1 == r.Proposed}
		served.Kept = !mostly(take.Span, removed)
		for _, e := range all {
			if e.TakeGroup == r.ID && e.TakeNumber == served.Number {
				served.EditUUID = &e.UUID
				break
			}
		}

		g.Takes = append(g.Takes, served)
	}

	return g, true
}

// removedSpans returns the spans whose speech the active edits cut or mute.
func removedSpans(all []Edit) []media.Span {
	var spans []media.Span
	for _, e := range all {
		if e.Active && media.IsCut(e.Type) && e.EndMS > e.StartMS {
			spans = append(spans, media.Span{StartMS: e.StartMS, EndMS: e.EndMS})
		}
	}

	return media.MergeSpans(spans)
}

// mostly reports whether disjoint spans cover more than half of a span.
func mostly(span media.Span, spans []media.Span) bool {
	var covered int64
	for _, s := range spans {
		covered += max(0, span.Intersect(s).Duration())
	}
	return 2*covered > span.Duration()
}

// ChooseTake keeps one take of a group of the active run and removes the others: it switches off
// the edit of the take, switches on the edits of the others, and creates missing edits. A replan
// keeps the choice. ChooseTake returns the edits that changed and the changes that undo this.
// Errors: NotFound for the group; Unprocessable for a number that the group does not have.
func (s *Store) ChooseTake(
	userUUID, projectUUID, groupID string,
	number int,
	as ...Change,
) (changed []Edit, undo []NamedEditChange, err error) {
	err = s.batch(func(t *txn) error {
		changed, undo = []Edit{}, []NamedEditChange{}
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		group, err := takeGroups.Get(t, string(table.Key(project.ActiveRunUUID, groupID)))
		if err != nil {
			return err
		}
		if number < 1 || number > len(group.Takes) {
			return failField("number", "The take group has the takes 1 to %d, not %d.", len(group.Takes), number)
		}
		c := choice{t: t, group: group}
		if err := c.load(); err != nil {
			return err
		}
		for i := range group.Takes {
			if err := c.decide(i+1, i+1 != number); err != nil {
				return err
			}
		}

		t.announceEdits(projectUUID)
		changed, undo = c.changed, c.undo
		return t.record(projectUUID, HistoryEdits, optionalChange(as), "choose take")
	})
	if err == nil {
		err = s.setStretches(projectUUID, changed)
	}
	return changed, undo, err
}

// choice is a running ChooseTake.
type choice struct {
	t       *txn
	group   *takeGroupRow
	line    *timeline
	run     *runRow
	rows    []*editRow // of the run
	changed []Edit
	undo    []NamedEditChange
}

func (c *choice) load() (err error) {
	if c.run, err = runs.Get(c.t, c.group.RunUUID); err != nil {
		return err
	}
	if c.line, err = c.t.timeline(c.group.ProjectUUID); err != nil {
		return err
	}
	c.rows, err = edits.List(c.t, editsByRun, c.group.RunUUID)
	return err
}

// decide removes or keeps a take. Its edits become touched, changed or not, so that a replan keeps
// them.
func (c *choice) decide(number int, remove bool) error {
	found := false
	for _, row := range c.rows {
		if row.TakeGroup != c.group.ID || row.TakeNumber != number {
			continue
		}
		on := remove && !found // one edit removes the take; further ones would only overlap it
		found = true
		if row.Active != on {
			before := row.Active
			row.Active, row.UpdatedAt = on, c.t.Now
			c.undo = append(c.undo, NamedEditChange{UUID: row.UUID, EditChange: EditChange{Active: &before}})
			c.changed = append(c.changed, row.served(c.line))
		}

		row.Touched = true
		if err := edits.Put(c.t, row); err != nil {
			return err
		}
	}

	if found || !remove {
		return nil
	}
	return c.create(number)
}

// create adds the edit of a take that has none. It also covers the silence after the take, so that
// one pause is left instead of two.
func (c *choice) create(number int) error {
	span := c.group.Takes[number-1].Span
	for _, row := range c.rows {
		if row.Type == EditSilence && row.FoundClip == c.group.ClipUUID && row.Found != nil &&
			row.Found.StartMS >= span.StartMS && row.Found.StartMS <= span.EndMS+takeGapMS {
			span.EndMS = max(span.EndMS, row.Found.EndMS)
		}
	}

	take := c.group.Takes[number-1]
	row, err := c.t.detected(c.run, c.line, DetectedEdit{
		ClipUUID:   c.group.ClipUUID,
		Type:       EditFalseStart,
		Span:       span,
		Active:     true,
		Reason:     take.Reason,
		Action:     c.run.ActionOf(EditFalseStart),
		TakeGroup:  c.group.ID,
		TakeNumber: number,
	})
	if err != nil || row == nil {
		return err
	}
	off := false
	row.Confidence, row.Touched = nil, true
	c.undo = append(c.undo, NamedEditChange{UUID: row.UUID, EditChange: EditChange{Active: &off}})
	c.changed = append(c.changed, row.served(c.line))
	c.run.count(row.Type, 1)
	if err := edits.Put(c.t, row); err != nil {
		return err
	}
	return runs.Put(c.t, c.run)
}

// takeGapMS is how long after the end of a take its silence may start: the air that a cut leaves.
const takeGapMS = 500

// relink assigns the touched edits of a run to the takes that a replan found, by place, and returns
// those that changed.
func relink(touched []*editRow, found []DetectedTakeGroup) (changed []*editRow) {
	for _, row := range touched {
		if row.Type != EditFalseStart || row.Found == nil {
			continue
		}
		group, number := takeAt(row.spot(), found)
		if row.TakeGroup != group || row.TakeNumber != number {
			row.TakeGroup, row.TakeNumber = group, number
			changed = append(changed, row)
		}
	}

	return changed
}

// takeAt returns the take that an edit covers most. group is empty if the edit covers less than
// half of each take.
func takeAt(at spot, found []DetectedTakeGroup) (group string, number int) {
	var most int64
	for _, g := range found {
		if g.ClipUUID != at.clip {
			continue
		}
		for i, take := range g.Takes {
			covered := take.Span.Intersect(at.span).Duration()
			if covered > most && 2*covered >= take.Span.Duration() {
				group, number, most = g.ID, i+1, covered
			}
		}
	}

	return group, number
}

// dropTakeGroups deletes all take groups of a project.
func (t *txn) dropTakeGroups(projectUUID string) error {
	return takeGroups.DeleteAll(t, takeGroupsByProject, projectUUID)
}

// dropTakeGroupsOf deletes the take groups on a clip while the transaction has room.
func (t *txn) dropTakeGroupsOf(clipUUID, projectUUID string) error {
	rows, err := takeGroups.List(t, takeGroupsByProject, projectUUID)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.ClipUUID != clipUUID {
			continue
		}
		if err := takeGroups.Delete(t, row.key()); err != nil || !t.Spend(0) {
			return err
		}
	}

	return nil
}

// takeGroups checks that each take group has its run and its clip, and at least two takes.
func (c *check) takeGroups() error {
	return takeGroups.Each(c.t, func(row *takeGroupRow) error {
		run, err := runs.Find(c.t, row.RunUUID)
		if err != nil {
			return err
		}
		clip, err := clips.Find(c.t, row.ClipUUID)
		if err != nil {
			return err
		}
		if run == nil || run.ProjectUUID != row.ProjectUUID || clip == nil || clip.ProjectUUID != row.ProjectUUID ||
			len(row.Takes) < 2 || row.Proposed < 1 || row.Proposed > len(row.Takes) {
			c.report("take_group", "The take group %s of run %s has no run, clip or takes.", row.ID, row.RunUUID)
		}

		return nil
	})
}
