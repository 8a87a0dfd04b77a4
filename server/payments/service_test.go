package payments

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roughcut/store"
	"roughcut/store/account"
	"roughcut/store/billing"
)

const day = 24 * time.Hour

func TestParallelUpgradesChargeOnce(t *testing.T) {
	bank := &till{}
	w := newWorld(t, bank)
	u := w.customer("ada")
	var done atomic.Int64
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if _, err := w.Upgrade(t.Context(), u.UUID, 3); err == nil {
				done.Add(1)
			}
		})
	}
	all.Wait()
	if done.Load() != 1 || bank.total() != 1900 {
		t.Errorf("%d of 50 upgrades succeeded, %d cents were charged", done.Load(), bank.total())
	}
	w.clean()
}

// TestCrashDuringPaymentChargesOnce restores the database of each step of an upgrade and of a
// renewal, with a bank that keeps its charges.
func TestCrashDuringPaymentChargesOnce(t *testing.T) {
	bank := &till{}
	w := newWorld(t, bank)
	u := w.customer("ada")
	type moment struct {
		dir   string
		taken map[string]int64
	}
	var moments []moment
	keep := func(Charge) error {
		m := moment{t.TempDir(), maps.Clone(bank.taken)}
		moments = append(moments, m)
		data, err := os.ReadFile(filepath.Join(w.dir, "roughcut.db"))
		return errors.Join(err, os.WriteFile(filepath.Join(m.dir, "roughcut.db"), data, 0o600))
	}
	bank.before, bank.after = keep, keep
	_, err := w.Upgrade(t.Context(), u.UUID, 1)
	must(t, err)
	w.clock.Advance(28 * day)
	w.tick()
	bank.before, bank.after = nil, nil
	want := w.billing(u)
	if len(moments) != 4 {
		t.Fatalf("got %d steps", len(moments))
	}
	for step, m := range moments {
		must(t, w.Store.Close())
		w.open(m.dir)
		bank.taken = m.taken
		w.tick()
		if got := w.billing(u); got.SubscriptionStatus != "active" || !got.PeriodEnd.Equal(*want.PeriodEnd) ||
			got.Balance != 120 {
			t.Errorf("after a crash at step %d: %+v, want %+v", step, got, want)
		}
		if len(bank.taken) != 2 || bank.total() != 1800 {
			t.Errorf(
				"after a crash at step %d: %d cents were charged in %d payments",
				step,
				bank.total(),
				len(bank.taken),
			)
		}
		w.clean()
	}
}

func TestDeclinedRenewalRetriesThenEndsSubscription(t *testing.T) {
	bank := &till{}
	w := newWorld(t, bank)
	u := w.customer("ada")
	_, err := w.Upgrade(t.Context(), u.UUID, 1)
	must(t, err)
	bank.refuse = true
	w.clock.Advance(28 * day)
	for try, after := range []time.Duration{0, day, 3 * day} {
		w.clock.Advance(after)
		w.tick()
		if b := w.billing(u); b.SubscriptionStatus != "past_due" || b.Tier != billing.Hobby || !b.CanWatermarkFree {
			t.Fatalf("after attempt %d: %+v", try, b)
		}
		w.clock.Advance(23 * time.Hour)
		w.tick()
		w.clock.Advance(-23 * time.Hour)
		if got := w.subjects(); !slices.Equal(got, []string{"Your payment was declined"}) {
			t.Errorf("mails after attempt %d: %q", try, got)
		}
	}
	w.clock.Advance(3 * day)
	w.tick()
	if b := w.billing(u); b.SubscriptionStatus != "canceled" || b.Tier != billing.Free || b.Interval != "" ||
		b.Balance != 30 {
		t.Errorf("after the last attempt: %+v", b)
	}
	if got := w.subjects(); !slices.Equal(got, []string{"Your Roughcut subscription has ended"}) {
		t.Errorf("mails %q", got)
	}
	w.clean()
}

func TestMissedPeriodsAreCharged(t *testing.T) {
	bank := &till{}
	w := newWorld(t, bank)
	month, year := w.customer("month"), w.customer("year")
	for user, price := range map[string]int{month.UUID: 1, year.UUID: 4} {
		_, err := w.Upgrade(t.Context(), user, price)
		must(t, err)
	}
	w.clock.Advance(61 * day) // 2 April: two renewals were due on 28 February and 31 March
	w.tick()
	if b := w.billing(month); !b.PeriodEnd.Equal(time.Date(2026, 4, 30, 12, 0, 0, 0, time.UTC)) || b.Balance != 120 {
		t.Errorf("monthly: %+v", b)
	}
	if b := w.billing(year); !b.PeriodEnd.Equal(time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC)) ||
		!b.RefillAt.Equal(time.Date(2026, 4, 30, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("yearly: %+v", b)
	}
	if bank.total() != 3*900+19000 {
		t.Errorf("%d cents were charged", bank.total())
	}
	w.clean()
}

