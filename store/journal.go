package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roughcut/store/table"
)

// Names of changes that txn.noteChange notes. They stand for more or less than one row of a table.
const (
	noteOrder    = "clip_order"   // the uuids of the clips of a project in display order
	noteSettings = "run_settings" // the AnalysisSettings of a run
	noteTracks   = "clip_tracks"  // the audio tracks of a clip file that are heard
)

// rowChange is what a request changed of a row. If the row exists before and after, both sides have
// the members that differ; otherwise the side with the row has all of them.
type rowChange struct {
	Table, Key    string
	Before, After fields `json:",omitempty"` // nil where the row does not exist
	// what undoRows.place names, because the row may have another key since then
	Place fields `json:",omitempty"`
}

// written is a row before and after the writes of a transaction.
type written struct {
	table, key    string
	before, after []byte
}

// noteWrite takes note of a write for the history, see table.Tx.
func (t *txn) noteWrite(table string, key, before, after []byte) {
	id := table + "\x00" + string(key)
	if i, ok := t.writtenAt[id]; ok {
		t.written[i].after = after
		return
	}

	if t.writtenAt == nil {
		t.writtenAt = map[string]int{}
	}
	t.writtenAt[id] = len(t.written)
	t.written = append(t.written, written{table, string(key), bytes.Clone(before), after})
}

// noteChange takes note of a change that is not one of rows in a table.
func (t *txn) noteChange(table, key string, before, after any) error {
	var sides [2][]byte
	for i, value := range []any{before, after} {
		packed, err := json.Marshal(map[string]any{"Value": value})
		if err != nil {
			return fmt.Errorf("noting a change of %s: %w", table, err)
		}
		sides[i] = packed
	}

	t.Wrote(table, []byte(key), sides[0], sides[1])
	return nil
}

// changes returns what the transaction has changed in tables, in the order of the first writes. No
// tables stand for all that an undo can write.
func (t *txn) changes(tables []string) ([]rowChange, error) {
	var list []rowChange
	var before, after members // reused
	for _, w := range t.written {
		if len(tables) > 0 && !slices.Contains(tables, w.table) {
			continue
		}
		rule := undoRule(w.table)
		var err error
		if before, err = rule.parse(before[:0], w.before); err == nil {
			after, err = rule.parse(after[:0], w.after)
		}
		if err != nil {
			return nil, fmt.Errorf("reading a change of %s: %w", w.table, err)
		}
		if c, ok := newChange(w.table, w.key, before, after); ok {
			c.Place = rule.placed(after)
			list = append(list, c)
		}
	}

	t.written, t.writtenAt = nil, nil
	return list, nil
}

// newChange returns the change between two sides of a row, and reports whether they differ. A side
// without the row is nil.
func newChange(table, key string, before, after members) (rowChange, bool) {
	c := rowChange{Table: table, Key: key}
	if before == nil || after == nil {
		c.Before, c.After = before.fields(), after.fields()
		return c, before != nil || after != nil
	}

	c.Before, c.After = differing(before, after)
	return c, len(c.Before) > 0
}

// join returns the change that this one and a later one of the same row are together.
func (c rowChange) join(later rowChange) rowChange {
	over := func(base, top fields) fields {
		out := maps.Clone(base)
		maps.Copy(out, top)
		return out
	}
	switch {
	case c.Before == nil:
		later.Before = nil
	case later.Before == nil: // deleted, then created again
		later.Before = c.Before
	default:
		later.Before = over(later.Before, c.Before)
	}

	if later.After != nil && c.After != nil {
		later.After = over(c.After, later.After)
	}
	return later
}

// joinChanges adds later changes to a list.
func joinChanges(list, later []rowChange) []rowChange {
	at := make(map[string]int, len(list))
	for i, c := range list {
		at[c.Table+"\x00"+c.Key] = i
	}
	for _, c := range later {
		if i, ok := at[c.Table+"\x00"+c.Key]; ok {
			list[i] = list[i].join(c)
		} else {
			at[c.Table+"\x00"+c.Key] = len(list)
			list = append(list, c)
		}
	}

	return slices.DeleteFunc(list, func(c rowChange) bool { return c.Before == nil && c.After == nil })
}

// undoStep is a change that an undo takes back, or a redo makes again: it leads from one side to
// the other.
type undoStep struct {
	rowChange
	from, to fields
}

// step returns the step that takes a change back, or with redo the one that makes it again.
func (c rowChange) step(redo bool) undoStep {
	if redo {
		return undoStep{c, c.Before, c.After}
	}
	return undoStep{c, c.After, c.Before}
}

// undoing is a running undo or redo.
type undoing struct {
	*txn
	projectUUID string
	redo        bool
	found       Proposal                     // for a replan, see Store.Undo
	whole       map[string]bool              // keys of the rows that the steps write
	spots       map[string]map[spot]*editRow // detected edits by run
}

