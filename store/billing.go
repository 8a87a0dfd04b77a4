package store

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"roughcut/store/account"
	"roughcut/store/billing"
	"roughcut/store/table"
)

// Billing is a user's subscription and credits, with what the user has of the quotas.
type Billing struct {
	billing.Summary
	StorageUsedBytes int64
	ProjectCount     int
}

// books returns the billing data of a transaction.
func (t *txn) books() billing.Books {
	return billing.Books{Tx: &t.Tx, TierTable: t.s.o.TierTable, TrialOnRequest: t.s.o.TrialOnRequest}
}

// TierTable returns the tier table that the store was opened with.
func (s *Store) TierTable() billing.TierTable { return s.o.TierTable }

// Billing returns a user's subscription and credits.
func (s *Store) Billing(userUUID string) (Billing, error) {
	a, err := s.Account(userUUID)
	return a.Billing, err
}

func (t *txn) billing(user account.User) (Billing, error) {
	sum, err := t.books().Summary(user.UUID)
	return Billing{sum, user.StorageUsedBytes, projects.Count(t, projectsByUser, user.UUID)}, err
}

// ActivateTrial starts the trial of an account. Errors: see [billing.Books.ActivateTrial].
func (s *Store) ActivateTrial(userUUID string) error {
	return s.update(func(t *txn) error {
		user, err := t.registry().User(userUUID)
		if err != nil {
			return err
		}
		address, err := s.trialHash(user.Email)
		if err != nil {
			return err
		}
		return t.books().ActivateTrial(userUUID, address)
	})
}

// welcome grants an account its first credits, once.
func (t *txn) welcome(user account.User) error {
	address, err := t.s.trialHash(user.Email)
	if err != nil {
		return err
	}
	return t.books().Welcome(user.UUID, address)
}

// trialHash returns the keyed hash of an address, in hex.
func (s *Store) trialHash(email string) (string, error) {
	secret, err := s.Secret("trials")
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(table.Fold(email)))
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// Invoices returns one page of a user's invoices, newest first, and the number of all.
func (s *Store) Invoices(userUUID string, page Page) (list []billing.Invoice, total int, err error) {
	return viewedPage(s, func(t *txn) ([]billing.Invoice, int, error) {
		return t.books().Invoices(userUUID, page)
	})
}

// QuoteUpgrade returns what BeginUpgrade would charge now. Errors: see BeginUpgrade.
func (s *Store) QuoteUpgrade(userUUID string, priceID int) (billing.Quote, error) {
	return viewed(s, func(t *txn) (billing.Quote, error) { return t.books().QuoteUpgrade(userUUID, priceID) })
}

// BeginUpgrade creates the payment that moves a user to a higher price. Errors: see
// [billing.Books.BeginUpgrade].
func (s *Store) BeginUpgrade(userUUID string, priceID int) (billing.Payment, error) {
	return updated(s, func(t *txn) (billing.Payment, error) { return t.books().BeginUpgrade(userUUID, priceID) })
}

// ScheduleDowngrade changes a subscription to a lower price when its period ends. Errors: see
// [billing.Books.ScheduleDowngrade].
func (s *Store) ScheduleDowngrade(userUUID string, priceID int) error {
	return s.update(func(t *txn) error { return t.books().ScheduleDowngrade(userUUID, priceID) })
}

// AddFeedback records an answer in the cancellation flow and applies its outcome. Errors: see
// [billing.Books.AddFeedback].
func (s *Store) AddFeedback(f billing.Feedback) error {
	return s.update(func(t *txn) error { return t.books().AddFeedback(f) })
}

// Feedback returns one page of the answers in the cancellation flow, newest first, and the number
// of all.
func (s *Store) Feedback(p Page) (list []billing.Feedback, total int, err error) {
	return viewedPage(s, func(t *txn) ([]billing.Feedback, int, error) {
		return t.books().Feedback(p)
	})
}

// Customer returns the id of a user at the payment provider, empty before SetCustomer. Errors:
// NotFound.
func (s *Store) Customer(userUUID string) (string, error) {
	return viewed(s, func(t *txn) (string, error) { return t.books().Customer(userUUID) })
}

// SetCustomer stores the id of a user at the payment provider. Errors: NotFound.
func (s *Store) SetCustomer(userUUID, customerID string) error {
	return s.update(func(t *txn) error { return t.books().SetCustomer(userUUID, customerID) })
}

