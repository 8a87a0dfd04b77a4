package payments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/stripe/stripe-go/v86"
	"github.com/stripe/stripe-go/v86/webhook"

	"roughcut/store/billing"
)

// Stripe is a Provider that charges cards. Users enter a card on a page of Stripe, and charges use
// the latest card of a customer.
type Stripe struct {
	client        *stripe.Client
	webhookSecret string
}

// keyOfPayment is the metadata key of a payment intent that holds the UUID of its payment.
const keyOfPayment = "roughcut_payment"

// NewStripe returns a Provider for a secret key. An empty apiURL selects Stripe's API. Without a
// webhook secret it rejects all events.
func NewStripe(secretKey, apiURL, webhookSecret string) *Stripe {
	config := &stripe.BackendConfig{LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull}}
	if apiURL != "" {
		config.URL = &apiURL
	}
	return &Stripe{
		client:        stripe.NewClient(secretKey, stripe.WithBackends(stripe.NewBackendsWithConfig(config))),
		webhookSecret: webhookSecret,
	}
}

// Charge charges the customer's latest card. Stripe remembers idempotency keys for at least a day.
// If Stripe may have forgotten the key, or the card has changed since its first use, Charge
// searches the customer's payment intents for an earlier charge.
func (s *Stripe) Charge(ctx context.Context, c Charge) (billing.PaymentOutcome, error) {
	if c.CustomerID == "" {
		return noCard(), nil
	}
	if c.Retried {
		if outcome, found, err := s.find(ctx, c); err != nil || found {
			return outcome, err
		}
	}

	card, err := s.card(ctx, c.CustomerID)
	if err != nil {
		return refusedOutcome(err)
	}
	if card == "" {
		return noCard(), nil
	}
	params := &stripe.PaymentIntentCreateParams{
		Amount:             &c.AmountCents,
		Currency:           &c.Currency,
		Customer:           &c.CustomerID,
		PaymentMethod:      &card,
		Description:        &c.Description,
		PaymentMethodTypes: []*string{stripe.String("card")},
		Confirm:            stripe.Bool(true),
		OffSession:         stripe.Bool(true),
		Metadata:           map[string]string{keyOfPayment: c.Key},
	}
	params.SetIdempotencyKey(c.Key)
	intent, err := s.client.V1PaymentIntents.Create(ctx, params)
	var fault *stripe.Error
	if errors.As(err, &fault) && fault.Type == stripe.ErrorTypeIdempotency {
		outcome, found, findErr := s.find(ctx, c)
		if findErr == nil && !found {
			findErr = fmt.Errorf("charge payment %s: %w", c.Key, err)
		}
		return outcome, findErr
	}

	if err != nil {
		return refusedOutcome(err)
	}
	if intent.Status != stripe.PaymentIntentStatusSucceeded {
		return billing.PaymentOutcome{}, fmt.Errorf("payment intent %s is still %s", intent.ID, intent.Status)
	}
	return succeeded(intent), nil
}

// card returns the ID of the customer's latest card, or "".
func (s *Stripe) card(ctx context.Context, customerID string) (string, error) {
	params := &stripe.PaymentMethodListParams{Customer: &customerID, Type: stripe.String("card")}
	params.Limit, params.Single = stripe.Int64(1), true
	for method, err := range s.client.V1PaymentMethods.List(ctx, params).All(ctx) {
		if err != nil {
			return "", err
		}
		return method.ID, nil
	}

	return "", nil
}

// find searches for the payment intent of a charge and returns its outcome.
func (s *Stripe) find(ctx context.Context, c Charge) (billing.PaymentOutcome, bool, error) {
	params := &stripe.PaymentIntentListParams{Customer: &c.CustomerID}
	params.Limit = stripe.Int64(100)
	for intent, err := range s.client.V1PaymentIntents.List(ctx, params).All(ctx) {
		if err != nil {
			return billing.PaymentOutcome{}, false, fmt.Errorf("look up payment %s: %w", c.Key, err)
		}
		if intent.Metadata[keyOfPayment] != c.Key {
			continue
		}
		switch intent.Status {
		case stripe.PaymentIntentStatusSucceeded:
			return succeeded(intent), true, nil
		case stripe.PaymentIntentStatusRequiresPaymentMethod,
			stripe.PaymentIntentStatusCanceled,
			stripe.PaymentIntentStatusRequiresAction:
			return declined(intent), true, nil
		}

		return billing.PaymentOutcome{}, true, fmt.Errorf("payment intent %s is still %s", intent.ID, intent.Status)
	}

	return billing.PaymentOutcome{}, false, nil
}