func TestReminderIsSentBeforeRenewal(t *testing.T) {
	w := newWorld(t, &till{})
	u := w.customer("ada")
	_, err := w.Upgrade(t.Context(), u.UUID, 1)
	must(t, err)
	answer := billing.Feedback{UserUUID: u.UUID, Reason: "not_now", Outcome: billing.FeedbackReminder}
	must(t, w.Store.AddFeedback(answer))
	must(
		t,
		w.Store.AddFeedback(
			billing.Feedback{UserUUID: u.UUID, Reason: "too_expensive", Outcome: billing.FeedbackDiscount},
		),
	)
	w.clock.Advance(25*day - time.Minute)
	w.tick()
	if got := w.subjects(); len(got) != 0 {
		t.Errorf("too early: %q", got)
	}
	w.clock.Advance(time.Minute)
	w.tick()
	due, err := w.Store.DueMails(10)
	must(t, err)
	if len(due) != 1 || due[0].To != u.Email || due[0].Text == "" {
		t.Fatalf("mails %+v", due)
	}
	for _, want := range []string{"Hobby", "28 February 2026", "6.30 USD", "https://cut.example.org/"} {
		if !strings.Contains(due[0].Text, want) || !strings.Contains(due[0].HTML, want) {
			t.Errorf("the reminder lacks %q: %s", want, due[0].Text)
		}
	}
	w.subjects()
	w.clock.Advance(28 * day)
	w.tick()
	if got := w.subjects(); len(got) != 0 {
		t.Errorf("sent again: %q", got)
	}
	w.clean()
}

func TestProviderOutageDoesNotBlockOthers(t *testing.T) {
	bank := &till{before: func(Charge) error { return errors.New("down") }}
	w := newWorld(t, bank)
	u, other := w.customer("ada"), w.user("bob")
	_, err := w.Upgrade(t.Context(), u.UUID, 1)
	wantCode(t, err, "unavailable")
	w.clock.Advance(7 * day)
	w.tick()
	if b := w.billing(other); b.SubscriptionStatus != "none" || b.RefillAt == nil {
		t.Errorf("trial of another user: %+v", b)
	}
	bank.before = nil
	w.tick()
	if b := w.billing(u); b.Tier != billing.Hobby || bank.total() != 900 {
		t.Errorf("%+v, %d cents", b, bank.total())
	}
	w.clean()
}

func TestUnansweredPaymentDoesNotBlockOthers(t *testing.T) {
	bank := &till{}
	w := newWorld(t, bank)
	stuck, other := w.customer("ada"), w.customer("bob")
	for _, u := range []account.User{stuck, other} {
		_, err := w.Upgrade(t.Context(), u.UUID, 1)
		must(t, err)
	}
	bank.before = func(c Charge) error {
		if c.CustomerID == "cus_ada" {
			return errors.New("the bank has not decided")
		}
		return nil
	}
	w.clock.Advance(61 * day) // two renewals each
	w.tick()
	if b := w.billing(other); !b.PeriodEnd.Equal(time.Date(2026, 4, 30, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("other payment: %+v", b)
	}
	if b := w.billing(stuck); b.SubscriptionStatus != "active" ||
		!b.PeriodEnd.Equal(time.Date(2026, 2, 28, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("unanswered payment: %+v", b)
	}
	bank.before = nil
	w.tick()
	if bank.total() != 6*900 {
		t.Errorf("%d cents were charged", bank.total())
	}
	w.clean()
}

func TestLedgerMovesNoMoney(t *testing.T) {
	w := newWorld(t, Ledger{})
	u := w.user("ada")
	_, err := w.Upgrade(t.Context(), u.UUID, 1)
	must(t, err)
	list, _, err := w.Store.Invoices(u.UUID, store.Page{Number: 1, Size: 1})
	if err != nil || list[0].Status != billing.InvoiceOpen || list[0].AmountCents != 900 {
		t.Errorf("invoices %+v %v", list, err)
	}
	_, err = w.CardPage(t.Context(), u, "/")
	wantCode(t, err, "conflict")
	wantCode(t, w.HandleWebhook(t.Context(), nil, ""), "not_found")
}
