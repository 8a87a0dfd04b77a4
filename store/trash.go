package store

import (
	"slices"
	"time"

	"roughcut/store/table"
)

// trashKept is how long a deleted clip or export can be restored.
const trashKept = 30 * 24 * time.Hour

// Kinds of entries in a trash.
const (
	TrashedClip   = "clip"
	TrashedExport = "export"
)

// TrashItem is a deleted clip or export that can be restored. Its files use storage until PurgedAt.
type TrashItem struct {
	UUID, Kind, Name    string // Kind is TrashedClip or TrashedExport
	SizeBytes           int64  // of all its files; 0 for a clip whose files another clip has
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

// Trash returns one page of the deleted clips and exports of a project, the last deleted first, and
// the number of all.
func (s *Store) Trash(userUUID, projectUUID string, p Page) ([]TrashItem, int, error) {
	list, total := []TrashItem{}, 0
	err := s.view(func(t *txn) error {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		removed, rendered, err := t.trashOf(projectUUID)
		if err != nil {
			return err
		}
		byUUID := map[string]*clipRow{}
		for _, r := range removed {
			list = append(list, trashItem(r.UUID, TrashedClip, r.Name, r.Trashed.At))
			byUUID[r.UUID] = r
		}

		for _, r := range rendered {
			list = append(list, trashItem(r.UUID, TrashedExport, r.Name, *r.TrashedAt))
		}
		slices.SortStableFunc(list, func(a, b TrashItem) int { return b.DeletedAt.Compare(a.DeletedAt) })
		total, list = len(list), table.Cut(list, p)
		for i := range list {
			if clip := byUUID[list[i].UUID]; clip != nil {
				shared, err := t.usedElsewhere(clip)
				if err != nil {
					return err
				}
				if shared { // its files stay when it is deleted
					continue
				}
			}

			size := &list[i].SizeBytes
			if err := t.ownedBytes(list[i].UUID, size, size); err != nil {
				return err
			}
		}

		return nil
	})
	return list, total, err
}

func trashItem(uuid, kind, name string, deleted time.Time) TrashItem {
	return TrashItem{UUID: uuid, Kind: kind, Name: name, DeletedAt: deleted, PurgedAt: deleted.Add(trashKept)}
}

// trashOf returns the clips and the exports in the trash of a project.
func (t *txn) trashOf(projectUUID string) ([]*clipRow, []*exportRow, error) {
	removed, err := clips.List(t, clipsTrashedByProject, projectUUID)
	if err != nil {
		return nil, nil, err
	}
	rendered, err := exports.List(t, exportsTrashedByProject, projectUUID)
	return removed, rendered, err
}

// RestoreTrashed brings a deleted clip or export back. A clip returns to its place with its edits,
// transcripts and caption lines. Errors: NotFound unless the trash has the clip or export;
// Forbidden; Conflict for a clip while an analysis or export of the project runs.
func (s *Store) RestoreTrashed(userUUID, projectUUID, uuid string, as ...Change) error {
	return s.update(func(t *txn) error {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		clip, err := clips.Find(t, uuid)
		if err != nil {
			return err
		}
		if clip == nil {
			return t.restoreExport(projectUUID, uuid)
		}
		if clip.ProjectUUID != projectUUID || clip.Trashed == nil {
			return notFound(clips.Noun)
		}
		if err := t.restoreClip(clip, nil); err != nil {
			return err
		}
		return t.record(projectUUID, HistoryClips, optionalChange(as), "restore clip", movesClip...)
	})
}

// accessTrashed checks that a user may use a clip or an export, in the trash or not. Errors:
// NotFound, then Forbidden.
func (t *txn) accessTrashed(userUUID, uuid string) error {
	if clip, err := clips.Find(t, uuid); err != nil {
		return err
	} else if clip != nil {
		return t.ownPart(userUUID, clip.ProjectUUID, clips.Noun)
	}

	row, err := exports.Get(t, uuid)
	if err != nil {
		return err
	}
	return t.ownPart(userUUID, row.ProjectUUID, exports.Noun)
}

func (t *txn) restoreExport(projectUUID, uuid string) error {
	row, err := exports.Get(t, uuid)
	if err != nil {
		return err
	}
	if row.ProjectUUID != projectUUID || row.TrashedAt == nil {
		return notFound(exports.Noun)
	}
	row.TrashedAt, row.UpdatedAt = nil, t.Now
	return exports.Put(t, row)
}

// purgedAtOnce is the number of clips and exports that one transaction permanently deletes.
const purgedAtOnce = 50

// EmptyTrash permanently deletes the clips and exports in the trash of a project, with their files.
func (s *Store) EmptyTrash(userUUID, projectUUID string) error {
	s.erasing.RLock()
	defer s.erasing.RUnlock()
	return s.purge(func(t *txn) ([]*clipRow, []*exportRow, error) {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return nil, nil, err
		}
		return t.trashOf(projectUUID)
	})
}

// purge permanently deletes the clips and exports that list returns, with their files, until list
// returns none.
func (s *Store) purge(list func(*txn) ([]*clipRow, []*exportRow, error)) error {
	for left := true; left; {
		err := s.view(func(t *txn) error {
			removed, rendered, err := list(t)
			left = len(removed)+len(rendered) > 0
			return err
		})
		if err != nil || !left {
			return err
		}
		var removed []*clipRow
		err = s.updateOnReserve(func(t *txn) error {
			var rendered []*exportRow
			removed, rendered, err = list(t)
			removed = removed[:min(len(removed), purgedAtOnce)]
			for _, row := range removed {
				if err == nil {
					err = t.purgeClip(row)
				}
			}

			for _, row := range rendered[:min(len(rendered), purgedAtOnce-len(removed))] {
				if err == nil {
					err = t.dropExport(row)
				}
			}

			return err
		})
		if err != nil {
			return err
		}
		for _, row := range removed {
			if err := s.eraseRest(row.UUID); err != nil {
				return err
			}
		}
	}

	return nil
}

// purgeTrash deletes the clips and exports that have been in the trash for trashKept.
func (s *Store) purgeTrash() error {
	return s.purge(func(t *txn) ([]*clipRow, []*exportRow, error) {
		removed, err := clips.Due(t, clipsTrashed, t.Now.Add(-trashKept))
		if err != nil {
			return nil, nil, err
		}
		rendered, err := exports.Due(t, exportsTrashed, t.Now.Add(-trashKept))
		return removed, rendered, err
	})
}
