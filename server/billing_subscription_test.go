package server

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roughcut/store"
	"roughcut/store/account"
	"roughcut/store/billing"
)

const day = 24 * time.Hour

// later advances the clock and processes due billing.
func (w *world) later(d time.Duration) {
	w.t.Helper()
	w.clock.Advance(d)
	if err := w.server.Payments.ProcessDue(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	found, err := w.store.Check(w.t.Context())
	if err != nil || len(found) > 0 {
		w.t.Fatalf("doctor reports %v %v", found, err)
	}
}

// shows checks values of the billing status.
func (r *reply) shows(want map[string]any) {
	r.t.Helper()
	for path, value := range want {
		var keys []any
		for _, part := range strings.Split(path, ".") {
			keys = append(keys, part)
		}
		if got := r.value(keys...); fmt.Sprint(got) != fmt.Sprint(value) {
			r.t.Errorf("%s is %v, want %v", path, got, value)
		}
	}
}

func (p *person) downgrade(price int) *reply {
	p.w.t.Helper()
	return p.do("POST", subscription+"schedule-downgrade", map[string]any{"price_id": price})
}

func (p *person) say(outcome string) *reply {
	p.w.t.Helper()
	return p.do(
		"POST",
		subscription+"cancellation-feedback",
		map[string]any{"reason": "too_expensive", "detail": "too much", "outcome": outcome},
	)
}

// patient keeps sessions valid for years.
func patient(o *Options, _ *store.Options) { o.Settings.SessionTTL = 10 * 365 * day }

func onRequest(_ *Options, so *store.Options) { so.TrialOnRequest = true }

const balance = "credits.ai_minutes.balance"

func TestStateUserVerificationGrantsTheTrialAndItEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	p.billing().shows(
		map[string]any{
			"tier":                "creator",
			"subscription_status": "trialing",
			"trial_ends_at":       "2026-02-07T12:00:00.000+00:00",
			balance:               30,
			"has_active_plan":     true,
			"trial_used":          true,
			"billing_interval":    nil,
			"can_use_ai_director": true,
			"can_watermark_free":  true,
			"can_access_support":  false,
			"is_beta":             false,
			"beta_credits_used":   nil,
			"beta_credits_total":  nil,
			"beta_renewal_date":   nil,
			"discount_used":       false,
		},
	)
	w.later(7*day - time.Second)
	p.billing().shows(map[string]any{"tier": "creator", "subscription_status": "trialing"})
	w.clock.Advance(time.Second) // before any job has run
	p.billing().shows(map[string]any{"tier": "free", "subscription_status": "none", "has_active_plan": false})
	w.later(0)
	p.billing().shows(
		map[string]any{
			"tier":                "free",
			"subscription_status": "none",
			balance:               30,
			"max_projects":        3,
			"storage_quota_bytes": 524288000.0,
			"credits_renew_at":    "2026-03-07T12:00:00.000+00:00",
		},
	)
}

func TestStateSubscriptionActivateTrial(t *testing.T) {
	t.Parallel()
	w := newWorld(t, onRequest)
	p := w.person("ada")
	p.billing().shows(
		map[string]any{
			"tier":                "free",
			"subscription_status": "none",
			balance:               30,
			"trial_used":          false,
			"trial_ends_at":       nil,
		},
	)
	p.do("POST", subscription+"activate-trial", nil).want(200, "").shows(
		map[string]any{"tier": "creator", "subscription_status": "trialing", balance: 30,
			"trial_used": true, "trial_ends_at": "2026-02-07T12:00:00.000+00:00"},
	)
	p.do("POST", subscription+"activate-trial", nil).want(409, "trial_used")
	w.later(8 * day)
	p.do("POST", subscription+"activate-trial", nil).want(409, "trial_used")
}

func TestTrialStaysUsedAfterAccountDeletion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, onRequest)
	p := w.person("ada")
	p.do("POST", subscription+"activate-trial", nil).want(200, "")
	if err := w.store.DeleteUser(p.user.UUID, ""); err != nil {
		t.Fatal(err)
	}
	again := w.person("ADA")
	again.billing().shows(map[string]any{"trial_used": true, "tier": "free"})
	again.do("POST", subscription+"activate-trial", nil).want(409, "trial_used")
}

func TestConcurrentTrialActivationsGrantOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, onRequest)
	p := w.person("ada")
	if n := atOnce(50, func() bool { return p.do("POST", subscription+"activate-trial", nil).status == 200 }); n != 1 {
		t.Errorf("%d trials started", n)
	}
	p.billing().shows(map[string]any{balance: 30})
	p.do("GET", "/api/v1/payments/invoices", nil).shows(map[string]any{"total": 1})
}

func TestConcurrentUpgradesChargeOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	if n := atOnce(50, func() bool { return p.upgrade(3).status == 200 }); n != 1 {
		t.Errorf("%d upgrades succeeded", n)
	}
	p.do("GET", "/api/v1/payments/invoices", nil).shows(map[string]any{"total": 2}) // the trial and one charge
	w.later(0)
}

func TestConcurrentAnalysesNeverOverdrawBalance(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *Options, so *store.Options) {
		so.TierTable = billing.DefaultTierTable()
		plan := so.TierTable.Tiers[billing.Creator]
		plan.MaxProjects = 60
		so.TierTable.Tiers[billing.Creator] = plan
	})
	p := w.person("ada")
	var projects []string
	for i := range 50 {
		project := p.project(fmt.Sprint(i))
		clip, _ := p.upload(project, []byte("recording"))
		p.do("POST", "/api/v1/projects/"+project+"/clips/"+clip+"/confirm", nil).want(202, "")
		w.finishClipOf(4 * 60_000)
		projects = append(projects, project)
	}
	var next atomic.Int64
	if n := atOnce(50, func() bool {
		return p.do("POST", "/api/v1/projects/"+projects[next.Add(1)-1]+"/analyze", map[string]any{}).status == 202
	}); n != 7 {
		t.Errorf("%d analyses of 4 minutes started with a balance of 30", n)
	}
	p.billing().shows(map[string]any{balance: 2, "credits.ai_minutes.reserved": 28})
	w.later(0)
}

// atOnce calls fn n times in parallel and returns how often it returned true.
func atOnce(n int, fn func() bool) int {
	var yes atomic.Int64
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if fn() {
				yes.Add(1)
			}
		})
	}
	all.Wait()
	return int(yes.Load())
}

func TestStateCreditsReservedThenDeductedOrReleased(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	project := p.project("Talk")
	clip := p.readyClip(project) // 10 s
	start := func() { p.do("POST", "/api/v1/projects/"+project+"/analyze", map[string]any{}).want(202, "") }
	start()
	p.billing().shows(map[string]any{balance: 29.83, "credits.ai_minutes.reserved": 0.17})
	w.finishAnalysis(clip)
	p.billing().shows(map[string]any{balance: 29.83, "credits.ai_minutes.reserved": 0})
	start()
	if err := w.store.FailAnalysis(w.claim(store.JobAnalysis), "broken"); err != nil {
		t.Fatal(err)
	}
	p.billing().shows(map[string]any{balance: 29.83, "credits.ai_minutes.reserved": 0})
	w.later(0)
}

func TestStateSubscriptionUpgradeChargesTheProratedPriceAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	p.upgrade(1).want(200, "").shows(
		map[string]any{"charged_cents": 900, "billing.tier": "hobby", "billing.can_use_ai_director": false,
			"billing.current_period_ends_at": "2026-02-28T12:00:00.000+00:00"},
	)
	w.later(7 * day)
	p.upgrade(3).want(200, "").shows(
		map[string]any{
			"charged_cents":                      1900 - 675,
			"currency":                           "usd",
			"billing.tier":                       "creator",
			"billing.can_use_ai_director":        true,
			"billing.max_projects":               100,
			"billing.storage_quota_bytes":        float64(26843545600),
			"billing.billing_interval":           "month",
			"billing.current_period_ends_at":     "2026-03-07T12:00:00.000+00:00",
			"billing.credits.ai_minutes.balance": 600,
		},
	)
	list := p.do("GET", "/api/v1/payments/invoices", nil).want(200, "")
	for i, want := range []map[string]any{
		{"kind": "proration", "amount_cents": -675}, {"kind": "charge", "amount_cents": 1900},
		{"kind": "charge", "amount_cents": 900}, {"kind": "grant", "amount_cents": 0},
	} {
		for field, value := range want {
			if got := list.value("items", i, field); fmt.Sprint(got) != fmt.Sprint(value) {
				t.Errorf("%s of invoice %d is %v, want %v", field, i, got, value)
			}
		}
	}
}

func TestUnusedDaysBecomeCreditForLaterCharges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, patient)
	p := w.person("ada")
	p.upgrade(2).want(200, "").shows(map[string]any{"charged_cents": 9000})
	// 7100 of credit remain
	p.upgrade(3).want(
		200,
		"",
	).shows(map[string]any{"charged_cents": 0, "billing.tier": "creator", "billing.billing_interval": "month"})
	w.later(28 * day)
	w.later(31 * day)
	// 3300 and the 1900 of a month that starts today
	p.upgrade(5).want(200, "").shows(map[string]any{"charged_cents": 0})
	w.later(30 * day)
	list := p.do("GET", "/api/v1/payments/invoices", nil).want(200, "")
	sum := 0.0
	for i := range int(list.value("total").(float64)) {
		sum += list.value("items", i, "amount_cents").(float64)
	}
	if sum != 9000+4900-300 {
		t.Errorf("the invoices add up to %v", sum)
	}
}

