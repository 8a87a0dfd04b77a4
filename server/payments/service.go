// Package payments settles what users owe for their plans, through a payment provider: the ledger,
// where no money moves and the operator settles, or Stripe.
//
// A payment is written by the store before the provider is asked for it, and ended by the store
// with what the provider answered. Its id is the key under which the provider takes an amount at
// most once. So whatever is cut off in between is asked again, and charged once.
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
)

// Charge is an amount to be taken from somebody's card.
type Charge struct {
	Key         string // the same key is charged once
	Retried     bool   // the provider may have taken the amount long ago
	CustomerID  string
	AmountCents int64
	Currency    string
	Description string
}

// Customer is somebody who may leave a card. ID is empty until the provider knows them.
type Customer struct{ ID, UserUUID, Name, Email string }

// Event is what a provider tells of its own accord; what it says nothing about is empty.
type Event struct {
	CardCustomerID string // the id of a customer who has left a card

	PaymentUUID string // the uuid of a payment that has ended, with its outcome
	Outcome     store.PaymentOutcome

	RefundedPaymentID, RefundID string // the provider's ids of a payment and of the refund of a part of it
	RefundCents                 int64
}

// Provider moves money.
type Provider interface {
	// Charge takes an amount. An error means that it is not known whether it was taken.
	Charge(ctx context.Context, c Charge) (store.PaymentOutcome, error)
	// CardPage returns the address of a page where a customer leaves a card and comes back to
	// returnTo, and the customer's id.
	CardPage(ctx context.Context, c Customer, returnTo string) (url, customerID string, err error)
	// Event reads what the provider sends to the webhook.
	ParseEvent(payload []byte, signature string) (Event, error)
}

// Errors of users.
var (
	errNoCards = &store.Error{
		Kind:    store.Conflict,
		Code:    "conflict",
		Message: "No card is needed here: the operator of this server settles payments.",
	}
	errNoWebhook = &store.Error{Kind: store.NotFound, Code: "not_found", Message: "This server expects no webhooks."}
	errBadEvent  = &store.Error{
		Kind:    store.Invalid,
		Code:    "invalid_token",
		Message: "The signature of the webhook does not fit, or is too old.",
	}
	errNoAnswer = &store.Error{
		Kind:       store.Unavailable,
		Code:       "unavailable",
		Message:    "The payment provider does not answer. The payment is settled, once, as soon as it does; look at your plan in a few minutes.",
		RetryAfter: time.Minute,
	}
	errNoCardPage = &store.Error{
		Kind:       store.Unavailable,
		Code:       "unavailable",
		Message:    "The payment provider does not answer. Try again in a minute.",
		RetryAfter: time.Minute,
	}
)

// chargeTime is how long a provider may take over one payment.
const chargeTime = 30 * time.Second

// askAgain is the age from which a payment may have outlived what the provider remembers of its
// key.
const askAgain = time.Hour

// Desk settles payments. BaseURL is the address in mails, without trailing slash.
type Service struct {
	Store    *store.Store
	Provider Provider
	BaseURL  string
	Log      *slog.Logger

	mu   sync.Mutex
	busy map[string]bool // payments that are being settled
}

// Upgrade moves a user to a higher price and charges for it. Errors: those of store.BeginUpgrade;
// PaymentRequired payment_declined, payment_method_required; Unavailable where the outcome is not
// known yet.
func (s *Service) Upgrade(ctx context.Context, userUUID string, priceID int) (store.Payment, error) {
	p, err := s.Store.BeginUpgrade(userUUID, priceID)
	if err != nil {
		return p, err
	}
	if p.State == store.PaymentOpen {
		if p, err = s.settle(context.WithoutCancel(ctx), p); err != nil {
			s.Log.Warn("a payment could not be settled; it is tried again", "payment", p.UUID, "error", err)
			return p, errNoAnswer
		}
	}
	switch {
	case p.State == store.PaymentOpen: // somebody else is at it
		return p, errNoAnswer
	case p.State == store.PaymentDeclined && p.NoCard:
		return p, &store.Error{Kind: store.PaymentRequired, Code: "payment_method_required", Message: p.Reason}
	case p.State == store.PaymentDeclined:
		return p, &store.Error{Kind: store.PaymentRequired, Code: "payment_declined", Message: p.Reason}
	}
	return p, nil
}

