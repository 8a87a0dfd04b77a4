package store

import "errors"

// pools holds credit pools by user and pool name.
type pools map[string]*pool

func (p pools) of(user, name string) *pool {
	k := user + name
	if p[k] == nil {
		p[k] = &pool{}
	}
	return p[k]
}

// credits checks the credit ledger. The pools of each account equal the sums of its movements.
// Reserved and charged credits equal the sums of its reservations. An open reservation belongs to a
// run that has not ended, and a completed run was charged.
func (c *check) credits() error {
	moved, held := pools{}, pools{}
	err := errors.Join(
		movements.Each(c.t, func(m *movement) error {
			moved.of(m.UserUUID, m.Pool).apply(m.Kind, m.Amount)
			return nil
		}),
		reservations.Each(c.t, func(r *reservation) error {
			for _, name := range []string{poolTier, poolBeta} {
				p := held.of(r.UserUUID, name)
				switch r.State {
				case reserved:
					p.Reserved += r.part(name)
				case charged:
					p.Charged += r.part(name)
				}
			}

			return c.reservation(r)
		}))
	if err != nil {
		return err
	}
	return accounts.Each(c.t, func(a *account) error {
		for _, name := range []string{poolTier, poolBeta} {
			p, m, h := *a.pool(name), *moved.of(a.UserUUID, name), held.of(a.UserUUID, name)
			if p != m || p.Granted != p.Balance+p.Reserved+p.Charged+p.Expired || p.Balance < 0 || p.Reserved < 0 {
				c.report(
					"credit_sum",
					"The %[2]s credits of user %[1]s are %+[3]v, but the movements add up to %+[4]v.",
					a.UserUUID,
					name,
					p,
					m,
				)
			}

			if p.Reserved != h.Reserved || p.Charged != h.Charged {
				c.report(
					"credit_reservations",
					"User %s has %d %s credits reserved and %d charged, but the reservations add up to %d and %d.",
					a.UserUUID,
					p.Reserved,
					name,
					p.Charged,
					h.Reserved,
					h.Charged,
				)
			}
		}

		return nil
	})
}

// reservation checks that the state of a reservation fits its run.
func (c *check) reservation(r *reservation) error {
	run, err := runs.Find(c.t, r.RunUUID)
	if err != nil {
		return err
	}
	if r.State == reserved && (run == nil || (run.Status != RunQueued && run.Status != RunRunning)) {
		c.report("open_reservation", "Credits are reserved for run %s, which is not running.", r.RunUUID)
	}
	if run != nil && run.Status == StatusCompleted != (r.State == charged) {
		c.report(
			"reservation_state",
			"The credits of run %s are %s, but the run has the status %s.",
			r.RunUUID,
			r.State,
			run.Status,
		)
	}

	return nil
}

// payments checks the payment ledger. Invoices add up to the paid amounts, an open payment is the
// one that its account names, and each subscription has a fitting tier and period.
func (c *check) payments() error {
	paid, open := map[string]int64{}, map[string]string{}
	err := payments.Each(c.t, func(p *paymentRow) error {
		switch p.State {
		case PaymentPaid:
			paid[p.UserUUID] += p.AmountCents
		case PaymentOpen:
			if open[p.UserUUID] != "" {
				c.report("payment_open", "User %s has two open payments.", p.UserUUID)
			}
			open[p.UserUUID] = p.UUID
		}

		if p.AmountCents != p.PriceCents-p.DiscountCents-p.CountedCents || p.AmountCents < 0 {
			c.report(
				"payment_amount",
				"The amount of payment %s is %d, which does not match its parts.",
				p.UUID,
				p.AmountCents,
			)
		}

		return nil
	})
	if err != nil {
		return err
	}
	err = invoices.Each(c.t, func(r *invoiceRow) error {
		if r.Kind != InvoiceRefund {
			paid[r.UserUUID] -= r.AmountCents
		}
		return nil
	})
	if err != nil {
		return err
	}
	return accounts.Each(c.t, func(a *account) error {
		if paid[a.UserUUID] != 0 {
			c.report(
				"invoice_sum",
				"The payments of user %s differ from the invoices by %d.",
				a.UserUUID,
				paid[a.UserUUID],
			)
		}

		if a.OpenPayment != open[a.UserUUID] {
			c.report(
				"payment_open",
				"The open payment of user %s is %q according to the account, but %q according to the payments.",
				a.UserUUID,
				a.OpenPayment,
				open[a.UserUUID],
			)
		}

		if !a.consistent() {
			c.report(
				"plan_state",
				"User %s has the status %s on the tier %s, which does not match the rest of the subscription.",
				a.UserUUID,
				a.Status,
				a.Tier,
			)
		}

		return nil
	})
}

// consistent reports whether status, tier and period of an account fit together.
func (a *account) consistent() bool {
	switch a.Status {
	case statusNone, statusCanceled:
		return a.Tier == Free && a.Interval == "" && a.PeriodEnd.IsZero() && a.RetryAt.IsZero() &&
			a.ScheduledPriceID == 0
	case statusTrialing:
		return a.TrialEndsAt != nil && a.TrialUsed
	case statusActive:
		return a.Tier != Free && a.RetryAt.IsZero() &&
			(a.PeriodEnd.IsZero() || (a.Interval != "" && a.PeriodStart.Before(a.PeriodEnd)))
	case statusPastDue:
		return a.Tier != Free && (a.OpenPayment != "" || !a.RetryAt.IsZero())
	}

	return false
}
