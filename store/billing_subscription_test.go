package store

import (
	"testing"
	"time"

	"roughcut/store/account"
	"roughcut/store/billing"
)

// upgrade begins the payment for a price and finishes it as paid.
func (w *world) upgrade(u account.User, priceID int) billing.Payment {
	w.t.Helper()
	p := get(w.BeginUpgrade(u.UUID, priceID))(w.t)
	if p.State == billing.PaymentOpen {
		p = get(w.FinishPayment(p.UUID, billing.PaymentOutcome{Paid: true, Collected: true}))(w.t)
	}
	return p
}

// subscribe gives a user a subscription at a price.
func (w *world) subscribe(u account.User, priceID int) Billing {
	w.t.Helper()
	w.upgrade(u, priceID)
	return get(w.Billing(u.UUID))(w.t)
}

// tick does the due billing work and finishes every payment as paid or declined.
func (w *world) tick(paid bool) (payments []billing.Payment) {
	w.t.Helper()
	for {
		must(w.t, w.AdvanceBilling(func(r billing.Reminder) Mail { return Mail{To: r.Email, Subject: "reminder"} }))
		open := get(w.OpenPayments())(w.t)
		if len(open) == 0 {
			return payments
		}
		for _, p := range open {
			outcome := billing.PaymentOutcome{Paid: paid, Collected: true}
			payments = append(payments, get(w.FinishPayment(p.UUID, outcome))(w.t))
		}
	}
}

func at(year int, month time.Month, dayOfMonth int) time.Time {
	return time.Date(year, month, dayOfMonth, 12, 0, 0, 0, time.UTC)
}

func TestUpgradeDeductsUnusedDaysAndRestartsThePeriod(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	b := w.subscribe(u, 1)
	if b.Tier != billing.Hobby || b.SubscriptionStatus != "active" || b.Interval != billing.Month || b.Balance != 120 ||
		!b.PeriodEnd.Equal(at(2026, 2, 28)) ||
		!b.CanAccessSupport {
		t.Fatalf("after the upgrade: %+v", b)
	}
	w.clock.Advance(14 * day)
	p := get(w.BeginUpgrade(u.UUID, 3))(t)
	if p.AmountCents != 1900-450 {
		t.Errorf("with 14 of 28 days unused the charge is %d", p.AmountCents)
	}
	if b = get(w.Billing(u.UUID))(t); b.Tier != billing.Hobby {
		t.Errorf("the tier changed before the payment: %+v", b)
	}
	get(w.FinishPayment(p.UUID, billing.PaymentOutcome{Paid: true, Collected: true}))(t)
	if b = get(w.Billing(u.UUID))(
		t,
	); b.Tier != billing.Creator || b.Balance != 600 || !b.PeriodEnd.Equal(at(2026, 3, 14)) ||
		!b.CanUseAIDirector {
		t.Errorf("after the second upgrade: %+v", b)
	}
	list, total, err := w.Invoices(u.UUID, Page{Number: 1, Size: 2})
	if err != nil || total != 4 || list[0].Kind != billing.InvoiceProration || list[0].AmountCents != -450 ||
		list[1].Kind != billing.InvoiceCharge ||
		list[1].AmountCents != 1900 {
		t.Errorf("%d invoices %+v %v", total, list, err)
	}
	w.clean()
}
