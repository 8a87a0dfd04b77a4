package store

import (
	"errors"

	"roughcut/store/table"
)

// sweepBatch is the number of rows that one transaction deletes.
const sweepBatch = 500

// SweepExpired does all work that depends on time only, and returns the number of exports that
// expired. Expired exports lose their file, old ones in the trash are deleted, unconfirmed uploads
// are deleted, and cached chunks of deleted clips are removed. Expired sessions, tokens,
// invitations, sign-ins, rate limits and events are deleted.
func (s *Store) SweepExpired() (int, error) {
	defer s.ballast.fill()
	s.erasing.RLock()
	defer s.erasing.RUnlock()
	expired, err := s.expireExports()
	now := s.Now()
	err = errors.Join(err,
		s.eraseLeft(), s.duplicateLeft(), s.purgeTrash(), s.collectUploads(), s.sweepChunks(),
		s.free((*txn).pruneAllEvents),
		sweepRows(s, tokens, func(r *usedToken) bool { return !r.ExpiresAt.After(now) }),
		sweepRows(s, sessions, func(r *Session) bool { return !r.ExpiresAt.After(now) }),
		sweepRows(s, accessTokens, func(r *accessTokenRow) bool { return r.expired(now) }),
		sweepRows(s, invitations, func(r *Invitation) bool { return r.expired(now) }),
		sweepRows(s, oauthFlows, func(r *OAuthFlow) bool { return !r.ExpiresAt.After(now) }),
		sweepRows(s, windows, func(r *window) bool { return !r.KeepUntil.After(now) }),
		sweepRows(s, lockouts, func(r *lockout) bool { return !r.KeepUntil.After(now) && !r.LockedUntil.After(now) }))
	return expired, err
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
	err = s.free(func(t *txn) error {
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

// sweepRows deletes stale rows in batches. Without stale rows it writes nothing.
func sweepRows[T any](s *Store, tab *table.Table[T], stale func(*T) bool) error {
	var keys []string
	err := s.view(func(t *txn) error {
		return tab.Each(t, func(row *T) error {
			if stale(row) {
				keys = append(keys, string(tab.Key(row)))
			}
			return nil
		})
	})
	for err == nil && len(keys) > 0 {
		part := keys[:min(sweepBatch, len(keys))]
		keys = keys[len(part):]
		err = s.free(func(t *txn) error {
			for _, k := range part {
				row, err := tab.Find(t, k)
				if err != nil {
					return err
				}
				if row != nil && stale(row) {
					if err := tab.Delete(t, k); err != nil {
						return err
					}
				}
			}

			return nil
		})
	}

	return err
}
