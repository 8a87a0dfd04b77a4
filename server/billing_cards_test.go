package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"roughcut/server/payments"
)

// cardCompany replaces the API of a card processor. Package payments tests Stripe itself.
type cardCompany struct {
	*httptest.Server
	respond func(w http.ResponseWriter, path string)
}

func stripeOf(t *testing.T, w *world) *cardCompany {
	t.Helper()
	bank := &cardCompany{}
	bank.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		bank.respond(w, r.URL.Path)
	}))
	t.Cleanup(bank.Close)
	w.server.Payments.Provider = payments.NewStripe("sk_test_1", bank.URL, "whsec_1")
	return bank
}

func say(status int, body string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, _ string) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func TestUpgradeOutcomesAtStripe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("ada")
	bank := stripeOf(t, w)
	pages := map[string]string{
		"/v1/customers": `{"id":"cus_1","object":"customer"}`,
		"/v1/checkout/sessions": `{"id":"cs_1","object":"checkout.session",` +
			`"url":"https://checkout.stripe.com/c/pay/cs_1"}`,
	}
	bank.respond = func(w http.ResponseWriter, path string) { say(200, pages[path])(w, path) }
	if got := p.do("POST", "/api/v1/payments/subscription/payment-method", nil).want(
		200,
		"",
	).text("url"); !strings.HasPrefix(
		got,
		"https://checkout.stripe.com/",
	) {
		t.Errorf("card page %s", got)
	}
	if err := w.store.SetCustomer(p.user.UUID, "cus_1"); err != nil {
		t.Fatal(err)
	}
	bank.respond = func(w http.ResponseWriter, path string) {
		if strings.Contains(path, "payment_methods") {
			say(200, `{"object":"list","data":[{"id":"pm_1","object":"payment_method"}]}`)(w, path)
			return
		}
		say(402, `{"error":{"type":"card_error","code":"card_declined","message":"Your card was declined."}}`)(w, path)
	}
	p.upgrade(1).want(402, "payment_declined")
	bank.respond = say(500, `{"error":{"type":"api_error","message":"not now"}}`)
	p.upgrade(1).want(503, "unavailable")
	p.upgrade(1).want(409, "conflict") // the previous payment is still open
	p.do("GET", subscription+"upgrade-quote?price_id=1", nil).want(409, "conflict")
	p.billing().shows(map[string]any{"tier": "creator", "subscription_status": "trialing"})
}
