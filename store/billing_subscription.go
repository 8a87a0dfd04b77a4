package store

import (
	"cmp"
	"slices"
	"time"

	"roughcut/store/table"
)

// Terms of the discount in the cancellation flow.
const (
	discountPercent  = 30
	discountRenewals = 2
)

// remindBefore is the time from a reminder to the renewal.
const remindBefore = 3 * day

// Outcomes of the cancellation flow.
const (
	FeedbackCancelled = "cancelled"
	FeedbackReminder  = "reminder_set"
	FeedbackDiscount  = "discount_accepted"
	FeedbackKept      = "kept_plan"
)

// Feedback is a user's answer in the cancellation flow, with its outcome.
type Feedback struct {
	UUID, UserUUID, Reason, Detail, Outcome string
	Tier                                    Tier
	CreatedAt                               time.Time
}

var (
	feedbackByUser = &table.Index[Feedback]{
		Name: "feedback.by_user",
		Keys: func(r *Feedback) [][]byte { return table.Entry(r.UserUUID) },
	}
	feedback = &table.Table[Feedback]{
		Name:    "feedback",
		Noun:    "feedback",
		Key:     func(r *Feedback) []byte { return []byte(r.UUID) },
		Indexes: []*table.Index[Feedback]{feedbackByUser},
	}
)

// Quote is the cost of an upgrade now. Amounts are in hundredths of the currency, or in whole units
// of a currency without a smaller unit.
type Quote struct {
	PriceCents   int64
	CountedCents int64 // deducted from the price: the value of unused days and of earlier credit
	AmountCents  int64 // to charge now
	CreditCents  int64 // value that is left for the next charges
	PeriodEnd    time.Time
}

// QuoteUpgrade returns what BeginUpgrade would charge now. Errors: those of BeginUpgrade.
func (s *Store) QuoteUpgrade(userUUID string, priceID int) (Quote, error) {
	var q Quote
	err := s.view(func(t *txn) error {
		a, err := accounts.Get(t, userUUID)
		if err != nil {
			return err
		}
		p, err := t.upgradeTo(a, priceID)
		if err == nil {
			q = Quote{
				PriceCents:   p.PriceCents,
				CountedCents: p.CountedCents,
				AmountCents:  p.AmountCents,
				CreditCents:  p.CreditCents,
				PeriodEnd:    p.PeriodEnd,
			}
		}

		return err
	})
	return q, err
}

// BeginUpgrade creates the payment that moves a user to a higher price. The value of the unused
// days, and of earlier credit, is deducted from the new price. A payment of 0 completes at once;
// any other waits for FinishPayment. Errors: NotFound; Unprocessable not_an_upgrade; Conflict while
// another payment is open.
func (s *Store) BeginUpgrade(userUUID string, priceID int) (Payment, error) {
	var p *paymentRow
	err := s.update(func(t *txn) error {
		a, err := accounts.Get(t, userUUID)
		if err != nil {
			return err
		}
		if p, err = t.upgradeTo(a, priceID); err != nil {
			return err
		}
		return t.beginPayment(a, p)
	})
	if err != nil {
		return Payment{}, err
	}
	return p.Payment, nil
}

// upgradeTo returns the payment that moves an account to a price. It writes nothing.
func (t *txn) upgradeTo(a *account, priceID int) (*paymentRow, error) {
	tiers := t.s.o.TierTable
	price, err := tiers.find(priceID)
	if err != nil {
		return nil, err
	}
	tier, interval := Free, ""
	if a.paid() {
		tier, interval = a.Tier, a.Interval
	}
	if tiers.Unlimited || !price.above(tier, interval) {
		return nil, priceError(
			"not_an_upgrade",
			"You already have this tier or a higher one. To change to a lower tier, schedule a downgrade.",
		)
	}

	if err := a.settled(); err != nil {
		return nil, err
	}
	worth := a.CreditCents + unusedCents(a.PaidCents, a.PeriodStart, a.PeriodEnd, t.Now)
	counted := min(worth, price.AmountCents)
	return &paymentRow{
		Payment: Payment{
			UserUUID:    a.UserUUID,
			Purpose:     PurposeUpgrade,
			PriceID:     price.ID,
			AmountCents: price.AmountCents - counted,
		},
		PriceCents:   price.AmountCents,
		CountedCents: counted,
		CreditCents:  worth - counted,
		PeriodStart:  t.Now,
		PeriodEnd:    monthsLater(t.Now, t.Now, monthsOf(price.Interval)),
	}, nil
}

