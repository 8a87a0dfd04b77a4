package payments

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v86/webhook"

	"roughcut/store"
	"roughcut/store/billing"
)

const webhookSecret = "whsec_test"

func stripeWorld(t *testing.T) (*world, *bank) {
	t.Helper()
	b := newBank(t)
	return newWorld(t, NewStripe("sk_test_123", b.URL, webhookSecret)), b
}

func TestStripeChargesLatestCard(t *testing.T) {
	w, b := stripeWorld(t)
	u := w.user("ada")
	_, err := w.Upgrade(t.Context(), u.UUID, 1)
	wantCode(t, err, "payment_method_required")
	if len(b.requests("POST /v1/payment_intents")) != 0 {
		t.Error("a user without a card was charged")
	}
	address, err := w.CardPage(t.Context(), u, "https://cut.example.org/")
	if err != nil || address == "" {
		t.Fatalf("card page: %q %v", address, err)
	}
	session := b.requests("POST /v1/checkout/sessions")[0].Form
	customer, err := w.Store.Customer(u.UUID)
	if err != nil || customer == "" || session.Get("customer") != customer || session.Get("mode") != "setup" ||
		session.Get("success_url") != "https://cut.example.org/" {
		t.Errorf("customer %q, session %v, %v", customer, session, err)
	}
	if _, err = w.CardPage(
		t.Context(),
		u,
		"https://cut.example.org/",
	); err != nil ||
		len(b.requests("POST /v1/customers")) != 1 {
		t.Errorf("a second card created a second customer: %v", err)
	}
	b.set(false, paying)
	p, err := w.Upgrade(t.Context(), u.UUID, 1)
	must(t, err)
	asked := b.requests("POST /v1/payment_intents")[0]
	for field, want := range map[string]string{
		"amount": "900", "currency": "usd", "customer": customer, "confirm": "true", "off_session": "true",
		"metadata[roughcut_payment]": p.UUID,
	} {
		if got := asked.Form.Get(field); got != want {
			t.Errorf("%s is %q, want %q", field, got, want)
		}
	}
	if asked.Header.Get("Idempotency-Key") != p.UUID || asked.Form.Get("payment_method") == "" {
		t.Errorf("charged with the key %q", asked.Header.Get("Idempotency-Key"))
	}
	if b := w.billing(u); b.Tier != billing.Hobby || b.SubscriptionStatus != "active" {
		t.Errorf("billing %+v", b)
	}
	list, _, err := w.Store.Invoices(u.UUID, store.Page{})
	if err != nil || list[0].Status != billing.InvoicePaid {
		t.Errorf("invoices %+v %v", list, err)
	}
	w.clean()
}

func TestDeclinedCardChangesNothing(t *testing.T) {
	w, b := stripeWorld(t)
	u := w.customer("ada")
	b.set(false, declining)
	_, err := w.Upgrade(t.Context(), u.UUID, 3)
	wantCode(t, err, "payment_declined")
	if err.Error() != "Your card has insufficient funds." {
		t.Errorf("reason %q", err)
	}
	if b := w.billing(u); b.SubscriptionStatus != "trialing" || b.Balance != 30 {
		t.Errorf("billing %+v", b)
	}
	b.set(false, paying)
	_, err = w.Upgrade(t.Context(), u.UUID, 3)
	must(t, err)
	if len(b.charges) != 2 {
		t.Errorf("%d keys for a declined and a paid charge", len(b.charges))
	}
	w.clean()
}

func TestUnknownOutcomeIsRetriedWithSameKey(t *testing.T) {
	w, b := stripeWorld(t)
	u := w.customer("ada")
	b.set(true, nil)
	_, err := w.Upgrade(t.Context(), u.UUID, 1)
	wantCode(t, err, "unavailable")
	if got := w.billing(u); got.SubscriptionStatus != "trialing" {
		t.Errorf("billing %+v", got)
	}
	_, err = w.Upgrade(t.Context(), u.UUID, 3)
	wantCode(t, err, "conflict")
	wantCode(t, w.Store.DeleteUser(u.UUID, ""), "conflict")
	b.set(false, func(path string, response map[string]any) int { // the connection is cut after the charge
		if path == "POST /v1/payment_intents" {
			clear(response)
			return 500
		}
		return 0
	})
	w.tick()
	b.set(false, paying)
	w.tick()
	if got := w.billing(u); got.Tier != billing.Hobby || got.SubscriptionStatus != "active" {
		t.Errorf("billing %+v", got)
	}
	if len(b.charges) != 1 {
		t.Errorf("charged with %d keys", len(b.charges))
	}
	w.clean()
}

func TestOldPaymentIsLookedUpBeforeCharging(t *testing.T) {
	w, b := stripeWorld(t)
	u := w.customer("ada")
	p, err := w.Store.BeginUpgrade(u.UUID, 1)
	must(t, err)
	w.clock.Advance(2 * askAgain)
	b.set(false, func(path string, response map[string]any) int {
		if path == "GET /v1/payment_intents" {
			intent := response["data"].([]any)[0].(map[string]any)
			intent["status"], intent["metadata"] = "succeeded", map[string]any{keyOfPayment: p.UUID}
		}
		return 0
	})
	w.tick()
	if got := w.billing(u); got.Tier != billing.Hobby {
		t.Errorf("billing %+v", got)
	}
	if len(b.charges) != 0 {
		t.Error("charged again")
	}
	w.clean()
}

