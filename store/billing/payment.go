package billing

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

// retryPauses lists the pauses before each retry of a declined renewal. After the last retry the
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
func (b Books) beginPayment(a *account, p *paymentRow) error {
	seq, err := payments.NextSeq(b)
	if err != nil {
		return err
	}
	p.UUID = b.NewID()
	p.Seq = seq
	p.Currency = b.Currency
	p.State = PaymentOpen
	p.CreatedAt = b.Now
	a.OpenPayment = p.UUID
	if p.AmountCents == 0 {
		return b.endPayment(a, p, PaymentOutcome{Paid: true, Collected: true})
	}
	if err := payments.Put(b, p); err != nil {
		return err
	}
	return accounts.Put(b, a)
}

// OpenPayments returns the open payments, oldest first.
func (b Books) OpenPayments() ([]Payment, error) {
	var list []Payment
	rows, err := payments.List(b, paymentsOpen)
	for _, p := range rows {
		list = append(list, p.Payment)
	}
	return list, err
}

// Payer returns the user who owes a payment, without name and address. Errors: NotFound.
func (b Books) Payer(p Payment) (Payer, error) {
	a, err := accounts.Get(b, p.UserUUID)
	if err != nil {
		return Payer{}, err
	}
	return Payer{CustomerID: a.CustomerID, Tier: b.priceOf(p.PriceID).Tier, Failures: a.Failures}, nil
}

// FinishPayment completes a payment and applies its purpose to the account. It returns a payment
// that is already complete without changes, and fresh is false. Errors: NotFound.
func (b Books) FinishPayment(uuid string, o PaymentOutcome) (p Payment, fresh bool, err error) {
	row, err := payments.Get(b, uuid)
	if err != nil {
		return Payment{}, false, err
	}
	if row.State != PaymentOpen {
		return row.Payment, false, nil
	}
	a, err := accounts.Get(b, row.UserUUID)
	if err != nil {
		return Payment{}, false, err
	}
	err = b.endPayment(a, row, o)
	return row.Payment, true, err
}

// endPayment applies the outcome of a payment to its account and writes both.
func (b Books) endPayment(a *account, p *paymentRow, o PaymentOutcome) error {
	if a.OpenPayment != p.UUID {
		return fmt.Errorf("payment %s is open, but its account names %q", p.UUID, a.OpenPayment)
	}
	a.OpenPayment = ""
	p.EndedAt = b.Now
	p.NoCard = o.NoCard
	p.Reason = o.Reason
	p.Reference = o.Reference
	var err error
	switch {
	case o.Paid:
		p.State = PaymentPaid
		err = b.beginPeriod(a, p, o.Collected)
	case p.Purpose == PurposeRenewal:
		p.State = PaymentDeclined
		err = b.renewalDeclined(a)
	default:
		p.State = PaymentDeclined
	}

	if err != nil {
		return err
	}
	if err := payments.Put(b, p); err != nil {
		return err
	}
	return accounts.Put(b, a)
}

// beginPeriod starts the period that a payment is for.
func (b Books) beginPeriod(a *account, p *paymentRow, collected bool) error {
	price := b.priceOf(p.PriceID)
	if a.Status == statusTrialing && a.TrialEndsAt.After(b.Now) {
		a.TrialEndsAt = &b.Now
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
	if err := b.addInvoices(p, price, collected); err != nil {
		return err
	}
	if p.Purpose == PurposeRenewal {
		return b.beginMonth(a, a.PeriodStart)
	}
	a.Anchor = p.PeriodStart
	a.RefillAt = monthsLater(a.Anchor, a.PeriodStart, 1)
	return b.raise(a, poolTier, b.allowance(a.Tier), reasonTier)
}

// addInvoices writes one invoice for each part of a payment's amount.
func (b Books) addInvoices(p *paymentRow, price Price, collected bool) error {
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
		err := b.addInvoice(invoiceRow{
			PaymentUUID: p.UUID,
			Invoice: Invoice{UserUUID: p.UserUUID, Kind: part.kind, Description: part.text, AmountCents: part.cents,
				PeriodStart: &p.PeriodStart, PeriodEnd: &p.PeriodEnd, Status: status},
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// renewalDeclined schedules the next attempt, or ends the subscription after the last one. The tier
// stays until then.
func (b Books) renewalDeclined(a *account) error {
	if a.Failures == len(retryPauses) {
		return b.endSubscription(a)
	}
	a.Status, a.RetryAt = statusPastDue, b.Now.Add(retryPauses[a.Failures])
	a.Failures++
	return nil
}

// RecordRefund records that the payment provider refunded a part of a payment. It records each
// refund once, and ignores refunds of unknown payments.
func (b Books) RecordRefund(paymentReference, refundReference string, cents int64) error {
	paid, err := payments.List(b, paymentsByReference, paymentReference)
	if err != nil || len(paid) == 0 {
		return err
	}
	p := paid[0]
	known, err := invoices.Lookup(b, invoicesByReference, refundReference)
	if err != nil || known != nil {
		return err
	}
	return b.addInvoice(
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
}

// RetryPayment makes the declined renewal of a customer due now, if there is one.
func (b Books) RetryPayment(customerID string) error {
	a, err := accounts.Lookup(b, accountsByCustomer, customerID)
	if err != nil || a == nil || a.Status != statusPastDue || a.OpenPayment != "" {
		return err
	}
	a.RetryAt = b.Now
	return accounts.Put(b, a)
}
