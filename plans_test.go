package main

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"roughcut/store"
)

// loadFrom reads the settings with a settings file that holds text.
func loadFrom(t *testing.T, text string) (settings, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "roughcut.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	flags.String("config", path, "")
	return loadSettings(flags)
}

// PLANS changes every number of a plan, in the file and, before that, in the environment.
func TestPlansChangeEveryNumber(t *testing.T) {
	t.Setenv("PLANS", `{"hobby": {"ai_minutes": 12.5, "price_month_cents": 0}, "free": {"support": true}}`)
	s, err := loadFrom(t, `
currency = "eur"
[plans.hobby]
storage_quota_bytes = 1
max_projects = 2
ai_minutes = 3
export_retention_seconds = 4
watermark_free = false
ai_director = true
support = false
price_month_cents = 5
price_year_cents = 6
`)
	if err != nil {
		t.Fatal(err)
	}
	want := store.DefaultTierTable()
	want.Currency = "eur"
	want.Tiers[store.Hobby] = store.Entitlements{
		StorageQuotaBytes: 1,
		MaxProjects:       2,
		AIMinutes:         12.5,
		ExportRetention:   4 * time.Second,
		AIDirector:        true,
		PriceYearCents:    6,
	}
	free := want.Tiers[store.Free]
	free.Support = true
	want.Tiers[store.Free] = free
	got := s.storeOptions(nil).TierTable
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, price := range got.Prices() {
		if price.ID == 1 {
			t.Error("a price of 0 is for sale")
		}
	}
	s.PlanMode = planOwner
	if !s.storeOptions(nil).TierTable.Owner {
		t.Error("owner mode does not reach the store")
	}
}

func TestPlansThatMakeNoSenseAreWrongUsage(t *testing.T) {
	for env, said := range map[string]string{
		`{"hobby": `:                                      "JSON",
		`[]`:                                              "JSON",
		`{"gold": {}}`:                                    `"gold"`,
		`{"hobby": {"ai_hours": 1}}`:                      "ai_hours",
		`{"hobby": {"max_projects": "many"}}`:             "max_projects",
		`{"hobby": {"max_projects": -1}}`:                 "max_projects",
		`{"hobby": {"ai_minutes": -1}}`:                   "ai_minutes",
		`{"hobby": {"storage_quota_bytes": -1}}`:          "storage_quota_bytes",
		`{"hobby": {"export_retention_seconds": 0}}`:      "export_retention_seconds",
		`{"hobby": {"price_year_cents": 99999999999}}`:    "price_year_cents",
		`{"hobby": {"export_retention_seconds": 9.5e17}}`: "export_retention_seconds",
		`{"free": {"price_month_cents": 1}}`:              "free",
	} {
		t.Setenv("PLANS", env)
		_, err := loadFrom(t, "")
		if usage := (usageError{}); !errors.As(err, &usage) || !strings.Contains(err.Error(), said) {
			t.Errorf("%s: %v", env, err)
		}
	}
	t.Setenv("PLANS", "")
	for _, file := range []string{"currency = \"euro\"", "[plan.hobby]\nai_minutes = 1", "stripe_webhook_secret = \"whsec_1\"", "plans = 3"} {
		_, err := loadFrom(t, file)
		if usage := (usageError{}); !errors.As(err, &usage) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// outbox waits for a mail to an address that holds a text, and returns it.
func (r *running) outbox(to, text string) (found string) {
	r.t.Helper()
	poll(r.t, func() bool {
		names, err := filepath.Glob(filepath.Join(r.dir, "outbox", "*.eml"))
		if err != nil {
			r.t.Fatal(err)
		}
		for _, name := range names {
			mail, err := os.ReadFile(name)
			unfolded := strings.ReplaceAll(string(mail), "=\r\n", "") // of quoted-printable
			if err == nil && strings.Contains(unfolded, "To: <"+to+">") && strings.Contains(unfolded, text) {
				found = unfolded
			}
		}
		return found != ""
	})
	return found
}

// The settings of plans reach what people see: somebody signs up, tries, upgrades, writes to the
// team, and leaves.
func TestPlansThroughTheProgram(t *testing.T) {
	dir := t.TempDir()
	r := serve(
		t,
		dir,
		[]string{"TRIAL_AUTO_GRANT=false", "SWEEP_INTERVAL_SECONDS=1", "SUPPORT_EMAIL=team@example.org", "CURRENCY=eur",
			`PLANS={"hobby": {"ai_minutes": 77, "price_month_cents": 1234}}`},
	)
	c := newClient(t, r.base)
	call[record](
		c,
		"POST",
		"/api/v1/users/",
		map[string]string{"name": "Ada", "username": "ada", "email": "ada@example.org", "password": "correct horse"},
		201,
	)
	mail := r.outbox("ada@example.org", "verify-email?token=3D")
	_, token, _ := strings.Cut(mail, "verify-email?token=3D")
	token, _, _ = strings.Cut(token, "\r\n")
	call[record](
		c,
		"POST",
		"/api/v1/auth/verify-email",
		map[string]string{"token": strings.ReplaceAll(token, "=3D", "=")},
		200,
	)
	answer, err := c.http.PostForm(
		r.base+"/api/v1/auth/login",
		url.Values{"username": {"ada@example.org"}, "password": {"correct horse"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var signedIn struct {
		CSRF string `json:"csrf_token"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&signedIn); err != nil || signedIn.CSRF == "" {
		t.Fatalf("login answers %d %v", answer.StatusCode, err)
	}
	c.csrf = signedIn.CSRF
	type status struct {
		Tier   string `json:"tier"`
		Status string `json:"subscription_status"`
	}
	const base = "/api/v1/payments/subscription/"
	if s := call[status](c, "POST", base+"activate-trial", nil, 200); s.Tier != "creator" || s.Status != "trialing" {
		t.Errorf("the trial is %+v", s)
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
		t.Errorf("bought %+v", bought)
	}
	call[record](
		c,
		"POST",
		base+"support-request",
		map[string]string{"reason": "poor_quality", "message": "It cuts too much."},
		202,
	)
	r.outbox("team@example.org", "It cuts too much.")
	r.outbox("ada@example.org", "It cuts too much.")
	call[record](
		c,
		"POST",
		base+"cancellation-feedback",
		map[string]any{"reason": "too_expensive", "detail": nil, "outcome": "cancelled"},
		204,
	)
	if s := call[status](c, "GET", base+"status", nil, 200); s.Tier != "free" || s.Status != "canceled" {
		t.Errorf("after cancelling: %+v", s)
	}
	r.stop()
	doctor(t, dir)
}
