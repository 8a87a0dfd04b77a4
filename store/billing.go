package store

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Tier is a subscription tier.
type Tier string

// The tiers, from the cheapest up.
const (
	Free    Tier = "free"
	Hobby   Tier = "hobby"
	Creator Tier = "creator"
	Viral   Tier = "viral"
)

// Subscription statuses that store sets by itself.
const (
	statusNone     = "none"
	statusTrialing = "trialing"
	statusActive   = "active"
)

// The trial: how long it lasts and what it grants, in hundredths of a minute.
const (
	trialLength  = 7 * 24 * time.Hour
	trialCredits = 30 * 100
)

// Plan is what a tier entitles to.
type Plan struct {
	StorageQuotaBytes int64
	MaxProjects       int
	AIMinutes         float64 // a month
	ExportRetention   time.Duration
	WatermarkFree     bool
	AIDirector        bool
	Support           bool
}

// Plans is the tier table.
type Plans struct {
	Owner bool // PLAN_MODE=owner: everybody is on Viral, nothing is charged, only the disk is a limit
	Tiers map[Tier]Plan
}

// DefaultPlans returns the tier table that holds where an operator changes nothing.
func DefaultPlans() Plans {
	const mib, day = 1 << 20, 24 * time.Hour
	return Plans{Tiers: map[Tier]Plan{
		Free:    {StorageQuotaBytes: 500 * mib, MaxProjects: 3, AIMinutes: 30, ExportRetention: 7 * day},
		Hobby:   {StorageQuotaBytes: 2048 * mib, MaxProjects: 20, AIMinutes: 120, ExportRetention: 30 * day, WatermarkFree: true, Support: true},
		Creator: {StorageQuotaBytes: 25 * 1024 * mib, MaxProjects: 100, AIMinutes: 600, ExportRetention: 90 * day, WatermarkFree: true, AIDirector: true, Support: true},
		Viral:   {StorageQuotaBytes: 100 * 1024 * mib, MaxProjects: 1000, AIMinutes: 2400, ExportRetention: 365 * day, WatermarkFree: true, AIDirector: true, Support: true},
	}}
}

// Billing is a user's plan and credits; AI minutes have at most two decimals.
type Billing struct {
	Tier                                                 Tier
	SubscriptionStatus                                   string // none, trialing, active, past_due, canceled
	TrialEndsAt                                          *time.Time
	Balance, Reserved                                    float64 // AI minutes
	HasActivePlan, TrialUsed                             bool
	StorageUsedBytes, StorageQuotaBytes                  int64
	ProjectCount, MaxProjects                            int
	CanUseAIDirector, CanWatermarkFree, CanAccessSupport bool
}

// account holds a user's plan and credits in hundredths of an AI minute: Granted = Balance + Reserved + Charged, always.
type account struct {
	UserUUID    string
	Tier        Tier
	Status      string
	TrialEndsAt *time.Time
	TrialUsed   bool
	Welcomed    bool // the first credits were granted
	Granted     int64
	Balance     int64
	Reserved    int64
	Charged     int64
	Since       time.Time
}

// States of a reservation. It moves once, from reserved to one of the others.
const (
	reserved = "reserved"
	charged  = "charged"
	released = "released"
)

// reservation holds the credits of one run.
type reservation struct {
	RunUUID, UserUUID string
	Amount            int64 // hundredths of an AI minute
	State             string
	MovedAt           time.Time
}

// usedTrial remembers that an address had its trial, beyond the life of the account, without keeping the address.
type usedTrial struct {
	Hash string // keyed hash of the address, hex
	At   time.Time
}

var (
	accounts           = &table[account]{name: "accounts", what: "account", key: func(r *account) []byte { return []byte(r.UserUUID) }}
	trials             = &table[usedTrial]{name: "trials", what: "trial", key: func(r *usedTrial) []byte { return []byte(r.Hash) }}
	reservationsByUser = &index[reservation]{name: "reservations.open_by_user", keys: func(r *reservation) [][]byte {
		if r.State != reserved {
			return nil
		}
		return one(r.UserUUID)
	}}
	reservations = &table[reservation]{name: "reservations", what: "reservation", key: func(r *reservation) []byte { return []byte(r.RunUUID) },
		indexes: []*index[reservation]{reservationsByUser}}
)

// plan returns the plan that holds for an account at a time. A trial that has ended is Free.
func (t *txn) plan(a *account) Plan { return t.s.o.Plans.Tiers[t.tier(a)] }

func (t *txn) tier(a *account) Tier {
	if t.s.o.Plans.Owner {
		return Viral
	}
	if t.status(a) == statusNone {
		return Free
	}
	return a.Tier
}