// refusedOutcome returns an outcome for errors that guarantee that nothing was charged, and an
// error if the outcome is unknown.
func refusedOutcome(err error) (billing.PaymentOutcome, error) {
	var fault *stripe.Error
	if !errors.As(err, &fault) {
		return billing.PaymentOutcome{}, fmt.Errorf("charging: %w", err)
	}
	switch {
	case fault.Type == stripe.ErrorTypeCard:
		return declined(&stripe.PaymentIntent{ID: intentID(fault), LastPaymentError: fault}), nil
	case fault.Code == stripe.ErrorCodeResourceMissing:
		return noCard(), nil
	case fault.Type == stripe.ErrorTypeInvalidRequest && fault.HTTPStatusCode == http.StatusBadRequest:
		return billing.PaymentOutcome{
			Reason:    "The payment provider rejected the charge: " + fault.Msg,
			Reference: intentID(fault),
		}, nil
	}

	return billing.PaymentOutcome{}, fmt.Errorf("charging: %w", err)
}

func intentID(fault *stripe.Error) string {
	if fault.PaymentIntent == nil {
		return ""
	}
	return fault.PaymentIntent.ID
}

func noCard() billing.PaymentOutcome {
	return billing.PaymentOutcome{NoCard: true, Reason: "Your account has no card. Add one and try again."}
}

func succeeded(intent *stripe.PaymentIntent) billing.PaymentOutcome {
	return billing.PaymentOutcome{Paid: true, Collected: true, Reference: intent.ID}
}

func declined(intent *stripe.PaymentIntent) billing.PaymentOutcome {
	reason := "Your card was declined. Add another one and try again."
	if e := intent.LastPaymentError; e != nil && e.Msg != "" {
		reason = e.Msg
	}
	return billing.PaymentOutcome{Reason: reason, Reference: intent.ID}
}

// CardPage returns the address of a Checkout page that saves a card. It creates the customer if
// Stripe does not know them yet.
func (s *Stripe) CardPage(ctx context.Context, c Customer, returnTo string) (url, customerID string, err error) {
	if c.ID == "" {
		params := &stripe.CustomerCreateParams{
			Name:     &c.Name,
			Email:    &c.Email,
			Metadata: map[string]string{"roughcut_user": c.UserUUID},
		}
		made, err := s.client.V1Customers.Create(ctx, params)
		if err != nil {
			return "", "", fmt.Errorf("create a customer: %w", err)
		}
		c.ID = made.ID
	}

	session, err := s.client.V1CheckoutSessions.Create(ctx, &stripe.CheckoutSessionCreateParams{
		Mode:               stripe.String(string(stripe.CheckoutSessionModeSetup)),
		Customer:           &c.ID,
		PaymentMethodTypes: []*string{stripe.String("card")},
		SuccessURL:         &returnTo,
		CancelURL:          &returnTo,
	})
	if err != nil {
		return "", "", fmt.Errorf("create a card page: %w", err)
	}
	return session.URL, c.ID, nil
}

// ParseEvent verifies the signature of an event and decodes it.
func (s *Stripe) ParseEvent(payload []byte, signature string) (Event, error) {
	if s.webhookSecret == "" {
		return Event{}, errNoWebhook
	}
	signed, err := webhook.ConstructEventWithOptions(
		payload,
		signature,
		s.webhookSecret,
		webhook.ConstructEventOptions{IgnoreAPIVersionMismatch: true},
	)
	if err != nil {
		return Event{}, errBadEvent
	}
	var e Event
	switch signed.Type {
	case stripe.EventTypeCheckoutSessionCompleted:
		var session stripe.CheckoutSession
		if err = json.Unmarshal(signed.Data.Raw, &session); err == nil && session.Customer != nil {
			e.CardCustomerID = session.Customer.ID
		}
	case stripe.EventTypePaymentIntentSucceeded, stripe.EventTypePaymentIntentPaymentFailed:
		var intent stripe.PaymentIntent
		err = json.Unmarshal(signed.Data.Raw, &intent)
		e.PaymentUUID, e.Outcome = intent.Metadata[keyOfPayment], declined(&intent)
		if signed.Type == stripe.EventTypePaymentIntentSucceeded {
			e.Outcome = succeeded(&intent)
		}
	case stripe.EventTypeRefundCreated:
		var refund stripe.Refund
		if err = json.Unmarshal(
			signed.Data.Raw,
			&refund,
		); err == nil && refund.PaymentIntent != nil && refund.Status != stripe.RefundStatusFailed &&
			refund.Status != stripe.RefundStatusCanceled {
			e.RefundedPaymentID, e.RefundID, e.RefundCents = refund.PaymentIntent.ID, refund.ID, refund.Amount
		}
	}

	if err != nil {
		return Event{}, errBadEvent
	}
	return e, nil
}