// ScheduleDowngrade changes a subscription to a lower price when its period ends. It replaces a
// downgrade that was scheduled before. Errors: NotFound; Conflict no_subscription; Unprocessable
// not_a_downgrade; Conflict while a payment is open.
func (s *Store) ScheduleDowngrade(userUUID string, priceID int) error {
	return s.changeSubscription(userUUID, func(_ *txn, a *account) error {
		price, err := s.o.TierTable.find(priceID)
		if err != nil {
			return err
		}
		if !a.paid() {
			return noSubscription()
		}
		if price.above(a.Tier, a.Interval) || (price.Tier == a.Tier && price.Interval == a.Interval) {
			return priceError(
				"not_a_downgrade",
				"This price is not lower than your current one. To change to a higher price, upgrade.",
			)
		}

		if err := a.settled(); err != nil {
			return err
		}
		a.ScheduledPriceID = price.ID
		return nil
	})
}

// AddFeedback records an answer in the cancellation flow and applies its outcome. FeedbackCancelled
// ends the subscription at once. FeedbackReminder schedules a mail before the next renewal.
// FeedbackDiscount discounts the next two renewals. FeedbackKept changes nothing. Errors: Conflict
// no_subscription, discount_used; Conflict while a payment is open.
func (s *Store) AddFeedback(f Feedback) error {
	return s.changeSubscription(f.UserUUID, func(t *txn, a *account) error {
		f.UUID, f.Tier, f.CreatedAt = s.NewID(), t.tier(a), t.Now
		if f.Outcome != FeedbackKept {
			if !a.paid() {
				return noSubscription()
			}
			if err := t.applyOutcome(a, f.Outcome); err != nil {
				return err
			}
		}

		return feedback.Put(t, &f)
	})
}

// Feedback returns one page of the answers in the cancellation flow, newest first, and the number
// of all.
func (s *Store) Feedback(p Page) ([]Feedback, int, error) {
	var list []Feedback
	err := s.view(func(t *txn) error {
		return feedback.Each(t, func(f *Feedback) error {
			list = append(list, *f)
			return nil
		})
	})
	slices.SortFunc(
		list,
		func(a, b Feedback) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.UUID, a.UUID)) },
	)
	return table.Cut(list, p), len(list), err
}

func (t *txn) applyOutcome(a *account, outcome string) error {
	if err := a.settled(); err != nil {
		return err
	}
	switch outcome {
	case FeedbackCancelled:
		return t.endSubscription(a)
	case FeedbackReminder:
		a.remindBeforeRenewal()
	case FeedbackDiscount:
		if a.DiscountUsed {
			return fail(Conflict, "discount_used", "You have already used this discount. It is available only once.")
		}
		a.DiscountUsed, a.DiscountLeft = true, discountRenewals
	}

	return nil
}

// endSubscription moves an account to Free now. Credits above the allowance of Free expire, and the
// rest of the period is not refunded. Credit from earlier periods stays for a later subscription.
func (t *txn) endSubscription(a *account) error {
	a.Tier, a.Status = Free, statusCanceled
	a.Interval = ""
	a.PeriodStart = time.Time{}
	a.PeriodEnd = time.Time{}
	a.PaidCents = 0
	a.ScheduledPriceID = 0
	a.Failures = 0
	a.RetryAt = time.Time{}
	a.RemindAt = time.Time{}
	a.DiscountLeft = 0
	a.Anchor = t.Now
	a.RefillAt = monthsLater(a.Anchor, t.Now, 1)
	return t.lower(a, poolTier, t.allowance(Free), reasonTier)
}

// changeSubscription reads an account, calls fn to change it, and writes it.
func (s *Store) changeSubscription(userUUID string, fn func(*txn, *account) error) error {
	return s.update(func(t *txn) error {
		a, err := accounts.Get(t, userUUID)
		if err != nil {
			return err
		}
		if err := fn(t, a); err != nil {
			return err
		}
		return accounts.Put(t, a)
	})
}

func priceError(code, message string) *Error {
	e := failField("price_id", "%s", message)
	e.Code = code
	return e
}

func noSubscription() *Error {
	return fail(Conflict, "no_subscription", "You have no subscription to change. Choose a tier first.")
}

// settled refuses to change a subscription while a payment is open. Errors: Conflict.
func (a *account) settled() error {
	if a.OpenPayment == "" {
		return nil
	}
	return fail(Conflict, "conflict", "A payment for your subscription is still open. Try again in a minute.")
}

// Customer returns the id of a user at the payment provider, empty for an unknown user.
func (s *Store) Customer(userUUID string) (string, error) {
	var id string
	err := s.view(func(t *txn) error {
		a, err := accounts.Get(t, userUUID)
		if err == nil {
			id = a.CustomerID
		}
		return err
	})
	return id, err
}

// SetCustomer stores the id of a user at the payment provider.
func (s *Store) SetCustomer(userUUID, customerID string) error {
	return s.changeSubscription(userUUID, func(_ *txn, a *account) error {
		a.CustomerID = customerID
		return nil
	})
}

// remindBeforeRenewal schedules the reminder. A subscription without an end gets none.
func (a *account) remindBeforeRenewal() {
	if !a.PeriodEnd.IsZero() {
		a.RemindAt = a.PeriodEnd.Add(-remindBefore)
	}
}