// undoer says how an undo writes the rows of a table.
type undoer interface {
	// parse returns the members of a stored row that an undo can write; nil for nil. It may use the
	// memory of a list.
	parse(list members, raw []byte) (members, error)
	// placed returns the members that identify the place of a row, or nil if the row has no place.
	placed(row members) fields
	// plan looks at what a step may change, before any step has changed anything, and returns a
	// function that does it; nil for nothing.
	plan(u *undoing, s undoStep) (func() error, error)
}

// undoRule returns the rule of a table, or of a name that noteChange was given.
func undoRule(name string) undoer {
	switch name {
	case edits.Name:
		return undoEdits
	case captions.Name:
		return undoCaptions
	case markers.Name:
		return undoMarkers
	case shorts.Name:
		return undoShorts
	case takeGroups.Name:
		return undoTakeGroups
	case draftContents.Name:
		return undoDrafts
	case projects.Name:
		return undoProjects
	case runs.Name:
		return undoRuns
	case clips.Name:
		return undoNote((*undoing).planClip)
	case noteOrder:
		return undoNote((*undoing).planOrder)
	case noteSettings:
		return undoNote((*undoing).planSettings)
	case noteTracks:
		return undoNote((*undoing).planTracks)
	case bucketSpeakers:
		return undoNote((*undoing).planSpeakers)
	case bucketWords:
		return undoNote((*undoing).planWords)
	}

	panic("store: no undo for " + name)
}

// undo undoes an entry for the actor, or redoes it.
func (t *txn) undo(row *historyRow, steps *historySteps, u undoing) (HistoryEntry, error) {
	u.txn, u.projectUUID = t, row.ProjectUUID
	if err := u.apply(steps.Changes); err != nil {
		return HistoryEntry{}, err
	}
	if row.Kind == HistoryRun || row.Kind == HistoryText {
		if err := t.Changed(row.ProjectUUID); err != nil {
			return HistoryEntry{}, err
		}
	}

	row.Undone = !u.redo
	t.announceEdits(row.ProjectUUID)
	t.tellHistory(row.HistoryEntry)
	return row.HistoryEntry, history.Put(t, row)
}

// apply takes changes back, or makes them again with redo. Members that changed since then stay.
// The clips and their order come first, because they move edits; the edits of the changes then get
// their former values.
func (u *undoing) apply(changes []rowChange) error {
	var moves, orders, rest []func() error
	changes = slices.Clone(changes)
	if !u.redo {
		slices.Reverse(changes)
	}
	u.whole = map[string]bool{}
	for _, c := range changes {
		do, err := undoRule(c.Table).plan(u, c.step(u.redo))
		if err != nil {
			return err
		}
		u.whole[c.Key] = do != nil
		switch {
		case do == nil:
		case c.Table == noteOrder:
			orders = append(orders, do)
		case c.Table == clips.Name:
			moves = append(moves, do)
		default:
			rest = append(rest, do)
		}
	}

	for _, do := range slices.Concat(moves, orders, rest) {
		if err := do(); err != nil {
			return err
		}
	}

	return nil
}

// updatedAt is the member with the time of a row's last change. It alone does not make a change.
const updatedAt = "UpdatedAt"

// undoRows is the rule of a table.
type undoRows[T any] struct {
	*table.Table[T]
	only    []string // the members that an undo restores; nil for all
	members string   // the member whose own members are restored one by one
	version string   // the member that must not have changed since, or nothing is restored
	place   []string // the members that identify the place of a row; the first one is not null there

	// at returns the row that is in a place now, or nil if the place is empty. Nil: rows keep their
	// keys.
	at func(u *undoing, place *T) (*T, error)
	// fit adapts after to what exists now; false leaves the row as it is. before is nil for a row
	// that was deleted. Nil: nothing to adapt.
	fit func(t *txn, before, after *T) (bool, error)
	// done does what follows from a row that was created, deleted or changed. Nil: nothing.
	done func(t *txn, before, after *T) error
}

func (r *undoRows[T]) parse(list members, raw []byte) (members, error) {
	if raw == nil {
		return nil, nil
	}
	all, err := table.AppendMembers(list, raw)
	if err != nil {
		return nil, err
	}
	m := members(all)
	if r.only != nil {
		m = slices.DeleteFunc(m, func(one table.Member) bool { return !slices.Contains(r.only, string(one.Name)) })
	}
	i := m.at([]byte(r.members), len(m))
	if i < 0 {
		return m, nil
	}
	var inner []table.Member
	if !sameValue(m[i].Value, nil) {
		if inner, err = table.AppendMembers(nil, m[i].Value); err != nil {
			return nil, err
		}
	}

	for j, one := range inner {
		inner[j].Name = []byte(r.members + "/" + string(one.Name))
	}

	return slices.Replace(m, i, i+1, inner...), nil
}

func (r *undoRows[T]) placed(row members) fields {
	if row == nil || len(r.place) == 0 || sameValue(row.value(r.place[0]), nil) {
		return nil
	}
	place := fields{}
	for _, name := range r.place {
		place[name] = row.value(name)
	}
	return place
}

