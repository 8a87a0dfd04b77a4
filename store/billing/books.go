// Package billing has the subscriptions, payments and credits of users: their tables, and the rules
// that govern changes. [Books] is the entry point.
//
//   - A tier is a level of limits and rights. A subscription is a paid tier for an interval.
//   - A movement is an entry of the credit ledger. Only movements change credits.
//   - A reservation holds the credits of one run. It changes once, to charged or released.
//   - A payment is an amount that a user owes for a subscription. It is stored before the payment
//     provider is called, and ends once, as paid or declined. Its effect is part of the same
//     transaction. Invoices are the parts of its amount.
package billing

import (
	"fmt"
	"time"

	"roughcut/store/table"
)

// Books are the billing data in one transaction.
type Books struct {
	*table.Tx
	TierTable
	TrialOnRequest bool // a verified address grants a month of Free instead of the trial
}

// Summary is a user's subscription, credits and rights. AI minutes have at most two decimals.
type Summary struct {
	Tier                                   Tier
	SubscriptionStatus                     string // none, trialing, active, past_due, canceled
	Interval                               string // month, year; empty without a subscription
	TrialEndsAt                            *time.Time
	Balance, Reserved                      float64 // AI minutes
	HasActivePlan, TrialUsed, DiscountUsed bool
	IsBeta                                 bool
	BetaCreditsUsed, BetaCreditsTotal      *float64 // AI minutes; nil outside the beta program
	BetaRenewsAt                           *time.Time
	PeriodEnd                              *time.Time // when the subscription renews
	RefillAt                               *time.Time // when the next month of AI minutes starts
	// id of the price that the subscription changes to at PeriodEnd, 0 for no change
	ScheduledPriceID                                     int
	StorageQuotaBytes                                    int64
	MaxProjects                                          int
	CanUseAIDirector, CanWatermarkFree, CanAccessSupport bool
}

// Subscription statuses.
const (
	statusNone     = "none"
	statusTrialing = "trialing"
	statusActive   = "active"
	statusPastDue  = "past_due" // a renewal was declined and will be retried; the tier stays until then
	statusCanceled = "canceled"
)

// account is a user's subscription and credits. A zero time means never.
type account struct {
	UserUUID    string
	Tier        Tier
	Status      string
	TrialEndsAt *time.Time
	TrialUsed   bool
	Welcomed    bool      // the first credits were granted
	TierCredits pool      `json:"Plan"`
	BetaCredits pool      `json:"Beta"`
	Anchor      time.Time // months and periods count from here
	RefillAt    time.Time // when the next month of credits starts

	// The fields of a subscription are set from the upgrade until the cancellation.
	Interval               string
	PeriodStart, PeriodEnd time.Time
	PaidCents              int64 // price of this period less its discount: the value of its unused days
	ScheduledPriceID       int
	Failures               int // declined renewals in a row
	RetryAt                time.Time
	RemindAt               time.Time

	OpenPayment  string // uuid of the pending payment; the subscription does not change while there is one
	CreditCents  int64  // value of unused days that exceeded the charge; later charges use it up
	DiscountLeft int    // renewals that still get the discount
	DiscountUsed bool
	CustomerID   string // id of the user at the payment provider

	IsBeta                   bool
	BetaTotal                int64
	BetaAnchor, BetaRenewsAt time.Time
}

var (
	accountsByDue = &table.Index[account]{Name: "accounts.by_due", Keys: func(r *account) [][]byte {
		at, _ := r.due()
		if at.IsZero() {
			return nil
		}
		return table.Entry(at)
	}}
	accountsByCustomer = &table.Index[account]{
		Name:   "accounts.by_customer",
		Unique: true,
		Keys: func(r *account) [][]byte {
			if r.CustomerID == "" {
				return nil
			}
			return table.Entry(r.CustomerID)
		},
	}
	accounts = &table.Table[account]{
		Name:    "accounts",
		Noun:    "account",
		Key:     func(r *account) []byte { return []byte(r.UserUUID) },
		Indexes: []*table.Index[account]{accountsByDue, accountsByCustomer},
	}
)

// paid reports whether the account has a subscription. A trial is not a subscription.
func (a *account) paid() bool { return a.Status == statusActive || a.Status == statusPastDue }

// Tables returns the tables of this package.
func Tables() []table.Any {
	return []table.Any{accounts, trials, movements, reservations, payments, invoices, feedback}
}

// Open creates the account of a new user, without a subscription and credits.
func (b Books) Open(userUUID string) error {
	return accounts.Put(b, &account{UserUUID: userUUID, Tier: Free, Status: statusNone})
}

// Settled refuses to change the subscription of a user while a payment is open. Errors: NotFound,
// Conflict.
func (b Books) Settled(userUUID string) error {
	a, err := accounts.Get(b, userUUID)
	if err != nil {
		return err
	}
	return a.settled()
}

