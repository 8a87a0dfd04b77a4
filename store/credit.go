package store

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// pool holds credits in hundredths of an AI minute: Granted = Balance + Reserved + Charged +
// Expired, always.
type pool struct{ Granted, Balance, Reserved, Charged, Expired int64 }

// The pools of an account. Those of the beta programme are spent first.
const (
	poolPlan = "plan"
	poolBeta = "beta"
)

// Kinds of movements.
const (
	moveGrant   = "grant"   // into the balance
	moveReserve = "reserve" // from the balance, for a run
	moveCharge  = "charge"  // from what is reserved, for good
	moveRelease = "release" // from what is reserved back into the balance
	moveExpire  = "expire"  // from the balance, unspent
)

// movement is an entry of the ledger of credits. An account's pools are the sums of its movements.
type movement struct {
	Seq      uint64
	UserUUID string
	Pool     string
	Kind     string
	Amount   int64  // hundredths of an AI minute, more than 0
	RunUUID  string // of reserve, charge and release
	Reason   string // of grant and expire
	At       time.Time
}

// Why credits are granted or expire.
const (
	reasonWelcome = "welcome" // the first month of Free
	reasonTrial   = "trial"
	reasonPlan    = "plan"  // the plan changed
	reasonMonth   = "month" // a month began
	reasonBeta    = "beta"
)

var (
	movementsByUser = &index[movement]{
		name: "movements.by_user",
		keys: func(r *movement) [][]byte { return one(r.UserUUID) },
	}
	movements = &table[movement]{
		name:    "movements",
		what:    "movement",
		key:     func(r *movement) []byte { return key(r.Seq) },
		indexes: []*index[movement]{movementsByUser},
	}
)

// apply changes a pool by a movement.
func (p *pool) apply(kind string, amount int64) {
	switch kind {
	case moveGrant:
		p.Granted += amount
		p.Balance += amount
	case moveReserve:
		p.Balance -= amount
		p.Reserved += amount
	case moveCharge:
		p.Reserved -= amount
		p.Charged += amount
	case moveRelease:
		p.Reserved -= amount
		p.Balance += amount
	case moveExpire:
		p.Balance -= amount
		p.Expired += amount
	}
}

// move is the one way to change credits: it writes the movement and applies it. The caller writes
// the account.
func (t *txn) move(a *account, m movement) error {
	if m.Amount == 0 {
		return nil
	}
	seq, err := movements.next(t)
	if err != nil {
		return err
	}
	m.Seq, m.UserUUID, m.At = seq, a.UserUUID, t.now
	a.pool(m.Pool).apply(m.Kind, m.Amount)
	return movements.put(t, &m)
}

func (a *account) pool(name string) *pool {
	if name == poolBeta {
		return &a.Beta
	}
	return &a.Plan
}

func (a *account) balance() int64 { return a.Plan.Balance + a.Beta.Balance }

// raise grants what a pool's balance lacks of an amount.
func (t *txn) raise(a *account, pool string, amount int64, reason string) error {
	return t.move(a, movement{Pool: pool, Kind: moveGrant, Amount: max(0, amount-a.pool(pool).Balance), Reason: reason})
}

// lower lets expire what a pool's balance has above an amount.
func (t *txn) lower(a *account, pool string, amount int64, reason string) error {
	return t.move(
		a,
		movement{Pool: pool, Kind: moveExpire, Amount: max(0, a.pool(pool).Balance-amount), Reason: reason},
	)
}

// refill sets a pool's balance: unspent credits are not carried over.
func (t *txn) refill(a *account, pool string, amount int64, reason string) error {
	if err := t.lower(a, pool, amount, reason); err != nil {
		return err
	}
	return t.raise(a, pool, amount, reason)
}

// allowance is what a tier has in a month.
func (t *txn) allowance(tier Tier) int64 { return hundredths(t.s.o.TierTable.Tiers[tier].AIMinutes) }

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
	Beta              int64 // the part of Amount that came from the pool of the beta programme
	State             string
	MovedAt           time.Time
}

func (r *reservation) part(pool string) int64 {
	if pool == poolBeta {
		return r.Beta
	}
	return r.Amount - r.Beta
}

var (
	reservationsByUser = &index[reservation]{name: "reservations.open_by_user", keys: func(r *reservation) [][]byte {
		if r.State != reserved {
			return nil
		}
		return one(r.UserUUID)
	}}
	reservations = &table[reservation]{
		name:    "reservations",
		what:    "reservation",
		key:     func(r *reservation) []byte { return []byte(r.RunUUID) },
		indexes: []*index[reservation]{reservationsByUser},
	}
)

// reserve holds credits for a run. Errors: PaymentRequired insufficient_credits.
func (t *txn) reserve(userUUID, runUUID string, amount int64) error {
	a, err := accounts.get(t, userUUID)
	if err != nil {
		return err
	}
	if t.s.o.TierTable.Owner {
		amount = 0
	}
	if amount > a.balance() {
		return fail(
			PaymentRequired,
			"insufficient_credits",
			"need %s AI minutes, have %s",
			formatMinutes(amount),
			formatMinutes(a.balance()),
		)
	}
	r := &reservation{
		RunUUID:  runUUID,
		UserUUID: userUUID,
		Amount:   amount,
		Beta:     min(amount, a.Beta.Balance),
		State:    reserved,
		MovedAt:  t.now,
	}
	if err := t.moveReserved(a, r, moveReserve); err != nil {
		return err
	}
	return reservations.put(t, r)
}

// settle moves a run's reservation to charged or released and returns its amount in hundredths of a
// minute. One that has moved already cannot move again.
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
	kind := moveRelease
	if state == charged {
		kind = moveCharge
	}
	if err := t.moveReserved(a, r, kind); err != nil {
		return 0, err
	}
	r.State, r.MovedAt = state, t.now
	return r.Amount, reservations.put(t, r)
}

// moveReserved moves both parts of a reservation and writes the account. Credits that come back to
// a pool which holds what it is to hold already were granted for a month, a plan or a programme
// that has ended since, and expire like the rest of it did.
func (t *txn) moveReserved(a *account, r *reservation, kind string) error {
	for _, pool := range []string{poolBeta, poolPlan} {
		part, full, reason := r.part(pool), t.allowance(a.Tier), reasonMonth
		switch {
		case pool == poolBeta:
			full, reason = a.BetaTotal, reasonBeta
		case a.Status == statusTrialing:
			full = max(full, trialCredits)
		}
		if err := t.move(a, movement{Pool: pool, Kind: kind, Amount: part, RunUUID: r.RunUUID}); err != nil {
			return err
		}
		if kind != moveRelease {
			continue
		}
		late := min(part, max(0, a.pool(pool).Balance-full))
		if err := t.move(a, movement{Pool: pool, Kind: moveExpire, Amount: late, Reason: reason}); err != nil {
			return err
		}
	}
	return accounts.put(t, a)
}

// analysisCost returns what an analysis of so much footage costs, in hundredths of a minute rounded
// up.
func analysisCost(durationMS int64) int64 { return (durationMS + 599) / 600 }

// minutes turns hundredths of a minute into minutes.
func minutes(amount int64) float64 { return float64(amount) / 100 }

func hundredths(minutes float64) int64 { return int64(math.Round(minutes * 100)) }

func formatMinutes(amount int64) string { return strconv.FormatFloat(minutes(amount), 'f', -1, 64) }
