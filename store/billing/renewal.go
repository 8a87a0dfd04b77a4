package billing

import "time"

// Reminder is the content of a renewal reminder.
type Reminder struct {
	Name, Email string
	Tier        Tier
	RenewsAt    time.Time
	AmountCents int64
	Currency    string
}

// Kinds of due work on an account. Work that is due at the same time runs in this order.
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
		if other.IsZero() {
			return
		}
		if at.IsZero() || other.Before(at) {
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

// Due returns the users with due work on their accounts, the earliest first. It returns none if
// billing is off.
func (b Books) Due() (users []string, err error) {
	if b.Unlimited {
		return nil, nil
	}
	due, err := accounts.Due(b, accountsByDue, b.Now)
	for _, a := range due {
		users = append(users, a.UserUUID)
	}
	return users, err
}

// Advance does the due work on the account of a user, in order of time. The trial ends, remind gets
// a reminder without name and address, and months of credits start. A renewal creates a payment,
// which stops the work until the payment is complete. Advance catches up after any pause. It
// ignores a deleted account.
func (b Books) Advance(userUUID string, remind func(Reminder) error) error {
	a, err := accounts.Find(b, userUUID)
	if err != nil || a == nil {
		return err
	}
	for {
		at, what := a.due()
		if at.IsZero() || at.After(b.Now) {
			return accounts.Put(b, a)
		}
		var err error
		switch what {
		case dueTrialEnd:
			err = b.endTrial(a)
		case dueReminder:
			err = b.remind(a, remind)
		case dueRenewal:
			err = b.beginPayment(a, b.quote(a))
		case dueRefill:
			err = b.beginMonth(a, b.Now)
		case dueBeta:
			err = b.renewBeta(a)
		}

		if err != nil {
			return err
		}
	}
}

// beginMonth sets the tier's credits to the allowance. The next month starts at the first month
// boundary after at, so that a pause of several months grants one month only.
func (b Books) beginMonth(a *account, at time.Time) error {
	a.RefillAt = monthsLater(a.Anchor, at, 1)
	return b.refill(a, poolTier, b.allowance(a.Tier), reasonMonth)
}

// quote returns the payment for the next period, at the scheduled price if there is one.
func (b Books) quote(a *account) *paymentRow {
	price := b.price(a.Tier, a.Interval)
	if a.ScheduledPriceID != 0 {
		price = b.priceOf(a.ScheduledPriceID)
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

// remind sends a renewal reminder.
func (b Books) remind(a *account, send func(Reminder) error) error {
	a.RemindAt = time.Time{}
	next := b.quote(a)
	return send(Reminder{
		Tier:        b.priceOf(next.PriceID).Tier,
		RenewsAt:    a.PeriodEnd,
		AmountCents: next.AmountCents,
		Currency:    b.Currency,
	})
}
