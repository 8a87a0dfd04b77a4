package cli

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"roughcut/store/billing"
)

// tierChanges are the numbers of a tier that PLANS changes. The others keep their default.
type tierChanges struct {
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

// Largest values in PLANS. They keep sums from overflowing.
const (
	maxPlanCents    = 100_000_000
	maxPlanProjects = 1 << 30
	maxPlanMinutes  = 10_000_000
	maxPlanSeconds  = 100 * 365 * 24 * 3600
)

// readTiers returns the tier table with the changes from PLANS.
func readTiers(plans any) (map[billing.Tier]billing.Entitlements, error) {
	var changes map[billing.Tier]tierChanges
	if err := decodeSetting(plans, &changes); err != nil {
		return nil, notPlans(err)
	}
	tiers := billing.DefaultTierTable().Tiers
	for tier, change := range changes {
		if !slices.Contains(billing.Tiers(), tier) {
			return nil, usageError{fmt.Errorf("PLANS has an unknown tier %q, the tiers are %v", tier, billing.Tiers())}
		}
		entitlements := tiers[tier]
		if err := change.apply(&entitlements); err != nil {
			return nil, usageError{fmt.Errorf("PLANS, tier %s: %w", tier, err)}
		}
		if tier == billing.Free && entitlements.PriceMonthCents+entitlements.PriceYearCents != 0 {
			return nil, usageError{fmt.Errorf("PLANS sets a price for the tier %s, which has none", tier)}
		}
		if tier == billing.Free && entitlements.Support {
			return nil, usageError{errors.New(
				"PLANS sets support for the tier free, but only paid tiers and beta testers have support. " +
					"Remove it from the tier free",
			)}
		}

		tiers[tier] = entitlements
	}

	return tiers, nil
}

// notPlans is the error of a PLANS value with the wrong form.
func notPlans(err error) error {
	return usageError{fmt.Errorf(`PLANS must be a JSON object such as {"hobby": {"ai_minutes": 200}}: %w`, err)}
}

// apply changes the entitlements of a tier. Numbers out of bounds are errors.
func (c tierChanges) apply(e *billing.Entitlements) error {
	for _, number := range []struct {
		key   string
		value *int64
		field *int64
		max   int64
	}{
		{"storage_quota_bytes", c.StorageQuotaBytes, &e.StorageQuotaBytes, 1 << 60},
		{"price_month_cents", c.PriceMonthCents, &e.PriceMonthCents, maxPlanCents},
		{"price_year_cents", c.PriceYearCents, &e.PriceYearCents, maxPlanCents},
	} {
		if number.value == nil {
			continue
		}
		if *number.value < 0 || *number.value > number.max {
			return fmt.Errorf("%s must be 0 to %d, not %d", number.key, number.max, *number.value)
		}
		*number.field = *number.value
	}

	if n := c.MaxProjects; n != nil {
		if *n < 0 || *n > maxPlanProjects {
			return fmt.Errorf("max_projects must be 0 to %d, not %d", maxPlanProjects, *n)
		}
		e.MaxProjects = *n
	}

	if n := c.AIMinutes; n != nil {
		if *n < 0 || *n > maxPlanMinutes {
			return fmt.Errorf("ai_minutes must be 0 to %d, not %v", maxPlanMinutes, *n)
		}
		e.AIMinutes = *n
	}

	if n := c.ExportRetentionSeconds; n != nil {
		if *n < 1 || *n > maxPlanSeconds {
			return fmt.Errorf("export_retention_seconds must be 1 to %d, not %d", maxPlanSeconds, *n)
		}
		e.ExportRetention = time.Duration(*n) * time.Second
	}

	for _, right := range []struct{ value, field *bool }{
		{c.WatermarkFree, &e.WatermarkFree}, {c.AIDirector, &e.AIDirector}, {c.Support, &e.Support},
	} {
		if right.value != nil {
			*right.field = *right.value
		}
	}

	return nil
}