// maxUnanswered is how many payments in one Tick may stay without an answer before the provider
// counts as down.
const maxUnanswered = 10

// Tick does what time has brought about for plans, and settles every payment that is under way. It
// returns when nothing is left that can be done now. Payments come in random order, so that those
// which stay without an answer hold nobody else up for good.
func (s *Service) ProcessDue(ctx context.Context) error {
	unanswered := map[string]bool{}
	for {
		if err := s.Store.AdvanceBilling(s.reminder); err != nil {
			return fmt.Errorf("moving plans on: %w", err)
		}
		open, err := s.Store.OpenPayments()
		if err != nil {
			return fmt.Errorf("looking for payments: %w", err)
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
				s.Log.Warn("a payment could not be settled; it is tried again", "payment", p.UUID, "error", err)
				unanswered[p.UUID] = true
			} else if settled.State != store.PaymentOpen {
				ended++
			}
		}
		if ended == 0 {
			return nil
		}
	}
}

// settle asks the provider for an open payment and ends it with the answer. A payment that is being
// settled already is returned as it is.
func (s *Service) settle(ctx context.Context, p store.Payment) (store.Payment, error) {
	if !s.begin(p.UUID) {
		return p, nil
	}
	defer s.end(p.UUID)
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

// finish ends a payment, with a mail where a renewal was declined.
func (s *Service) finish(p store.Payment, payer store.Payer, outcome store.PaymentOutcome) (store.Payment, error) {
	var mails []store.Mail
	if !outcome.Paid && p.Purpose == store.PurposeRenewal {
		letter := mail.PaymentDeclined(
			payer.Name,
			payer.Tier.Title(),
			amount(p.AmountCents, p.Currency),
			outcome.Reason,
			s.billingPage(),
		)
		if payer.LastAttempt() {
			letter = mail.SubscriptionEnded(payer.Name, payer.Tier.Title(), amount(p.AmountCents, p.Currency), s.billingPage())
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

func (s *Service) end(payment string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.busy, payment)
}

// CardPage returns the address where a user leaves a card, and comes back to returnTo.
func (s *Service) CardPage(ctx context.Context, user store.User, returnTo string) (string, error) {
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
		s.Log.Warn("no page for a card", "error", err)
		return "", errNoCardPage
	case id != known:
		err = s.Store.SetCustomer(user.UUID, id)
	}
	return url, err
}

// Receive does what an event of the provider brings about.
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

// ended ends an open payment whose outcome the provider tells of. One that is not known, or has
// ended, is left alone.
func (s *Service) ended(e Event) error {
	open, err := s.Store.OpenPayments()
	if err != nil {
		return err
	}
	for _, p := range open {
		if p.UUID != e.PaymentUUID || !s.begin(p.UUID) {
			continue
		}
		defer s.end(p.UUID)
		payer, err := s.Store.Payer(p)
		if err != nil {
			return err
		}
		_, err = s.finish(p, payer, e.Outcome)
		return err
	}
	return nil
}

// reminder writes the mail of a renewal that is near.
func (s *Service) reminder(r store.Reminder) store.Mail {
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

// wholeUnits are the currencies that have no smaller unit.
const wholeUnits = "bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf"

// amount writes an amount as people read it: 19.00 USD.
func amount(cents int64, currency string) string {
	if strings.Contains(wholeUnits, currency) {
		return fmt.Sprintf("%d %s", cents, strings.ToUpper(currency))
	}
	return fmt.Sprintf("%d.%02d %s", cents/100, cents%100, strings.ToUpper(currency))
}
