package billing

import (
	"cmp"
	"slices"
	"time"

	"roughcut/store/fault"
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

// QuoteUpgrade returns what BeginUpgrade would charge now. Errors: see BeginUpgrade.
func (b Books) QuoteUpgrade(userUUID string, priceID int) (Quote, error) {
	a, err := accounts.Get(b, userUUID)
	if err != nil {
		return Quote{}, err
	}
	p, err := b.upgradeTo(a, priceID)
	if err != nil {
		return Quote{}, err
	}
	return Quote{
		PriceCents:   p.PriceCents,
		CountedCents: p.CountedCents,
		AmountCents:  p.AmountCents,
		CreditCents:  p.CreditCents,
		PeriodEnd:    p.PeriodEnd,
	}, nil
}

// BeginUpgrade creates the payment that moves a user to a higher price. The value of the unused
// days, and of earlier credit, is deducted from the new price. A payment of 0 completes at once;
// any other waits for FinishPayment. Errors: NotFound; Unprocessable not_an_upgrade; Conflict while
// another payment is open.
func (b Books) BeginUpgrade(userUUID string, priceID int) (Payment, error) {
	a, err := accounts.Get(b, userUUID)
	if err != nil {
		return Payment{}, err
	}
	p, err := b.upgradeTo(a, priceID)
	if err != nil {
		return Payment{}, err
	}
	err = b.beginPayment(a, p)
	return p.Payment, err
}

// upgradeTo returns the payment that moves an account to a price. It writes nothing.
func (b Books) upgradeTo(a *account, priceID int) (*paymentRow, error) {
	price, err := b.find(priceID)
	if err != nil {
		return nil, err
	}
	tier, interval := Free, ""
	if a.paid() {
		tier, interval = a.Tier, a.Interval
	}
	if b.Unlimited || !price.above(tier, interval) {
		return nil, priceError(
			"not_an_upgrade",
			"You already have this tier or a higher one. To change to a lower tier, schedule a downgrade.",
		)
	}

	if err := a.settled(); err != nil {
		return nil, err
	}
	worth := a.CreditCents + unusedCents(a.PaidCents, a.PeriodStart, a.PeriodEnd, b.Now)
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
		PeriodStart:  b.Now,
		PeriodEnd:    monthsLater(b.Now, b.Now, monthsOf(price.Interval)),
	}, nil
}

// ScheduleDowngrade changes a subscription to a lower price when its period ends. It replaces a
// downgrade that was scheduled before. Errors: NotFound; Conflict no_subscription; Unprocessable
// not_a_downgrade; Conflict while a payment is open.
func (b Books) ScheduleDowngrade(userUUID string, priceID int) error {
	return b.changeAccount(userUUID, func(a *account) error {
		price, err := b.find(priceID)
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
func (b Books) AddFeedback(f Feedback) error {
	return b.changeAccount(f.UserUUID, func(a *account) error {
		f.UUID, f.Tier, f.CreatedAt = b.NewID(), b.tier(a), b.Now
		if f.Outcome != FeedbackKept {
			if !a.paid() {
				return noSubscription()
			}
			if err := b.applyOutcome(a, f.Outcome); err != nil {
				return err
			}
		}

		return feedback.Put(b, &f)
	})
}

// Feedback returns one page of the answers in the cancellation flow, newest first, and the number
// of all.
func (b Books) Feedback(p table.Page) ([]Feedback, int, error) {
	var list []Feedback
	err := feedback.Each(b, func(f *Feedback) error {
		list = append(list, *f)
		return nil
	})
	slices.SortFunc(
		list,
		func(a, b Feedback) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.UUID, a.UUID)) },
	)
	return table.Cut(list, p), len(list), err
}

func (b Books) applyOutcome(a *account, outcome string) error {
	if err := a.settled(); err != nil {
		return err
	}
	switch outcome {
	case FeedbackCancelled:
		return b.endSubscription(a)
	case FeedbackReminder:
		a.remindBeforeRenewal()
	case FeedbackDiscount:
		if a.DiscountUsed {
			return fault.New(
				fault.Conflict,
				"discount_used",
				"You have already used this discount. It is available only once.",
			)
		}

		a.DiscountUsed, a.DiscountLeft = true, discountRenewals
	}

	return nil
}

// endSubscription moves an account to Free now. Credits above the allowance of Free expire, and the
// rest of the period is not refunded. Credit from earlier periods stays for a later subscription.
func (b Books) endSubscription(a *account) error {
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
	a.Anchor = b.Now
	a.RefillAt = monthsLater(a.Anchor, b.Now, 1)
	return b.lower(a, poolTier, b.allowance(Free), reasonTier)
}

// GrantTier gives a user a tier without charge and without an end, and fills the balance up to the
// monthly credits of the tier. Free ends the subscription. The value of unused paid days stays as
// credit for a later subscription. Errors: Unprocessable for an unknown tier; NotFound; Conflict
// while a payment is open.
func (b Books) GrantTier(userUUID string, tier Tier) error {
	if tierRank(tier) < 0 {
		return fault.Field("tier", "The tier %q does not exist. Choose free, hobby, creator or viral.", tier)
	}
	return b.changeAccount(userUUID, func(a *account) error {
		if err := a.settled(); err != nil {
			return err
		}
		a.CreditCents += unusedCents(a.PaidCents, a.PeriodStart, a.PeriodEnd, b.Now)
		if err := b.endSubscription(a); err != nil {
			return err
		}
		a.Tier, a.Status, a.TrialEndsAt = tier, statusActive, nil
		if tier == Free {
			a.Status = statusNone
		}
		return b.raise(a, poolTier, b.allowance(tier), reasonTier)
	})
}

// changeAccount reads the account of a user, calls fn to change it, and writes it.
func (b Books) changeAccount(userUUID string, fn func(*account) error) error {
	a, err := accounts.Get(b, userUUID)
	if err != nil {
		return err
	}
	if err := fn(a); err != nil {
		return err
	}
	return accounts.Put(b, a)
}

func priceError(code, message string) *fault.Error {
	e := fault.Field("price_id", "%s", message)
	e.Code = code
	return e
}

func noSubscription() *fault.Error {
	return fault.New(fault.Conflict, "no_subscription", "You have no subscription to change. Choose a tier first.")
}

// settled refuses to change a subscription while a payment is open. Errors: Conflict.
func (a *account) settled() error {
	if a.OpenPayment == "" {
		return nil
	}
	return fault.New(
		fault.Conflict,
		"conflict",
		"A payment for your subscription is still open. Try again in a minute.",
	)
}

// Customer returns the id of a user at the payment provider, empty before SetCustomer. Errors:
// NotFound.
func (b Books) Customer(userUUID string) (string, error) {
	a, err := accounts.Get(b, userUUID)
	if err != nil {
		return "", err
	}
	return a.CustomerID, nil
}

// SetCustomer stores the id of a user at the payment provider. Errors: NotFound.
func (b Books) SetCustomer(userUUID, customerID string) error {
	return b.changeAccount(userUUID, func(a *account) error { a.CustomerID = customerID; return nil })
}

// remindBeforeRenewal schedules the reminder. A subscription without an end gets none.
func (a *account) remindBeforeRenewal() {
	if !a.PeriodEnd.IsZero() {
		a.RemindAt = a.PeriodEnd.Add(-remindBefore)
	}
}
