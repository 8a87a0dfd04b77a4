package store

import "time"

// Reminder is what somebody is reminded of who asked for that.
type Reminder struct {
	Name, Email string
	Tier        Tier
	RenewsAt    time.Time
	AmountCents int64
	Currency    string
}

// What the time of an account can come for, in the order in which it happens where two come at
// once.
const (
	dueTrialEnd = iota + 1
	dueReminder
	dueRenewal // or another try
	dueRefill
	dueBeta
)

// due returns what is next for an account, and when; the zero time where nothing is, or where a
// payment under way comes first.
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

// AdvanceBilling does what time has brought about for plans and credits, in its order, for however
// long nobody looked: trials end, reminders go out, months of credits begin, and renewals begin
// their payment, which waits for FinishPayment. Where a payment is under way the account stands
// still until it has ended; then there may be more to do. remind writes the mail of a reminder. In
// owner mode nothing ever happens.
func (s *Store) AdvanceBilling(remind func(Reminder) Mail) error {
	for !s.o.TierTable.Owner {
		var due []*account
		err := s.view(func(t *txn) (err error) {
			due, err = dueRows(t, accounts, accountsByDue, t.now)
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

// advanceAll does what is due for accounts, of which some may be gone.
func (t *txn) advanceAll(list []*account, remind func(Reminder) Mail) error {
	for _, stale := range list {
		a, err := accounts.find(t, stale.UserUUID)
		if err == nil && a != nil {
			err = t.advance(a, remind)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// advance does what is due for one account, and writes it.
func (t *txn) advance(a *account, remind func(Reminder) Mail) error {
	for {
		at, what := a.due()
		if at.IsZero() || at.After(t.now) {
			return accounts.put(t, a)
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
			err = t.beginMonth(a, t.now)
		case dueBeta:
			err = t.renewBeta(a)
		}
		if err != nil {
			return err
		}
	}
}

// beginMonth sets the credits of the plan to its allowance. The next month begins at the first that
// lies after at: of months that went by unseen, only the last one counts.
func (t *txn) beginMonth(a *account, at time.Time) error {
	a.RefillAt = monthsLater(a.Anchor, at, 1)
	return t.refill(a, poolPlan, t.allowance(a.Tier), reasonMonth)
}

// quote is the payment for the period after the present one, with the downgrade that is scheduled.
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

// remind queues the mail that somebody asked for.
func (t *txn) remind(a *account, letter func(Reminder) Mail) error {
	user, err := users.get(t, a.UserUUID)
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
