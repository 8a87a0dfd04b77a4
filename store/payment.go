package store

import (
	"fmt"
	"time"
)

// What a payment is for.
const (
	PurposeUpgrade = "upgrade"
	PurposeRenewal = "renewal"
)

// States of a payment. It moves once, from open to one of the others.
const (
	PaymentOpen     = "open"
	PaymentPaid     = "paid"
	PaymentDeclined = "declined"
)

// retryAfter is how long after each declined renewal it is tried again. After the last one the plan
// ends.
var retryAfter = []time.Duration{day, 3 * day, 3 * day}

// Payment is an amount that a user owes for a plan. Its uuid is the key under which the payment
// provider takes it at most once.
type Payment struct {
	UUID, UserUUID, Purpose string
	PriceID                 int
	AmountCents             int64
	Currency                string
	State                   string
	NoCard                  bool   // declined because there was no card
	Reason                  string // why it was declined, for people
	Reference               string // the provider's id of it
	CreatedAt, EndedAt      time.Time
}

// paymentRow is a Payment as it is stored, with how its amount came about: the price, less the
// discount, less what was counted.
type paymentRow struct {
	Payment
	Seq                       uint64
	PriceCents, DiscountCents int64
	CountedCents              int64 // unused days of former plans
	CreditCents               int64 // what is left of those
	PeriodStart, PeriodEnd    time.Time
}

var (
	paymentsByUser = &index[paymentRow]{
		name: "payments.by_user",
		keys: func(r *paymentRow) [][]byte { return one(r.UserUUID, r.Seq) },
	}
	paymentsOpen = &index[paymentRow]{name: "payments.open", keys: func(r *paymentRow) [][]byte {
		if r.State != PaymentOpen {
			return nil
		}
		return one(r.Seq)
	}}
	paymentsByReference = &index[paymentRow]{name: "payments.by_reference", keys: func(r *paymentRow) [][]byte {
		if r.State != PaymentPaid || r.Reference == "" {
			return nil
		}
		return one(r.Reference)
	}}
	payments = &table[paymentRow]{
		name:    "payments",
		what:    "payment",
		key:     func(r *paymentRow) []byte { return []byte(r.UUID) },
		indexes: []*index[paymentRow]{paymentsByUser, paymentsOpen, paymentsByReference},
	}
)

// Payer is who owes a payment.
type Payer struct {
	Name, Email, CustomerID string
	Tier                    Tier // that the payment is for
	Failures                int  // declined renewals before this one
}

// LastTry says whether the plan ends when a renewal is declined once more.
func (p Payer) LastAttempt() bool { return p.Failures == len(retryAfter) }

// Outcome is how a payment went.
type PaymentOutcome struct {
	Paid      bool   // else it was declined
	Collected bool   // the money is there; else the operator collects it
	NoCard    bool   // declined because there is no card
	Reason    string // why it was declined, for people
	Reference string // the provider's id of it
}

// beginPayment writes a payment and its account. One of nothing is paid at once.
func (t *txn) beginPayment(a *account, p *paymentRow) error {
	seq, err := payments.next(t)
	if err != nil {
		return err
	}
	p.UUID = t.s.NewID()
	p.Seq = seq
	p.Currency = t.s.o.TierTable.Currency
	p.State = PaymentOpen
	p.CreatedAt = t.now
	a.OpenPayment = p.UUID
	if p.AmountCents == 0 {
		return t.endPayment(a, p, PaymentOutcome{Paid: true, Collected: true})
	}
	if err := payments.put(t, p); err != nil {
		return err
	}
	return accounts.put(t, a)
}

// OpenPayments lists the payments that are under way, oldest first.
func (s *Store) OpenPayments() ([]Payment, error) {
	var list []Payment
	err := s.view(func(t *txn) error {
		rows, err := payments.list(t, paymentsOpen)
		for _, p := range rows {
			list = append(list, p.Payment)
		}
		return err
	})
	return list, err
}

// Payer returns who owes a payment.
func (s *Store) Payer(p Payment) (Payer, error) {
	var payer Payer
	err := s.view(func(t *txn) error {
		user, err := users.get(t, p.UserUUID)
		if err != nil {
			return err
		}
		a, err := accounts.get(t, p.UserUUID)
		if err != nil {
			return err
		}
		payer = Payer{
			Name:       user.Name,
			Email:      user.Email,
			CustomerID: a.CustomerID,
			Tier:       t.s.o.TierTable.priceOf(p.PriceID).Tier,
			Failures:   a.Failures,
		}
		return nil
	})
	return payer, err
}

// FinishPayment ends a payment and does, in the same transaction, what it was for; mails are queued
// with it. One that has ended already is returned as it is, and nothing else happens.
func (s *Store) FinishPayment(uuid string, o PaymentOutcome, mails ...Mail) (Payment, error) {
	var p *paymentRow
	err := s.update(func(t *txn) (err error) {
		if p, err = payments.get(t, uuid); err != nil || p.State != PaymentOpen {
			return err
		}
		a, err := accounts.get(t, p.UserUUID)
		if err != nil {
			return err
		}
		if err := t.endPayment(a, p, o); err != nil {
			return err
		}
		return t.queueMails(mails)
	})
	if err != nil {
		return Payment{}, err
	}
	return p.Payment, nil
}