func TestUpgradeAndDowngradeDirections(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	up := map[int][]int{
		0: {1, 2, 3, 4, 5, 6},
		1: {2, 3, 4, 5, 6},
		2: {3, 4, 5, 6},
		3: {4, 5, 6},
		4: {5, 6},
		5: {6},
		6: nil,
	}
	for from, higher := range up {
		for to := 1; to <= 6; to++ {
			p := w.person(fmt.Sprintf("p%d-%d", from, to))
			if from > 0 {
				p.upgrade(from).want(200, "")
			}
			isHigher := strings.Contains(fmt.Sprint(higher), fmt.Sprint(to))
			switch {
			case from == 0:
				p.downgrade(to).want(409, "no_subscription")
			case isHigher || from == to:
				p.downgrade(to).want(422, "not_a_downgrade")
			default:
				p.downgrade(to).want(204, "")
			}
			if isHigher {
				p.upgrade(to).want(200, "")
			} else {
				p.upgrade(to).want(422, "not_an_upgrade")
			}
		}
	}
	w.person("nobody").downgrade(99).want(404, "not_found")
}

func TestStateSubscriptionDowngradeIsAppliedAtRenewal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	p.upgrade(3).want(200, "")
	p.downgrade(1).want(204, "")
	w.later(28*day - time.Second)
	p.billing().shows(
		map[string]any{"tier": "creator", balance: 600, "scheduled_price_id": 1, "subscription_status": "active"},
	)
	w.later(time.Second)
	p.billing().shows(
		map[string]any{
			"tier":                   "hobby",
			balance:                  120,
			"scheduled_price_id":     nil,
			"max_projects":           20,
			"current_period_ends_at": "2026-03-31T12:00:00.000+00:00",
		},
	)
	p.do("GET", "/api/v1/payments/invoices", nil).shows(map[string]any{"total": 3})
}

func TestUpgradeCancelsScheduledDowngrade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	p.upgrade(3).want(200, "")
	p.downgrade(1).want(204, "")
	p.upgrade(5).want(200, "").shows(map[string]any{"billing.scheduled_price_id": nil})
	w.later(28 * day)
	p.billing().shows(map[string]any{"tier": "viral"})
}

func TestStateSubscriptionFeedbackCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, patient)
	p := w.person("ada")
	p.say("cancelled").want(409, "no_subscription") // a trial is not a paid subscription
	p.upgrade(3).want(200, "")
	p.say("cancelled").want(204, "")
	p.billing().shows(
		map[string]any{
			"tier":                   "free",
			"subscription_status":    "canceled",
			"has_active_plan":        false,
			"billing_interval":       nil,
			balance:                  30,
			"can_watermark_free":     false,
			"can_access_support":     false,
			"current_period_ends_at": nil,
		},
	)
	w.later(365 * day)
	p.billing().shows(map[string]any{"tier": "free", "subscription_status": "canceled", balance: 30})
	p.do("GET", "/api/v1/payments/invoices", nil).shows(map[string]any{"total": 2}) // no charge follows
	p.upgrade(1).want(200, "").shows(map[string]any{"charged_cents": 900, "billing.subscription_status": "active"})
}

func TestStateSubscriptionFeedbackDiscountsNextTwoRenewals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, patient)
	p := w.person("ada")
	p.say("discount_accepted").want(409, "no_subscription")
	p.upgrade(3).want(200, "")
	p.say("discount_accepted").want(204, "")
	p.billing().shows(map[string]any{"discount_used": true, "subscription_status": "active"})
	w.later(100 * day) // renewals on 28 February, 31 March and 30 April
	list := p.do("GET", "/api/v1/payments/invoices?page_size=5", nil).want(200, "")
	var got []string
	for i := range 5 {
		got = append(got, list.text("items", i, "kind")+" "+list.text("items", i, "amount_cents"))
	}
	if want := "charge 1900, discount -570, charge 1900, discount -570, charge 1900"; strings.Join(got, ", ") != want {
		t.Errorf("renewals %v", got)
	}
	p.say("discount_accepted").want(409, "discount_used")
	p.say("cancelled").want(204, "")
	p.upgrade(1).want(200, "")
	p.say("discount_accepted").want(409, "discount_used")
}

func TestStateSubscriptionFeedbackReminderAndKeptPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	p.say("reminder_set").want(409, "no_subscription")
	p.say("kept_plan").want(204, "")
	p.upgrade(1).want(200, "")
	before := string(p.billing().body)
	p.say("kept_plan").want(204, "")
	p.say("reminder_set").want(204, "")
	if after := string(p.billing().body); after != before {
		t.Errorf("the billing status changed from %s to %s", before, after)
	}
	w.later(25 * day)
	if m := w.mailTo(
		"ada@example.com",
		"renews soon",
	); m == nil || !strings.Contains(m.text, "28 February 2026") ||
		!strings.Contains(m.text, "9.00 USD") {
		t.Errorf("reminder %+v", m)
	}
}

