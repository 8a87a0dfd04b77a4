// Package payments settles the charges for subscriptions through a payment provider: Stripe, or the
// ledger, where no money moves and the operator settles.
//
// The store records a payment before the provider is asked, and ends it with the provider's
// response. The payment's ID is the idempotency key: the provider charges at most once per key. An
// interrupted payment is therefore retried and charged exactly once.
package payments

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"roughcut/server/mail"
	"roughcut/store"
	"roughcut/store/account"
	"roughcut/store/billing"
)

// Charge is an amount to charge to a user's card.
type Charge struct {
	Key         string // idempotency key: the provider charges each key once
	Retried     bool   // the provider may have charged this key long ago
	CustomerID  string
	AmountCents int64
	Currency    string
	Description string
}

// Customer is a user at the provider. ID is empty until the provider has created the customer.
type Customer struct{ ID, UserUUID, Name, Email string }

// Event is a webhook event. Fields that do not apply are empty.
type Event struct {
	CardCustomerID string // ID of a customer who has added a card

	PaymentUUID string // UUID of a payment that has ended with Outcome
	Outcome     billing.PaymentOutcome

	RefundedPaymentID, RefundID string // the provider's IDs of a payment and of a partial refund of it
	RefundCents                 int64
}

// Provider charges cards.
type Provider interface {
	// Charge charges an amount. After an error the outcome is unknown.
	Charge(ctx context.Context, c Charge) (billing.PaymentOutcome, error)
	// CardPage returns the address of a page where a customer enters a card before returning to
	// returnTo, and the ID of the customer.
	CardPage(ctx context.Context, c Customer, returnTo string) (url, customerID string, err error)
	// ParseEvent verifies and decodes a webhook request.
	ParseEvent(payload []byte, signature string) (Event, error)
}

// Errors that users can cause.
var (
	errNoCards = &store.Error{
		Kind:    store.Conflict,
		Code:    "conflict",
		Message: "No card is needed: the operator of this server settles payments.",
	}
	errNoWebhook = &store.Error{Kind: store.NotFound, Code: "not_found", Message: "This server accepts no webhooks."}
	errBadEvent  = &store.Error{
		Kind:    store.Invalid,
		Code:    "invalid_token",
		Message: "The signature of the webhook is invalid or too old.",
	}
	errNoResponse = &store.Error{
		Kind: store.Unavailable,
		Code: "unavailable",
		Message: "The payment provider does not answer. The payment will be settled exactly once when it does. " +
			"Check your subscription in a few minutes.",
		RetryAfter: time.Minute,
	}
	errNoCardPage = &store.Error{
		Kind:       store.Unavailable,
		Code:       "unavailable",
		Message:    "The payment provider does not answer. Try again in a minute.",
		RetryAfter: time.Minute,
	}
)

// chargeTime is the timeout for one payment at the provider.
const chargeTime = 30 * time.Second

// askAgain is the age of a payment when the provider may have forgotten its idempotency key.
const askAgain = time.Hour

// Service settles payments. BaseURL is the address in mails, without a trailing slash.
type Service struct {
	Store    *store.Store
	Provider Provider
	BaseURL  string
	Log      *slog.Logger

	mu   sync.Mutex
	busy map[string]bool // payments in progress
}

// Upgrade moves a user to a higher price and charges for it. It returns the errors of
// store.BeginUpgrade, PaymentRequired with payment_declined or payment_method_required, or
// Unavailable while the outcome is unknown.
func (s *Service) Upgrade(ctx context.Context, userUUID string, priceID int) (billing.Payment, error) {
	p, err := s.Store.BeginUpgrade(userUUID, priceID)
	if err != nil {
		return p, err
	}
	if p.State == billing.PaymentOpen {
		if p, err = s.settle(context.WithoutCancel(ctx), p); err != nil {
			s.Log.Warn("payment not settled, will retry", "payment", p.UUID, "error", err)
			return p, errNoResponse
		}
	}

	switch {
	case p.State == billing.PaymentOpen: // another goroutine is settling it
		return p, errNoResponse
	case p.State == billing.PaymentDeclined && p.NoCard:
		return p, &store.Error{Kind: store.PaymentRequired, Code: "payment_method_required", Message: p.Reason}
	case p.State == billing.PaymentDeclined:
		return p, &store.Error{Kind: store.PaymentRequired, Code: "payment_declined", Message: p.Reason}
	}

	return p, nil
}

// maxUnanswered is the number of unanswered payments that makes ProcessDue consider the provider
// down.
const maxUnanswered = 10

// ProcessDue applies due changes of subscriptions and settles all open payments. It returns when
// nothing more can be done now. It takes payments in random order, so that unanswered ones do not
// block the others forever.
func (s *Service) ProcessDue(ctx context.Context) error {
	unanswered := map[string]bool{}
	for {
		if err := s.Store.AdvanceBilling(s.reminder); err != nil {
			return fmt.Errorf("advance billing: %w", err)
		}
		open, err := s.Store.OpenPayments()
		if err != nil {
			return fmt.Errorf("list open payments: %w", err)
		}
		rand.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
		ended := 0
		for _, p := range open {
			if ctx.Err() != nil || len(unanswered) == maxUnanswered {
				return nil
			}
			if unanswered[p.UUID] {
				continue
			}
			settled, err := s.settle(ctx, p)
			if err != nil {
				s.Log.Warn("payment not settled, will retry", "payment", p.UUID, "error", err)
				unanswered[p.UUID] = true
			} else if settled.State != billing.PaymentOpen {
				ended++
			}
		}

		if ended == 0 {
			return nil
		}
	}
}

