package store

import "time"

// Reminder is the content of a renewal reminder.
type Reminder struct {
	Name, Email string
	Tier        Tier
	RenewsAt    time.Time
	AmountCents int64
	Currency    string
}

// Kinds of due work on an account, in the order in which simultaneous work runs.
const (
	dueTrialEnd = iota + 1
	dueReminder
	dueRenewal // also retries
	dueRefill
	dueBeta
)

// due returns the next work on an account and its time. The time is zero without work, and
// while a payment is open.
func (a *account) due() (at time.Time, what int) {
	if a.OpenPayment != "" {
		return at, 0
	}
	earlier := func(other time.Time, kind int) {
		if !other.IsZero() && (at.IsZero() || other.Before(at)) {
			at, what = other, kind
		}
	}
	if a.Status == statusTrialing {
		earlier(*a.TrialEndsAt, dueTrialEnd)
	}
	earlier(a.RemindAt, dueReminder)
	if a.Status == statusActive {
		earlier(a.PeriodEnd, dueRenewal)
	}
	earlier(a.RetryAt, dueRenewal)
	if a.Status != statusPastDue {
		earlier(a.RefillAt, dueRefill)
	}
	earlier(a.BetaRenewsAt, dueBeta)
	return at, what
}

// AdvanceBilling does the due work on all accounts, in order of time. Trials end, reminders go out,
// months of credits start, and renewals create a payment that waits for FinishPayment. An account
// with an open payment waits until the payment is complete. The function remind writes the mail of
// a reminder. AdvanceBilling catches up after any pause. In owner mode it does nothing.
func (s *Store) AdvanceBilling(remind func(Reminder) Mail) error {
	for !s.o.TierTable.Unlimited {
		var due []*account
		err := s.view(func(t *txn) (err error) {
			due, err = accounts.Due(t, accountsByDue, t.Now)
			return err
		})
		if err != nil || len(due) == 0 {
			return err
		}
		for len(due) > 0 {
			part := due[:min(sweepBatch, len(due))]
			due = due[len(part):]
			if err := s.update(func(t *txn) error { return t.advanceAll(part, remind) }); err != nil {
				return err
			}
		}
	}

	return nil
}

// advanceAll does the due work on accounts. It skips accounts that were deleted since the list was
// read.
func (t *txn) advanceAll(list []*account, remind func(Reminder) Mail) error {
	for _, stale := range list {
		a, err := accounts.Find(t, stale.UserUUID)
		if err == nil && a != nil {
			err = t.advance(a, remind)
		}
		if err != nil {
			return err
		}
	}

	return nil
}

// advance does the due work on one account and writes it.
func (t *txn) advance(a *account, remind func(Reminder) Mail) error {
	for {
		at, what := a.due()
		if at.IsZero() || at.After(t.Now) {
			return accounts.Put(t, a)
		}
		var err error
		switch what {
		case dueTrialEnd:
			err = t.endTrial(a)
		case dueReminder:
			err = t.remind(a, remind)
		case dueRenewal:
			err = t.beginPayment(a, t.quote(a))
		case dueRefill:
			err = t.beginMonth(a, t.Now)
		case dueBeta:
			err = t.renewBeta(a)
		}

		if err != nil {
			return err
		}
	}
}

// beginMonth sets the tier's credits to the allowance. The next month starts at the first month
// boundary after at, so that a pause of several months grants one month only.
func (t *txn) beginMonth(a *account, at time.Time) error {
	a.RefillAt = monthsLater(a.Anchor, at, 1)
	return t.refill(a, poolTier, t.allowance(a.Tier), reasonMonth)
}

// quote returns the payment for the next period, at the scheduled price if there is one.
func (t *txn) quote(a *account) *paymentRow {
	price := t.s.o.TierTable.price(a.Tier, a.Interval)
	if a.ScheduledPriceID != 0 {
		price = t.s.o.TierTable.priceOf(a.ScheduledPriceID)
	}
	discount := int64(0)
	if a.DiscountLeft > 0 {
		discount = (price.AmountCents*discountPercent + 50) / 100
	}
	counted := min(a.CreditCents, price.AmountCents-discount)
	return &paymentRow{
		Payment: Payment{
			UserUUID:    a.UserUUID,
			Purpose:     PurposeRenewal,
			PriceID:     price.ID,
			AmountCents: price.AmountCents - discount - counted,
		},
		PriceCents:    price.AmountCents,
		DiscountCents: discount,
		CountedCents:  counted,
		CreditCents:   a.CreditCents - counted,
		PeriodStart:   a.PeriodEnd,
		PeriodEnd:     monthsLater(a.Anchor, a.PeriodEnd, monthsOf(price.Interval)),
	}
}

// remind queues a renewal reminder.
func (t *txn) remind(a *account, letter func(Reminder) Mail) error {
	user, err := users.Get(t, a.UserUUID)
	if err != nil {
		return err
	}
	a.RemindAt = time.Time{}
	next := t.quote(a)
	return t.queueMails(
		[]Mail{letter(Reminder{Name: user.Name, Email: user.Email, Tier: t.s.o.TierTable.priceOf(next.PriceID).Tier,
			RenewsAt: a.PeriodEnd, AmountCents: next.AmountCents, Currency: t.s.o.TierTable.Currency})},
	)
}
