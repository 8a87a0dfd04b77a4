package store

import (
	"time"

	"roughcut/store/table"
)

// defaultFlag is the part of a row that makes it a user's default.
type defaultFlag struct {
	uuid      string
	isDefault *bool
	updatedAt *time.Time
}

// clearOtherDefaults removes the default flag from all rows of a user except the one with a uuid.
func clearOtherDefaults[R any](
	t *txn,
	rows *table.Table[R],
	byUser *table.Index[R],
	userUUID, uuid string,
	of func(*R) defaultFlag,
) error {
	list, err := rows.List(t, byUser, userUUID)
	if err != nil {
		return err
	}
	for _, other := range list {
		s := of(other)
		if s.uuid == uuid || !*s.isDefault {
			continue
		}
		*s.isDefault, *s.updatedAt = false, t.Now
		if err := rows.Put(t, other); err != nil {
			return err
		}
	}

	return nil
}
