package server

import (
	"strings"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v86/webhook"

	"roughcut/server/payments"
	"roughcut/store"
	"roughcut/store/billing"
)

const subscription = "/api/v1/payments/subscription/"

func (p *person) upgrade(price int) *reply {
	p.w.t.Helper()
	return p.do("POST", subscription+"upgrade", map[string]any{"price_id": price})
}

func (p *person) billing() *reply {
	p.w.t.Helper()
	return p.do("GET", subscription+"status", nil).want(200, "")
}

func TestSubscriptionFromPricesToCancellation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	prices := p.do("GET", "/api/v1/payments/prices", nil).want(200, "")
	if prices.text("total") != "6" || prices.text("items", 2, "price_id") != "3" ||
		prices.text("items", 2, "amount_cents") != "1900" ||
		prices.text("items", 2, "entitlements", "ai_minutes") != "600" {
		t.Errorf("prices %s", prices.body)
	}
	p.upgrade(7).want(404, "not_found")
	p.do("POST", subscription+"schedule-downgrade", map[string]any{"price_id": 1}).want(409, "no_subscription")
	p.do("POST", subscription+"activate-trial", nil).want(409, "trial_used")
	r := p.upgrade(1).want(200, "")
	if r.text("charged_cents") != "900" || r.text("currency") != "usd" || r.text("billing", "tier") != "hobby" ||
		r.text("billing", "subscription_status") != "active" ||
		r.text("billing", "billing_interval") != "month" {
		t.Errorf("upgraded: %s", r.body)
	}
	p.upgrade(1).want(422, "not_an_upgrade")
	if r = p.upgrade(3).want(200, ""); r.text("charged_cents") != "1000" ||
		r.text("billing", "credits", "ai_minutes", "balance") != "600" {
		t.Errorf("upgrade on the same day: %s", r.body)
	}
	p.do("POST", subscription+"schedule-downgrade", map[string]any{"price_id": 5}).want(422, "not_a_downgrade")
	p.do("POST", subscription+"schedule-downgrade", map[string]any{"price_id": 2}).want(204, "")
	if got := p.billing(); got.text("tier") != "creator" || got.text("scheduled_price_id") != "2" {
		t.Errorf("after scheduling: %s", got.body)
	}
	say := func(outcome string) *reply {
		return p.do(
			"POST",
			subscription+"cancellation-feedback",
			map[string]any{"reason": "too_expensive", "detail": nil, "outcome": outcome},
		)
	}
	say("discount_accepted").want(204, "")
	say("discount_accepted").want(409, "discount_used")
	say("reminder_set").want(204, "")
	say("kept_plan").want(204, "")
	say("paused").want(422, "unprocessable")
	say("cancelled").want(204, "")
	if got := p.billing(); got.text("tier") != "free" || got.text("subscription_status") != "canceled" ||
		got.text("has_active_plan") != "false" ||
		got.text("discount_used") != "true" {
		t.Errorf("after canceling: %s", got.body)
	}
	say("cancelled").want(409, "no_subscription")
	say("kept_plan").want(204, "")
	list := p.do("GET", "/api/v1/payments/invoices?page_size=2", nil).want(200, "")
	if list.text("total") != "4" || list.text("items", 0, "kind") != "proration" ||
		list.text("items", 0, "amount_cents") != "-900" ||
		list.text("items", 1, "status") != "open" {
		t.Errorf("invoices %s", list.body)
	}
}

