package billing

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"roughcut/store/fault"
	"roughcut/store/table"
)

// pool holds credits in hundredths of an AI minute. Granted always equals Balance + Reserved +
// Charged + Expired.
type pool struct{ Granted, Balance, Reserved, Charged, Expired int64 }

// Pools of an account. Credits of the beta program are spent first.
const (
	poolTier = "plan"
	poolBeta = "beta"
)

// Kinds of credit movements.
const (
	moveGrant   = "grant"   // into the balance
	moveReserve = "reserve" // from the balance, for a run
	moveCharge  = "charge"  // from the reserved credits
	moveRelease = "release" // from the reserved credits back into the balance
	moveExpire  = "expire"  // from the balance, unspent
)

// movement is an entry of the credit ledger. The pools of an account are the sums of its movements.
type movement struct {
	Seq      uint64
	UserUUID string
	Pool     string
	Kind     string
	Amount   int64  // hundredths of an AI minute, above 0
	RunUUID  string // of reserve, charge and release
	Reason   string // of grant and expire
	At       time.Time
}

// Reasons for grants and expiries.
const (
	reasonWelcome = "welcome" // first month of Free
	reasonTrial   = "trial"
	reasonTier    = "plan"  // the tier changed
	reasonMonth   = "month" // a month started
	reasonBeta    = "beta"
)

var (
	movementsByUser = &table.Index[movement]{
		Name: "movements.by_user",
		Keys: func(r *movement) [][]byte { return table.Entry(r.UserUUID) },
	}
	movements = &table.Table[movement]{
		Name:    "movements",
		Noun:    "movement",
		Key:     func(r *movement) []byte { return table.Key(r.Seq) },
		Indexes: []*table.Index[movement]{movementsByUser},
	}
)

// apply adds a movement to a pool.
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

// move writes a movement and applies it to the account. All changes of credits go through it. The
// caller writes the account.
func (b Books) move(a *account, m movement) error {
	if m.Amount == 0 {
		return nil
	}
	seq, err := movements.NextSeq(b)
	if err != nil {
		return err
	}
	m.Seq, m.UserUUID, m.At = seq, a.UserUUID, b.Now
	a.pool(m.Pool).apply(m.Kind, m.Amount)
	return movements.Put(b, &m)
}

func (a *account) pool(name string) *pool {
	if name == poolBeta {
		return &a.BetaCredits
	}
	return &a.TierCredits
}

func (a *account) balance() int64 { return a.TierCredits.Balance + a.BetaCredits.Balance }

// raise grants the difference from a pool's balance up to an amount.
func (b Books) raise(a *account, pool string, amount int64, reason string) error {
	return b.move(a, movement{Pool: pool, Kind: moveGrant, Amount: max(0, amount-a.pool(pool).Balance), Reason: reason})
}

// lower expires the credits of a pool's balance above an amount.
func (b Books) lower(a *account, pool string, amount int64, reason string) error {
	return b.move(
		a,
		movement{Pool: pool, Kind: moveExpire, Amount: max(0, a.pool(pool).Balance-amount), Reason: reason},
	)
}

// refill sets a pool's balance to an amount. Unspent credits expire.
func (b Books) refill(a *account, pool string, amount int64, reason string) error {
	if err := b.lower(a, pool, amount, reason); err != nil {
		return err
	}
	return b.raise(a, pool, amount, reason)
}

// allowance returns the monthly credits of a tier.
func (b Books) allowance(tier Tier) int64 { return Hundredths(b.Tiers[tier].AIMinutes) }

// States of a reservation. It changes once, from reserved to one of the others.
const (
	Reserved = "reserved"
	Charged  = "charged"
	Released = "released"
)

