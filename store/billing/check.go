package billing

// Report receives a finding: its code, and a message for people.
type Report func(code, format string, args ...any)

// pools holds credit pools by user and pool name.
type pools map[string]*pool

func (p pools) of(user, name string) *pool {
	k := user + name
	if p[k] == nil {
		p[k] = &pool{}
	}
	return p[k]
}

// Check checks the ledgers, and calls ofRun with the run and the state of each reservation.
//
// The pools of each account equal the sums of its movements. Reserved and charged credits equal the
// sums of its reservations. Invoices add up to the paid amounts, an open payment is the one that
// its account names, and each subscription has a fitting tier and period.
func (b Books) Check(report Report, ofRun func(runUUID, state string) error) error {
	if err := b.checkCredits(report, ofRun); err != nil {
		return err
	}
	return b.checkPayments(report)
}

func (b Books) checkCredits(report Report, ofRun func(runUUID, state string) error) error {
	moved, held := pools{}, pools{}
	err := movements.Each(b, func(m *movement) error {
		moved.of(m.UserUUID, m.Pool).apply(m.Kind, m.Amount)
		return nil
	})
	if err == nil {
		err = reservations.Each(b, func(r *reservation) error {
			for _, name := range []string{poolTier, poolBeta} {
				p := held.of(r.UserUUID, name)
				switch r.State {
				case Reserved:
					p.Reserved += r.part(name)
				case Charged:
					p.Charged += r.part(name)
				}
			}

			return ofRun(r.RunUUID, r.State)
		})
	}

	if err != nil {
		return err
	}
	return accounts.Each(b, func(a *account) error {
		for _, name := range []string{poolTier, poolBeta} {
			p, m, h := *a.pool(name), *moved.of(a.UserUUID, name), held.of(a.UserUUID, name)
			if p != m || p.Granted != p.Balance+p.Reserved+p.Charged+p.Expired || p.Balance < 0 || p.Reserved < 0 {
				report(
					"credit_sum",
					"The %[2]s credits of user %[1]s are %+[3]v, but the movements add up to %+[4]v.",
					a.UserUUID,
					name,
					p,
					m,
				)
			}

			if p.Reserved != h.Reserved || p.Charged != h.Charged {
				report(
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

func (b Books) checkPayments(report Report) error {
	paid, open := map[string]int64{}, map[string]string{}
	err := payments.Each(b, func(p *paymentRow) error {
		switch p.State {
		case PaymentPaid:
			paid[p.UserUUID] += p.AmountCents
		case PaymentOpen:
			if open[p.UserUUID] != "" {
				report("payment_open", "User %s has two open payments.", p.UserUUID)
			}
			open[p.UserUUID] = p.UUID
		}

		if p.AmountCents != p.PriceCents-p.DiscountCents-p.CountedCents || p.AmountCents < 0 {
			report(
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
	err = invoices.Each(b, func(r *invoiceRow) error {
		if r.Kind != InvoiceRefund {
			paid[r.UserUUID] -= r.AmountCents
		}
		return nil
	})
	if err != nil {
		return err
	}
	return accounts.Each(b, func(a *account) error {
		if paid[a.UserUUID] != 0 {
			report(
				"invoice_sum",
				"The payments of user %s differ from the invoices by %d.",
				a.UserUUID,
				paid[a.UserUUID],
			)
		}

		if a.OpenPayment != open[a.UserUUID] {
			report(
				"payment_open",
				"The open payment of user %s is %q according to the account, but %q according to the payments.",
				a.UserUUID,
				a.OpenPayment,
				open[a.UserUUID],
			)
		}

		if !a.consistent() {
			report(
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
		hasPeriod := a.Interval != "" && a.PeriodStart.Before(a.PeriodEnd)
		validPeriod := hasPeriod || a.PeriodEnd.IsZero()
		return a.Tier != Free && a.RetryAt.IsZero() && validPeriod
	case statusPastDue:
		isUnpaid := a.OpenPayment != "" || !a.RetryAt.IsZero()
		return a.Tier != Free && isUnpaid
	}

	return false
}
