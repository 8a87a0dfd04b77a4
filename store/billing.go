package store

import (
	"time"

	"roughcut/store/table"
)

// Subscription statuses.
const (
	statusNone     = "none"
	statusTrialing = "trialing"
	statusActive   = "active"
	statusPastDue  = "past_due" // a renewal was declined and will be retried; the tier stays until then
	statusCanceled = "canceled"
)

// Billing is a user's subscription and credits. AI minutes have at most two decimals.
type Billing struct {
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
	StorageUsedBytes, StorageQuotaBytes                  int64
	ProjectCount, MaxProjects                            int
	CanUseAIDirector, CanWatermarkFree, CanAccessSupport bool
}

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

// entitlements returns the entitlements of an account now. After a trial these are the ones of
// Free.
func (t *txn) entitlements(a *account) Entitlements { return t.s.o.TierTable.Tiers[t.tier(a)] }

func (t *txn) tier(a *account) Tier {
	if t.s.o.TierTable.Unlimited {
		return Viral
	}
	if t.status(a) == statusNone {
		return Free
	}
	return a.Tier
}

func (t *txn) status(a *account) string {
	switch {
	case t.s.o.TierTable.Unlimited:
		return statusActive
	case a.Status == statusTrialing && a.TrialEndsAt != nil && !a.TrialEndsAt.After(t.Now):
		return statusNone
	}

	return a.Status
}

// TierTable returns the tier table that the store was opened with.
func (s *Store) TierTable() TierTable { return s.o.TierTable }

// Billing returns a user's subscription and credits.
func (s *Store) Billing(userUUID string) (Billing, error) {
	account, err := s.Account(userUUID)
	return account.Billing, err
}

func (t *txn) billing(user *userRow) (Billing, error) {
	a, err := accounts.Get(t, user.UUID)
	if err != nil {
		return Billing{}, err
	}
	rights, status := t.entitlements(a), t.status(a)
	paid := status == statusActive || status == statusPastDue
	b := Billing{
		Tier:               t.tier(a),
		SubscriptionStatus: status,
		Interval:           a.Interval,
		TrialEndsAt:        a.TrialEndsAt,
		TrialUsed:          a.TrialUsed,
		DiscountUsed:       a.DiscountUsed,
		Balance:            minutes(a.balance()),
		Reserved:           minutes(a.TierCredits.Reserved + a.BetaCredits.Reserved),
		HasActivePlan:      paid || status == statusTrialing,
		PeriodEnd:          orNever(a.PeriodEnd),
		RefillAt:           orNever(a.RefillAt),
		ScheduledPriceID:   a.ScheduledPriceID,
		StorageUsedBytes:   user.StorageUsedBytes,
		StorageQuotaBytes:  rights.StorageQuotaBytes,
		ProjectCount:       projects.Count(t, projectsByUser, user.UUID),
		MaxProjects:        rights.MaxProjects,
		CanUseAIDirector:   rights.AIDirector,
		CanWatermarkFree:   rights.WatermarkFree,
		CanAccessSupport:   (rights.Support && paid) || a.IsBeta,
	}
	if a.IsBeta {
		used, total := minutes(max(0, a.BetaTotal-a.BetaCredits.Balance-a.BetaCredits.Reserved)), minutes(a.BetaTotal)
		b.IsBeta = true
		b.BetaCreditsUsed = &used
		b.BetaCreditsTotal = &total
		b.BetaRenewsAt = orNever(a.BetaRenewsAt)
	}

	if t.s.o.TierTable.Unlimited {
		b.Balance = rights.AIMinutes
		b.Reserved = 0
		b.Interval = ""
		b.PeriodEnd = nil
		b.RefillAt = nil
		b.ScheduledPriceID = 0
	}

	return b, nil
}

// orNever returns nil for the zero time.
func orNever(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}
