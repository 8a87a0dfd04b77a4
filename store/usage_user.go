package store

import (
	"cmp"
	"slices"
	"strings"

	"roughcut/store/table"
)

// UserStorage is the disk usage of a user, in bytes.
type UserStorage struct {
	CountedBytes int64 // counts towards the quota
	// derived files and exports, and the most that they may take, 0 for no limit
	GeneratedBytes, GeneratedQuotaBytes int64
	ClipBytes                           int64 // uploaded recordings
	AssetBytes                          int64 // uploaded assets
	DerivedBytes                        int64 // proxies, waveforms and other derived files
	ExportBytes                         int64
	Projects                            []ProjectStorage
}

// ProjectStorage is the disk usage of a project, in bytes.
type ProjectStorage struct {
	UUID, Name               string
	ClipBytes, DerivedBytes  int64
	ExportBytes, TotalBytes  int64
	ClipCount, ExportedCount int
	Trashed                  bool // it is in the trash
}

// UserStorage returns the disk usage of a user with one page of the projects, the largest first. It
// also returns the number of all projects.
func (s *Store) UserStorage(userUUID string, p Page) (UserStorage, int, error) {
	var space UserStorage
	var total int
	err := s.view(func(t *txn) error {
		user, err := t.registry().User(userUUID)
		if err != nil {
			return err
		}
		space.CountedBytes, space.GeneratedBytes = user.StorageUsedBytes, user.GeneratedBytes
		if space.GeneratedQuotaBytes, err = t.generatedQuota(userUUID); err != nil {
			return err
		}
		rows, err := projects.List(t, projectsByUser, userUUID)
		if err != nil {
			return err
		}
		trashed, err := projects.List(t, projectsTrashedByUser, userUUID)
		if err != nil {
			return err
		}
		for _, row := range append(rows, trashed...) {
			one, err := t.projectSpace(row)
			if err != nil {
				return err
			}
			space.ClipBytes += one.ClipBytes
			space.DerivedBytes += one.DerivedBytes
			space.ExportBytes += one.ExportBytes
			space.Projects = append(space.Projects, one)
		}

		library, err := assets.List(t, assetsByUser, userUUID)
		if err != nil {
			return err
		}
		for _, row := range library {
			if err := t.ownedBytes(row.UUID, &space.AssetBytes, &space.DerivedBytes); err != nil {
				return err
			}
		}

		return nil
	})
	slices.SortFunc(space.Projects, func(a, b ProjectStorage) int {
		return cmp.Or(cmp.Compare(b.TotalBytes, a.TotalBytes), strings.Compare(a.UUID, b.UUID))
	})
	total, space.Projects = len(space.Projects), table.Cut(space.Projects, p)
	return space, total, err
}

func (t *txn) projectSpace(row *projectRow) (ProjectStorage, error) {
	space := ProjectStorage{UUID: row.UUID, Name: row.Name, ClipCount: row.ClipCount, Trashed: row.TrashedAt != nil}
	recordings, err := clips.List(t, clipsByProject, row.UUID)
	if err != nil {
		return space, err
	}
	removed, err := clips.List(t, clipsTrashedByProject, row.UUID)
	if err != nil {
		return space, err
	}
	for _, clip := range append(recordings, removed...) {
		if err := t.ownedBytes(clip.UUID, &space.ClipBytes, &space.DerivedBytes); err != nil {
			return space, err
		}
	}

	rendered, err := exports.List(t, exportsByProject, row.UUID)
	if err != nil {
		return space, err
	}
	trashed, err := exports.List(t, exportsTrashedByProject, row.UUID)
	if err != nil {
		return space, err
	}
	for _, export := range append(rendered, trashed...) {
		before := space.ExportBytes
		if err := t.ownedBytes(export.UUID, &space.ExportBytes, &space.ExportBytes); err != nil {
			return space, err
		}
		if space.ExportBytes > before {
			space.ExportedCount++
		}
	}

	space.TotalBytes = space.ClipBytes + space.DerivedBytes + space.ExportBytes
	return space, nil
}

// ownedBytes adds the sizes of the files of a clip, export or asset: counted files to uploaded,
// generated files to made.
func (t *txn) ownedBytes(owner string, uploaded, made *int64) error {
	rows, err := files.List(t, filesByOwner, owner)
	if err != nil {
		return err
	}
	for _, row := range rows {
		switch {
		case row.Counted:
			*uploaded += row.Size
		case row.generated():
			*made += row.Size
		}
	}

	return nil
}
