package store

import (
	"testing"
	"time"
)

// upgrade begins the payment for a price and finishes it as paid.
func (w *world) upgrade(u User, priceID int) Payment {
	w.t.Helper()
	p := get(w.BeginUpgrade(u.UUID, priceID))(w.t)
	if p.State == PaymentOpen {
		p = get(w.FinishPayment(p.UUID, PaymentOutcome{Paid: true, Collected: true}))(w.t)
	}
	return p
}

// subscribe gives a user a subscription at a price.
func (w *world) subscribe(u User, priceID int) Billing {
	w.t.Helper()
	w.upgrade(u, priceID)
	return get(w.Billing(u.UUID))(w.t)
}

// tick does the due billing work and finishes every payment as paid or declined.
func (w *world) tick(paid bool) (payments []Payment) {
	w.t.Helper()
	for {
		must(w.t, w.AdvanceBilling(func(r Reminder) Mail { return Mail{To: r.Email, Subject: "reminder"} }))
		open := get(w.OpenPayments())(w.t)
		if len(open) == 0 {
			return payments
		}
		for _, p := range open {
			payments = append(payments, get(w.FinishPayment(p.UUID, PaymentOutcome{Paid: paid, Collected: true}))(w.t))
		}
	}
}

func at(year int, month time.Month, dayOfMonth int) time.Time {
	return time.Date(year, month, dayOfMonth, 12, 0, 0, 0, time.UTC)
}

func TestPeriodsKeepTheDayOfTheMonth(t *testing.T) {
	t.Parallel()
	anchor := at(2026, 1, 31)
	for n, want := range []time.Time{anchor, at(2026, 2, 28), at(2026, 3, 31), at(2026, 4, 30)} {
		if got := addMonths(anchor, n); !got.Equal(want) {
			t.Errorf("%d months: got %v, want %v", n, got, want)
		}
	}
	if got := monthsLater(anchor, at(2026, 2, 28), 1); !got.Equal(at(2026, 3, 31)) {
		t.Errorf("the month after the end of February ends at %v", got)
	}
	if got := monthsLater(anchor, at(2026, 4, 30), 12); !got.Equal(at(2027, 4, 30)) {
		t.Errorf("a year after the end of April is %v", got)
	}
	if got := addMonths(at(2024, 2, 29), 12); !got.Equal(at(2025, 2, 28)) {
		t.Errorf("a year after a leap day is %v", got)
	}
}

func TestUpgradeDeductsUnusedDaysAndRestartsThePeriod(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	b := w.subscribe(u, 1)
	if b.Tier != Hobby || b.SubscriptionStatus != "active" || b.Interval != Month || b.Balance != 120 ||
		!b.PeriodEnd.Equal(at(2026, 2, 28)) ||
		!b.CanAccessSupport {
		t.Fatalf("after the upgrade: %+v", b)
	}
	w.clock.Advance(14 * day)
	p := get(w.BeginUpgrade(u.UUID, 3))(t)
	if p.AmountCents != 1900-450 {
		t.Errorf("with 14 of 28 days unused the charge is %d", p.AmountCents)
	}
	if b = get(w.Billing(u.UUID))(t); b.Tier != Hobby {
		t.Errorf("the tier changed before the payment: %+v", b)
	}
	get(w.FinishPayment(p.UUID, PaymentOutcome{Paid: true, Collected: true}))(t)
	if b = get(w.Billing(u.UUID))(
		t,
	); b.Tier != Creator || b.Balance != 600 || !b.PeriodEnd.Equal(at(2026, 3, 14)) ||
		!b.CanUseAIDirector {
		t.Errorf("after the second upgrade: %+v", b)
	}
	list, total, err := w.Invoices(u.UUID, Page{Number: 1, Size: 2})
	if err != nil || total != 4 || list[0].Kind != InvoiceProration || list[0].AmountCents != -450 ||
		list[1].Kind != InvoiceCharge ||
		list[1].AmountCents != 1900 {
		t.Errorf("%d invoices %+v %v", total, list, err)
	}
	w.clean()
}