func TestOnlyAdminsGrantBeta(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin, p := w.person("admin"), w.person("ada")
	grant := map[string]any{"email": "ADA@example.com", "credits_total": 12.5, "renewal_date": "2026-02-15T00:00:00Z"}
	w.anonymous().do("POST", "/admin/beta/grant", grant).want(401, "not_authenticated")
	p.do("POST", "/admin/beta/grant", grant).want(403, "forbidden")
	p.do("POST", "/admin/beta/grant", []byte("{")).want(403, "forbidden")
	(&person{w: w, cookie: admin.cookie}).do("POST", "/admin/beta/grant", grant).want(403, "csrf_failed")
	r := admin.do("POST", "/admin/beta/grant", grant).want(200, "")
	if r.text("is_beta") != "true" || r.text("beta_credits_total") != "12.5" || r.text("beta_credits_used") != "0" ||
		r.text("beta_renewal_date") != "2026-02-15T00:00:00.000+00:00" ||
		r.text("credits", "ai_minutes", "balance") != "42.5" ||
		r.text("can_access_support") != "true" {
		t.Errorf("granted: %s", r.body)
	}
	grant["email"] = "nobody@example.com"
	admin.do("POST", "/admin/beta/grant", grant).want(404, "not_found")
	grant["email"], grant["renewal_date"] = "ada@example.com", "2026-01-01T00:00:00Z"
	admin.do("POST", "/admin/beta/grant", grant).want(422, "unprocessable")
	grant["renewal_date"] = "soon"
	admin.do("POST", "/admin/beta/grant", grant).want(422, "unprocessable")
}

func TestSupportRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options, _ *store.Options) { o.Settings.SupportEmail = "team@example.com" })
	p := w.person("ada")
	ask := func() *reply {
		return p.do(
			"POST",
			subscription+"support-request",
			map[string]any{"reason": "poor_quality", "message": "The cut\nis <rough>."},
		)
	}
	ask().want(403, "plan_limit") // a trial does not include support
	p.upgrade(1).want(200, "")
	ask().want(202, "")
	team, own := w.mailTo("team@example.com", "[Priority]"), w.mailTo("ada@example.com", "We received your message")
	if team == nil || own == nil {
		t.Fatalf("mails %+v", w.mails())
	}
	for _, want := range []string{
		"poor_quality", "ada@example.com", "hobby", "paid by the month", "120", "The cut", "is <rough>.",
	} {
		if !strings.Contains(team.subject+team.text, want) {
			t.Errorf("the mail to the team lacks %q: %+v", want, team)
		}
	}
	if !strings.Contains(own.text, "is <rough>.") {
		t.Errorf("confirmation %+v", own)
	}
}

func TestWebhooksNeedSignatureButNoSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const path = "/api/v1/payments/webhooks/stripe"
	payload := []byte(`{"id":"evt_1","object":"event","type":"customer.created","data":{"object":{}}}`)
	w.anonymous().do("POST", path, payload).want(404, "not_found") // the ledger expects no webhooks
	w.server.Payments.Provider = payments.NewStripe("sk_test_1", "http://127.0.0.1:1", "whsec_1")
	w.anonymous().do("POST", path, payload).want(400, "invalid_token")
	signed := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: payload, Secret: "whsec_1"})
	r := w.anonymous().request("POST", path, payload)
	r.Header.Set("Stripe-Signature", signed.Header)
	w.send(r).want(204, "")
	w.anonymous().do("POST", path, make([]byte, maxBodyBytes+1)).want(413, "too_large")
}

func TestPaymentMethodReturnsProviderPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	p.do("POST", subscription+"payment-method", nil).want(409, "conflict")
	w.server.Payments.Provider = payments.NewStripe("sk_test_1", "http://127.0.0.1:1", "")
	p.upgrade(1).want(402, "payment_method_required")
	r := p.do("POST", subscription+"payment-method", nil).want(503, "unavailable")
	if r.header.Get("Retry-After") == "" {
		t.Error("the response has no Retry-After")
	}
}

