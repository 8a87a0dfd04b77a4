package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"roughcut/store/account"
	"roughcut/store/table"
)

// AccountStorage is the disk usage of an account, in bytes.
type AccountStorage struct {
	UserUUID, Username, Email string
	CountedBytes              int64 // counts towards the quota
	FileBytes                 int64 // all files, with derived files and exports
}

// StorageStats is the disk usage of the data directory, in bytes.
type StorageStats struct {
	FreeBytes, MinFreeBytes                  int64 // free on the disk; minimum that uploads leave free
	DatabaseBytes                            int64
	OriginalBytes, DerivedBytes, ExportBytes int64
	PartialUploadBytes                       int64 // of unfinished uploads
	Users                                    []AccountStorage
}

// StorageStats returns the disk usage and one page of the accounts, the largest first. It also
// returns the number of all accounts.
func (s *Store) StorageStats(p Page) (StorageStats, int, error) {
	stats := StorageStats{MinFreeBytes: s.o.MinFreeBytes}
	total := 0
	err := s.view(func(t *txn) error {
		stats.DatabaseBytes = t.Size()
		taken := map[string]int64{}
		err := files.Each(t, func(row *fileRow) error {
			taken[row.UserUUID] += row.Size
			switch {
			case strings.HasPrefix(row.Key, "exports/"):
				stats.ExportBytes += row.Size
			case strings.HasSuffix(row.Key, "/"+fileOriginal):
				stats.OriginalBytes += row.Size
			default:
				stats.DerivedBytes += row.Size
			}

			return nil
		})
		if err != nil {
			return err
		}
		err = uploadParts.Each(t, func(row *partRow) error {
			stats.PartialUploadBytes += row.Offset
			return nil
		})
		if err != nil {
			return err
		}
		var list []AccountStorage
		err = t.registry().EachUser(func(row account.User) error {
			list = append(
				list,
				AccountStorage{row.UUID, row.Username, row.Email, row.StorageUsedBytes, taken[row.UUID]},
			)
			return nil
		})
		slices.SortFunc(list, func(a, b AccountStorage) int {
			return cmp.Or(cmp.Compare(b.FileBytes, a.FileBytes), strings.Compare(a.UserUUID, b.UserUUID))
		})
		stats.Users, total = table.Cut(list, p), len(list)
		return err
	})
	if err != nil {
		return StorageStats{}, 0, err
	}
	if stats.FreeBytes, err = FreeBytes(s.o.Dir); err != nil {
		return StorageStats{}, 0, fmt.Errorf("reading the free space of %s: %w", s.o.Dir, err)
	}
	return stats, total, nil
}
