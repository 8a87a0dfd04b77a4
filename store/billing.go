package store

import "time"

// Subscription statuses.
const (
	statusNone     = "none"
	statusTrialing = "trialing"
	statusActive   = "active"
	statusPastDue  = "past_due" // a renewal was declined and is tried again; the plan holds meanwhile
	statusCanceled = "canceled"
)

// Billing is a user's plan and credits; AI minutes have at most two decimals.
type Billing struct {
	Tier                                   Tier
	SubscriptionStatus                     string // none, trialing, active, past_due, canceled
	Interval                               string // month, year; empty without a paid plan
	TrialEndsAt                            *time.Time
	Balance, Reserved                      float64 // AI minutes
	HasActivePlan, TrialUsed, DiscountUsed bool
	IsBeta                                 bool
	BetaCreditsUsed, BetaCreditsTotal      *float64 // AI minutes; nil outside the beta programme
	BetaRenewsAt                           *time.Time
	PeriodEnd                              *time.Time // when a paid plan renews
	RefillAt                               *time.Time // when the next month of AI minutes begins
	// what the plan goes down to at PeriodEnd, 0 for nothing
	ScheduledPriceID                                     int
	StorageUsedBytes, StorageQuotaBytes                  int64
	ProjectCount, MaxProjects                            int
	CanUseAIDirector, CanWatermarkFree, CanAccessSupport bool
}

// account holds a user's plan and credits. A zero time means never.
type account struct {
	UserUUID    string
	Tier        Tier
	Status      string
	TrialEndsAt *time.Time
	TrialUsed   bool
	Welcomed    bool // the first credits were granted
	Plan, Beta  pool
	Anchor      time.Time // months and periods are counted from here
	RefillAt    time.Time // when the next month of credits begins

	// The paid plan: set from the upgrade until it is cancelled.
	Interval               string
	PeriodStart, PeriodEnd time.Time
	PaidCents              int64 // the price of this period less its discount: what its unused days are worth
	ScheduledPriceID       int
	Failures               int // renewals declined in a row
	RetryAt                time.Time
	RemindAt               time.Time

	OpenPayment  string // uuid of the payment under way; while there is one, the plan does not move
	CreditCents  int64  // what unused days were worth beyond the charge that they were counted against
	DiscountLeft int    // renewals that still get the discount
	DiscountUsed bool
	CustomerID   string // who this is to the payment provider

	IsBeta                   bool
	BetaTotal                int64
	BetaAnchor, BetaRenewsAt time.Time
}

var (
	accountsByDue = &index[account]{name: "accounts.by_due", keys: func(r *account) [][]byte {
		at, _ := r.due()
		if at.IsZero() {
			return nil
		}
		return one(at)
	}}
	accountsByCustomer = &index[account]{name: "accounts.by_customer", unique: true, keys: func(r *account) [][]byte {
		if r.CustomerID == "" {
			return nil
		}
		return one(r.CustomerID)
	}}
	accounts = &table[account]{
		name:    "accounts",
		what:    "account",
		key:     func(r *account) []byte { return []byte(r.UserUUID) },
		indexes: []*index[account]{accountsByDue, accountsByCustomer},
	}
)

// paid says whether the account has a paid plan; a trial is none.
func (a *account) paid() bool { return a.Status == statusActive || a.Status == statusPastDue }

// plan returns the plan that holds for an account at a time. A trial that has ended is Free.
func (t *txn) plan(a *account) Entitlements { return t.s.o.TierTable.Tiers[t.tier(a)] }

func (t *txn) tier(a *account) Tier {
	if t.s.o.TierTable.Owner {
		return Viral
	}
	if t.status(a) == statusNone {
		return Free
	}
	return a.Tier
}

func (t *txn) status(a *account) string {
	switch {
	case t.s.o.TierTable.Owner:
		return statusActive
	case a.Status == statusTrialing && a.TrialEndsAt != nil && !a.TrialEndsAt.After(t.now):
		return statusNone
	}
	return a.Status
}

// Plans returns the tier table that the store was opened with.
func (s *Store) TierTable() TierTable { return s.o.TierTable }

// Billing returns a user's plan and credits.
func (s *Store) Billing(userUUID string) (Billing, error) {
	account, err := s.Account(userUUID)
	return account.Billing, err
}

func (t *txn) billing(user *userRow) (Billing, error) {
	a, err := accounts.get(t, user.UUID)
	if err != nil {
		return Billing{}, err
	}
	plan, status := t.plan(a), t.status(a)
	paid := status == statusActive || status == statusPastDue
	b := Billing{
		Tier:               t.tier(a),
		SubscriptionStatus: status,
		Interval:           a.Interval,
		TrialEndsAt:        a.TrialEndsAt,
		TrialUsed:          a.TrialUsed,
		DiscountUsed:       a.DiscountUsed,
		Balance:            minutes(a.balance()),
		Reserved:           minutes(a.Plan.Reserved + a.Beta.Reserved),
		HasActivePlan:      paid || status == statusTrialing,
		PeriodEnd:          orNever(a.PeriodEnd),
		RefillAt:           orNever(a.RefillAt),
		ScheduledPriceID:   a.ScheduledPriceID,
		StorageUsedBytes:   user.StorageUsedBytes,
		StorageQuotaBytes:  plan.StorageQuotaBytes,
		ProjectCount:       projects.count(t, projectsByUser, user.UUID),
		MaxProjects:        plan.MaxProjects,
		CanUseAIDirector:   plan.AIDirector,
		CanWatermarkFree:   plan.WatermarkFree,
		CanAccessSupport:   plan.Support && paid || a.IsBeta,
	}
	if a.IsBeta {
		used, total := minutes(max(0, a.BetaTotal-a.Beta.Balance-a.Beta.Reserved)), minutes(a.BetaTotal)
		b.IsBeta = true
		b.BetaCreditsUsed = &used
		b.BetaCreditsTotal = &total
		b.BetaRenewsAt = orNever(a.BetaRenewsAt)
	}
	if t.s.o.TierTable.Owner {
		b.Balance = plan.AIMinutes
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
