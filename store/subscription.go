package store

import (
	"cmp"
	"slices"
	"time"
)

// The discount of the cancellation flow.
const (
	discountPercent  = 30
	discountRenewals = 2
)

// remindBefore is how long before a renewal somebody is reminded of it who asked for that.
const remindBefore = 3 * day

// Outcomes of the cancellation flow.
const (
	FeedbackCancelled = "cancelled"
	FeedbackReminder  = "reminder_set"
	FeedbackDiscount  = "discount_accepted"
	FeedbackKept      = "kept_plan"
)

// Feedback is what somebody said in the cancellation flow, and what came of it.
type Feedback struct {
	UUID, UserUUID, Reason, Detail, Outcome string
	Tier                                    Tier
	CreatedAt                               time.Time
}

var (
	feedbackByUser = &index[Feedback]{
		name: "feedback.by_user",
		keys: func(r *Feedback) [][]byte { return one(r.UserUUID) },
	}
	feedback = &table[Feedback]{
		name:    "feedback",
		what:    "feedback",
		key:     func(r *Feedback) []byte { return []byte(r.UUID) },
		indexes: []*index[Feedback]{feedbackByUser},
	}
)

// Quote is what an upgrade would come to now; amounts are in hundredths of the currency, or in
// whole units of one that has no smaller.
type Quote struct {
	PriceCents   int64
	CountedCents int64 // of the price: what unused days and what is left of earlier ones are worth
	AmountCents  int64 // what is charged
	CreditCents  int64 // what is left over, for the next charges
	PeriodEnd    time.Time
}

