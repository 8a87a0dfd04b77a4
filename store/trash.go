package store

import (
	"errors"
	"time"

	"roughcut/store/table"
)

// trashKept is how long a deleted export can be restored.
const trashKept = 30 * 24 * time.Hour

// TrashItem is a deleted export that can be restored. Its file uses storage until PurgedAt.
type TrashItem struct {
	UUID, Name          string
	SizeBytes           int64
	DeletedAt, PurgedAt time.Time
}

var (
	exportsTrashed = &table.Index[exportRow]{Name: "exports.trashed", Keys: func(r *exportRow) [][]byte {
		if r.TrashedAt == nil {
			return nil
		}
		return table.Entry(*r.TrashedAt)
	}}
	exportsTrashedByProject = &table.Index[exportRow]{
		Name: "exports.trashed_by_project",
		Keys: func(r *exportRow) [][]byte {
			if r.TrashedAt == nil {
				return nil
			}
			return table.Entry(r.ProjectUUID, *r.TrashedAt)
		},
	}
)

// Trash returns the deleted exports of a project, the last deleted first.
func (s *Store) Trash(userUUID, projectUUID string) ([]TrashItem, error) {
	list := []TrashItem{}
	err := s.view(func(t *txn) error {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		rows, _, err := exports.Page(t, Page{}, exportsTrashedByProject, projectUUID)
		for _, r := range rows {
			list = append(list, TrashItem{
				UUID: r.UUID, Name: r.Name, SizeBytes: r.SizeBytes,
				DeletedAt: *r.TrashedAt, PurgedAt: r.TrashedAt.Add(trashKept),
			})
		}
		return err
	})
	return list, err
}

// RestoreExport brings a deleted export back. Errors: NotFound for one that is not in the trash;
// Forbidden.
func (s *Store) RestoreExport(userUUID, projectUUID, uuid string) error {
	return s.update(func(t *txn) error {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		row, err := exports.Get(t, uuid)
		if err != nil {
			return err
		}
		if row.ProjectUUID != projectUUID || row.TrashedAt == nil {
			return notFound(exports.Noun)
		}
		row.TrashedAt, row.UpdatedAt = nil, t.now
		return exports.Put(t, row)
	})
}

// EmptyTrash deletes the exports in the trash of a project for good, with their files.
func (s *Store) EmptyTrash(userUUID, projectUUID string) error {
	return s.update(func(t *txn) error {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		rows, err := exports.List(t, exportsTrashedByProject, projectUUID)
		for _, row := range rows {
			err = errors.Join(err, t.dropExport(row))
		}
		return err
	})
}

// purgeTrash deletes the exports that have been in the trash for trashKept.
func (s *Store) purgeTrash() error {
	due := func(t *txn) ([]*exportRow, error) { return exports.Due(t, exportsTrashed, t.now.Add(-trashKept)) }
	n := 0
	err := s.view(func(t *txn) error {
		rows, err := due(t)
		n = len(rows)
		return err
	})
	if err != nil || n == 0 {
		return err
	}
	return s.update(func(t *txn) error {
		rows, err := due(t)
		for _, row := range rows {
			err = errors.Join(err, t.dropExport(row))
		}
		return err
	})
}
