package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Measures is what can be measured of the data without naming anybody.
type Metrics struct {
	Jobs           map[JobKind]JobCount
	OldestQueuedAt *time.Time // of the jobs that wait; nil where none does
	Mails          int        // in the queue
	Users          int
	Projects       int
	StorageBytes   int64 // of confirmed uploads
	FreeBytes      int64 // on the disk
	Database       DatabaseStats
}

// JobCount is how many jobs of a kind there are.
type JobCount struct{ Queued, Running int }

// DatabaseStats is how the database does. Counts and times are since it was opened.
type DatabaseStats struct {
	SizeBytes int64 // in use and free
	FreePages int   // inside the file, for use by later writes
	OpenReads int   // reading transactions under way
	Reads     int64
	Writes    int64 // pages written to the disk
	WriteTime time.Duration
}

// Measure measures the data.
func (s *Store) Metrics() (Metrics, error) {
	st := Metrics{Jobs: map[JobKind]JobCount{JobClip: {}, JobAnalysis: {}, JobExport: {}}}
	err := s.view(func(t *txn) error {
		err := jobs.all(t, func(row *jobRow) error {
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
		st.Mails, st.Projects, st.Database.SizeBytes = mails.rows(t), projects.rows(t), t.Size()
		return users.all(t, func(row *userRow) error {
			st.Users++
			st.StorageBytes += row.StorageUsedBytes
			return nil
		})
	})
	if err != nil {
		return st, err
	}
	if st.FreeBytes, err = freeBytes(s.o.Dir); err != nil {
		return st, fmt.Errorf("asking for the free space of %s: %w", s.o.Dir, err)
	}
	db := s.db.Stats()
	st.Database.FreePages, st.Database.OpenReads, st.Database.Reads = db.FreePageN+db.PendingPageN, db.OpenTxN, int64(
		db.TxN,
	)
	st.Database.Writes, st.Database.WriteTime = db.TxStats.GetWrite(), db.TxStats.GetWriteTime()
	return st, nil
}

// DiskFree returns how much can still be written on the disk that holds, or will hold, a directory.
func DiskFree(dir string) (int64, error) {
	for {
		free, err := freeBytes(dir)
		if parent := filepath.Dir(dir); errors.Is(err, os.ErrNotExist) && parent != dir {
			dir = parent
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("asking for the free space of %s: %w", dir, err)
		}
		return free, nil
	}
}
