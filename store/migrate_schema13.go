package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"roughcut/media"
	"roughcut/store/table"
)

// stepsOf12 is what an entry of the history changed, in schema 12.
type stepsOf12 struct {
	EntryUUID string
	Versions  []struct {
		UUID, RunUUID, Type, Clip string
		Found                     *media.Span
		Before, After             *editOf12
		Row                       json.RawMessage // a created or deleted edit
	}
	Run      *struct{ Before, After string }
	Settings *struct {
		RunUUID       string
		Before, After json.RawMessage
	}
	Clips []struct {
		UUID    string
		Removed bool
	}
	Order            *struct{ Before, After []string }
	Names            []struct{ UUID, Before, After string }
	Captions, Marked []struct{ Before, After json.RawMessage }
	Markers          []struct {
		UUID          string
		Before, After anchor
	}
	Drafts []struct {
		UUID          string
		UpdatedAt     json.RawMessage
		Before, After struct{ Overrides map[string]json.RawMessage }
	}
	Speakers []struct {
		RunUUID, ClipUUID string
		Before, After     json.RawMessage
	}
	Text, Again *textOf12 // Again redoes Text while it is undone
}

// editOf12 is what a person could change of an edit. Empty anchors did not change.
type editOf12 struct {
	Active, Touched              bool
	Start, End                   *anchor
	Action, FoundClip, TakeGroup string
	Placement                    *media.Placement
}

// textOf12 is a replacement of a text.
type textOf12 struct {
	RunUUID string
	Clips   []struct {
		ClipUUID string
		transcriptChange
	}
	Reasons []struct {
		EditUUID, TakeGroup string
		Take                int
		Reason              bool // of the take, not its text
		Before, After       string
	}
}

// journalHistory migrates schema 12 to schema 13: the history holds the rows that changed, and a
// run knows that its texts were corrected instead of how.
func journalHistory(t *txn) error {
	const replacements = "replacements"
	corrected := map[string]bool{}
	b := t.Bucket([]byte(replacements))
	if b == nil { // a new database
		return nil
	}
	err := b.ForEach(func(_, value []byte) error {
		var row textOf12
		err := json.Unmarshal(value, &row)
		corrected[row.RunUUID] = true
		return err
	})
	if err == nil {
		err = t.DeleteBucket([]byte(replacements))
	}
	if err == nil {
		err = t.DeleteBucket([]byte(replacements + ".by_run"))
	}
	var all []*projectRow
	if err == nil {
		err = projects.Each(t, func(p *projectRow) error { all = append(all, p); return nil })
	}
	if err != nil {
		return err
	}
	for _, p := range all {
		list, listErr := history.List(t, historyByProject, p.UUID)
		if listErr != nil {
			return listErr
		}
		at := slices.IndexFunc(list, func(r *historyRow) bool { return r.Undone })
		if at < 0 {
			at = len(list)
		}
		// From the state of now, the texts are known after the entries in both directions.
		past, future := historyOf12{t, p, texts{}}, historyOf12{t, p, texts{}}
		for _, row := range slices.Backward(list[:at]) {
			if err == nil {
				err = past.convert(row)
			}
		}

		for _, row := range list[at:] {
			if err == nil {
				err = future.convert(row)
			}
		}

		for _, row := range list {
			corrected[row.RunUUID] = true
		}
	}

	for uuid := range corrected {
		if run, findErr := runs.Find(t, uuid); findErr != nil {
			return findErr
		} else if run != nil {
			run.Corrected = true
			if err == nil {
				err = runs.Put(t, run)
			}
		}
	}

	return err
}

// historyOf12 converts entries of a project.
type historyOf12 struct {
	*txn
	project *projectRow
	texts
}

// texts are transcripts and takes at a point of the history, by their keys.
type texts map[string]any

func (h historyOf12) convert(row *historyRow) error {
	var old stepsOf12
	value := h.Bucket([]byte(historyStepsTable.Name)).Get([]byte(row.UUID))
	if err := json.Unmarshal(value, &old); err != nil {
		return fmt.Errorf("reading a row of %s: %w", historyStepsTable.Name, err)
	}
	list, err := h.changesOf(old)
	if err == nil && old.Text != nil {
		row.RunUUID = old.Text.RunUUID
		var made []rowChange
		made, err = h.text(old, row.Undone)
		list = append(list, made...)
	}

	if err != nil {
		return err
	}
	steps := &historySteps{EntryUUID: row.UUID, Changes: joinChanges(nil, list)}
	if len(steps.Changes) == 0 {
		return h.forgetEntry(row)
	}
	row.Versions, row.UserUUID = len(steps.Changes), h.project.UserUUID
	if err := history.Put(h, row); err != nil {
		return err
	}
	return historyStepsTable.Put(h, steps)
}