func TestQuoteMatchesUpgradeCharge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	quote := func(price string) *reply { return p.do("GET", subscription+"upgrade-quote?price_id="+price, nil) }
	quote("1").want(200, "").shows(
		map[string]any{
			"price_cents":    900,
			"counted_cents":  0,
			"charged_cents":  900,
			"credit_cents":   0,
			"currency":       "usd",
			"period_ends_at": "2026-02-28T12:00:00.000+00:00",
		},
	)
	quote("7").want(404, "not_found")
	quote("").want(422, "unprocessable")
	quote("one").want(422, "unprocessable")
	p.upgrade(1).want(200, "")
	w.clock.Advance(14 * 24 * time.Hour)
	quote("1").want(422, "not_an_upgrade")
	quoted := quote("3").want(200, "")
	quoted.shows(
		map[string]any{
			"price_cents":    1900,
			"counted_cents":  450,
			"charged_cents":  1450,
			"period_ends_at": "2026-03-14T12:00:00.000+00:00",
		},
	)
	p.billing().shows(map[string]any{"tier": "hobby"})
	p.upgrade(3).want(200, "").shows(map[string]any{"charged_cents": 1450})
	p.billing().shows(map[string]any{"current_period_ends_at": quoted.text("period_ends_at")})
}

func TestMovementsAccountForMinutes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, stranger := w.person("ada"), w.person("bob")
	project := p.project("Talk")
	p.readyClip(project)
	p.do("POST", "/api/v1/projects/"+project+"/analyze", map[string]any{}).want(202, "")
	list := func(who *person) *reply {
		return who.do("GET", "/api/v1/payments/credits/movements?page_size=2", nil).want(200, "")
	}
	got := list(p)
	if got.text("items", 0, "kind") != "reserve" || got.text("items", 0, "project_name") != "Talk" ||
		got.text("items", 1, "kind") != "grant" ||
		got.text("items", 1, "minutes") != "30" ||
		got.value("items", 1, "project_uuid") != nil {
		t.Errorf("after the start: %s", got.body)
	}
	p.do(
		"POST",
		"/api/v1/projects/"+project+"/analysis-runs/"+got.text("items", 0, "run_uuid")+"/cancel",
		nil,
	).want(202, "")
	if got = list(p); got.text("items", 0, "kind") != "release" ||
		got.text("items", 0, "minutes") != got.text("items", 1, "minutes") {
		t.Errorf("after canceling: %s", got.body)
	}
	p.do("DELETE", "/api/v1/projects/"+project, nil).want(204, "")
	if got = list(p); got.text("items", 0, "kind") != "release" || got.value("items", 0, "project_name") != nil {
		t.Errorf("after the project is deleted: %s", got.body)
	}
	if got = list(stranger); got.text("total") != "1" || got.text("items", 0, "kind") != "grant" {
		t.Errorf("another user sees %s", got.body)
	}
}

// TestServerWithoutBillingHasNoLimits has accounts as usual, which may use everything at no cost.
func TestServerWithoutBillingHasNoLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *Options, so *store.Options) {
		so.TierTable = billing.DefaultTierTable()
		so.TierTable.Unlimited = true
		rights := billing.Entitlements{MaxProjects: 1, StorageQuotaBytes: 1, WatermarkFree: true}
		so.TierTable.Tiers[billing.Viral] = rights
	})
	p := w.person("ada")
	p.billing().shows(map[string]any{
		"plan_mode": "unlimited", "tier": "viral", "subscription_status": "active", "can_watermark_free": true,
	})
	for range 2 {
		p.project("Talk")
	}
	project := p.project("Talk")
	clip := p.readyClip(project)
	p.analyze(project, clip)
	p.do("GET", "/api/v1/exports/"+p.export(project), nil).want(200, "").shows(map[string]any{
		"watermark_required": false, "expires_at": nil,
	})
	p.do("POST", "/api/v1/payments/subscription/activate-trial", nil).want(409, "conflict")
	p.billing().shows(map[string]any{"trial_used": false, "trial_ends_at": nil})
	p.do("POST", "/api/v1/payments/subscription/upgrade", map[string]any{"price_id": 4}).want(422, "not_an_upgrade")
	if got := p.do("GET", "/api/v1/payments/invoices", nil).want(200, ""); got.text("total") != "0" {
		t.Errorf("something was charged: %s", got.body)
	}
}

func TestOwnerModeHasNoSubscription(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("ada").billing().shows(map[string]any{"plan_mode": "metered"})
	newWorld(t, ownerMode).person("ada").billing().shows(map[string]any{"plan_mode": "owner"})
}
