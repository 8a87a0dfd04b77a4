package cli

import (
	"fmt"
	"slices"
	"time"

	"roughcut/store"
)

// planSettings are the numbers of one tier that an operator changes; what is left out stays.
type planSettings struct {
	StorageQuotaBytes      *int64   `json:"storage_quota_bytes"`
	MaxProjects            *int     `json:"max_projects"`
	AIMinutes              *float64 `json:"ai_minutes"`
	ExportRetentionSeconds *int64   `json:"export_retention_seconds"`
	WatermarkFree          *bool    `json:"watermark_free"`
	AIDirector             *bool    `json:"ai_director"`
	Support                *bool    `json:"support"`
	PriceMonthCents        *int64   `json:"price_month_cents"`
	PriceYearCents         *int64   `json:"price_year_cents"`
}

// Bounds on what PLANS may say, so that no sum of them overflows.
const (
	maxPlanCents   = 100_000_000
	maxPlanMinutes = 10_000_000
	maxPlanSeconds = 100 * 365 * 24 * 3600
)

// readTiers returns the tier table with the numbers that PLANS changes.
func readTiers(plans any) (map[store.Tier]store.Entitlements, error) {
	var changes map[store.Tier]planSettings
	if err := decodeSetting(plans, &changes); err != nil {
		return nil, notPlans(err)
	}
	tiers := store.DefaultTierTable().Tiers
	for tier, change := range changes {
		if !slices.Contains(store.Tiers(), tier) {
			return nil, usageError{fmt.Errorf("PLANS has the tier %q; there are %v", tier, store.Tiers())}
		}
		plan := tiers[tier]
		if err := change.apply(&plan); err != nil {
			return nil, usageError{fmt.Errorf("PLANS, tier %s: %w", tier, err)}
		}
		if tier == store.Free && plan.PriceMonthCents+plan.PriceYearCents != 0 {
			return nil, usageError{fmt.Errorf("PLANS gives the tier %s a price; it has none", tier)}
		}
		tiers[tier] = plan
	}
	return tiers, nil
}

func notPlans(err error) error {
	return usageError{fmt.Errorf(`PLANS must be a JSON object such as {"hobby": {"ai_minutes": 200}}: %w`, err)}
}

// apply changes a plan. A number out of its bounds is refused.
func (c planSettings) apply(plan *store.Entitlements) error {
	for _, number := range []struct {
		key   string
		value *int64
		field *int64
		max   int64
	}{
		{"storage_quota_bytes", c.StorageQuotaBytes, &plan.StorageQuotaBytes, 1 << 60},
		{"price_month_cents", c.PriceMonthCents, &plan.PriceMonthCents, maxPlanCents},
		{"price_year_cents", c.PriceYearCents, &plan.PriceYearCents, maxPlanCents},
	} {
		if number.value == nil {
			continue
		}
		if *number.value < 0 || *number.value > number.max {
			return fmt.Errorf("%s is %d; it must be 0 to %d", number.key, *number.value, number.max)
		}
		*number.field = *number.value
	}
	if n := c.MaxProjects; n != nil {
		if *n < 0 || *n > 1<<30 {
			return fmt.Errorf("max_projects is %d; it must be 0 to %d", *n, 1<<30)
		}
		plan.MaxProjects = *n
	}
	if n := c.AIMinutes; n != nil {
		if *n < 0 || *n > maxPlanMinutes {
			return fmt.Errorf("ai_minutes is %v; it must be 0 to %d", *n, maxPlanMinutes)
		}
		plan.AIMinutes = *n
	}
	if n := c.ExportRetentionSeconds; n != nil {
		if *n < 1 || *n > maxPlanSeconds {
			return fmt.Errorf("export_retention_seconds is %d; it must be 1 to %d", *n, maxPlanSeconds)
		}
		plan.ExportRetention = time.Duration(*n) * time.Second
	}
	for _, right := range []struct{ value, field *bool }{{c.WatermarkFree, &plan.WatermarkFree}, {c.AIDirector, &plan.AIDirector}, {c.Support, &plan.Support}} {
		if right.value != nil {
			*right.field = *right.value
		}
	}
	return nil
}
