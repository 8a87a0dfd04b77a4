package store

import "time"

// GrantBeta puts the account with an address into the beta programme, or renews what it has there:
// its beta credits, in AI minutes, are set to the total. At renewsAt and every month from there
// they are set to the total again; the zero time means never. A total of 0 ends the programme for
// the account and what is left expires. Errors: NotFound; Unprocessable for a time that is past.
func (s *Store) GrantBeta(email string, total float64, renewsAt time.Time) (User, error) {
	var row *userRow
	err := s.update(func(t *txn) (err error) {
		if row, err = users.Lookup(t, usersByEmail, fold(email)); err != nil {
			return err
		}
		if row == nil {
			return notFound(users.Noun)
		}
		if !renewsAt.IsZero() && !renewsAt.After(t.now) {
			return failField("renewal_date", "The renewal date must lie in the future.")
		}
		a, err := accounts.Get(t, row.UUID)
		if err != nil {
			return err
		}
		a.BetaTotal = hundredths(total)
		a.IsBeta, a.BetaAnchor, a.BetaRenewsAt = a.BetaTotal > 0, renewsAt, renewsAt
		if !a.IsBeta {
			a.BetaAnchor, a.BetaRenewsAt = time.Time{}, time.Time{}
		}
		if err := t.refill(a, poolBeta, a.BetaTotal, reasonBeta); err != nil {
			return err
		}
		if a.IsBeta {
			if err := t.addInvoice(
				invoiceRow{Invoice: Invoice{
					UserUUID:    row.UUID,
					Kind:        InvoiceGrant,
					Status:      InvoicePaid,
					Description: "Beta programme: " + formatMinutes(a.BetaTotal) + " AI minutes",
					PeriodStart: &t.now,
					PeriodEnd:   orNever(renewsAt),
				}},
			); err != nil {
				return err
			}
		}
		return accounts.Put(t, a)
	})
	if err != nil {
		return User{}, err
	}
	return row.user(), nil
}

// renewBeta sets the beta credits to their total for the month that has begun.
func (t *txn) renewBeta(a *account) error {
	a.BetaRenewsAt = monthsLater(a.BetaAnchor, t.now, 1)
	return t.refill(a, poolBeta, a.BetaTotal, reasonBeta)
}
