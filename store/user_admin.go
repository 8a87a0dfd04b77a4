package store

import (
	"roughcut/store/account"
	"roughcut/store/billing"
	"roughcut/store/table"
)

// Account is a user with the subscription, as admins see it.
type Account struct {
	account.User
	Billing Billing
}

// Users returns one page of the accounts that a filter selects, newest first, and their number.
func (s *Store) Users(p Page, filter account.UserFilter) (found []Account, total int, err error) {
	return viewedPage(s, func(t *txn) (found []Account, total int, err error) {
		list, err := t.registry().Users(filter)
		for _, u := range table.Cut(list, p) {
			a, err := t.account(u)
			if err != nil {
				return nil, 0, err
			}
			found = append(found, a)
		}

		return found, len(list), err
	})
}

func (t *txn) account(u account.User) (Account, error) {
	billing, err := t.billing(u)
	return Account{User: u, Billing: billing}, err
}

// Account returns a user with the subscription. Errors: NotFound.
func (s *Store) Account(userUUID string) (Account, error) {
	return viewed(s, func(t *txn) (Account, error) {
		u, err := t.registry().User(userUUID)
		if err != nil {
			return Account{}, err
		}
		return t.account(u)
	})
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
		return t.registry().SetAdmin(userUUID, *c.Admin)
	})
}

// RemoveUser deletes an account and all its data at the request of an admin. Errors: NotFound;
// Conflict last_admin.
func (s *Store) RemoveUser(userUUID string) error {
	return s.erase(userUUID, func(t *txn) error {
		if err := t.registry().KeepAdmin(userUUID); err != nil {
			return err
		}
		return t.eraseUser(userUUID)
	})
}
