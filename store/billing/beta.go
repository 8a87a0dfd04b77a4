package billing

import (
	"time"

	"roughcut/store/fault"
)

// GrantBeta adds a user to the beta program, or renews the place there. It sets the beta credits,
// in AI minutes, to total. They are set to total again at renewsAt and every month after that; a
// zero renewsAt means never. A total of 0 removes the user from the program and expires the beta
// credits. Errors: NotFound; Unprocessable for a renewsAt in the past.
func (b Books) GrantBeta(userUUID string, total float64, renewsAt time.Time) error {
	if !renewsAt.IsZero() && !renewsAt.After(b.Now) {
		return fault.Field("renewal_date", "The renewal date must be in the future.")
	}
	return b.changeAccount(userUUID, func(a *account) error {
		a.BetaTotal = Hundredths(total)
		a.IsBeta, a.BetaAnchor, a.BetaRenewsAt = a.BetaTotal > 0, renewsAt, renewsAt
		if !a.IsBeta {
			a.BetaAnchor, a.BetaRenewsAt = time.Time{}, time.Time{}
		}
		if err := b.refill(a, poolBeta, a.BetaTotal, reasonBeta); err != nil || !a.IsBeta {
			return err
		}
		return b.addInvoice(invoiceRow{Invoice: Invoice{
			UserUUID:    userUUID,
			Kind:        InvoiceGrant,
			Status:      InvoicePaid,
			Description: "Beta program: " + formatMinutes(a.BetaTotal) + " AI minutes",
			PeriodStart: &b.Now,
			PeriodEnd:   orNever(renewsAt),
		}})
	})
}

// renewBeta sets the beta credits to their total and schedules the next month.
func (b Books) renewBeta(a *account) error {
	a.BetaRenewsAt = monthsLater(a.BetaAnchor, b.Now, 1)
	return b.refill(a, poolBeta, a.BetaTotal, reasonBeta)
}