// endPayment moves a payment and its account on and writes both.
func (t *txn) endPayment(a *account, p *paymentRow, o PaymentOutcome) error {
	if a.OpenPayment != p.UUID {
		return fmt.Errorf("payment %s is open, but the account's is %q", p.UUID, a.OpenPayment)
	}
	a.OpenPayment = ""
	p.EndedAt = t.now
	p.NoCard = o.NoCard
	p.Reason = o.Reason
	p.Reference = o.Reference
	var err error
	switch {
	case o.Paid:
		p.State = PaymentPaid
		err = t.beginPeriod(a, p, o.Collected)
	case p.Purpose == PurposeRenewal:
		p.State = PaymentDeclined
		err = t.renewalDeclined(a)
	default:
		p.State = PaymentDeclined
	}
	if err != nil {
		return err
	}
	if err := payments.put(t, p); err != nil {
		return err
	}
	return accounts.put(t, a)
}

// beginPeriod gives an account the period that a payment was for.
func (t *txn) beginPeriod(a *account, p *paymentRow, collected bool) error {
	price := t.s.o.TierTable.priceOf(p.PriceID)
	if a.Status == statusTrialing && a.TrialEndsAt.After(t.now) {
		a.TrialEndsAt = &t.now
	}
	a.Welcomed = true
	a.Tier = price.Tier
	a.Interval = price.Interval
	a.Status = statusActive
	a.PeriodStart = p.PeriodStart
	a.PeriodEnd = p.PeriodEnd
	a.PaidCents = p.PriceCents - p.DiscountCents
	a.CreditCents = p.CreditCents
	a.Failures, a.RetryAt, a.ScheduledPriceID = 0, time.Time{}, 0
	if p.DiscountCents > 0 {
		a.DiscountLeft--
	}
	if !a.RemindAt.IsZero() {
		a.remindBeforeRenewal()
	}
	if err := t.addInvoices(p, price, collected); err != nil {
		return err
	}
	if p.Purpose == PurposeRenewal {
		return t.beginMonth(a, a.PeriodStart)
	}
	a.Anchor = p.PeriodStart
	a.RefillAt = monthsLater(a.Anchor, a.PeriodStart, 1)
	return t.raise(a, poolPlan, t.allowance(a.Tier), reasonPlan)
}

// addInvoices writes what a payment's amount is made of.
func (t *txn) addInvoices(p *paymentRow, price Price, collected bool) error {
	status := InvoiceOpen
	if collected {
		status = InvoicePaid
	}
	for _, part := range []struct {
		kind, text string
		cents      int64
	}{
		{InvoiceCharge, fmt.Sprintf("%s, one %s", price.Tier.Title(), price.Interval), p.PriceCents},
		{InvoiceDiscount, fmt.Sprintf("Discount of %d %%", discountPercent), -p.DiscountCents},
		{InvoiceProration, "Unused days of the former plan", -p.CountedCents},
	} {
		if part.cents == 0 {
			continue
		}
		err := t.addInvoice(
			invoiceRow{
				PaymentUUID: p.UUID,
				Invoice: Invoice{UserUUID: p.UserUUID, Kind: part.kind, Description: part.text, AmountCents: part.cents,
					PeriodStart: &p.PeriodStart, PeriodEnd: &p.PeriodEnd, Status: status},
			},
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// renewalDeclined has a renewal tried again, or ends the plan after the last try. Until then the
// plan holds.
func (t *txn) renewalDeclined(a *account) error {
	if a.Failures == len(retryAfter) {
		return t.endPlan(a)
	}
	a.Status, a.RetryAt = statusPastDue, t.now.Add(retryAfter[a.Failures])
	a.Failures++
	return nil
}

// RecordRefund notes that the payment provider gave back a part of a payment. The same refund is
// noted once; a payment that is not known is none of ours.
func (s *Store) RecordRefund(paymentReference, refundReference string, cents int64) error {
	return s.update(func(t *txn) error {
		paid, err := payments.list(t, paymentsByReference, paymentReference)
		if err != nil || len(paid) == 0 {
			return err
		}
		p := paid[0]
		known, err := invoices.lookup(t, invoicesByReference, refundReference)
		if err != nil || known != nil {
			return err
		}
		return t.addInvoice(
			invoiceRow{PaymentUUID: p.UUID, Reference: refundReference, Invoice: Invoice{
				UserUUID:    p.UserUUID,
				Kind:        InvoiceRefund,
				Description: "Refund",
				AmountCents: -cents,
				PeriodStart: &p.PeriodStart,
				PeriodEnd:   &p.PeriodEnd,
				Status:      InvoicePaid,
			}},
		)
	})
}

// RetryPayment has the declined renewal of a user tried again at the next AdvanceBilling, where
// there is one: they have changed their card.
func (s *Store) RetryPayment(customerID string) error {
	return s.update(func(t *txn) error {
		a, err := accounts.lookup(t, accountsByCustomer, customerID)
		if err != nil || a == nil || a.Status != statusPastDue || a.OpenPayment != "" {
			return err
		}
		a.RetryAt = t.now
		return accounts.put(t, a)
	})
}