// jsonOf returns a value as JSON, and the zero value as none.
func jsonOf[T comparable](value T) json.RawMessage {
	var zero T
	if value == zero {
		return nil
	}
	return plainJSON(value)
}

// plainJSON returns a value of plain data as JSON. Plain data always has a JSON form.
func plainJSON(value any) json.RawMessage {
	packed, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return packed
}

// changesOf returns what an entry changed, except for the text of transcripts.
func (h historyOf12) changesOf(old stepsOf12) (list []rowChange, err error) {
	add := func(table, key string, before, after fields) {
		if c, ok := newChange(table, key, before.members(), after.members()); ok {
			list = append(list, c)
		}
	}
	rows := func(rule undoer, table string, key func(fields) string, before, after json.RawMessage) {
		var sides [2]fields
		for i, raw := range []json.RawMessage{before, after} {
			if err == nil && !sameValue(raw, nil) {
				var one members
				one, err = rule.parse(nil, raw)
				sides[i] = one.fields()
			}
		}

		add(table, key(firstExisting(sides[0], sides[1])), sides[0], sides[1])
	}
	uuid := func(f fields) (id string) { _ = json.Unmarshal(orNull(f["UUID"]), &id); return id }
	for _, v := range old.Versions {
		switch {
		case v.Row != nil && v.Before == nil:
			rows(undoEdits, edits.Name, uuid, nil, v.Row)
			continue
		case v.Row != nil:
			rows(undoEdits, edits.Name, uuid, v.Row, nil)
			continue
		case v.Before == nil || v.After == nil:
			continue
		}

		add(edits.Name, v.UUID, v.Before.fields(), v.After.fields())
		if n := len(list); n > 0 && list[n-1].Key == v.UUID && v.RunUUID != "" && v.Found != nil {
			list[n-1].Place = fields{
				"RunUUID": jsonOf(v.RunUUID), "Type": jsonOf(v.Type),
				"FoundClip": jsonOf(v.Clip), "Found": jsonOf(*v.Found),
			}
		}
	}

	if c := old.Run; c != nil {
		member := func(run string) fields { return fields{"ActiveRunUUID": jsonOf(run)} }
		add(projects.Name, h.project.UUID, member(c.Before), member(c.After))
	}

	if c := old.Settings; c != nil {
		add(noteSettings, c.RunUUID, fields{"Value": c.Before}, fields{"Value": c.After})
	}
	for _, c := range old.Clips {
		here, gone := fields{"Trashed": nil}, fields{"Trashed": jsonOf(true)}
		if !c.Removed {
			here, gone = gone, here
		}
		add(clips.Name, c.UUID, here, gone)
	}

	for _, c := range old.Names {
		add(clips.Name, c.UUID, fields{"Name": jsonOf(c.Before)}, fields{"Name": jsonOf(c.After)})
	}
	if c := old.Order; c != nil {
		add(noteOrder, h.project.UUID, fields{"Value": plainJSON(c.Before)}, fields{"Value": plainJSON(c.After)})
	}

	for _, c := range old.Captions {
		rows(undoCaptions, captions.Name, uuid, c.Before, c.After)
	}
	for _, c := range old.Marked {
		rows(undoMarkers, markers.Name, uuid, c.Before, c.After)
	}
	for _, c := range old.Markers {
		add(markers.Name, c.UUID, fields{"At": jsonOf(c.Before)}, fields{"At": jsonOf(c.After)})
	}
	for _, c := range old.Speakers {
		key := string(table.Key(c.RunUUID, c.ClipUUID))
		add(bucketSpeakers, key, fields{"Value": c.Before}, fields{"Value": c.After})
	}

	if err != nil {
		return nil, err
	}
	drafted, err := h.draftsOf(old)
	return append(list, drafted...), err
}

