package store

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// The trial: how long it lasts and what it grants, in hundredths of a minute.
const (
	trialLength  = 7 * day
	trialCredits = 30 * 100
)

// usedTrial remembers that an address had its trial, beyond the life of the account, without
// keeping the address.
type usedTrial struct {
	Hash string // keyed hash of the address, hex
	At   time.Time
}

var trials = &table[usedTrial]{name: "trials", what: "trial", key: func(r *usedTrial) []byte { return []byte(r.Hash) }}

// grantWelcome grants an account its first credits, once: the trial, or a month of Free where the
// address had its trial before.
func (t *txn) grantWelcome(user *userRow) error {
	a, err := accounts.get(t, user.UUID)
	if err != nil || a.Welcomed {
		return err
	}
	a.Welcomed = true
	used, err := t.trialUsed(a, user)
	if err != nil {
		return err
	}
	a.TrialUsed = used
	if !used && !t.s.o.TrialOnRequest {
		return t.startTrial(a, user)
	}
	a.Anchor = t.now
	a.RefillAt = monthsLater(a.Anchor, t.now, 1)
	if err := t.raise(a, poolPlan, t.allowance(Free), reasonWelcome); err != nil {
		return err
	}
	return accounts.put(t, a)
}

// ActivateTrial starts the trial of an account. Errors: Conflict trial_used, also where the address
// had its trial with an account that is gone; Conflict conflict where a plan is paid for.
func (s *Store) ActivateTrial(userUUID string) error {
	return s.update(func(t *txn) error {
		user, err := users.get(t, userUUID)
		if err != nil {
			return err
		}
		a, err := accounts.get(t, userUUID)
		if err != nil {
			return err
		}
		used, err := t.trialUsed(a, user)
		if err != nil {
			return err
		}
		if used {
			return fail(Conflict, "trial_used", "This address has had its trial. Choose a plan to go on.")
		}
		if s.o.TierTable.Owner || a.paid() {
			return fail(Conflict, "conflict", "You have a plan already, which holds more than the trial.")
		}
		a.Welcomed = true
		return t.startTrial(a, user)
	})
}

// trialUsed says whether an account or its present address had its trial.
func (t *txn) trialUsed(a *account, user *userRow) (bool, error) {
	if a.TrialUsed {
		return true, nil
	}
	hash, err := t.s.trialHash(user.Email)
	if err != nil {
		return false, err
	}
	used, err := trials.find(t, hash)
	return used != nil, err
}

// startTrial puts an account on the trial and remembers its address.
func (t *txn) startTrial(a *account, user *userRow) error {
	hash, err := t.s.trialHash(user.Email)
	if err != nil {
		return err
	}
	if err := trials.put(t, &usedTrial{Hash: hash, At: t.now}); err != nil {
		return err
	}
	ends := t.now.Add(trialLength)
	a.Tier = Creator
	a.Status = statusTrialing
	a.TrialUsed = true
	a.TrialEndsAt = &ends
	a.Anchor, a.RefillAt = t.now, time.Time{}
	if err := t.raise(a, poolPlan, trialCredits, reasonTrial); err != nil {
		return err
	}
	if err := t.addInvoice(
		invoiceRow{
			Invoice: Invoice{
				UserUUID:    a.UserUUID,
				Kind:        InvoiceGrant,
				Description: "Trial: 30 AI minutes, 7 days of Creator",
				PeriodStart: &t.now,
				PeriodEnd:   &ends,
				Status:      InvoicePaid,
			},
		},
	); err != nil {
		return err
	}
	return accounts.put(t, a)
}

// endTrial puts an account whose trial is over on Free, whose first month begins with that.
func (t *txn) endTrial(a *account) error {
	a.Tier, a.Status, a.Anchor = Free, statusNone, *a.TrialEndsAt
	return t.beginMonth(a, *a.TrialEndsAt)
}

func (s *Store) trialHash(email string) (string, error) {
	secret, err := s.Secret("trials")
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(fold(email)))
	return hex.EncodeToString(mac.Sum(nil)), nil
}
