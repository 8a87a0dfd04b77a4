package billing

import (
	"time"

	"roughcut/store/fault"
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

// Welcome grants the account of a user whose address has a keyed hash its first credits, once. It
// starts the trial, or grants a month of Free when the address already had a trial.
func (b Books) Welcome(userUUID, address string) error {
	a, err := accounts.Get(b, userUUID)
	if err != nil || a.Welcomed {
		return err
	}
	a.Welcomed = true
	used, err := b.trialUsed(a, address)
	if err != nil {
		return err
	}
	a.TrialUsed = used
	if !used && !b.TrialOnRequest && !b.Unlimited {
		return b.startTrial(a, address)
	}
	a.Anchor = b.Now
	a.RefillAt = monthsLater(a.Anchor, b.Now, 1)
	if err := b.raise(a, poolTier, b.allowance(Free), reasonWelcome); err != nil {
		return err
	}
	return accounts.Put(b, a)
}

// ActivateTrial starts the trial of a user whose address has a keyed hash. Errors: NotFound;
// Conflict trial_used, also when a deleted account had the trial for the same address; Conflict
// conflict with a subscription.
func (b Books) ActivateTrial(userUUID, address string) error {
	a, err := accounts.Get(b, userUUID)
	if err != nil {
		return err
	}
	used, err := b.trialUsed(a, address)
	if err != nil {
		return err
	}
	if used {
		return fault.New(
			fault.Conflict,
			"trial_used",
			"This address has already used its trial. Choose a tier to continue.",
		)
	}

	if b.Unlimited || a.paid() {
		return fault.New(fault.Conflict, "conflict", "Your current tier already includes more than the trial.")
	}
	a.Welcomed = true
	return b.startTrial(a, address)
}

// trialUsed reports whether an account or an address had a trial.
func (b Books) trialUsed(a *account, address string) (bool, error) {
	if a.TrialUsed {
		return true, nil
	}
	used, err := trials.Find(b, address)
	return used != nil, err
}

// startTrial starts the trial of an account and records the address.
func (b Books) startTrial(a *account, address string) error {
	if err := trials.Put(b, &usedTrial{Hash: address, At: b.Now}); err != nil {
		return err
	}
	ends := b.Now.Add(trialLength)
	a.Tier = Creator
	a.Status = statusTrialing
	a.TrialUsed = true
	a.TrialEndsAt = &ends
	a.Anchor, a.RefillAt = b.Now, time.Time{}
	if err := b.raise(a, poolTier, trialCredits, reasonTrial); err != nil {
		return err
	}
	err := b.addInvoice(invoiceRow{Invoice: Invoice{
		UserUUID:    a.UserUUID,
		Kind:        InvoiceGrant,
		Description: "Trial: 30 AI minutes, 7 days of Creator",
		PeriodStart: &b.Now,
		PeriodEnd:   &ends,
		Status:      InvoicePaid,
	}})
	if err != nil {
		return err
	}
	return accounts.Put(b, a)
}

// endTrial moves an account to Free and starts its first month at the end of the trial.
func (b Books) endTrial(a *account) error {
	a.Tier, a.Status, a.Anchor = Free, statusNone, *a.TrialEndsAt
	return b.beginMonth(a, *a.TrialEndsAt)
}
