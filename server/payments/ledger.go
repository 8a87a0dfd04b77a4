package payments

import (
	"context"

	"roughcut/store/billing"
)

// Ledger is a Provider that moves no money. Each payment becomes an open invoice, which the
// operator settles.
type Ledger struct{}

// Charge accepts every charge.
func (Ledger) Charge(context.Context, Charge) (billing.PaymentOutcome, error) {
	return billing.PaymentOutcome{Paid: true}, nil
}

// CardPage returns an error, because the ledger needs no cards.
func (Ledger) CardPage(context.Context, Customer, string) (url, customerID string, err error) {
	return "", "", errNoCards
}

// ParseEvent returns an error, because the ledger has no webhook.
func (Ledger) ParseEvent([]byte, string) (Event, error) { return Event{}, errNoWebhook }