// OpenPayments returns the open payments, oldest first.
func (s *Store) OpenPayments() ([]billing.Payment, error) {
	return viewed(s, func(t *txn) ([]billing.Payment, error) { return t.books().OpenPayments() })
}

// Payer returns the user who owes a payment.
func (s *Store) Payer(p billing.Payment) (billing.Payer, error) {
	return viewed(s, func(t *txn) (billing.Payer, error) {
		user, err := t.registry().User(p.UserUUID)
		if err != nil {
			return billing.Payer{}, err
		}
		payer, err := t.books().Payer(p)
		payer.Name, payer.Email = user.Name, user.Email
		return payer, err
	})
}

// FinishPayment completes a payment, applies its purpose to the account and queues mails, all in
// one transaction. It returns a payment that is already complete without changes.
func (s *Store) FinishPayment(uuid string, o billing.PaymentOutcome, mails ...Mail) (billing.Payment, error) {
	return updated(s, func(t *txn) (billing.Payment, error) {
		p, fresh, err := t.books().FinishPayment(uuid, o)
		if err != nil || !fresh {
			return p, err
		}
		return p, t.queueMails(mails)
	})
}

// RecordRefund records that the payment provider refunded a part of a payment. It records each
// refund once, and ignores refunds of unknown payments.
func (s *Store) RecordRefund(paymentReference, refundReference string, cents int64) error {
	return s.update(func(t *txn) error { return t.books().RecordRefund(paymentReference, refundReference, cents) })
}

// RetryPayment makes the next AdvanceBilling retry the declined renewal of a customer, if there is
// one. Call it after the user changed the card.
func (s *Store) RetryPayment(customerID string) error {
	return s.update(func(t *txn) error { return t.books().RetryPayment(customerID) })
}

// AdvanceBilling does the due work on all accounts, see [billing.Books.Advance]. An account with an
// open payment waits for FinishPayment. The function remind writes the mail of a reminder.
func (s *Store) AdvanceBilling(remind func(billing.Reminder) Mail) error {
	for {
		due, err := viewed(s, func(t *txn) ([]string, error) { return t.books().Due() })
		if err != nil || len(due) == 0 {
			return err
		}
		for part := range slices.Chunk(due, sweepBatch) {
			if err := s.update(func(t *txn) error { return t.advanceAll(part, remind) }); err != nil {
				return err
			}
		}
	}
}

// advanceAll does the due work on the accounts of users.
func (t *txn) advanceAll(list []string, remind func(billing.Reminder) Mail) error {
	for _, userUUID := range list {
		err := t.books().Advance(userUUID, func(r billing.Reminder) error {
			user, err := t.registry().User(userUUID)
			if err != nil {
				return err
			}
			r.Name, r.Email = user.Name, user.Email
			return t.queueMails([]Mail{remind(r)})
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// GrantBeta adds the account with an address to the beta program, or renews its place there.
// Errors: NotFound; see also [billing.Books.GrantBeta].
func (s *Store) GrantBeta(email string, total float64, renewsAt time.Time) (account.User, error) {
	return updated(s, func(t *txn) (account.User, error) {
		user, err := t.registry().UserByEmail(email)
		if err != nil {
			return user, err
		}
		return user, t.books().GrantBeta(user.UUID, total, renewsAt)
	})
}

// CreditMovements returns one page of a user's credit movements, newest first, and the number of
// all.
func (s *Store) CreditMovements(userUUID string, page Page) (list []billing.CreditMovement, total int, err error) {
	return viewedPage(s, func(t *txn) ([]billing.CreditMovement, int, error) {
		list, total, err := t.books().CreditMovements(userUUID, page)
		for i := range list {
			if err := t.nameProject(&list[i]); err != nil {
				return nil, 0, err
			}
		}

		return list, total, err
	})
}

// nameProject fills in the project of a movement, if the project still exists.
func (t *txn) nameProject(m *billing.CreditMovement) error {
	if m.RunUUID == "" {
		return nil
	}
	run, err := runs.Find(t, m.RunUUID)
	if err != nil || run == nil {
		return err
	}
	project, err := projects.Find(t, run.ProjectUUID)
	if err != nil || project == nil {
		return err
	}
	m.ProjectUUID, m.ProjectName = project.UUID, project.Name
	return nil
}