// settle charges an open payment at the provider and records the outcome. It returns a payment that
// another goroutine is settling unchanged.
func (s *Service) settle(ctx context.Context, p billing.Payment) (billing.Payment, error) {
	if !s.begin(p.UUID) {
		return p, nil
	}
	defer s.endPayment(p.UUID)
	payer, err := s.Store.Payer(p)
	if err != nil {
		return p, err
	}
	ctx, cancel := context.WithTimeout(ctx, chargeTime)
	defer cancel()
	outcome, err := s.Provider.Charge(ctx, Charge{
		Key: p.UUID, Retried: s.Store.Now().Sub(p.CreatedAt) > askAgain, CustomerID: payer.CustomerID,
		AmountCents: p.AmountCents, Currency: p.Currency, Description: "Roughcut " + payer.Tier.Title(),
	})
	if err != nil {
		return p, err
	}
	return s.finish(p, payer, outcome)
}

// finish records the outcome of a payment. It mails the user about a declined renewal.
func (s *Service) finish(
	p billing.Payment, payer billing.Payer, outcome billing.PaymentOutcome,
) (billing.Payment, error) {
	var mails []store.Mail
	if !outcome.Paid && p.Purpose == billing.PurposeRenewal {
		letter := mail.PaymentDeclined(
			payer.Name,
			payer.Tier.Title(),
			amount(p.AmountCents, p.Currency),
			outcome.Reason,
			s.billingPage(),
		)
		if payer.LastAttempt() {
			letter = mail.SubscriptionEnded(
				payer.Name,
				payer.Tier.Title(),
				amount(p.AmountCents, p.Currency),
				s.billingPage(),
			)
		}

		mails = append(
			mails,
			store.Mail{To: payer.Email, Subject: letter.Subject, Text: letter.Text, HTML: letter.HTML},
		)
	}

	return s.Store.FinishPayment(p.UUID, outcome, mails...)
}

func (s *Service) begin(payment string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[payment] {
		return false
	}
	if s.busy == nil {
		s.busy = map[string]bool{}
	}
	s.busy[payment] = true
	return true
}

func (s *Service) endPayment(payment string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.busy, payment)
}

// CardPage returns the address where a user enters a card before returning to returnTo.
func (s *Service) CardPage(ctx context.Context, user account.User, returnTo string) (string, error) {
	known, err := s.Store.Customer(user.UUID)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, chargeTime)
	defer cancel()
	url, id, err := s.Provider.CardPage(
		ctx,
		Customer{ID: known, UserUUID: user.UUID, Name: user.Name, Email: user.Email},
		returnTo,
	)
	var refused *store.Error
	switch {
	case errors.As(err, &refused):
		return "", err
	case err != nil:
		s.Log.Warn("card page not available", "error", err)
		return "", errNoCardPage
	case id != known:
		err = s.Store.SetCustomer(user.UUID, id)
	}

	return url, err
}

// HandleWebhook processes a webhook event of the provider.
func (s *Service) HandleWebhook(ctx context.Context, payload []byte, signature string) error {
	e, err := s.Provider.ParseEvent(payload, signature)
	if err != nil {
		return err
	}
	if e.RefundedPaymentID != "" {
		return s.Store.RecordRefund(e.RefundedPaymentID, e.RefundID, e.RefundCents)
	}
	if e.PaymentUUID != "" {
		if err := s.ended(e); err != nil {
			return err
		}
	}

	if e.CardCustomerID != "" {
		if err := s.Store.RetryPayment(e.CardCustomerID); err != nil {
			return err
		}
	}

	return s.ProcessDue(ctx)
}

// ended records the outcome of an open payment from an event. It ignores unknown and finished
// payments.
func (s *Service) ended(e Event) error {
	open, err := s.Store.OpenPayments()
	if err != nil {
		return err
	}
	for _, p := range open {
		if p.UUID != e.PaymentUUID || !s.begin(p.UUID) {
			continue
		}
		defer s.endPayment(p.UUID)
		payer, err := s.Store.Payer(p)
		if err != nil {
			return err
		}
		_, err = s.finish(p, payer, e.Outcome)
		return err
	}

	return nil
}

// reminder returns the mail for an upcoming renewal.
func (s *Service) reminder(r billing.Reminder) store.Mail {
	letter := mail.RenewalReminder(
		r.Name,
		r.Tier.Title(),
		r.RenewsAt.Format("2 January 2006"),
		amount(r.AmountCents, r.Currency),
		s.billingPage(),
	)
	return store.Mail{To: r.Email, Subject: letter.Subject, Text: letter.Text, HTML: letter.HTML}
}

func (s *Service) billingPage() string { return s.BaseURL + "/" }

// wholeUnits lists the currencies without a smaller unit.
const wholeUnits = "bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf"

// amount formats an amount for people, as in 19.00 USD.
func amount(cents int64, currency string) string {
	if strings.Contains(wholeUnits, currency) {
		return fmt.Sprintf("%d %s", cents, strings.ToUpper(currency))
	}
	return fmt.Sprintf("%d.%02d %s", cents/100, cents%100, strings.ToUpper(currency))
}
