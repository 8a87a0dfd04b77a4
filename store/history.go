package store

import (
	"errors"
	"slices"
	"time"

	"roughcut/media"
	"roughcut/store/table"
)

// Bounds of the history of a project. The oldest entries go first.
const (
	keptEntries  = 200
	keptVersions = 20_000 // over all entries; requests extend an entry up to as many
)

// Kinds of history entries.
const (
	HistoryEdits    = "edits"    // edits were created, changed or deleted
	HistorySettings = "settings" // a replan changed the settings of a run
	HistoryRun      = "run"      // another run became the active one
	HistoryCaptions = "captions" // caption lines were created, changed or deleted
	HistoryText     = "text"     // a text was replaced in transcript and captions, or a speaker renamed
	HistoryClips    = "clips"    // clips were renamed, removed, restored or reordered, maybe along with edits
	HistoryMarkers  = "markers"  // markers were created, changed or deleted
)

// HistoryEntry is one change of a project that can be undone and redone.
type HistoryEntry struct {
	UUID, ProjectUUID string
	Kind              string // one of the History constants
	Label             string // what the change did, for people
	Undone            bool
	CreatedAt         time.Time
}

// Change names the history entry of a request. Requests with the same UUID are one entry. Without
// UUID each request is an entry of its own.
type Change struct{ UUID, Label string }

// historyRow is the stored form of a HistoryEntry.
type historyRow struct {
	HistoryEntry
	Seq      uint64
	Versions int // number of versions in the steps
}

// historySteps is what an entry changed.
type historySteps struct {
	EntryUUID string
	Versions  []editVersion   `json:",omitempty"` // in the order of the changes
	Run       *runChange      `json:",omitempty"`
	Settings  *settingsChange `json:",omitempty"`
	Clips     []clipStep      `json:",omitempty"`
	Order     *orderChange    `json:",omitempty"` // after all other changes
	Names     []clipName      `json:",omitempty"` // in the order of the changes
	Markers   []markerMove    `json:",omitempty"` // because of Clips and Order
	Drafts    []draftMove     `json:",omitempty"`

	Captions []captionVersion `json:",omitempty"` // in the order of the changes
	Marked   []markerVersion  `json:",omitempty"` // in the order of the changes
	Text     *textChange      `json:",omitempty"`
	Speakers []speakerChange  `json:",omitempty"`
	// Again redoes Text while it is undone; nil otherwise.
	Again *textChange `json:",omitempty"`
}

// clipStep is a clip that was removed, or one that was restored from the trash or duplicated.
type clipStep struct {
	UUID    string
	Removed bool
}

// clipName is a change of a clip's name.
type clipName struct{ UUID, Before, After string }

// orderChange is a change of the display order: the uuids of the clips.
type orderChange struct{ Before, After []string }

// versions returns how many versions the steps hold of edits, caption lines, markers and clips.
func (s historySteps) versions() int {
	return len(s.Versions) + len(s.Captions) + len(s.Marked) + len(s.Markers) + len(s.Clips) + len(s.Names)
}

// editVersion is an edit before and after a change.
type editVersion struct {
	UUID, RunUUID string      `json:",omitempty"` // RunUUID is empty for an edit that a person made
	Type, Clip    string      `json:",omitempty"` // where the edit was detected, as spot has them
	Found         *media.Span `json:",omitempty"`
	Before, After *editState  `json:",omitempty"` // nil for a created or a deleted edit
	Row           *editRow    `json:",omitempty"` // the created or deleted edit
}

// editState is what a person can change of an edit. Empty anchors did not change.
type editState struct {
	Active     bool       `json:",omitempty"`
	Touched    bool       `json:",omitempty"`
	Start, End *anchor    `json:",omitempty"`
	Action     string     `json:",omitempty"`
	Placement  *Placement `json:",omitempty"`
	// of an edit that moved to a duplicate of its clip
	FoundClip, TakeGroup string `json:",omitempty"`
}

// runChange is a change of the active run.
type runChange struct{ Before, After string }