// Close deletes the account of a user whose address has a keyed hash. It keeps the hash if the user
// had the trial, which may have started under an earlier address. The other rows are left to
// DeleteRows.
func (b Books) Close(userUUID, address string) error {
	a, err := accounts.Get(b, userUUID)
	if err != nil {
		return err
	}
	if a.TrialUsed {
		known, err := trials.Find(b, address)
		if err == nil && known == nil {
			err = trials.Put(b, &usedTrial{Hash: address, At: b.Now})
		}
		if err != nil {
			return err
		}
	}

	return accounts.Delete(b, userUUID)
}

// DeleteRows deletes the movements, payments, invoices and feedback of a user, and all credit
// reservations, also for deleted runs. It stops when the transaction has no more room.
func (b Books) DeleteRows(userUUID string) error {
	if err := reservations.DeleteAll(b, reservationsOfUser, userUUID); err != nil {
		return err
	}
	if err := movements.DeleteAll(b, movementsByUser, userUUID); err != nil {
		return err
	}
	if err := payments.DeleteAll(b, paymentsByUser, userUUID); err != nil {
		return err
	}
	if err := invoices.DeleteAll(b, invoicesByUser, userUUID); err != nil {
		return err
	}
	return feedback.DeleteAll(b, feedbackByUser, userUUID)
}

// EachOwner calls fn with each row: its kind in words, its id, and the user that it belongs to.
func (b Books) EachOwner(fn func(kind, id, userUUID string) error) error {
	err := accounts.Each(b, func(r *account) error { return fn("billing account", r.UserUUID, r.UserUUID) })
	if err != nil {
		return err
	}
	err = movements.Each(b, func(r *movement) error { return fn("credit movement", fmt.Sprint(r.Seq), r.UserUUID) })
	if err != nil {
		return err
	}
	if err := payments.Each(b, func(r *paymentRow) error { return fn("payment", r.UUID, r.UserUUID) }); err != nil {
		return err
	}
	if err := invoices.Each(b, func(r *invoiceRow) error { return fn("invoice", r.UUID, r.UserUUID) }); err != nil {
		return err
	}
	if err := feedback.Each(b, func(r *Feedback) error { return fn("feedback", r.UUID, r.UserUUID) }); err != nil {
		return err
	}
	return reservations.Each(b, func(r *reservation) error { return fn("reservation of run", r.RunUUID, r.UserUUID) })
}

// Known reports whether a user has an account.
func (b Books) Known(userUUID string) (bool, error) {
	a, err := accounts.Find(b, userUUID)
	return a != nil, err
}

// Entitlements returns the entitlements of a user now. After a trial these are the ones of Free.
// Errors: NotFound.
func (b Books) Entitlements(userUUID string) (Entitlements, error) {
	a, err := accounts.Get(b, userUUID)
	if err != nil {
		return Entitlements{}, err
	}
	return b.Tiers[b.tier(a)], nil
}

func (b Books) tier(a *account) Tier {
	if b.Unlimited {
		return Viral
	}
	if b.status(a) == statusNone {
		return Free
	}
	return a.Tier
}

func (b Books) status(a *account) string {
	switch {
	case b.Unlimited:
		return statusActive
	case a.Status == statusTrialing && a.TrialEndsAt != nil && !a.TrialEndsAt.After(b.Now):
		return statusNone
	}

	return a.Status
}

// Summary returns a user's subscription, credits and rights. Errors: NotFound.
func (b Books) Summary(userUUID string) (Summary, error) {
	a, err := accounts.Get(b, userUUID)
	if err != nil {
		return Summary{}, err
	}
	rights, status := b.Tiers[b.tier(a)], b.status(a)
	paid := status == statusActive || status == statusPastDue
	sum := Summary{
		Tier:               b.tier(a),
		SubscriptionStatus: status,
		Interval:           a.Interval,
		TrialEndsAt:        a.TrialEndsAt,
		TrialUsed:          a.TrialUsed,
		DiscountUsed:       a.DiscountUsed,
		Balance:            Minutes(a.balance()),
		Reserved:           Minutes(a.TierCredits.Reserved + a.BetaCredits.Reserved),
		HasActivePlan:      paid || status == statusTrialing,
		PeriodEnd:          orNever(a.PeriodEnd),
		RefillAt:           orNever(a.RefillAt),
		ScheduledPriceID:   a.ScheduledPriceID,
		StorageQuotaBytes:  rights.StorageQuotaBytes,
		MaxProjects:        rights.MaxProjects,
		CanUseAIDirector:   rights.AIDirector,
		CanWatermarkFree:   rights.WatermarkFree,
		CanAccessSupport:   (rights.Support && paid) || a.IsBeta,
	}
	if a.IsBeta {
		used, total := Minutes(max(0, a.BetaTotal-a.BetaCredits.Balance-a.BetaCredits.Reserved)), Minutes(a.BetaTotal)
		sum.IsBeta = true
		sum.BetaCreditsUsed = &used
		sum.BetaCreditsTotal = &total
		sum.BetaRenewsAt = orNever(a.BetaRenewsAt)
	}

	if b.Unlimited {
		sum.Balance = rights.AIMinutes
		sum.Reserved = 0
		sum.Interval = ""
		sum.PeriodEnd = nil
		sum.RefillAt = nil
		sum.ScheduledPriceID = 0
	}

	return sum, nil
}

// orNever returns nil for the zero time.
func orNever(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}
