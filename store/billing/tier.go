package billing

import (
	"slices"
	"strings"
	"time"

	"roughcut/store/fault"
)

// Tier is a subscription tier.
type Tier string

// The tiers, from the lowest to the highest.
const (
	Free    Tier = "free"
	Hobby   Tier = "hobby"
	Creator Tier = "creator"
	Viral   Tier = "viral"
)

// Tiers returns the tiers from the lowest to the highest.
func Tiers() []Tier { return []Tier{Free, Hobby, Creator, Viral} }

// Title returns the display name of a tier.
func (tier Tier) Title() string { return strings.ToUpper(string(tier[:1])) + string(tier[1:]) }

// Billing intervals.
const (
	Month = "month"
	Year  = "year"
)

// Entitlements are the limits, rights and prices of a tier.
type Entitlements struct {
	StorageQuotaBytes int64
	MaxProjects       int
	AIMinutes         float64 // per month
	ExportRetention   time.Duration
	WatermarkFree     bool
	AIDirector        bool
	Support           bool
	// in hundredths of the currency, or in whole units of a currency without a smaller unit; 0: not
	// for sale
	PriceMonthCents int64
	PriceYearCents  int64
}

// TierTable holds the entitlements of all tiers.
type TierTable struct {
	Unlimited bool   // billing is off: every user is on Viral, nothing is charged, and only the disk limits use
	Currency  string // of all prices: ISO 4217 in lower case, default usd
	Tiers     map[Tier]Entitlements
}

// DefaultTierTable returns the tier table of a server whose operator changes nothing.
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

// Price is the price of a tier for an interval. The ids are 1 and 2 for a month and a year of
// Hobby, 3 and 4 for Creator, 5 and 6 for Viral.
type Price struct {
	ID          int
	Tier        Tier
	Interval    string
	AmountCents int64
}

// Prices returns the prices that are for sale, by id.
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

// price returns the price of a tier for an interval, even when it is not for sale.
func (p TierTable) price(tier Tier, interval string) Price {
	id, amount := 2*tierRank(tier)-1, p.Tiers[tier].PriceMonthCents
	if interval == Year {
		id, amount = id+1, p.Tiers[tier].PriceYearCents
	}
	return Price{ID: id, Tier: tier, Interval: interval, AmountCents: amount}
}

// find returns the price with an id, if it is for sale. Errors: NotFound.
func (p TierTable) find(id int) (Price, error) {
	for _, price := range p.Prices() {
		if price.ID == id {
			return price, nil
		}
	}

	return Price{}, fault.Missing("price")
}

// priceOf returns the price with an id, even when it is no longer for sale.
func (p TierTable) priceOf(id int) Price {
	interval := Month
	if id%2 == 0 {
		interval = Year
	}
	return p.price(Tiers()[(id+1)/2], interval)
}

// tierRank returns the position of a tier: 0 for Free, then upwards.
func tierRank(tier Tier) int { return slices.Index(Tiers(), tier) }

// above reports whether a price is an upgrade from a tier and interval: a higher tier, or the same
// tier by the year instead of by the month.
func (p Price) above(tier Tier, interval string) bool {
	return tierRank(p.Tier) > tierRank(tier) || (p.Tier == tier && p.Interval == Year && interval == Month)
}
