package cli

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"roughcut/store/billing"
)

// PLANS changes every number of a tier. The environment overrides the settings file.
func TestPlansChangeEveryNumber(t *testing.T) {
	t.Setenv("PLANS", `{"hobby": {"ai_minutes": 12.5, "price_month_cents": 0}, "free": {"ai_director": true}}`)
	s, err := settingsOf(t, `
currency = "eur"
plan_mode = "metered"
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
	want := billing.DefaultTierTable()
	want.Currency = "eur"
	want.Tiers[billing.Hobby] = billing.Entitlements{
		StorageQuotaBytes: 1,
		MaxProjects:       2,
		AIMinutes:         12.5,
		ExportRetention:   4 * time.Second,
		AIDirector:        true,
		PriceYearCents:    6,
	}
	free := want.Tiers[billing.Free]
	free.AIDirector = true
	want.Tiers[billing.Free] = free
	got := s.storeOptions(nil).TierTable
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, price := range got.Prices() {
		if price.ID == 1 {
			t.Error("a price of 0 is for sale")
		}
	}
	for mode, unlimited := range map[string]bool{planOwner: true, planUnlimited: true, planMetered: false} {
		s.PlanMode = mode
		if got := s.storeOptions(nil).TierTable.Unlimited; got != unlimited {
			t.Errorf("PLAN_MODE=%s: unlimited %v, want %v", mode, got, unlimited)
		}
	}
}

func TestWrongPlansAreUsageErrors(t *testing.T) {
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
		`{"free": {"support": true}}`:                     "support",
	} {
		t.Setenv("PLANS", env)
		_, err := settingsOf(t, "")
		if usage := (usageError{}); !errors.As(err, &usage) || !strings.Contains(err.Error(), said) {
			t.Errorf("%s: %v", env, err)
		}
	}
	t.Setenv("PLANS", "")
	for _, file := range []string{
		"currency = \"euro\"", "[plan.hobby]\nai_minutes = 1", "stripe_webhook_secret = \"whsec_1\"", "plans = 3",
	} {
		_, err := settingsOf(t, file)
		if usage := (usageError{}); !errors.As(err, &usage) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
