package store

import (
	"cmp"
	"slices"

	"roughcut/store/table"
)

// onFootage holds the rows of a table that people put on the footage of projects, one by one. V is
// the form in which the store serves a row.
type onFootage[R, V any] struct {
	*table.Table[R]
	byProject *table.Index[R]
	history   string // kind of the entries
	most      int    // rows of a project
	refusal   string // past most; a format with most

	project func(*R) string
	served  func(*R, *timeline) (V, bool) // false for a row whose clips are not on the timeline
	start   func(V) int64                 // project time
}

// in returns the rows of a project by time, without those on clips that are not on the timeline.
func (f *onFootage[R, V]) in(t *txn, projectUUID string, line *timeline) ([]V, error) {
	rows, err := f.List(t, f.byProject, projectUUID)
	list := []V{}
	for _, row := range rows {
		if v, ok := f.served(row, line); ok {
			list = append(list, v)
		}
	}

	slices.SortStableFunc(list, func(a, b V) int { return cmp.Compare(f.start(a), f.start(b)) })
	return list, err
}

// list is in for a user. Errors: NotFound, Forbidden.
func (f *onFootage[R, V]) list(s *Store, userUUID, projectUUID string) (list []V, err error) {
	return viewed(s, func(t *txn) (list []V, err error) {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return list, err
		}
		line, err := t.timeline(projectUUID)
		if err != nil {
			return list, err
		}
		list, err = f.in(t, projectUUID, line)
		return list, err
	})
}

// own returns a row of a user with its project's timeline. An empty projectUUID is any project.
// Errors: NotFound, also for a row whose clips are not on the timeline; Forbidden.
func (f *onFootage[R, V]) own(t *txn, userUUID, projectUUID, uuid string) (*R, *timeline, error) {
	row, err := f.Get(t, uuid)
	if err == nil && projectUUID != "" && f.project(row) != projectUUID {
		err = notFound(f.Noun)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := t.ownPart(userUUID, f.project(row), f.Noun); err != nil {
		return nil, nil, err
	}
	line, err := t.timeline(f.project(row))
	if err != nil {
		return nil, nil, err
	}
	if _, ok := f.served(row, line); !ok {
		return nil, nil, notFound(f.Noun)
	}
	return row, line, nil
}

// create adds the row that fn returns to a project. Errors: NotFound, Forbidden; Unprocessable past
// most and past maxSettingsBytes.
func (f *onFootage[R, V]) create(
	s *Store, userUUID, projectUUID string, as []Change, fn func(*txn, *timeline) (*R, error),
) (made V, err error) {
	err = s.updateSettings(userUUID, func(t *txn) error {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		line, err := t.timeline(projectUUID)
		if err != nil {
			return err
		}
		row, err := fn(t, line)
		if err != nil {
			return err
		}
		if f.Count(t, f.byProject, projectUUID) >= f.most {
			return tooMany(f.refusal, f.most)
		}
		made, _ = f.served(row, line)
		if err := f.Put(t, row); err != nil {
			return err
		}
		return t.record(projectUUID, f.history, optionalChange(as), "add "+f.Noun)
	})
	return made, err
}

// update writes a row that fn has changed. Errors: NotFound, Forbidden; Unprocessable past
// maxSettingsBytes.
func (f *onFootage[R, V]) update(
	s *Store, userUUID, projectUUID, uuid string, as []Change, fn func(*txn, *timeline, *R) error,
) (changed V, err error) {
	err = s.updateSettings(userUUID, func(t *txn) error {
		row, line, err := f.own(t, userUUID, projectUUID, uuid)
		if err != nil {
			return err
		}
		if err := fn(t, line, row); err != nil {
			return err
		}
		changed, _ = f.served(row, line)
		if err := f.Put(t, row); err != nil {
			return err
		}
		return t.record(f.project(row), f.history, optionalChange(as), "change "+f.Noun)
	})
	return changed, err
}

// remove deletes a row. Errors: NotFound, Forbidden.
func (f *onFootage[R, V]) remove(s *Store, userUUID, projectUUID, uuid string, as []Change) error {
	return s.updateOnReserve(func(t *txn) error {
		row, _, err := f.own(t, userUUID, projectUUID, uuid)
		if err != nil {
			return err
		}
		if err := f.Delete(t, uuid); err != nil {
			return err
		}
		return t.record(f.project(row), f.history, optionalChange(as), "remove "+f.Noun)
	})
}

// change calls fn with each row of a project. It writes the rows that fn reports as changed, and
// deletes the others that fn does not keep.
func (f *onFootage[R, V]) change(t *txn, projectUUID string, fn func(*R) (changed, keep bool)) error {
	rows, err := f.List(t, f.byProject, projectUUID)
	for i := 0; i < len(rows) && err == nil; i++ {
		switch changed, keep := fn(rows[i]); {
		case !keep:
			err = f.Delete(t, string(f.Key(rows[i])))
		case changed:
			err = f.Put(t, rows[i])
		}
	}

	return err
}

// dropFromFootage deletes the markers on a clip and the parts of shorts on it.
func (t *txn) dropFromFootage(clipUUID, projectUUID string) error {
	err := markersOn.change(t, projectUUID, func(r *markerRow) (bool, bool) { return false, r.At.Clip != clipUUID })
	if err != nil {
		return err
	}
	return shortsOn.change(t, projectUUID, func(r *shortRow) (changed, keep bool) {
		n := len(r.Parts)
		r.Parts = slices.DeleteFunc(r.Parts, func(p anchoredSpan) bool { return p.Start.Clip == clipUUID })
		return len(r.Parts) != n, len(r.Parts) > 0
	})
}

// drop deletes all rows of a project.
func (f *onFootage[R, V]) drop(t *txn, projectUUID string) error {
	return f.DeleteAll(t, f.byProject, projectUUID)
}