// draftsOf returns what an entry changed in drafts that nobody has saved since.
func (h historyOf12) draftsOf(old stepsOf12) (list []rowChange, err error) {
	for _, c := range old.Drafts {
		row, err := drafts.Find(h, c.UUID)
		if err != nil {
			return nil, err
		}
		content, err := draftContents.Find(h, c.UUID)
		if err != nil {
			return nil, err
		}
		if row == nil || content == nil || !(fields{updatedAt: c.UpdatedAt}).is(updatedAt, row.UpdatedAt) {
			continue
		}
		before, after := overridesOf12(c.Before.Overrides), overridesOf12(c.After.Overrides)
		if change, ok := newChange(draftContents.Name, c.UUID, before.members(), after.members()); ok {
			change.Before["Seq"], change.After["Seq"] = jsonOf(content.Seq), jsonOf(content.Seq)
			list = append(list, change)
		}
	}

	return list, nil
}

// members returns the members in alphabetical order, nil for nil.
func (f fields) members() members {
	if f == nil {
		return nil
	}
	list := members{}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		list = append(list, table.Member{Name: []byte(name), Value: f[name]})
	}
	return list
}

// overridesOf12 returns the overrides of a draft as members of its row.
func overridesOf12(overrides map[string]json.RawMessage) fields {
	members := fields{}
	for id, override := range overrides {
		members[undoDrafts.members+"/"+id] = override
	}
	return members
}

// firstExisting returns the first side that exists.
func firstExisting(a, b fields) fields {
	if a == nil {
		return b
	}
	return a
}

func (s *editOf12) fields() fields {
	f := fields{
		"Active": json.RawMessage(fmt.Sprint(s.Active)), "Touched": jsonOf(s.Touched), "Action": jsonOf(s.Action),
		"Start": jsonOf(s.Start), "End": jsonOf(s.End),
	}
	if s.FoundClip != "" {
		f["FoundClip"], f["TakeGroup"] = jsonOf(s.FoundClip), jsonOf(s.TakeGroup)
	}
	if s.Placement != nil {
		var members fields
		_ = json.Unmarshal(jsonOf(s.Placement), &members)
		for name, value := range members {
			f[undoEdits.members+"/"+name] = value
		}
	}

	return f
}

// text returns what a replacement changed in transcripts, reasons and takes.
func (h historyOf12) text(old stepsOf12, undone bool) (list []rowChange, err error) {
	change := old.Text
	if undone && old.Again != nil {
		change = old.Again
	}
	for _, c := range change.Clips {
		key := string(table.Key(change.RunUUID, c.ClipUUID))
		if h.texts[key] == nil {
			m, _, err := h.clipTranscript(change.RunUUID, c.ClipUUID)
			if err != nil {
				return nil, err
			}
			h.texts[key] = m
		}

		m, again, fits := c.undo(h.texts[key].(media.Transcript))
		if !fits {
			continue
		}
		h.texts[key] = m
		before, after := plainJSON(c.transcriptChange), plainJSON(again)
		if undone {
			before, after = after, before
		}
		list = append(list, rowChange{
			Table: bucketWords, Key: key, Before: fields{"Value": before}, After: fields{"Value": after},
		})
	}

	var takes []rowChange
	for _, c := range old.Text.Reasons {
		if c.EditUUID != "" {
			list = append(list, rowChange{
				Table: edits.Name, Key: c.EditUUID,
				Before: fields{"Reason": jsonOf(c.Before)}, After: fields{"Reason": jsonOf(c.After)},
			})
			continue
		}

		one, err := h.take(old.Text.RunUUID, c.TakeGroup, undone, func(takes []DetectedTake) {
			if c.Take >= len(takes) {
				return
			}
			text := &takes[c.Take].Text
			if c.Reason {
				text = &takes[c.Take].Reason
			}
			if *text = c.Before; undone {
				*text = c.After
			}
		})
		if err != nil {
			return nil, err
		}
		takes = append(takes, one...)
	}

	if !undone { // they lead back in time
		slices.Reverse(takes)
	}
	return append(list, takes...), nil
}

// take returns the change of a take group on the other side of an entry, where fn brings its takes.
func (h historyOf12) take(runUUID, group string, undone bool, fn func([]DetectedTake)) ([]rowChange, error) {
	key := string(table.Key(runUUID, group))
	if h.texts[key] == nil {
		row, err := takeGroups.Find(h, key)
		if err != nil || row == nil {
			return nil, err
		}
		h.texts[key] = row.Takes
	}

	near := h.texts[key].([]DetectedTake)
	far := slices.Clone(near)
	fn(far)
	h.texts[key] = far
	before, after := plainJSON(far), plainJSON(near)
	if undone {
		before, after = after, before
	}
	return []rowChange{{
		Table: takeGroups.Name, Key: key, Before: fields{"Takes": before}, After: fields{"Takes": after},
	}}, nil
}
