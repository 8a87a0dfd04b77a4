package store

import (
	"fmt"
	"time"

	"roughcut/store/table"
)

// Purposes of a payment.
const (
	PurposeUpgrade = "upgrade"
	PurposeRenewal = "renewal"
)

// States of a payment. It changes once, from open to one of the others.
const (
	PaymentOpen     = "open"
	PaymentPaid     = "paid"
	PaymentDeclined = "declined"
)

// retryAfter lists the pauses before each retry of a declined renewal. After the last retry the
// subscription ends.
var retryPauses = []time.Duration{day, 3 * day, 3 * day}

// Payment is an amount that a user owes for a subscription. Its UUID is the idempotency key at the
// payment provider.
type Payment struct {
	UUID, UserUUID, Purpose string
	PriceID                 int
	AmountCents             int64
	Currency                string
	State                   string
	NoCard                  bool   // declined for lack of a card
	Reason                  string // why the provider declined it, in words
	Reference               string // id at the payment provider
	CreatedAt, EndedAt      time.Time
}

// paymentRow is the stored form of a Payment with the parts of its amount: price less discount less
// counted value.
type paymentRow struct {
	Payment
	Seq                       uint64
	PriceCents, DiscountCents int64
	CountedCents              int64 // value of unused days, deducted from the price
	CreditCents               int64 // value that is left after that
	PeriodStart, PeriodEnd    time.Time
}

var (
	paymentsByUser = &table.Index[paymentRow]{
		Name: "payments.by_user",
		Keys: func(r *paymentRow) [][]byte { return table.Entry(r.UserUUID, r.Seq) },
	}
	paymentsOpen = &table.Index[paymentRow]{Name: "payments.open", Keys: func(r *paymentRow) [][]byte {
		if r.State != PaymentOpen {
			return nil
		}
		return table.Entry(r.Seq)
	}}
	paymentsByReference = &table.Index[paymentRow]{Name: "payments.by_reference", Keys: func(r *paymentRow) [][]byte {
		if r.State != PaymentPaid || r.Reference == "" {
			return nil
		}
		return table.Entry(r.Reference)
	}}
	payments = &table.Table[paymentRow]{
		Name:    "payments",
		Noun:    "payment",
		Key:     func(r *paymentRow) []byte { return []byte(r.UUID) },
		Indexes: []*table.Index[paymentRow]{paymentsByUser, paymentsOpen, paymentsByReference},
	}
)

// Payer is the user who owes a payment.
type Payer struct {
	Name, Email, CustomerID string
	Tier                    Tier // paid for
	Failures                int  // declined renewals in a row before this payment
}

// LastAttempt reports whether the subscription ends when this renewal is declined.
func (p Payer) LastAttempt() bool { return p.Failures == len(retryPauses) }

// PaymentOutcome is the result of a payment.
type PaymentOutcome struct {
	Paid      bool   // false: declined
	Collected bool   // the provider has the money; false: the operator collects it
	NoCard    bool   // declined for lack of a card
	Reason    string // why the provider declined it, in words
	Reference string // id at the payment provider
}

// beginPayment writes a payment and its account. It completes a payment of 0 at once.
func (t *txn) beginPayment(a *account, p *paymentRow) error {
	seq, err := payments.NextSeq(t)
	if err != nil {
		return err
	}
	p.UUID = t.NewID()
	p.Seq = seq
	p.Currency = t.s.o.TierTable.Currency
	p.State = PaymentOpen
	p.CreatedAt = t.Now
	a.OpenPayment = p.UUID
	if p.AmountCents == 0 {
		return t.endPayment(a, p, PaymentOutcome{Paid: true, Collected: true})
	}
	if err := payments.Put(t, p); err != nil {
		return err
	}
	return accounts.Put(t, a)
}

// OpenPayments returns the open payments, oldest first.
func (s *Store) OpenPayments() ([]Payment, error) {
	var list []Payment
	err := s.view(func(t *txn) error {
		rows, err := payments.List(t, paymentsOpen)
		for _, p := range rows {
			list = append(list, p.Payment)
		}
		return err
	})
	return list, err
}

// Payer returns the user who owes a payment.
func (s *Store) Payer(p Payment) (Payer, error) {
	var payer Payer
	err := s.view(func(t *txn) error {
		user, err := users.Get(t, p.UserUUID)
		if err != nil {
			return err
		}
		a, err := accounts.Get(t, p.UserUUID)
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

// FinishPayment completes a payment, applies its purpose to the account and queues mails, all in
// one transaction. It returns a payment that is already complete without changes.
func (s *Store) FinishPayment(uuid string, o PaymentOutcome, mails ...Mail) (Payment, error) {
	var p *paymentRow
	err := s.update(func(t *txn) (err error) {
		if p, err = payments.Get(t, uuid); err != nil || p.State != PaymentOpen {
			return err
		}
		a, err := accounts.Get(t, p.UserUUID)
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

// endPayment applies the outcome of a payment to its account and writes both.
func (t *txn) endPayment(a *account, p *paymentRow, o PaymentOutcome) error {
	if a.OpenPayment != p.UUID {
		return fmt.Errorf("payment %s is open, but its account names %q", p.UUID, a.OpenPayment)
	}
	a.OpenPayment = ""
	p.EndedAt = t.Now
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
	if err := payments.Put(t, p); err != nil {
		return err
	}
	return accounts.Put(t, a)
}

// beginPeriod starts the period that a payment is for.
func (t *txn) beginPeriod(a *account, p *paymentRow, collected bool) error {
	price := t.s.o.TierTable.priceOf(p.PriceID)
	if a.Status == statusTrialing && a.TrialEndsAt.After(t.Now) {
		a.TrialEndsAt = &t.Now
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
	return t.raise(a, poolTier, t.allowance(a.Tier), reasonTier)
}

// addInvoices writes one invoice for each part of a payment's amount.
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
		{InvoiceProration, "Unused days of the former tier", -p.CountedCents},
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

// renewalDeclined schedules the next attempt, or ends the subscription after the last one. The tier
// stays until then.
func (t *txn) renewalDeclined(a *account) error {
	if a.Failures == len(retryPauses) {
		return t.endSubscription(a)
	}
	a.Status, a.RetryAt = statusPastDue, t.Now.Add(retryPauses[a.Failures])
	a.Failures++
	return nil
}

// RecordRefund records that the payment provider refunded a part of a payment. It records each
// refund once, and ignores refunds of unknown payments.
func (s *Store) RecordRefund(paymentReference, refundReference string, cents int64) error {
	return s.update(func(t *txn) error {
		paid, err := payments.List(t, paymentsByReference, paymentReference)
		if err != nil || len(paid) == 0 {
			return err
		}
		p := paid[0]
		known, err := invoices.Lookup(t, invoicesByReference, refundReference)
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

// RetryPayment makes the next AdvanceBilling retry the declined renewal of a customer, if there is
// one. Call it after the user changed the card.
func (s *Store) RetryPayment(customerID string) error {
	return s.update(func(t *txn) error {
		a, err := accounts.Lookup(t, accountsByCustomer, customerID)
		if err != nil || a == nil || a.Status != statusPastDue || a.OpenPayment != "" {
			return err
		}
		a.RetryAt = t.Now
		return accounts.Put(t, a)
	})
}
