package store

import (
	"slices"
	"strings"

	"roughcut/store/table"
)

// Account is a user with the plan, as an admin sees it.
type Account struct {
	User
	Billing Billing
}

// Users returns one page of the accounts whose name, username or address holds q, in whatever case,
// the newest first, and how many there are in all. An empty q asks for everybody.
func (s *Store) Users(p Page, q string) ([]Account, int, error) {
	var found []Account
	total := 0
	err := s.view(func(t *txn) error {
		var rows []*userRow
		err := users.Each(t, func(row *userRow) error {
			if row.matches(fold(q)) {
				rows = append(rows, row)
			}
			return nil
		})
		if err != nil {
			return err
		}
		slices.SortFunc(rows, func(a, b *userRow) int {
			if order := b.CreatedAt.Compare(a.CreatedAt); order != 0 {
				return order
			}
			return strings.Compare(a.UUID, b.UUID)
		})
		total = len(rows)
		for _, row := range table.Cut(rows, p) {
			billing, err := t.billing(row)
			if err != nil {
				return err
			}
			found = append(found, Account{User: row.user(), Billing: billing})
		}
		return nil
	})
	return found, total, err
}

// matches says whether a folded text is part of what names the user.
func (r *userRow) matches(folded string) bool {
	for _, name := range []string{r.Email, r.Username, r.Name} {
		if strings.Contains(fold(name), folded) {
			return true
		}
	}
	return false
}

// Account returns a user with the plan.
func (s *Store) Account(userUUID string) (Account, error) {
	var found Account
	err := s.view(func(t *txn) error {
		row, err := users.Get(t, userUUID)
		if err != nil {
			return err
		}
		found.User = row.user()
		found.Billing, err = t.billing(row)
		return err
	})
	return found, err
}

// AccountChange is what an operator changes on an account; nil leaves a field as it is.
type AccountChange struct {
	Admin *bool
	// Tier is granted: its rights hold at once and without end, nothing is charged, and the balance
	// is filled up to what the tier has in a month. Free ends the plan. What the unused days of a
	// paid period were worth is kept for a later plan.
	Tier *Tier
}

// ChangeAccount changes an account, all or nothing. Errors: NotFound; Unprocessable for an unknown
// tier; Conflict last_admin when nobody would be an admin, and while a payment is under way.
func (s *Store) ChangeAccount(userUUID string, c AccountChange) error {
	return s.update(func(t *txn) error {
		if c.Tier != nil {
			if err := t.grantTier(userUUID, *c.Tier); err != nil {
				return err
			}
		}
		if c.Admin == nil {
			return nil
		}
		if !*c.Admin {
			if err := t.keepAdmin(userUUID); err != nil {
				return err
			}
		}
		_, err := t.changeUser(userUUID, func(r *userRow) error {
			r.IsAdmin = *c.Admin
			return nil
		})
		return err
	})
}

func (t *txn) grantTier(userUUID string, tier Tier) error {
	if rank(tier) < 0 {
		return failField("tier", "There is no tier %q; choose free, hobby, creator or viral.", tier)
	}
	a, err := accounts.Get(t, userUUID)
	if err != nil {
		return err
	}
	if err := a.settled(); err != nil {
		return err
	}
	a.CreditCents += unusedCents(a.PaidCents, a.PeriodStart, a.PeriodEnd, t.now)
	if err := t.endPlan(a); err != nil {
		return err
	}
	a.Tier, a.Status, a.TrialEndsAt = tier, statusActive, nil
	if tier == Free {
		a.Status = statusNone
	}
	if err := t.raise(a, poolPlan, t.allowance(tier), reasonPlan); err != nil {
		return err
	}
	return accounts.Put(t, a)
}

// keepAdmin refuses to lose the only admin.
func (t *txn) keepAdmin(userUUID string) error {
	row, err := users.Get(t, userUUID)
	if err != nil || !row.IsAdmin {
		return err
	}
	others := false
	err = users.Each(t, func(other *userRow) error {
		others = others || other.IsAdmin && other.UUID != userUUID
		return nil
	})
	if err == nil && !others {
		return fail(Conflict, "last_admin", "This is the only admin; make another account an admin first.")
	}
	return err
}

// RemoveUser removes an account with everything that is its own, by an admin's decision. Errors:
// NotFound; Conflict last_admin.
func (s *Store) RemoveUser(userUUID string) error {
	return s.update(func(t *txn) error {
		if err := t.keepAdmin(userUUID); err != nil {
			return err
		}
		return t.eraseUser(userUUID)
	})
}

// accessUser lets admins at accounts.
func (t *txn) accessUser(adminUUID, uuid string) error {
	admin, err := users.Get(t, adminUUID)
	if err != nil {
		return err
	}
	if !admin.IsAdmin {
		return fail(Forbidden, "forbidden", "Only an admin may do this.")
	}
	_, err = users.Get(t, uuid)
	return err
}
