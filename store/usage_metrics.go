package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"roughcut/store/account"
)

// Metrics are anonymous measurements of the data.
type Metrics struct {
	Jobs           map[JobKind]JobCount
	OldestQueuedAt *time.Time // nil when no job is queued
	Mails          int        // in the outbox
	Users          int
	Projects       int
	StorageBytes   int64 // of confirmed uploads
	FreeBytes      int64 // on the disk
	Database       DatabaseStats
}

// JobCount is the number of jobs of a kind.
type JobCount struct{ Queued, Running int }

// DatabaseStats describes the database. Counts and times start when the store opens.
type DatabaseStats struct {
	SizeBytes int64 // of the file, used or free
	FreePages int   // in the file, for later writes
	OpenReads int   // open read transactions
	Reads     int64
	Writes    int64 // pages written to disk
	WriteTime time.Duration
}

// Metrics measures the data.
func (s *Store) Metrics() (Metrics, error) {
	st := Metrics{Jobs: map[JobKind]JobCount{JobClip: {}, JobAnalysis: {}, JobExport: {}}}
	err := s.view(func(t *txn) error {
		err := jobs.Each(t, func(row *jobRow) error {
			n := st.Jobs[row.Kind]
			if row.State == jobRunning {
				n.Running++
			} else {
				n.Queued++
				if st.OldestQueuedAt == nil || row.CreatedAt.Before(*st.OldestQueuedAt) {
					st.OldestQueuedAt = &row.CreatedAt
				}
			}

			st.Jobs[row.Kind] = n
			return nil
		})
		if err != nil {
			return err
		}
		st.Mails, st.Projects, st.Database.SizeBytes = mails.Len(t), projects.Len(t), t.Size()
		return t.registry().EachUser(func(row account.User) error {
			st.Users++
			st.StorageBytes += row.StorageUsedBytes
			return nil
		})
	})
	if err != nil {
		return st, err
	}
	if st.FreeBytes, err = FreeBytes(s.o.Dir); err != nil {
		return st, fmt.Errorf("reading the free space of %s: %w", s.o.Dir, err)
	}
	db := s.db.Stats()
	st.Database.FreePages = db.FreePageN + db.PendingPageN
	st.Database.OpenReads = db.OpenTxN
	st.Database.Reads = int64(db.TxN)
	st.Database.Writes = db.TxStats.GetWrite()
	st.Database.WriteTime = db.TxStats.GetWriteTime()
	return st, nil
}

// DiskFree returns the free bytes on the disk of a directory, which need not exist yet.
func DiskFree(dir string) (int64, error) {
	for {
		free, err := FreeBytes(dir)
		if parent := filepath.Dir(dir); errors.Is(err, os.ErrNotExist) && parent != dir {
			dir = parent
			continue
		}

		if err != nil {
			return 0, fmt.Errorf("reading the free space of %s: %w", dir, err)
		}
		return free, nil
	}
}