func (t *txn) status(a *account) string {
	switch {
	case t.s.o.Plans.Owner:
		return statusActive
	case a.Status == statusTrialing && a.TrialEndsAt != nil && !a.TrialEndsAt.After(t.now):
		return statusNone
	}
	return a.Status
}

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
	paid := status == statusActive || status == "past_due"
	b := Billing{
		Tier: t.tier(a), SubscriptionStatus: status, TrialEndsAt: a.TrialEndsAt, TrialUsed: a.TrialUsed,
		Balance: minutes(a.Balance), Reserved: minutes(a.Reserved), HasActivePlan: paid || status == statusTrialing,
		StorageUsedBytes: user.StorageUsedBytes, StorageQuotaBytes: plan.StorageQuotaBytes,
		ProjectCount: projects.count(t, projectsByUser, user.UUID), MaxProjects: plan.MaxProjects,
		CanUseAIDirector: plan.AIDirector, CanWatermarkFree: plan.WatermarkFree, CanAccessSupport: plan.Support && paid,
	}
	if t.s.o.Plans.Owner {
		b.Balance, b.Reserved = plan.AIMinutes, 0
	}
	return b, nil
}

// grantWelcome grants an account its first credits, once: the trial, or a month of Free where the address had its trial before.
func (t *txn) grantWelcome(user *userRow) error {
	a, err := accounts.get(t, user.UUID)
	if err != nil || a.Welcomed {
		return err
	}
	a.Welcomed = true
	hash, err := t.s.trialHash(user.Email)
	if err != nil {
		return err
	}
	used, err := trials.find(t, hash)
	if err != nil {
		return err
	}
	credits := hundredths(t.s.o.Plans.Tiers[Free].AIMinutes)
	a.TrialUsed = used != nil || !t.s.o.TrialOnRequest
	if used == nil && !t.s.o.TrialOnRequest {
		ends := t.now.Add(trialLength)
		a.Tier, a.Status, a.TrialEndsAt, credits = Creator, statusTrialing, &ends, trialCredits
		if err := trials.put(t, &usedTrial{Hash: hash, At: t.now}); err != nil {
			return err
		}
	}
	a.Granted += credits
	a.Balance += credits
	return accounts.put(t, a)
}

func (s *Store) trialHash(email string) (string, error) {
	secret, err := s.Secret("trials")
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(fold(email)))
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// reserve holds credits for a run. Errors: PaymentRequired insufficient_credits.
func (t *txn) reserve(userUUID, runUUID string, amount int64) error {
	a, err := accounts.get(t, userUUID)
	if err != nil {
		return err
	}
	if t.s.o.Plans.Owner {
		amount = 0
	}
	if amount > a.Balance {
		return fail(PaymentRequired, "insufficient_credits", "need %s AI minutes, have %s", formatMinutes(amount), formatMinutes(a.Balance))
	}
	a.Balance -= amount
	a.Reserved += amount
	if err := accounts.put(t, a); err != nil {
		return err
	}
	return reservations.put(t, &reservation{RunUUID: runUUID, UserUUID: userUUID, Amount: amount, State: reserved, MovedAt: t.now})
}

// settle moves a run's reservation to charged or released and returns its amount in hundredths of a minute. One that has moved
// already cannot move again.
func (t *txn) settle(runUUID, state string) (int64, error) {
	r, err := reservations.get(t, runUUID)
	if err != nil {
		return 0, err
	}
	if r.State != reserved {
		return 0, fmt.Errorf("the credits of run %s are %s already and cannot be %s", runUUID, r.State, state)
	}
	a, err := accounts.get(t, r.UserUUID)
	if err != nil {
		return 0, err
	}
	a.Reserved -= r.Amount
	if state == charged {
		a.Charged += r.Amount
	} else {
		a.Balance += r.Amount
	}
	if err := accounts.put(t, a); err != nil {
		return 0, err
	}
	r.State, r.MovedAt = state, t.now
	return r.Amount, reservations.put(t, r)
}

// analysisCost returns what an analysis of so much footage costs, in hundredths of a minute rounded up.
func analysisCost(durationMS int64) int64 { return (durationMS + 599) / 600 }

// minutes turns hundredths of a minute into minutes.
func minutes(amount int64) float64 { return float64(amount) / 100 }

func hundredths(minutes float64) int64 { return int64(math.Round(minutes * 100)) }

func formatMinutes(amount int64) string { return strconv.FormatFloat(minutes(amount), 'f', -1, 64) }
