package store

import (
	"time"

	"roughcut/store/table"
)

// standing is what makes one of a user's things the default.
type defaultFlag struct {
	uuid      string
	isDefault *bool
	updatedAt *time.Time
}

// yieldDefault takes from all other rows of a user that they are the default, now that the row with
// the uuid is.
func clearOtherDefaults[R any](t *txn, rows *table.Table[R], byUser *table.Index[R], userUUID, uuid string, of func(*R) defaultFlag) error {
	list, err := rows.List(t, byUser, userUUID)
	if err != nil {
		return err
	}
	for _, other := range list {
		s := of(other)
		if s.uuid == uuid || !*s.isDefault {
			continue
		}
		*s.isDefault, *s.updatedAt = false, t.now
		if err := rows.Put(t, other); err != nil {
			return err
		}
	}
	return nil
}