// settingsChange is a change of the settings of a run by a replan.
type settingsChange struct {
	RunUUID       string
	Before, After AnalysisSettings
}

var (
	historyByProject = &table.Index[historyRow]{
		Name: "history.by_project",
		Keys: func(r *historyRow) [][]byte { return table.Entry(r.ProjectUUID, r.Seq) },
	}
	history = &table.Table[historyRow]{
		Name:    "history",
		Noun:    "history entry",
		Key:     func(r *historyRow) []byte { return []byte(r.UUID) },
		Indexes: []*table.Index[historyRow]{historyByProject},
	}
	historyStepsTable = &table.Table[historySteps]{
		Name: "history_steps",
		Noun: "history entry",
		Key:  func(r *historySteps) []byte { return []byte(r.EntryUUID) },
	}
)

// OnHistory makes the store call fn after the commit of each change that the history has, and of
// each undo and redo. The call is in the goroutine of the change. There is one fn: another call of
// OnHistory replaces it.
func (s *Store) OnHistory(fn func(HistoryEntry)) { s.onHistory.Store(&fn) }

// first returns the only element of a list of changes, the zero Change for none.
func first(changes []Change) Change {
	if len(changes) == 0 {
		return Change{}
	}
	return changes[0]
}

// record adds what a request changed to the history of a project, and forgets the undone entries.
func (t *txn) record(projectUUID, kind string, c Change, label string, steps historySteps) error {
	list, err := history.List(t, historyByProject, projectUUID)
	if err != nil {
		return err
	}
	for len(list) > 0 && list[len(list)-1].Undone {
		if err := t.forgetEntry(list[len(list)-1]); err != nil {
			return err
		}
		list = list[:len(list)-1]
	}
	if n := len(list); n > 0 && c.UUID != "" && list[n-1].UUID == c.UUID &&
		steps.Text == nil && steps.Speakers == nil && list[n-1].Versions+steps.versions() <= keptVersions &&
		(list[n-1].Kind == kind || list[n-1].Kind == HistoryEdits && steps.Order != nil) {
		list[n-1].Kind = kind
		return t.extendEntry(list[n-1], steps)
	}
	if c.UUID == "" {
		c.UUID = t.s.NewID()
	} else if other, err := history.Find(t, c.UUID); err != nil {
		return err
	} else if other != nil { // of another time or project
		c.UUID = t.s.NewID()
	}
	if c.Label != "" {
		label = c.Label
	}
	seq, err := history.NextSeq(t)
	if err != nil {
		return err
	}
	row := &historyRow{
		Seq:      seq,
		Versions: steps.versions(),
		HistoryEntry: HistoryEntry{
			UUID: c.UUID, ProjectUUID: projectUUID, Kind: kind, Label: label, CreatedAt: t.now,
		},
	}
	steps.EntryUUID = row.UUID
	if err := errors.Join(history.Put(t, row), historyStepsTable.Put(t, &steps)); err != nil {
		return err
	}
	t.history = append(t.history, row.HistoryEntry)
	return t.boundHistory(append(list, row))
}

func (t *txn) extendEntry(row *historyRow, steps historySteps) error {
	all, err := historyStepsTable.Get(t, row.UUID)
	if err != nil {
		return err
	}
	all.Versions = append(all.Versions, steps.Versions...)
	all.Captions = append(all.Captions, steps.Captions...)
	all.Marked = append(all.Marked, steps.Marked...)
	all.Clips = append(all.Clips, steps.Clips...)
	all.Names = append(all.Names, steps.Names...)
	all.Markers = append(all.Markers, steps.Markers...)
	all.Drafts = append(all.Drafts, steps.Drafts...)
	if all.Order != nil && steps.Order != nil {
		steps.Order.Before = all.Order.Before
	}
	if steps.Order != nil {
		all.Order = steps.Order
	}
	row.Versions = all.versions()
	t.history = append(t.history, row.HistoryEntry)
	return errors.Join(history.Put(t, row), historyStepsTable.Put(t, all))
}