func (r *undoRows[T]) plan(u *undoing, s undoStep) (func() error, error) {
	if s.from == nil || s.to == nil {
		return func() error { return r.exist(u.txn, s) }, nil
	}
	key, raw := s.Key, r.stored(u.txn, s.Key)
	if raw == nil && r.at != nil && s.Place != nil {
		place := maps.Clone(s.Place)
		for name := range place {
			if was, ok := s.from[name]; ok {
				place[name] = was
			}
		}

		row, err := decoded[T](place)
		if err == nil {
			row, err = r.at(u, row)
		}
		if err != nil || row == nil {
			return nil, err
		}
		key = string(r.Key(row))
		raw = r.stored(u.txn, key)
	}

	stored, err := r.parse(nil, raw)
	now := stored.fields()
	isOtherVersion := r.version != "" && !sameValue(now[r.version], s.from[r.version])
	if err != nil || raw == nil || isOtherVersion {
		return nil, err
	}
	wanted := fields{}
	for name, value := range s.to {
		if sameValue(now[name], s.from[name]) {
			wanted[name] = value
		}
	}

	if len(wanted) == 0 {
		return nil, nil
	}
	return func() error { return r.change(u.txn, key, wanted) }, nil
}

// stored returns the stored value of a row, or nil if the row does not exist.
func (r *undoRows[T]) stored(t *txn, key string) []byte {
	return t.Bucket([]byte(r.Name)).Get([]byte(key))
}

// exist creates or deletes a row.
func (r *undoRows[T]) exist(t *txn, s undoStep) error {
	row, err := r.Find(t, s.Key)
	if err != nil || (row == nil) == (s.to == nil) {
		return err
	}
	if s.to == nil {
		if err := r.Delete(t, s.Key); err != nil {
			return err
		}
		return r.finish(t, row, nil)
	}

	f := fields{}
	if err := r.patch(f, s.to); err != nil {
		return err
	}
	return r.write(t, nil, f)
}

// change gives members of a row other values.
func (r *undoRows[T]) change(t *txn, key string, wanted fields) error {
	before, err := r.Find(t, key)
	if err != nil || before == nil {
		return err
	}
	f := fields{}
	if err := json.Unmarshal(r.stored(t, key), &f); err != nil {
		return err
	}
	if err := r.patch(f, wanted); err != nil {
		return err
	}
	return r.write(t, before, f)
}

// patch gives members of a row other values.
func (r *undoRows[T]) patch(f, wanted fields) (err error) {
	var inner fields
	for name, value := range wanted {
		into := f
		if member, ok := strings.CutPrefix(name, r.members+"/"); ok {
			if inner == nil {
				if err := json.Unmarshal(orNull(f[r.members]), &inner); err != nil {
					return err
				}
			}

			if inner == nil { // the row does not have the member
				inner = fields{}
			}
			into, name = inner, member
		}

		if into[name] = value; sameValue(value, nil) {
			delete(into, name)
		}
	}

	if inner != nil {
		f[r.members], err = json.Marshal(inner)
	}
	return err
}

// write writes a row with the given members in place of before, which is nil for a new row.
func (r *undoRows[T]) write(t *txn, before *T, members fields) (err error) {
	if _, ok := members[updatedAt]; ok {
		if members[updatedAt], err = json.Marshal(t.Now); err != nil {
			return err
		}
	}

	after, err := decoded[T](members)
	if err != nil {
		return err
	}
	if r.fit != nil {
		if ok, err := r.fit(t, before, after); err != nil || !ok {
			return err
		}
	}

	if err := r.Put(t, after); err != nil {
		return err
	}
	return r.finish(t, before, after)
}

func (r *undoRows[T]) finish(t *txn, before, after *T) error {
	if r.done == nil {
		return nil
	}
	return r.done(t, before, after)
}

// decoded returns the row with the given members.
func decoded[T any](members fields) (*T, error) {
	raw, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	row := new(T)
	return row, json.Unmarshal(raw, row)
}

// undoNote is the rule of a change that is not one of rows, or not by their values: a function that
// plans it. Of clips, it notes only the members that planClip knows.
type undoNote func(u *undoing, s undoStep) (func() error, error)

func (undoNote) placed(members) fields { return nil }

func (undoNote) parse(list members, raw []byte) (members, error) {
	if raw == nil {
		return nil, nil
	}
	var f struct{ Name, Trashed, Value json.RawMessage }
	err := json.Unmarshal(raw, &f)
	if !sameValue(f.Trashed, nil) {
		f.Trashed = json.RawMessage("true")
	}
	return append(
		list,
		table.Member{Name: []byte("Name"), Value: f.Name},
		table.Member{Name: []byte("Trashed"), Value: f.Trashed},
		table.Member{Name: []byte("Value"), Value: f.Value},
	), err
}

func (n undoNote) plan(u *undoing, s undoStep) (func() error, error) { return n(u, s) }
