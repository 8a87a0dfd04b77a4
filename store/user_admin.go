package store

import (
	"slices"
	"strings"

	"roughcut/store/billing"
	"roughcut/store/table"
)

// Account is a user with the subscription, as admins see it.
type Account struct {
	User
	Billing Billing
}

// UserFilter selects accounts. The zero value selects all.
type UserFilter struct {
	Query         string // text in the name, username or address, without regard to case
	EmailVerified *bool
}

// Users returns one page of the accounts that a filter selects, newest first, and their number.
func (s *Store) Users(p Page, filter UserFilter) ([]Account, int, error) {
	var found []Account
	total := 0
	err := s.view(func(t *txn) error {
		var rows []*userRow
		err := users.Each(t, func(row *userRow) error {
			if row.matches(filter) {
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

// matches reports whether a filter selects a user.
func (r *userRow) matches(filter UserFilter) bool {
	if filter.EmailVerified != nil && *filter.EmailVerified != r.EmailVerified {
		return false
	}
	folded := fold(filter.Query)
	for _, name := range []string{r.Email, r.Username, r.Name} {
		if strings.Contains(fold(name), folded) {
			return true
		}
	}

	return false
}

// Account returns a user with the subscription. Errors: NotFound.
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

// AccountChange is a change that an operator makes to an account. A nil field stays unchanged.
type AccountChange struct {
	Admin *bool
	// VerifyEmail lets a person in whose address was not verified.
	VerifyEmail bool
	Tier        *billing.Tier // granted without charge and without an end, see [billing.Books.GrantTier]
}

// ChangeAccount changes an account completely or not at all. Errors: NotFound; Unprocessable for an
// unknown tier; Conflict last_admin when no admin would be left; Conflict while a payment is open.
func (s *Store) ChangeAccount(userUUID string, c AccountChange) error {
	return s.update(func(t *txn) error {
		if c.Tier != nil {
			if err := t.books().GrantTier(userUUID, *c.Tier); err != nil {
				return err
			}
		}

		if c.VerifyEmail {
			if _, err := t.verifyEmail(userUUID); err != nil {
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

// keepAdmin refuses to remove the last admin. Errors: Conflict last_admin.
func (t *txn) keepAdmin(userUUID string) error {
	row, err := users.Get(t, userUUID)
	if err != nil || !row.IsAdmin {
		return err
	}
	others := false
	err = users.Each(t, func(other *userRow) error {
		others = others || (other.IsAdmin && other.UUID != userUUID)
		return nil
	})
	if err == nil && !others {
		return fail(Conflict, "last_admin", "This account is the only admin. Make another account an admin first.")
	}
	return err
}

// RemoveUser deletes an account and all its data at the request of an admin. Errors: NotFound;
// Conflict last_admin.
func (s *Store) RemoveUser(userUUID string) error {
	return s.erase(userUUID, func(t *txn) error {
		if err := t.keepAdmin(userUUID); err != nil {
			return err
		}
		return t.eraseUser(userUUID)
	})
}

// accessUser allows admins to access accounts. Errors: Forbidden, NotFound.
func (t *txn) accessUser(adminUUID, uuid string) error {
	admin, err := users.Get(t, adminUUID)
	if err != nil {
		return err
	}
	if !admin.IsAdmin {
		return fail(Forbidden, "forbidden", "Only admins can do this.")
	}
	_, err = users.Get(t, uuid)
	return err
}
