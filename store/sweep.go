package store

import (
	"errors"
	"slices"

	"roughcut/store/table"
)

// sweepBatch is the number of rows that one transaction deletes.
const sweepBatch = 500

// SweepExpired does all work that depends on time only, and returns the number of exports that
// expired. Expired exports lose their file, old entries of trashes are deleted, unconfirmed uploads
// are deleted, analyses and exports no longer wait for them, and cached chunks of deleted clips are
// removed. Expired sessions, tokens,
// invitations, sign-ins, rate limits and events are deleted.
func (s *Store) SweepExpired() (int, error) {
	defer s.reserve.fill()
	s.erasing.RLock()
	defer s.erasing.RUnlock()
	expired, err := s.expireExports()
	sweeps := []func() error{
		s.eraseLeft,
		s.duplicateLeft,
		s.purgeTrash,
		s.purgeProjects,
		s.collectUploads,
		s.startIdle,
		s.sweepChunks,
		func() error { return s.updateOnReserve((*txn).pruneAllEvents) },
	}
	err = joinEach(err, sweeps, func(sweep func() error) error { return sweep() })
	return expired, joinEach(err, tables(), s.sweepTable)
}

// joinEach calls fn with each element, also after an error. It returns err joined with the errors
// of fn.
func joinEach[T any](err error, list []T, fn func(T) error) error {
	for _, e := range list {
		err = errors.Join(err, fn(e))
	}
	return err
}

func (s *Store) expireExports() (int, error) {
	n := 0
	err := s.view(func(t *txn) error {
		due, err := exports.Due(t, exportsByExpiry, t.Now)
		n = len(due)
		return err
	})
	if err != nil || n == 0 {
		return 0, err
	}
	err = s.updateOnReserve(func(t *txn) error {
		due, err := exports.Due(t, exportsByExpiry, t.Now)
		for _, row := range due {
			if err := t.dropFiles(row.UUID); err != nil {
				return err
			}
			row.Status, row.StorageKey, row.UpdatedAt = ExportExpired, "", t.Now
			if err := exports.Put(t, row); err != nil {
				return err
			}
		}

		n = len(due)
		return err
	})
	return n, err
}

// sweepTable deletes the stale rows of a table in batches. Without stale rows it writes nothing.
func (s *Store) sweepTable(tab table.Any) error {
	keys, err := viewed(s, func(t *txn) ([]string, error) { return tab.Expired(t) })
	if err != nil {
		return err
	}
	for part := range slices.Chunk(keys, sweepBatch) {
		if err := s.updateOnReserve(func(t *txn) error { return tab.DeleteExpired(t, part) }); err != nil {
			return err
		}
	}

	return nil
}
