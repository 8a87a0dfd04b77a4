package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Usage is what one account's files take.
type AccountStorage struct {
	UserUUID, Username, Email string
	CountedBytes              int64 // counts towards the quota
	FileBytes                 int64 // with what was made of the uploads, and with exports
}

// StorageStats is what the files of the data directory take, in bytes.
type StorageStats struct {
	FreeBytes, MinFreeBytes                  int64 // on the disk, and what uploads leave of it
	DatabaseBytes                            int64
	OriginalBytes, DerivedBytes, ExportBytes int64
	PartialUploadBytes                       int64 // of uploads under way
	Users                                    []AccountStorage
}

// StorageStats says what takes the space, and one page of the accounts with how many there are,
// those that take the most first.
func (s *Store) StorageStats(p Page) (StorageStats, int, error) {
	stats := StorageStats{MinFreeBytes: s.o.MinFreeBytes}
	total := 0
	err := s.view(func(t *txn) error {
		stats.DatabaseBytes = t.Size()
		taken := map[string]int64{}
		err := files.all(t, func(row *fileRow) error {
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
		if err := parts.all(t, func(row *partRow) error { stats.PartialUploadBytes += row.Offset; return nil }); err != nil {
			return err
		}
		var list []AccountStorage
		err = users.all(t, func(row *userRow) error {
			list = append(list, AccountStorage{row.UUID, row.Username, row.Email, row.StorageUsedBytes, taken[row.UUID]})
			return nil
		})
		slices.SortFunc(list, func(a, b AccountStorage) int {
			return cmp.Or(cmp.Compare(b.FileBytes, a.FileBytes), strings.Compare(a.UserUUID, b.UserUUID))
		})
		stats.Users, total = cut(list, p), len(list)
		return err
	})
	if err != nil {
		return StorageStats{}, 0, err
	}
	if stats.FreeBytes, err = freeBytes(s.o.Dir); err != nil {
		return StorageStats{}, 0, fmt.Errorf("asking for the free space of %s: %w", s.o.Dir, err)
	}
	return stats, total, nil
}

// States of the search index.
const (
	IndexReady    = "ready"    // holds everything
	IndexBehind   = "behind"   // answers, but has not seen the last changes yet
	IndexBuilding = "building" // does not answer yet
)

// IndexState says whether the search index holds everything.
func (s *Store) IndexState() (string, error) {
	s.index.mu.RLock()
	defer s.index.mu.RUnlock()
	if s.index.ready == nil {
		return IndexBuilding, nil
	}
	work, err := s.pendingChanges(s.index.ready)
	if err != nil {
		return "", fmt.Errorf("asking the search index for its state: %w", err)
	}
	if work.all || len(work.subjects) > 0 {
		return IndexBehind, nil
	}
	return IndexReady, nil
}
