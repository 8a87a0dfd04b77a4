package store

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"roughcut/store/table"
)

// Length of the trial, and its credits in hundredths of an AI minute.
const (
	trialLength  = 7 * day
	trialCredits = 30 * 100
)

// usedTrial records that an address had its trial. It outlives the account and does not contain the
// address.
type usedTrial struct {
	Hash string // keyed hash of the address, in hex
	At   time.Time
}

var trials = &table.Table[usedTrial]{
	Name: "trials",
	Noun: "trial",
	Key:  func(r *usedTrial) []byte { return []byte(r.Hash) },
}

// grantWelcome grants an account its first credits, once. It starts the trial, or grants a month of
// Free when the address already had a trial.
func (t *txn) grantWelcome(user *userRow) error {
	a, err := accounts.Get(t, user.UUID)
	if err != nil || a.Welcomed {
		return err
	}
	a.Welcomed = true
	used, err := t.trialUsed(a, user)
	if err != nil {
		return err
	}
	a.TrialUsed = used
	if !used && !t.s.o.TrialOnRequest && !t.s.o.TierTable.Unlimited {
		return t.startTrial(a, user)
	}
	a.Anchor = t.Now
	a.RefillAt = monthsLater(a.Anchor, t.Now, 1)
	if err := t.raise(a, poolTier, t.allowance(Free), reasonWelcome); err != nil {
		return err
	}
	return accounts.Put(t, a)
}

// ActivateTrial starts the trial of an account. Errors: Conflict trial_used, also when a deleted
// account had the trial for the same address; Conflict conflict with a subscription.
func (s *Store) ActivateTrial(userUUID string) error {
	return s.update(func(t *txn) error {
		user, err := users.Get(t, userUUID)
		if err != nil {
			return err
		}
		a, err := accounts.Get(t, userUUID)
		if err != nil {
			return err
		}
		used, err := t.trialUsed(a, user)
		if err != nil {
			return err
		}
		if used {
			return fail(Conflict, "trial_used", "This address has already used its trial. Choose a tier to continue.")
		}
		if s.o.TierTable.Unlimited || a.paid() {
			return fail(Conflict, "conflict", "Your current tier already includes more than the trial.")
		}
		a.Welcomed = true
		return t.startTrial(a, user)
	})
}

// trialUsed reports whether an account or its current address had a trial.
func (t *txn) trialUsed(a *account, user *userRow) (bool, error) {
	if a.TrialUsed {
		return true, nil
	}
	hash, err := t.s.trialHash(user.Email)
	if err != nil {
		return false, err
	}
	used, err := trials.Find(t, hash)
	return used != nil, err
}

// startTrial starts the trial of an account and records the address.
func (t *txn) startTrial(a *account, user *userRow) error {
	hash, err := t.s.trialHash(user.Email)
	if err != nil {
		return err
	}
	if err := trials.Put(t, &usedTrial{Hash: hash, At: t.Now}); err != nil {
		return err
	}
	ends := t.Now.Add(trialLength)
	a.Tier = Creator
	a.Status = statusTrialing
	a.TrialUsed = true
	a.TrialEndsAt = &ends
	a.Anchor, a.RefillAt = t.Now, time.Time{}
	if err := t.raise(a, poolTier, trialCredits, reasonTrial); err != nil {
		return err
	}
	err = t.addInvoice(invoiceRow{Invoice: Invoice{
		UserUUID:    a.UserUUID,
		Kind:        InvoiceGrant,
		Description: "Trial: 30 AI minutes, 7 days of Creator",
		PeriodStart: &t.Now,
		PeriodEnd:   &ends,
		Status:      InvoicePaid,
	}})
	if err != nil {
		return err
	}
	return accounts.Put(t, a)
}

// endTrial moves an account to Free and starts its first month at the end of the trial.
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