// event sends a signed event as Stripe does.
func (w *world) event(kind string, object map[string]any) error {
	w.t.Helper()
	payload, err := json.Marshal(
		map[string]any{
			"id":          "evt_1",
			"object":      "event",
			"type":        kind,
			"api_version": "2020-08-27",
			"data":        map[string]any{"object": object},
		},
	)
	must(w.t, err)
	signed := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: payload, Secret: webhookSecret})
	return w.HandleWebhook(w.t.Context(), signed.Payload, signed.Header)
}

func TestWebhookEndsAPaymentOnce(t *testing.T) {
	w, _ := stripeWorld(t) // its charges stay without an outcome
	u := w.customer("ada")
	_, err := w.Upgrade(t.Context(), u.UUID, 1)
	wantCode(t, err, "unavailable")
	open, err := w.Store.OpenPayments()
	must(t, err)
	paid := map[string]any{
		"id":       "pi_9",
		"object":   "payment_intent",
		"metadata": map[string]any{keyOfPayment: open[0].UUID},
	}
	for range 2 {
		must(t, w.event("payment_intent.succeeded", paid))
	}
	must(t, w.event("payment_intent.payment_failed", paid)) // late and with a wrong outcome
	must(t, w.event("customer.created", map[string]any{"id": "cus_9"}))
	if got := w.billing(u); got.Tier != billing.Hobby || got.SubscriptionStatus != "active" {
		t.Errorf("billing %+v", got)
	}
	refund := map[string]any{
		"id":             "re_1",
		"object":         "refund",
		"amount":         400,
		"payment_intent": "pi_9",
		"status":         "succeeded",
	}
	for range 2 {
		must(t, w.event("refund.created", refund))
	}
	refund["payment_intent"] = "pi_of_somebody_else"
	must(t, w.event("refund.created", refund))
	list, total, err := w.Store.Invoices(u.UUID, store.Page{})
	if err != nil || total != 3 || list[0].Kind != billing.InvoiceRefund || list[0].AmountCents != -400 {
		t.Errorf("%d invoices %+v %v", total, list, err)
	}
	w.clean()
}

func TestWebhookNeedsValidSignature(t *testing.T) {
	w, _ := stripeWorld(t)
	u := w.customer("ada")
	open, err := w.Store.BeginUpgrade(u.UUID, 1)
	must(t, err)
	payload := []byte(
		`{"id":"evt_1","object":"event","type":"payment_intent.succeeded",` +
			`"data":{"object":{"id":"pi_1","metadata":{"roughcut_payment":"` + open.UUID + `"}}}}`,
	)
	for name, p := range map[string]*webhook.UnsignedPayload{
		"another secret": {Payload: payload, Secret: "whsec_other"},
		"an hour old":    {Payload: payload, Secret: webhookSecret, Timestamp: time.Now().Add(-time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			signed := webhook.GenerateTestSignedPayload(p)
			wantCode(t, w.HandleWebhook(t.Context(), signed.Payload, signed.Header), "invalid_token")
		})
	}
	signed := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: payload, Secret: webhookSecret})
	wantCode(t, w.HandleWebhook(t.Context(), append(signed.Payload, ' '), signed.Header), "invalid_token")
	wantCode(t, w.HandleWebhook(t.Context(), payload, ""), "invalid_token")
	if got := w.billing(u); got.SubscriptionStatus != "trialing" {
		t.Errorf("a forged event paid for a subscription: %+v", got)
	}
	must(
		t,
		w.HandleWebhook(
			t.Context(),
			payload,
			webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: payload, Secret: webhookSecret}).Header,
		),
	)
	if got := w.billing(u); got.Tier != billing.Hobby {
		t.Errorf("billing %+v", got)
	}
	w.Provider = NewStripe("sk_test_123", "http://127.0.0.1:1", "")
	wantCode(t, w.HandleWebhook(t.Context(), signed.Payload, signed.Header), "not_found")
}

func TestNewCardRetriesDeclinedRenewal(t *testing.T) {
	w, b := stripeWorld(t)
	u := w.customer("ada")
	b.set(false, paying)
	_, err := w.Upgrade(t.Context(), u.UUID, 1)
	must(t, err)
	b.set(false, declining)
	w.clock.Advance(28 * 24 * time.Hour)
	w.tick()
	if got := w.billing(u); got.SubscriptionStatus != "past_due" || got.Tier != billing.Hobby || !got.HasActivePlan {
		t.Fatalf("billing %+v", got)
	}
	b.set(false, paying)
	must(
		t,
		w.event(
			"checkout.session.completed",
			map[string]any{"id": "cs_1", "object": "checkout.session", "mode": "setup", "customer": "cus_ada"},
		),
	)
	if got := w.billing(u); got.SubscriptionStatus != "active" ||
		!got.PeriodEnd.Equal(time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("billing %+v", got)
	}
	w.clean()
}
