package store

import (
	"slices"
	"time"

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
	HistoryShorts   = "shorts"   // shorts were created, changed or deleted
)

// HistoryEntry is one change of a project that can be undone and redone.
type HistoryEntry struct {
	UUID, ProjectUUID string
	UserUUID          string `json:",omitempty"` // who made the change; empty for the program
	Kind              string // one of the History constants
	Label             string // what the change did, for people
	Undone            bool
	CreatedAt         time.Time
}

// Change names the history entry of a request. Requests with the same UUID share one entry. Each
// request without a UUID gets a separate entry.
type Change struct{ UUID, Label string }

// historyRow is the stored form of a HistoryEntry.
type historyRow struct {
	HistoryEntry
	Seq      uint64
	Versions int    // number of the changed rows
	RunUUID  string `json:",omitempty"` // of which a text was replaced
}

// historySteps is what an entry changed.
type historySteps struct {
	EntryUUID string
	Changes   []rowChange
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
		// each change of a project lists its history
		CachedRows: 4096,
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

// optionalChange returns the only element of a list of changes, or the zero Change for an empty
// list.
func optionalChange(changes []Change) Change { return append(changes, Change{})[0] }

// record adds what the transaction has written to the history of a project, and forgets the undone
// entries. An undo restores the given tables, or without any, all tables that undoRule knows. Name
// only the tables whose changes cause the others, such as the clips for a removal.
func (t *txn) record(projectUUID, kind string, c Change, label string, tables ...string) error {
	_, err := t.addEntry(projectUUID, kind, c, label, tables...)
	return err
}

// addEntry is record. It returns the entry, nil if the transaction has changed nothing.
func (t *txn) addEntry(projectUUID, kind string, c Change, label string, tables ...string) (*historyRow, error) {
	changes, err := t.changes(tables)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	list, err := history.List(t, historyByProject, projectUUID)
	if err != nil {
		return nil, err
	}
	for len(list) > 0 && list[len(list)-1].Undone {
		if err := t.forgetEntry(list[len(list)-1]); err != nil {
			return nil, err
		}
		list = list[:len(list)-1]
	}

	ordered := slices.ContainsFunc(changes, func(c rowChange) bool { return c.Table == noteOrder })
	if n := len(list); n > 0 && c.UUID != "" && list[n-1].UUID == c.UUID && kind != HistoryText &&
		list[n-1].Versions+len(changes) <= keptVersions &&
		(list[n-1].Kind == kind || (list[n-1].Kind == HistoryEdits && ordered)) {
		list[n-1].Kind = kind
		return list[n-1], t.extendEntry(list[n-1], changes)
	}

	if c.UUID == "" {
		c.UUID = t.NewID()
	} else if other, err := history.Find(t, c.UUID); err != nil {
		return nil, err
	} else if other != nil { // of another time or project
		c.UUID = t.NewID()
	}

	if c.Label != "" {
		label = c.Label
	}
	seq, err := history.NextSeq(t)
	if err != nil {
		return nil, err
	}
	row := &historyRow{
		Seq:      seq,
		Versions: len(changes),
		HistoryEntry: HistoryEntry{
			UUID: c.UUID, ProjectUUID: projectUUID, UserUUID: t.actor, Kind: kind, Label: label, CreatedAt: t.Now,
		},
	}
	if err := t.putEntry(row, &historySteps{row.UUID, changes}); err != nil {
		return nil, err
	}
	return row, t.boundHistory(append(list, row))
}

func (t *txn) extendEntry(row *historyRow, changes []rowChange) error {
	steps, err := historyStepsTable.Get(t, row.UUID)
	if err != nil {
		return err
	}
	steps.Changes = joinChanges(steps.Changes, changes)
	row.Versions = len(steps.Changes)
	return t.putEntry(row, steps)
}

// putEntry writes an entry and tells OnHistory.
func (t *txn) putEntry(row *historyRow, steps *historySteps) error {
	t.tellHistory(row.HistoryEntry)
	if err := history.Put(t, row); err != nil {
		return err
	}
	return historyStepsTable.Put(t, steps)
}

// tellHistory tells OnHistory after the commit that an entry was added, extended, undone or redone.
func (t *txn) tellHistory(entry HistoryEntry) {
	t.OnCommit(func() {
		if tell := t.s.onHistory.Load(); tell != nil {
			(*tell)(entry)
		}
	})
}

// boundHistory forgets the oldest entries of a list past the bounds. It keeps the newest one.
func (t *txn) boundHistory(list []*historyRow) error {
	versions := 0
	for i, row := range slices.Backward(list) {
		versions += row.Versions
		isPastBounds := len(list)-i > keptEntries || versions > keptVersions
		if isPastBounds && i < len(list)-1 {
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
	if err := history.Delete(t, row.UUID); err != nil {
		return err
	}
	return historyStepsTable.Delete(t, row.UUID)
}

// dropHistory deletes the history of a project while the transaction has room.
func (t *txn) dropHistory(projectUUID string) error {
	return dropEach(t, history, projectUUID, t.forgetEntry, historyByProject)
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
	return viewed(s, func(t *txn) (step HistoryStep, err error) {
		row, steps, err := t.nextStep(userUUID, projectUUID, entryUUID, redo)
		if err != nil {
			return step, err
		}
		step.Entry = row.HistoryEntry
		for _, c := range steps.Changes {
			if c.Table == noteSettings {
				step.RunUUID, step.Settings = c.Key, new(AnalysisSettings)
				return step, c.step(redo).to.value(step.Settings)
			}
		}

		return step, nil
	})
}

// Undo undoes the newest entry that is not undone; with redo it redoes the oldest undone one. It
// does not touch values that have changed since then, and skips edits that a replan or a removed
// clip took away. For an entry of the kind HistorySettings, found is the result of the replan with
// the settings of UndoStep. Errors: see UndoStep.
func (s *Store) Undo(userUUID, projectUUID, entryUUID string, redo bool, found Proposal) (HistoryEntry, error) {
	return updated(s, func(t *txn) (entry HistoryEntry, err error) {
		row, steps, err := t.nextStep(userUUID, projectUUID, entryUUID, redo)
		if err != nil {
			return entry, err
		}
		entry, err = t.undo(row, steps, undoing{redo: redo, found: found})
		return entry, err
	})
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
		return nil, nil, conflict("The history has no change to undo or redo.")
	}
	if entryUUID != "" && list[at].UUID != entryUUID {
		return nil, nil, conflict(
			"The project was changed elsewhere since. Reload the history, then undo again.",
		)
	}

	steps, err := historyStepsTable.Get(t, list[at].UUID)
	return list[at], steps, err
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
