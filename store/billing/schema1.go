package billing

import (
	"encoding/json"
	"fmt"
	"time"
)

// accountOf1 is the credits of an account in schema 1.
type accountOf1 struct {
	Granted, Balance, Reserved, Charged int64
	Since                               time.Time
}

// OpenLedgers migrates from schema 1: it writes the credits of all accounts as movements. Errors:
// damaged when the credits of an account do not add up.
func (b Books) OpenLedgers(damaged error) error {
	before := map[string]accountOf1{}
	err := b.Bucket([]byte(accounts.Name)).ForEach(func(k, value []byte) error {
		var old accountOf1
		if err := json.Unmarshal(value, &old); err != nil {
			return fmt.Errorf("reading a row of %s: %w", accounts.Name, err)
		}
		before[string(k)] = old
		return nil
	})
	for uuid, old := range before {
		if err == nil {
			err = b.openLedger(uuid, old, damaged)
		}
	}

	return err
}

// openLedger writes the credits of an account in schema 1 as movements: one grant, and the
// reservations of its runs. Errors: damaged when they do not add up.
func (b Books) openLedger(uuid string, old accountOf1, damaged error) error {
	a, err := accounts.Get(b, uuid)
	if err != nil {
		return err
	}
	a.Anchor = old.Since
	if a.Status != statusTrialing && a.Welcomed {
		a.RefillAt = monthsLater(a.Anchor, b.Now, 1)
	}
	if err := b.move(
		a,
		movement{Pool: poolTier, Kind: moveGrant, Amount: old.Granted, Reason: reasonWelcome},
	); err != nil {
		return err
	}

	err = reservations.Each(b, func(r *reservation) error {
		if r.UserUUID != uuid {
			return nil
		}
		err := b.move(a, movement{Pool: poolTier, Kind: moveReserve, Amount: r.Amount, RunUUID: r.RunUUID})
		if kind := map[string]string{Charged: moveCharge, Released: moveRelease}[r.State]; kind != "" {
			if err == nil {
				err = b.move(a, movement{Pool: poolTier, Kind: kind, Amount: r.Amount, RunUUID: r.RunUUID})
			}
		}

		return err
	})
	if err != nil {
		return err
	}
	if p := a.TierCredits; p.Balance != old.Balance || p.Reserved != old.Reserved || p.Charged != old.Charged {
		return fmt.Errorf("%w (the credits of account %s do not add up)", damaged, uuid)
	}
	return accounts.Put(b, a)
}
