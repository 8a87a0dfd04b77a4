package e2e

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// outbox waits for a mail to an address that contains a text, and returns the mail.
func (r *running) outbox(to, text string) (found string) {
	r.t.Helper()
	poll(r.t, func() bool {
		names, err := filepath.Glob(filepath.Join(r.dir, "outbox", "*.eml"))
		if err != nil {
			r.t.Fatal(err)
		}
		for _, name := range names {
			mail, err := os.ReadFile(name)
			if err == nil && strings.Contains(string(mail), "To: <"+to+">") && strings.Contains(string(mail), text) {
				found = string(mail)
			}
		}
		return found != ""
	})
	return found
}

// The settings of tiers reach the API: a user signs up, starts the trial, upgrades, contacts
// support and cancels.
func TestTierSettingsReachTheAPI(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := serve(
		t,
		dir,
		[]string{"PLAN_MODE=metered", "TRIAL_AUTO_GRANT=false", "SWEEP_INTERVAL_SECONDS=1",
			"SUPPORT_EMAIL=team@example.org", "CURRENCY=eur",
			`PLANS={"hobby": {"ai_minutes": 77, "price_month_cents": 1234}}`},
	)
	c := newClient(t, r.base)
	call[record](
		c, "POST", "/api/v1/users/",
		map[string]string{"name": "Ada", "username": "ada", "email": "ada@example.org", "password": "correct horse"},
		201,
	)
	mail := mailToken.FindStringSubmatch(r.outbox("ada@example.org", "verify-email?token="))
	call[record](
		c, "POST", "/api/v1/auth/verify-email",
		map[string]string{"token": mail[1]}, 200,
	)
	response, err := c.http.PostForm(
		r.base+"/api/v1/auth/login", url.Values{"username": {"ada@example.org"}, "password": {"correct horse"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var signedIn struct {
		CSRF string `json:"csrf_token"`
	}
	if err := json.NewDecoder(response.Body).Decode(&signedIn); err != nil || signedIn.CSRF == "" {
		t.Fatalf("login: status %d, %v", response.StatusCode, err)
	}
	c.csrf = signedIn.CSRF
	type status struct {
		Tier   string `json:"tier"`
		Status string `json:"subscription_status"`
	}
	const base = "/api/v1/payments/subscription/"
	if s := call[status](c, "POST", base+"activate-trial", nil, 200); s.Tier != "creator" || s.Status != "trialing" {
		t.Errorf("trial: %+v", s)
	}
	bought := call[struct {
		Cents    int    `json:"charged_cents"`
		Currency string `json:"currency"`
		Billing  struct {
			status
			Credits struct {
				Minutes struct{ Balance float64 } `json:"ai_minutes"`
			}
		}
	}](c, "POST", base+"upgrade", map[string]int{"price_id": 1}, 200)
	if bought.Cents != 1234 || bought.Currency != "eur" || bought.Billing.Tier != "hobby" ||
		bought.Billing.Credits.Minutes.Balance != 77 {
		t.Errorf("upgrade: %+v", bought)
	}
	call[record](
		c, "POST", base+"support-request",
		map[string]string{"reason": "poor_quality", "message": "It cuts too much."}, 202,
	)
	r.outbox("team@example.org", "It cuts too much.")
	r.outbox("ada@example.org", "It cuts too much.")
	call[record](
		c, "POST", base+"cancellation-feedback",
		map[string]any{"reason": "too_expensive", "detail": nil, "outcome": "cancelled"}, 204,
	)
	if s := call[status](c, "GET", base+"status", nil, 200); s.Tier != "free" || s.Status != "canceled" {
		t.Errorf("after canceling: %+v", s)
	}
	r.stop()
	doctor(t, dir)
}