func TestYearlySubscriptionRefillsMonthly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, patient)
	p := w.person("ada")
	project := p.project("Talk")
	clip := p.readyClip(project)
	p.upgrade(2).want(200, "").shows(
		map[string]any{
			"billing.billing_interval":       "year",
			"billing.current_period_ends_at": "2027-01-31T12:00:00.000+00:00",
		},
	)
	for _, renews := range []string{"2026-02-28", "2026-03-31", "2026-04-30"} {
		p.analyze(project, clip)
		p.billing().shows(map[string]any{balance: 119.83, "credits_renew_at": renews + "T12:00:00.000+00:00"})
		at, _ := time.Parse(time.DateOnly, renews)
		w.later(at.Add(12 * time.Hour).Sub(w.clock.Now()))
		p.billing().shows(map[string]any{balance: 120})
	}
	p.do("GET", "/api/v1/payments/invoices", nil).shows(map[string]any{"total": 2})
}

func TestBetaCreditsAreSpentFirstAndRenewed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, patient)
	admin, p := w.person("admin"), w.person("ada")
	project := p.project("Talk")
	clip := p.readyClip(project)
	admin.do(
		"POST",
		"/admin/beta/grant",
		map[string]any{"email": "ada@example.com", "credits_total": 0.1, "renewal_date": "2026-02-10T00:00:00+00:00"},
	).want(200, "").
		shows(map[string]any{"is_beta": true, balance: 30.1, "can_access_support": true})
	p.analyze(project, clip) // 0.17
	p.billing().shows(map[string]any{balance: 29.93, "beta_credits_used": 0.1, "beta_credits_total": 0.1})
	w.later(20 * day) // after the renewal and the end of the trial
	p.billing().shows(
		map[string]any{
			balance:              30.1,
			"beta_credits_used":  0,
			"beta_renewal_date":  "2026-03-10T00:00:00.000+00:00",
			"tier":               "free",
			"can_access_support": true,
		},
	)
	p.do("POST", subscription+"support-request", map[string]any{"reason": "r", "message": "m"}).want(202, "")
	admin.do("POST", "/admin/beta/grant", map[string]any{"email": "ada@example.com", "credits_total": 0}).want(200, "").
		shows(map[string]any{"is_beta": false, balance: 30, "beta_credits_total": nil, "beta_renewal_date": nil})
	w.later(60 * day)
	p.billing().shows(map[string]any{balance: 30})
}

func TestOwnerModeHasNothingToPay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, ownerMode, patient)
	p := w.signIn(account.User{UUID: w.server.ownerUUID})
	p.upgrade(6).want(422, "not_an_upgrade")
	p.downgrade(1).want(409, "no_subscription")
	p.say("cancelled").want(409, "no_subscription")
	p.do("POST", subscription+"activate-trial", nil).want(409, "conflict")
	w.later(400 * day)
	p.billing().shows(
		map[string]any{
			"tier":                "viral",
			"subscription_status": "active",
			balance:               2400,
			"has_active_plan":     true,
			"billing_interval":    nil,
		},
	)
	p.do("GET", "/api/v1/payments/invoices", nil).shows(map[string]any{"total": 0})
}

func TestCancellationFeedbackIsStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin, p := w.person("admin"), w.person("ada")
	said := func() *reply { return admin.do("GET", "/api/v1/admin/feedback", nil).want(200, "") }
	said().shows(map[string]any{"total": 0})
	p.say("cancelled").want(409, "no_subscription") // rejected feedback is not recorded
	p.upgrade(3).want(200, "")
	for _, outcome := range []string{"kept_plan", "reminder_set", "discount_accepted", "cancelled"} {
		w.clock.Advance(time.Second)
		p.say(outcome).want(204, "")
	}
	list := said()
	list.shows(map[string]any{"total": 4})
	for i, outcome := range []string{"cancelled", "discount_accepted", "reminder_set", "kept_plan"} {
		if list.text("items", i, "outcome") != outcome || list.text("items", i, "tier") != "creator" ||
			list.text("items", i, "detail") != "too much" ||
			list.text("items", i, "reason") != "too_expensive" ||
			list.text("items", i, "user_uuid") != p.user.UUID {
			t.Errorf("feedback %d is %s", i, list.body)
		}
	}
	p.do("DELETE", "/api/v1/users/me", map[string]any{}).want(204, "")
	said().shows(map[string]any{"total": 0})
}