// boundHistory forgets the oldest entries of a list past the bounds. It keeps the newest one.
func (t *txn) boundHistory(list []*historyRow) error {
	versions := 0
	for i, row := range slices.Backward(list) {
		versions += row.Versions
		if i < len(list)-1 && (len(list)-i > keptEntries || versions > keptVersions) {
			for _, old := range list[:i+1] {
				if err := t.forgetEntry(old); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return nil
}

func (t *txn) forgetEntry(row *historyRow) error {
	return errors.Join(history.Delete(t, row.UUID), historyStepsTable.Delete(t, row.UUID))
}

// dropHistory deletes the history of a project, as far as the transaction has room.
func (t *txn) dropHistory(projectUUID string) error {
	return dropEach(t, history, projectUUID, t.forgetEntry, historyByProject)
}

// changedEdit returns the version of an edit that was changed.
func changedEdit(before, after *editRow) editVersion {
	v := editVersion{UUID: after.UUID, Type: after.Type, Clip: after.FoundClip, Found: after.Found}
	if after.RunUUID != nil {
		v.RunUUID = *after.RunUUID
	}
	state := func(r, other *editRow) *editState {
		s := &editState{Active: r.Active, Touched: r.Touched, Action: r.Action}
		if r.Start != other.Start {
			s.Start = &r.Start
		}
		if r.End != other.End {
			s.End = &r.End
		}
		if r.Placement != nil && *r.Placement != *other.Placement {
			s.Placement = r.Placement
		}
		if r.FoundClip != other.FoundClip {
			s.FoundClip, s.TakeGroup = r.FoundClip, r.TakeGroup
		}
		return s
	}
	v.Before, v.After = state(before, after), state(after, before)
	return v
}

// createdEdit and deletedEdit return the version of an edit that exists only on one side.
func createdEdit(row *editRow) editVersion {
	return editVersion{UUID: row.UUID, Row: row, After: &editState{}}
}

func deletedEdit(row *editRow) editVersion {
	return editVersion{UUID: row.UUID, Row: row, Before: &editState{}}
}

// History returns the entries of a project's history, newest first.
func (s *Store) History(userUUID, projectUUID string) ([]HistoryEntry, error) {
	list := []HistoryEntry{}
	err := s.view(func(t *txn) error {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		rows, _, err := history.Page(t, Page{}, historyByProject, projectUUID)
		for _, row := range rows {
			list = append(list, row.HistoryEntry)
		}
		return err
	})
	return list, err
}

// HistoryStep is an entry to undo or redo.
type HistoryStep struct {
	Entry HistoryEntry
	// for an entry of the kind HistorySettings, which a replan undoes; otherwise nil
	Settings *AnalysisSettings
	RunUUID  string // of Settings
}

// UndoStep returns the entry that Undo would undo, and with redo the one that it would redo.
// A non-empty entryUUID must be that entry. Errors: NotFound, Forbidden; Conflict without an entry,
// or when another one is next.
func (s *Store) UndoStep(userUUID, projectUUID, entryUUID string, redo bool) (HistoryStep, error) {
	var step HistoryStep
	err := s.view(func(t *txn) error {
		row, steps, err := t.nextStep(userUUID, projectUUID, entryUUID, redo)
		if err != nil {
			return err
		}
		step.Entry = row.HistoryEntry
		if c := steps.Settings; c != nil {
			step.RunUUID, step.Settings = c.RunUUID, &c.Before
			if redo {
				step.Settings = &c.After
			}
		}
		return nil
	})
	return step, err
}

// Undo undoes the newest entry that is not undone; with redo it redoes the oldest undone one. It
// skips edits that a replan or a removed clip took away. For an entry of the kind
// HistorySettings, found is the result of the replan with the settings of UndoStep. Errors: those
// of UndoStep.
func (s *Store) Undo(userUUID, projectUUID, entryUUID string, redo bool, found Proposal) (HistoryEntry, error) {
	var entry HistoryEntry
	err := s.update(func(t *txn) error {
		row, steps, err := t.nextStep(userUUID, projectUUID, entryUUID, redo)
		if err != nil {
			return err
		}
		if err := t.applySteps(userUUID, projectUUID, steps, redo, found); err != nil {
			return err
		}
		row.Undone = !redo
		entry = row.HistoryEntry
		t.edited(projectUUID)
		t.history = append(t.history, entry)
		return history.Put(t, row)
	})
	return entry, err
}

func (t *txn) nextStep(userUUID, projectUUID, entryUUID string, redo bool) (*historyRow, *historySteps, error) {
	if _, err := t.ownProject(userUUID, projectUUID); err != nil {
		return nil, nil, err
	}
	list, err := history.List(t, historyByProject, projectUUID)
	if err != nil {
		return nil, nil, err
	}
	undone := slices.IndexFunc(list, func(r *historyRow) bool { return r.Undone })
	if undone < 0 {
		undone = len(list)
	}
	at := undone - 1
	if redo {
		at = undone
	}
	if at < 0 || at >= len(list) {
		return nil, nil, fail(Conflict, "conflict", "The history has no change to undo or redo.")
	}
	if entryUUID != "" && list[at].UUID != entryUUID {
		return nil, nil, fail(
			Conflict, "conflict", "The project was changed elsewhere since. Reload the history, then undo again.",
		)
	}
	steps, err := historyStepsTable.Get(t, list[at].UUID)
	return list[at], steps, err
}

func (t *txn) applySteps(userUUID, projectUUID string, steps *historySteps, redo bool, found Proposal) error {
	if c := steps.Run; c != nil {
		wanted := c.Before
		if redo {
			wanted = c.After
		}
		if err := t.changeProject(projectUUID, func(p *projectRow) { p.ActiveRunUUID = wanted }); err != nil {
			return err
		}
		return t.Changed(projectUUID)
	}
	if c := steps.Settings; c != nil {
		k := c.Before
		if redo {
			k = c.After
		}
		_, _, err := t.replaceDetected(userUUID, projectUUID, c.RunUUID, k, found, StatusCompleted)
		return err
	}
	if steps.Order != nil && !redo {
		if err := t.applyOrder(projectUUID, *steps.Order, false); err != nil {
			return err
		}
	}
	list, lines, moved := slices.Clone(steps.Versions), slices.Clone(steps.Captions), slices.Clone(steps.Clips)
	marked, named := slices.Clone(steps.Marked), slices.Clone(steps.Names)
	if !redo {
		slices.Reverse(list)
		slices.Reverse(lines)
		slices.Reverse(moved)
		slices.Reverse(marked)
		slices.Reverse(named)
	}
	for _, c := range moved {
		if err := t.applyClip(c, redo); err != nil {
			return err
		}
	}
	for _, c := range named {
		if err := t.applyName(c, redo); err != nil {
			return err
		}
	}
	for _, v := range list {
		if err := t.applyVersion(v, redo); err != nil {
			return err
		}
	}
	for _, v := range lines {
		if err := t.applyCaption(v, redo); err != nil {
			return err
		}
	}
	if steps.Order != nil && redo {
		if err := t.applyOrder(projectUUID, *steps.Order, true); err != nil {
			return err
		}
	}
	for _, m := range steps.Markers {
		if err := t.applyMarker(m, redo); err != nil {
			return err
		}
	}
	for _, v := range marked {
		if err := t.applyMarked(v, redo); err != nil {
			return err
		}
	}
	for _, m := range steps.Drafts {
		if err := t.applyDraft(m, redo); err != nil {
			return err
		}
	}
	if err := t.applySpeakers(projectUUID, steps.Speakers, redo); err != nil {
		return err
	}
	return t.applyText(projectUUID, steps, redo)
}

// applyVersion brings an edit to its state before or after a change.
func (t *txn) applyVersion(v editVersion, redo bool) error {
	row, err := t.versionRow(v)
	if err != nil {
		return err
	}
	wanted := v.Before
	if redo {
		wanted = v.After
	}
	switch {
	case v.Row == nil && row == nil: // a replan removed it
		return nil
	case v.Row == nil:
		return t.restoreState(row, wanted)
	case wanted != nil && row == nil:
		return errors.Join(t.restoreEdit(v.Row), t.countEdit(v.Row, 1))
	case wanted == nil && row != nil:
		return errors.Join(t.dismiss(row), edits.Delete(t, row.UUID), t.countEdit(row, -1))
	}
	return nil
}

// countEdit adds n to what a run counts of cuts like one that a choice of takes, an arrangement or
// a duplicate created.
func (t *txn) countEdit(row *editRow, n int) error {
	if row.RunUUID == nil || row.Placement != nil {
		return nil
	}
	return t.changeRun(*row.RunUUID, func(r *runRow) { r.count(row.Type, n) })
}

// versionRow returns the edit of a version: the one with its uuid, or else the one that a replan
// found in the same place. It returns nil without one.
func (t *txn) versionRow(v editVersion) (*editRow, error) {
	row, err := edits.Find(t, v.UUID)
	if err != nil || row != nil || v.Row != nil || v.RunUUID == "" || v.Found == nil {
		return row, err
	}
	list, err := edits.List(t, editsByRun, v.RunUUID)
	for _, other := range list {
		if other.Found != nil && other.spot() == (spot{v.Clip, v.Type, *v.Found}) {
			return other, err
		}
	}
	return nil, err
}

func (t *txn) restoreState(row *editRow, s *editState) error {
	row.Active, row.Touched, row.Action, row.UpdatedAt = s.Active, s.Touched, s.Action, t.now
	start, end := row.Start, row.End
	change(&start, s.Start)
	change(&end, s.End)
	if ok, err := t.anchored(start, end); err != nil {
		return err
	} else if ok && (row.Start != start || row.End != end) {
		row.Start, row.End, row.Origin, row.Trashed = start, end, nil, false
		if s.FoundClip != "" {
			row.FoundClip, row.TakeGroup = s.FoundClip, s.TakeGroup
		}
	}
	if s.Placement != nil {
		if ok, err := t.hasAsset(s.Placement); err != nil {
			return err
		} else if ok {
			row.Placement = s.Placement
		}
	}
	return edits.Put(t, row)
}

// restoreEdit writes a deleted edit again, unless its clip or its asset does not exist anymore.
func (t *txn) restoreEdit(row *editRow) error {
	ok, err := t.anchored(row.Start, row.End)
	if err != nil || !ok {
		return err
	}
	if row.Placement != nil {
		if ok, err := t.hasAsset(row.Placement); err != nil || !ok {
			return err
		}
	}
	if row.RunUUID != nil && row.Found != nil {
		gone := dismissal{Clip: row.FoundClip, Span: *row.Found}
		if row.Placement != nil {
			gone.AssetFileID = row.Placement.AssetFileID
		}
		if err := t.changeRun(*row.RunUUID, func(r *runRow) {
			r.Dismissed = slices.DeleteFunc(r.Dismissed, func(d dismissal) bool { return d == gone })
		}); err != nil {
			return err
		}
	}
	return edits.Put(t, row)
}

// anchored reports whether the clips of anchors exist and are not in the trash.
func (t *txn) anchored(list ...anchor) (bool, error) {
	for _, a := range list {
		if a.Clip == "" {
			continue
		}
		if row, err := clips.Find(t, a.Clip); err != nil || row == nil || row.Trashed != nil {
			return false, err
		}
	}
	return true, nil
}

func (t *txn) hasAsset(p *Placement) (bool, error) {
	row, err := assets.Lookup(t, assetsByFile, p.AssetFileID)
	return row != nil, err
}

// history checks that each history entry has its project and its steps.
func (c *check) history() error {
	return history.Each(c.t, func(row *historyRow) error {
		project, err := projects.Find(c.t, row.ProjectUUID)
		if err != nil {
			return err
		}
		steps, err := historyStepsTable.Find(c.t, row.UUID)
		if err == nil && (project == nil || steps == nil) {
			c.report("history", "The history entry %s has no project or no steps.", row.UUID)
		}
		return err
	})
}