// reservation holds credits for one run.
type reservation struct {
	RunUUID, UserUUID string
	Amount            int64 // hundredths of an AI minute
	Beta              int64 // part of Amount from the pool of the beta program
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
	reservationsByUser = &table.Index[reservation]{
		Name: "reservations.open_by_user",
		Keys: func(r *reservation) [][]byte {
			if r.State != Reserved {
				return nil
			}
			return table.Entry(r.UserUUID)
		},
	}
	reservationsOfUser = &table.Index[reservation]{
		Name: "reservations.by_user",
		Keys: func(r *reservation) [][]byte { return table.Entry(r.UserUUID) },
	}
	reservations = &table.Table[reservation]{
		Name:    "reservations",
		Noun:    "reservation",
		Key:     func(r *reservation) []byte { return []byte(r.RunUUID) },
		Indexes: []*table.Index[reservation]{reservationsByUser, reservationsOfUser},
	}
)

// Reserve holds credits for a run, in hundredths of a minute. Errors: PaymentRequired
// insufficient_credits.
func (b Books) Reserve(userUUID, runUUID string, amount int64) error {
	a, err := accounts.Get(b, userUUID)
	if err != nil {
		return err
	}
	if b.Unlimited {
		amount = 0
	}
	if amount > a.balance() {
		return fault.New(
			fault.PaymentRequired,
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
		Beta:     min(amount, a.BetaCredits.Balance),
		State:    Reserved,
		MovedAt:  b.Now,
	}
	if err := b.moveReserved(a, r, moveReserve); err != nil {
		return err
	}
	return reservations.Put(b, r)
}

// Charge charges the reserved credits of a run and returns their amount in hundredths of a minute.
// It fails when they are charged or released already.
func (b Books) Charge(runUUID string) (int64, error) { return b.settle(runUUID, Charged) }

// Release returns the reserved credits of a run to the balance. It fails when they are charged or
// released already.
func (b Books) Release(runUUID string) error {
	_, err := b.settle(runUUID, Released)
	return err
}

func (b Books) settle(runUUID, state string) (int64, error) {
	r, err := reservations.Get(b, runUUID)
	if err != nil {
		return 0, err
	}
	if r.State != Reserved {
		return 0, fmt.Errorf("the credits of run %s are already %s and cannot become %s", runUUID, r.State, state)
	}
	a, err := accounts.Get(b, r.UserUUID)
	if err != nil {
		return 0, err
	}
	kind := moveRelease
	if state == Charged {
		kind = moveCharge
	}
	if err := b.moveReserved(a, r, kind); err != nil {
		return 0, err
	}
	r.State, r.MovedAt = state, b.Now
	return r.Amount, reservations.Put(b, r)
}

// moveReserved moves both parts of a reservation and writes the account. Released credits above the
// pool's full amount expire: they were granted for a month, tier or beta period that has ended
// since.
func (b Books) moveReserved(a *account, r *reservation, kind string) error {
	for _, pool := range []string{poolBeta, poolTier} {
		part, full, reason := r.part(pool), b.allowance(a.Tier), reasonMonth
		switch {
		case pool == poolBeta:
			full, reason = a.BetaTotal, reasonBeta
		case a.Status == statusTrialing:
			full = max(full, trialCredits)
		}

		if err := b.move(a, movement{Pool: pool, Kind: kind, Amount: part, RunUUID: r.RunUUID}); err != nil {
			return err
		}
		if kind != moveRelease {
			continue
		}
		late := min(part, max(0, a.pool(pool).Balance-full))
		if err := b.move(a, movement{Pool: pool, Kind: moveExpire, Amount: late, Reason: reason}); err != nil {
			return err
		}
	}

	return accounts.Put(b, a)
}

// Cost returns the cost of an analysis in hundredths of a minute, rounded up.
func Cost(durationMS int64) int64 { return (durationMS + 599) / 600 }

// Minutes converts hundredths of a minute to minutes.
func Minutes(amount int64) float64 { return float64(amount) / 100 }

// Hundredths converts minutes to hundredths of a minute.
func Hundredths(minutes float64) int64 { return int64(math.Round(minutes * 100)) }

func formatMinutes(amount int64) string { return strconv.FormatFloat(Minutes(amount), 'f', -1, 64) }
