package store

import "time"

// GrantBeta adds the account with an address to the beta program, or renews its place there. It
// sets the beta credits, in AI minutes, to total. They are set to total again at renewsAt and every
// month after that; a zero renewsAt means never. A total of 0 removes the account from the program
// and expires its beta credits. Errors: NotFound; Unprocessable for a renewsAt in the past.
func (s *Store) GrantBeta(email string, total float64, renewsAt time.Time) (User, error) {
	var row *userRow
	err := s.update(func(t *txn) (err error) {
		if row, err = users.Lookup(t, usersByEmail, fold(email)); err != nil {
			return err
		}
		if row == nil {
			return notFound(users.Noun)
		}
		if !renewsAt.IsZero() && !renewsAt.After(t.Now) {
			return failField("renewal_date", "The renewal date must be in the future.")
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
					Description: "Beta program: " + formatMinutes(a.BetaTotal) + " AI minutes",
					PeriodStart: &t.Now,
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

// renewBeta sets the beta credits to their total and schedules the next month.
func (t *txn) renewBeta(a *account) error {
	a.BetaRenewsAt = monthsLater(a.BetaAnchor, t.Now, 1)
	return t.refill(a, poolBeta, a.BetaTotal, reasonBeta)
}
