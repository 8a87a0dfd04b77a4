package store

import (
	"cmp"
	"slices"

	"roughcut/media"
)

// removes reports whether an edit removes footage.
func (e Edit) removes() bool { return e.Active && e.Action == ActionCut }

// findStretches sets the stretches of all edits of a project, which are sorted.
func (l *timeline) findStretches(list []Edit) {
	var cuts []media.Span
	var at []int // indexes in list
	for i, e := range list {
		if e.removes() {
			cuts = append(cuts, media.Span{StartMS: e.StartMS, EndMS: e.EndMS})
			at = append(at, i)
		}
	}

	starts := make([]int64, 0, len(l.places))
	for _, p := range l.places {
		starts = append(starts, p.start)
	}
	for i, first := range media.Stretches(cuts, starts) {
		list[at[i]].StretchUUID = list[at[first]].UUID
	}
}

// setStretches sets the stretches of changed edits of a project. It reads the others only if one of
// the edits removes footage, and after the change, whose transaction would make all writers wait.
func (s *Store) setStretches(projectUUID string, changed []Edit) error {
	if !slices.ContainsFunc(changed, Edit.removes) {
		return nil
	}
	var all []Edit
	err := s.view(func(t *txn) error {
		project, err := projects.Find(t, projectUUID)
		if err != nil || project == nil {
			return err
		}
		all, _, err = t.servedEdits(project)
		return err
	})
	if err != nil {
		return err
	}

	stretches := make(map[string]string, len(all))
	for _, e := range all {
		stretches[e.UUID] = e.StretchUUID
	}
	for i, e := range changed {
		changed[i].StretchUUID = stretches[e.UUID]
	}

	return nil
}

// withStretch returns a changed edit with its stretch. It keeps the error of the change.
func (s *Store) withStretch(e Edit, err error) (Edit, error) {
	if err != nil {
		return e, err
	}
	list := []Edit{e}
	err = s.setStretches(e.ProjectUUID, list)
	return list[0], err
}

// maxRunEdits is the maximum number of edits of a run after a split.
const maxRunEdits = 50_000

// SplitEdit creates a cut with the times and activity of e as a part of another cut of the project:
// it has the type, reason, confidence and run of the other one, and its action unless e has one. It
// removes no take. It does not change the other cut. Errors: NotFound and Forbidden for the cut;
// Unprocessable for a placed asset and past maxRunEdits; see also CreateEdit.
func (s *Store) SplitEdit(userUUID, projectUUID, fromUUID string, e Edit, as ...Change) (Edit, error) {
	var made Edit
	err := s.batch(func(t *txn) error {
		from, err := t.ownEdit(userUUID, fromUUID)
		if err != nil {
			return err
		}
		if from.ProjectUUID != projectUUID || from.Placement != nil {
			return failField("split_from", "The project has no cut %s. Reload the edits.", fromUUID)
		}
		e.Action = cmp.Or(e.Action, from.Action)
		e.Reason = from.Reason
		if from.RunUUID == nil {
			made, err = t.addEdit(projectUUID, from.Type, e, nil, optionalChange(as))
		} else {
			made, err = t.addPart(from, e, optionalChange(as))
		}

		return err
	})
	return s.withStretch(made, err)
}

// addPart creates a part of a detected cut. A replan keeps it, and takes it for no take.
func (t *txn) addPart(from *editRow, e Edit, as Change) (Edit, error) {
	if edits.Count(t, editsByRun, *from.RunUUID) >= maxRunEdits {
		return Edit{}, tooMany("A run can have %d cuts. Analyze a part of the recording.", maxRunEdits)
	}
	row, line, err := t.newEdit(from.ProjectUUID, e)
	if err != nil {
		return Edit{}, err
	}
	origin := from.clone()
	row.RunUUID, row.Confidence = origin.RunUUID, origin.Confidence
	row.Type, row.FoundClip, row.Touched = origin.Type, origin.FoundClip, true
	if e.Action == ActionMute {
		row.Action = ActionMute
	}
	if err := edits.Put(t, row); err != nil {
		return Edit{}, err
	}
	if err := t.countEdit(row, 1); err != nil {
		return Edit{}, err
	}
	return row.served(line), t.record(from.ProjectUUID, HistoryEdits, as, "split cut")
}
