package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roughcut/media/mediatest"
	"roughcut/store/account"
	"roughcut/store/billing"
)

// model computes tier, credits and payments of one user. It advances day by day, while the store
// skips to the next event. It counts credits in hundredths of a minute.
type model struct {
	today            time.Time
	tier             billing.Tier
	status, interval string
	trialEnd         time.Time
	anchor           time.Time // day of the month on which months start
	monthsIn         int       // full months of this period so far
	start, end       time.Time // of the paid period
	paid, credit     int64     // cents
	money            int64     // cents charged so far
	scheduled        billing.Price
	discounts        int
	discountUsed     bool
	failures         int
	retry            time.Time
	plan, beta       int64 // balances
	runs             []*modelRun
	betaTotal        int64
	betaAnchor       time.Time
}

type modelRun struct {
	uuid       string
	plan, beta int64
}

const day = 24 * time.Hour

// beginsMonth reports whether a month that counts from an anchor starts on a day.
func beginsMonth(anchor, on time.Time) bool {
	last := time.Date(on.Year(), on.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return !anchor.IsZero() && on.After(anchor) && on.Day() == min(anchor.Day(), last)
}

// walk returns the day that is a number of months after start.
func walk(anchor, start time.Time, months int) time.Time {
	for on := start.Add(day); ; on = on.Add(day) {
		if beginsMonth(anchor, on) {
			if months--; months == 0 {
				return on
			}
		}
	}
}

func allowanceOf(tier billing.Tier) int64 {
	return int64(billing.DefaultTierTable().Tiers[tier].AIMinutes * 100)
}

// spend advances the model by one day. Charges are paid or refused.
func (m *model) spend(refuse bool) {
	m.today = m.today.Add(day)
	month := beginsMonth(m.anchor, m.today)
	switch {
	case m.status == "trialing" && m.today.Equal(m.trialEnd):
		m.tier = billing.Free
		m.status = "none"
		m.anchor = m.today
		m.plan = allowanceOf(billing.Free)
	case m.status == "active" && month:
		if m.monthsIn++; m.today.Equal(m.end) {
			m.renew(refuse)
		} else {
			m.plan = allowanceOf(m.tier)
		}
	case m.status == "past_due" && !m.today.Before(m.retry):
		m.renew(refuse)
	case (m.status == "none" || m.status == "canceled") && month:
		m.plan = allowanceOf(billing.Free)
	}
	if beginsMonth(m.betaAnchor, m.today) || (!m.betaAnchor.IsZero() && m.today.Equal(m.betaAnchor)) {
		m.beta = m.betaTotal
	}
}

func (m *model) renew(refuse bool) {
	prices := billing.DefaultTierTable().Prices()
	current := func(p billing.Price) bool { return p.Tier == m.tier && p.Interval == m.interval }
	price := prices[slices.IndexFunc(prices, current)]
	if m.scheduled.ID != 0 {
		price = m.scheduled
	}
	due := price.AmountCents
	if m.discounts > 0 {
		due -= due * 3 / 10 // the default prices leave no fraction
	}
	counted := min(m.credit, due)
	if refuse && due > counted {
		if m.failures++; m.failures == 4 {
			m.cancel()
		} else {
			m.status, m.retry = "past_due", m.today.Add([]time.Duration{day, 3 * day, 3 * day}[m.failures-1])
		}
		return
	}
	m.discounts = max(0, m.discounts-1)
	m.credit -= counted
	m.money += due - counted
	m.begin(price, m.end, due)
	m.plan = allowanceOf(m.tier)
}

// begin starts a period of a subscription.
func (m *model) begin(price billing.Price, start time.Time, paid int64) {
	m.tier = price.Tier
	m.interval = price.Interval
	m.status = "active"
	m.paid = paid
	months := map[string]int{billing.Month: 1, billing.Year: 12}[price.Interval]
	m.start, m.end, m.monthsIn = start, walk(m.anchor, start, months), 0
	m.scheduled, m.failures = billing.Price{}, 0
}

func (m *model) cancel() {
	m.tier = billing.Free
	m.status = "canceled"
	m.interval = ""
	m.anchor = m.today
	m.start = time.Time{}
	m.end = time.Time{}
	m.paid = 0
	m.scheduled = billing.Price{}
	m.discounts = 0
	m.failures = 0
	m.plan = min(m.plan, allowanceOf(billing.Free))
}

// upgrade returns the charge for an upgrade.
func (m *model) upgrade(price billing.Price) (charge, left int64) {
	worth := m.credit
	if m.end.After(m.today) {
		unused, all := int64(m.end.Sub(m.today)/day), int64(m.end.Sub(m.start)/day)
		worth += int64(float64(m.paid)*float64(unused)/float64(all) + 0.5)
	}
	return max(0, price.AmountCents-worth), max(0, worth-price.AmountCents)
}

func (m *model) hasPlan() bool { return m.status == "active" || m.status == "past_due" }

// trader runs the same actions in a store and in the model.
type trader struct {
	t       *rapid.T
	w       *world
	m       model
	user    account.User
	started []string // runs
}

func newTrader(t *rapid.T, w *world, n int) *trader {
	u := w.user(fmt.Sprintf("trader%d", n))
	now := w.Now()
	return &trader{
		t:    t,
		w:    w,
		user: u,
		m: model{
			today:    now,
			tier:     billing.Creator,
			status:   "trialing",
			trialEnd: now.Add(7 * day),
			anchor:   time.Time{},
			plan:     30 * 100,
		},
	}
}

func (r *trader) step() {
	actions := map[string]func(){
		"analyze":   r.analyze,
		"end":       r.end,
		"crash":     r.crash,
		"upgrade":   r.upgrade,
		"downgrade": r.downgrade,
		"cancel":    func() { r.feedback(billing.FeedbackCancelled) },
		"discount":  func() { r.feedback(billing.FeedbackDiscount) },
		"remind":    func() { r.feedback(billing.FeedbackReminder) },
		"wait":      func() { r.wait(false) },
		"refuse":    func() { r.wait(true) },
		"beta":      r.beta,
	}
	order := []string{
		"analyze",
		"end",
		"upgrade",
		"wait",
		"downgrade",
		"beta",
		"refuse",
		"discount",
		"remind",
		"cancel",
		"crash",
	}
	actions[rapid.SampledFrom(append(order, "analyze", "end", "upgrade", "wait", "wait")).Draw(r.t, "action")]()
}

// analyze reserves credits for a run.
func (r *trader) analyze() {
	cost := rapid.Int64Range(1, 40_000).Draw(r.t, "cost")
	run := r.w.NewID()
	err := r.w.update(func(t *txn) error {
		if err := t.books().Reserve(r.user.UUID, run, cost); err != nil {
			return err
		}
		return runs.Put(t, &runRow{Run: Run{UUID: run, UserUUID: r.user.UUID, Status: RunRunning}})
	})
	if cost > r.m.plan+r.m.beta {
		wantCode(r.w.t, err, PaymentRequired, "insufficient_credits")
		return
	}
	must(r.w.t, err)
	held := &modelRun{uuid: run, beta: min(cost, r.m.beta)}
	held.plan = cost - held.beta
	r.m.plan -= held.plan
	r.m.beta -= held.beta
	r.m.runs = append(r.m.runs, held)
	r.started = append(r.started, run)
}

// end settles the oldest run and checks that it cannot be settled twice.
func (r *trader) end() {
	if len(r.m.runs) == 0 {
		return
	}
	run, charge := r.m.runs[0], rapid.Bool().Draw(r.t, "finished")
	status := StatusFailed
	if charge {
		status = StatusCompleted
	} else {
		r.m.plan = givenBack(r.m.plan, run.plan, allowanceOf(r.m.tier))
		r.m.beta = givenBack(r.m.beta, run.beta, r.m.betaTotal)
	}
	settle := func(t *txn) error {
		if err := t.changeRun(run.uuid, func(row *runRow) { row.Status = status }); err != nil {
			return err
		}
		if !charge {
			return t.books().Release(run.uuid)
		}
		_, err := t.books().Charge(run.uuid)
		return err
	}
	must(r.w.t, r.w.update(settle))
	if err := r.w.update(settle); err == nil {
		r.t.Fatal("credits were settled twice")
	}
	r.m.runs = r.m.runs[1:]
}

// givenBack returns a balance after credits were released into it: at most the full amount of the
// pool, unless it had more before.
func givenBack(balance, released, full int64) int64 {
	return max(balance, min(balance+released, full))
}

// crash opens a copy of the database at this moment.
func (r *trader) crash() {
	path := filepath.Join(r.w.opts.Dir, "roughcut.db")
	data := get(os.ReadFile(path))(r.w.t)
	must(r.w.t, r.w.Close())
	must(r.w.t, os.WriteFile(path, data, 0o600))
	r.w.start()
	// the death of a process loses no written data; other tests cover the loss of power
	r.w.db.NoSync = true
}

func (r *trader) upgrade() {
	price := rapid.SampledFrom(billing.DefaultTierTable().Prices()).Draw(r.t, "price")
	p, err := r.w.BeginUpgrade(r.user.UUID, price.ID)
	if r.m.hasPlan() &&
		(slices.Index(billing.Tiers(), price.Tier) < slices.Index(billing.Tiers(), r.m.tier) ||
			(price.Tier == r.m.tier && (price.Interval == billing.Month || r.m.interval == billing.Year))) {
		wantCode(r.w.t, err, Unprocessable, "not_an_upgrade")
		return
	}
	must(r.w.t, err)
	charge, left := r.m.upgrade(price)
	if p.AmountCents != charge {
		r.t.Fatalf("an upgrade to %+v charges %d, want %d", price, p.AmountCents, charge)
	}
	if charge > 0 {
		if rapid.IntRange(0, 5).Draw(r.t, "crash while charging") == 0 {
			r.crash()
			wantCode(r.w.t, r.w.DeleteUser(r.user.UUID, "hash"), Conflict, "conflict")
		}
		paid := rapid.IntRange(0, 3).Draw(r.t, "declined") > 0
		for range 2 { // the second response comes late
			get(r.w.FinishPayment(p.UUID, billing.PaymentOutcome{Paid: paid, Collected: true}))(r.w.t)
		}
		if !paid {
			return
		}
	}
	r.m.credit, r.m.money, r.m.anchor = left, r.m.money+charge, r.m.today
	r.m.begin(price, r.m.today, price.AmountCents)
	r.m.plan = max(r.m.plan, allowanceOf(price.Tier))
}

func (r *trader) downgrade() {
	price := rapid.SampledFrom(billing.DefaultTierTable().Prices()).Draw(r.t, "price")
	err := r.w.ScheduleDowngrade(r.user.UUID, price.ID)
	switch {
	case !r.m.hasPlan():
		wantCode(r.w.t, err, Conflict, "no_subscription")
	case slices.Index(billing.Tiers(), price.Tier) > slices.Index(billing.Tiers(), r.m.tier) ||
		(price.Tier == r.m.tier && (price.Interval == billing.Year || r.m.interval == billing.Month)):
		wantCode(r.w.t, err, Unprocessable, "not_a_downgrade")
	default:
		must(r.w.t, err)
		r.m.scheduled = price
	}
}

func (r *trader) feedback(outcome string) {
	err := r.w.AddFeedback(billing.Feedback{UserUUID: r.user.UUID, Reason: "r", Outcome: outcome})
	switch {
	case !r.m.hasPlan():
		wantCode(r.w.t, err, Conflict, "no_subscription")
	case outcome == billing.FeedbackDiscount && r.m.discountUsed:
		wantCode(r.w.t, err, Conflict, "discount_used")
	default:
		must(r.w.t, err)
		switch outcome {
		case billing.FeedbackCancelled:
			r.m.cancel()
		case billing.FeedbackDiscount:
			r.m.discounts, r.m.discountUsed = 2, true
		}
	}
}

// wait advances the clock. It skips all days at once when charges are paid. When they are refused
// it advances day by day, because each refusal schedules its own retry.
func (r *trader) wait(refuse bool) {
	days := rapid.IntRange(1, 100).Draw(r.t, "days")
	if refuse {
		days = min(days, 40)
	}
	for range days {
		r.m.spend(refuse)
		r.w.clock.Advance(day)
		if refuse {
			r.w.tick(false)
			r.compare()
		}
	}
	r.w.tick(!refuse)
}

func (r *trader) beta() {
	total := rapid.SampledFrom([]int64{0, 0, 500, 12_345}).Draw(r.t, "total")
	renews := time.Time{}
	if after := rapid.IntRange(0, 40).Draw(r.t, "renews after"); after > 0 && total > 0 {
		renews = r.w.Now().Add(time.Duration(after) * day)
	}
	get(r.w.GrantBeta(r.user.Email, billing.Minutes(total), renews))(r.w.t)
	r.m.beta, r.m.betaTotal, r.m.betaAnchor = total, total, renews
}

// compare compares the store with the model, and checks its ledgers.
func (r *trader) compare() {
	b := get(r.w.Billing(r.user.UUID))(r.w.t)
	m, reserved := &r.m, int64(0)
	for _, run := range m.runs {
		reserved += run.plan + run.beta
	}
	if b.Tier != m.tier || b.SubscriptionStatus != m.status || b.Interval != m.interval ||
		b.DiscountUsed != m.discountUsed ||
		b.ScheduledPriceID != m.scheduled.ID {
		r.t.Fatalf("the subscription is %+v, want %+v", b, m)
	}
	if billing.Hundredths(b.Balance) != m.plan+m.beta || billing.Hundredths(b.Reserved) != reserved ||
		b.IsBeta != (m.betaTotal > 0) {
		r.t.Fatalf(
			"the balance is %v, reserved %v, want %d + %d beta, %d",
			b.Balance,
			b.Reserved,
			m.plan,
			m.beta,
			reserved,
		)
	}
	if m.end.IsZero() != (b.PeriodEnd == nil) || (b.PeriodEnd != nil && !b.PeriodEnd.Equal(m.end)) {
		r.t.Fatalf("the period ends at %v, want %v", b.PeriodEnd, m.end)
	}
	money := int64(0)
	invoices, _, err := r.w.Invoices(r.user.UUID, Page{})
	must(r.w.t, err)
	for _, i := range invoices {
		money += i.AmountCents
	}
	must(r.w.t, r.w.view(func(t *txn) error {
		c := &check{t: t}
		err := c.billing()
		if len(c.findings) > 0 {
			r.t.Fatalf("the check finds %v", c.findings)
		}
		return err
	}))
	if money != m.money {
		r.t.Fatalf("%d cents were charged, want %d", money, m.money)
	}
}

// leave ends the runs and deletes the user.
func (r *trader) leave() {
	for len(r.m.runs) > 0 {
		must(r.w.t, r.w.update(func(t *txn) error {
			return t.books().Release(r.m.runs[0].uuid)
		}))
		r.m.runs = r.m.runs[1:]
	}
	must(r.w.t, r.w.update(func(t *txn) error {
		var err error
		for _, uuid := range r.started {
			err = errors.Join(err, runs.Delete(t, uuid))
		}
		return err
	}))
	must(r.w.t, r.w.DeleteUser(r.user.UUID, "hash"))
}

// trade runs 300 sequences of actions in one store.
func trade(t *testing.T) {
	w := open(t)
	w.db.NoSync = true
	n := 0
	sequence := func(rt *rapid.T) {
		n++
		r := newTrader(rt, w, n)
		defer func() {
			if !rt.Failed() {
				r.leave()
			}
		}()
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			r.step()
			r.compare()
		}
	}
	for range 3 {
		rapid.Check(t, sequence)
	}
	w.clean()
}

func TestTiersCreditsAndPaymentsFollowAModel(t *testing.T) {
	t.Parallel()
	trade(t)
}

func TestLongTiersCreditsAndPaymentsFollowAModel(t *testing.T) {
	t.Parallel()
	mediatest.NeedsLong(t)
	for range 34 { // tests of 300 sequences each
		trade(t)
	}
}
