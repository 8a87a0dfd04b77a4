package store

import (
	"slices"
	"strings"
	"time"
)

// Tier is a subscription tier.
type Tier string

// The tiers, from the cheapest up.
const (
	Free    Tier = "free"
	Hobby   Tier = "hobby"
	Creator Tier = "creator"
	Viral   Tier = "viral"
)

// Tiers lists the tiers from the cheapest up.
func Tiers() []Tier { return []Tier{Free, Hobby, Creator, Viral} }

// Title returns the name of a tier as people write it.
func (tier Tier) Title() string { return strings.ToUpper(string(tier[:1])) + string(tier[1:]) }

// Billing intervals.
const (
	Month = "month"
	Year  = "year"
)

// Plan is what a tier entitles to, and for how much.
type Entitlements struct {
	StorageQuotaBytes int64
	MaxProjects       int
	AIMinutes         float64 // a month
	ExportRetention   time.Duration
	WatermarkFree     bool
	AIDirector        bool
	Support           bool
	// in hundredths of the currency, or in whole units of one that has no smaller; 0: not for sale
	PriceMonthCents int64
	PriceYearCents  int64
}

// Plans is the tier table.
type TierTable struct {
	Owner    bool   // PLAN_MODE=owner: everybody is on Viral, nothing is charged, only the disk is a limit
	Currency string // of all prices, ISO 4217 in lower case; default usd
	Tiers    map[Tier]Entitlements
}

// DefaultPlans returns the tier table that holds where an operator changes nothing.
func DefaultTierTable() TierTable {
	const mib, day = 1 << 20, 24 * time.Hour
	return TierTable{Currency: "usd", Tiers: map[Tier]Entitlements{
		Free: {StorageQuotaBytes: 500 * mib, MaxProjects: 3, AIMinutes: 30, ExportRetention: 7 * day},
		Hobby: {
			StorageQuotaBytes: 2048 * mib,
			MaxProjects:       20,
			AIMinutes:         120,
			ExportRetention:   30 * day,
			WatermarkFree:     true,
			Support:           true,
			PriceMonthCents:   900,
			PriceYearCents:    9000,
		},
		Creator: {
			StorageQuotaBytes: 25 * 1024 * mib,
			MaxProjects:       100,
			AIMinutes:         600,
			ExportRetention:   90 * day,
			WatermarkFree:     true,
			AIDirector:        true,
			Support:           true,
			PriceMonthCents:   1900,
			PriceYearCents:    19000,
		},
		Viral: {
			StorageQuotaBytes: 100 * 1024 * mib,
			MaxProjects:       1000,
			AIMinutes:         2400,
			ExportRetention:   365 * day,
			WatermarkFree:     true,
			AIDirector:        true,
			Support:           true,
			PriceMonthCents:   4900,
			PriceYearCents:    49000,
		},
	}}
}

// Price is a tier for an interval. Its id is 1 and 2 for a month and a year of Hobby, 3 and 4 of
// Creator, 5 and 6 of Viral.
type Price struct {
	ID          int
	Tier        Tier
	Interval    string
	AmountCents int64
}

// Prices lists what is for sale, by id.
func (p TierTable) Prices() []Price {
	list := []Price{}
	for _, tier := range Tiers() {
		for _, interval := range []string{Month, Year} {
			if price := p.price(tier, interval); price.AmountCents > 0 {
				list = append(list, price)
			}
		}
	}
	return list
}

// price returns the price of a tier for an interval, whether or not it is for sale.
func (p TierTable) price(tier Tier, interval string) Price {
	id, amount := 2*rank(tier)-1, p.Tiers[tier].PriceMonthCents
	if interval == Year {
		id, amount = id+1, p.Tiers[tier].PriceYearCents
	}
	return Price{ID: id, Tier: tier, Interval: interval, AmountCents: amount}
}

// find returns the price with an id. Errors: NotFound.
func (p TierTable) find(id int) (Price, error) {
	for _, price := range p.Prices() {
		if price.ID == id {
			return price, nil
		}
	}
	return Price{}, notFound("price")
}

// priceOf returns the price that an id stood for, though it may not be for sale any more.
func (p TierTable) priceOf(id int) Price {
	interval := Month
	if id%2 == 0 {
		interval = Year
	}
	return p.price(Tiers()[(id+1)/2], interval)
}

// rank orders the tiers: 0 for Free, then upwards.
func rank(tier Tier) int { return slices.Index(Tiers(), tier) }

// above says whether a price is an upgrade from a tier and interval: a higher tier, or the same by
// the year instead of the month.
func (p Price) above(tier Tier, interval string) bool {
	return rank(p.Tier) > rank(tier) || p.Tier == tier && p.Interval == Year && interval == Month
}