// QuoteUpgrade returns what BeginUpgrade would charge now. Errors: those of BeginUpgrade.
func (s *Store) QuoteUpgrade(userUUID string, priceID int) (Quote, error) {
	var q Quote
	err := s.view(func(t *txn) error {
		a, err := accounts.get(t, userUUID)
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

// BeginUpgrade notes the payment that moves a user to a higher price. The unused days of the
// present period, and what is left of earlier ones, are counted against the new price. A payment of
// nothing is done at once; any other waits for FinishPayment. Errors: NotFound; Unprocessable
// not_an_upgrade; Conflict while another payment is under way.
func (s *Store) BeginUpgrade(userUUID string, priceID int) (Payment, error) {
	var p *paymentRow
	err := s.update(func(t *txn) error {
		a, err := accounts.get(t, userUUID)
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

// upgradeTo works out the payment that moves an account to a price, and writes nothing.
func (t *txn) upgradeTo(a *account, priceID int) (*paymentRow, error) {
	plans := t.s.o.TierTable
	price, err := plans.find(priceID)
	if err != nil {
		return nil, err
	}
	tier, interval := Free, ""
	if a.paid() {
		tier, interval = a.Tier, a.Interval
	}
	if plans.Owner || !price.above(tier, interval) {
		return nil, refusePrice(
			"not_an_upgrade",
			"You have this plan or a better one. To change to a lower one, schedule a downgrade.",
		)
	}
	if err := a.settled(); err != nil {
		return nil, err
	}
	worth := a.CreditCents + unusedCents(a.PaidCents, a.PeriodStart, a.PeriodEnd, t.now)
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
		PeriodStart:  t.now,
		PeriodEnd:    monthsLater(t.now, t.now, monthsOf(price.Interval)),
	}, nil
}

// ScheduleDowngrade lets a user's plan go down to a lower price when its period ends; a later one
// replaces it. Errors: NotFound; Conflict no_subscription without a paid plan; Unprocessable
// not_a_downgrade; Conflict while a payment is under way.
func (s *Store) ScheduleDowngrade(userUUID string, priceID int) error {
	return s.changeSubscription(userUUID, func(_ *txn, a *account) error {
		price, err := s.o.TierTable.find(priceID)
		if err != nil {
			return err
		}
		if !a.paid() {
			return noSubscription()
		}
		if price.above(a.Tier, a.Interval) || price.Tier == a.Tier && price.Interval == a.Interval {
			return refusePrice(
				"not_a_downgrade",
				"This price is not below the one you have. To change to a higher one, upgrade.",
			)
		}
		if err := a.settled(); err != nil {
			return err
		}
		a.ScheduledPriceID = price.ID
		return nil
	})
}

// GiveFeedback records what somebody said in the cancellation flow, and does what it came to: the
// plan ends at once, a mail reminds of the next renewal, or the next two renewals get the discount;
// keeping the plan changes nothing. Errors: Conflict no_subscription, discount_used, or while a
// payment is under way.
func (s *Store) AddFeedback(f Feedback) error {
	return s.changeSubscription(f.UserUUID, func(t *txn, a *account) error {
		f.UUID, f.Tier, f.CreatedAt = s.NewID(), t.tier(a), t.now
		if f.Outcome != FeedbackKept {
			if !a.paid() {
				return noSubscription()
			}
			if err := t.execute(a, f.Outcome); err != nil {
				return err
			}
		}
		return feedback.put(t, &f)
	})
}

// Feedback returns one page of what was said in the cancellation flow, newest first, and how much
// there is in all.
func (s *Store) Feedback(p Page) ([]Feedback, int, error) {
	var list []Feedback
	err := s.view(func(t *txn) error {
		return feedback.all(t, func(f *Feedback) error {
			list = append(list, *f)
			return nil
		})
	})
	slices.SortFunc(
		list,
		func(a, b Feedback) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.UUID, a.UUID)) },
	)
	return cut(list, p), len(list), err
}

func (t *txn) execute(a *account, outcome string) error {
	if err := a.settled(); err != nil {
		return err
	}
	switch outcome {
	case FeedbackCancelled:
		return t.endPlan(a)
	case FeedbackReminder:
		a.remindBeforeRenewal()
	case FeedbackDiscount:
		if a.DiscountUsed {
			return fail(Conflict, "discount_used", "You have had this discount; it is given once.")
		}
		a.DiscountUsed, a.DiscountLeft = true, discountRenewals
	}
	return nil
}

// endPlan puts an account on Free now. Credits above the allowance of Free expire, and nothing is
// paid back: the days of this period are gone. What was left of earlier periods stays, for a later
// plan.
func (t *txn) endPlan(a *account) error {
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
	a.Anchor = t.now
	a.RefillAt = monthsLater(a.Anchor, t.now, 1)
	return t.lower(a, poolPlan, t.allowance(Free), reasonPlan)
}

// changeSubscription reads an account, lets fn change it, and writes it.
func (s *Store) changeSubscription(userUUID string, fn func(*txn, *account) error) error {
	return s.update(func(t *txn) error {
		a, err := accounts.get(t, userUUID)
		if err != nil {
			return err
		}
		if err := fn(t, a); err != nil {
			return err
		}
		return accounts.put(t, a)
	})
}

func refusePrice(code, message string) *Error {
	e := failField("price_id", "%s", message)
	e.Code = code
	return e
}

func noSubscription() *Error {
	return fail(Conflict, "no_subscription", "You have no paid plan, so there is nothing to change about it.")
}

// settled refuses to change a plan while a payment for it is under way.
func (a *account) settled() error {
	if a.OpenPayment == "" {
		return nil
	}
	return fail(Conflict, "conflict", "A payment for this plan is under way. Try again in a minute.")
}

// Customer returns who a user is to the payment provider; empty where it does not know them.
func (s *Store) Customer(userUUID string) (string, error) {
	var id string
	err := s.view(func(t *txn) error {
		a, err := accounts.get(t, userUUID)
		if err == nil {
			id = a.CustomerID
		}
		return err
	})
	return id, err
}

// SetCustomer notes who a user is to the payment provider.
func (s *Store) SetCustomer(userUUID, customerID string) error {
	return s.changeSubscription(userUUID, func(_ *txn, a *account) error {
		a.CustomerID = customerID
		return nil
	})
}

// remindBeforeRenewal sets the time of the reminder; a plan without an end has none.
func (a *account) remindBeforeRenewal() {
	if !a.PeriodEnd.IsZero() {
		a.RemindAt = a.PeriodEnd.Add(-remindBefore)
	}
}
