package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"roughcut/store/table"
)

// accountOf1 is the credits of an account in schema 1.
type accountOf1 struct {
	Granted, Balance, Reserved, Charged int64
	Since                               time.Time
}

// ledgerOfCredits migrates schema 1 to schema 2: credits are sums of movements, some indexes are
// counted, and there are more buckets.
func ledgerOfCredits(t *txn) error {
	if err := createBuckets(t); err != nil {
		return err
	}
	before := map[string]accountOf1{}
	err := t.Bucket([]byte(accounts.Name)).ForEach(func(k, value []byte) error {
		var old accountOf1
		if err := json.Unmarshal(value, &old); err != nil {
			return fmt.Errorf("reading a row of %s: %w", accounts.Name, err)
		}
		before[string(k)] = old
		return nil
	})
	for uuid, old := range before {
		err = errors.Join(err, t.openLedger(uuid, old))
	}
	if err != nil {
		return err
	}
	return table.Rebuild(t, tables()...)
}

// openLedger writes the credits of an account in schema 1 as movements: one grant, and the
// reservations of its runs. Errors: ErrDamaged when they do not add up.
func (t *txn) openLedger(uuid string, old accountOf1) error {
	a, err := accounts.Get(t, uuid)
	if err != nil {
		return err
	}
	a.Anchor = old.Since
	if a.Status != statusTrialing && a.Welcomed {
		a.RefillAt = monthsLater(a.Anchor, t.Now, 1)
	}
	if err := t.move(
		a,
		movement{Pool: poolTier, Kind: moveGrant, Amount: old.Granted, Reason: reasonWelcome},
	); err != nil {
		return err
	}

	err = reservations.Each(t, func(r *reservation) error {
		if r.UserUUID != uuid {
			return nil
		}
		err := t.move(a, movement{Pool: poolTier, Kind: moveReserve, Amount: r.Amount, RunUUID: r.RunUUID})
		if kind := map[string]string{charged: moveCharge, released: moveRelease}[r.State]; kind != "" {
			err = errors.Join(
				err,
				t.move(a, movement{Pool: poolTier, Kind: kind, Amount: r.Amount, RunUUID: r.RunUUID}),
			)
		}

		return err
	})
	if err != nil {
		return err
	}
	if p := a.TierCredits; p.Balance != old.Balance || p.Reserved != old.Reserved || p.Charged != old.Charged {
		return fmt.Errorf("%w (the credits of account %s do not add up)", ErrDamaged, uuid)
	}
	return accounts.Put(t, a)
}
