package store

// AccountSummary is what an operator sees of an account.
type AccountSummary struct {
	User
	Tier         Tier
	Status       string // of the subscription
	ProjectCount int
}

// AddAccount makes an account whose address counts as verified, with its first credits, as an operator does. The first account of a
// data directory is an admin in any case. Errors: Conflict email_taken, username_taken.
func (s *Store) AddAccount(u User) (User, error) {
	var row *userRow
	err := s.update(func(t *txn) (err error) {
		u.EmailVerified = true
		if row, err = t.addUser(u); err != nil {
			return err
		}
		return t.grantWelcome(row)
	})
	if err != nil {
		return User{}, err
	}
	return row.user(), nil
}

// GrantAdmin makes an account an admin; one that is one already stays it. Errors: NotFound.
func (s *Store) GrantAdmin(email string) (User, error) {
	var row *userRow
	err := s.update(func(t *txn) error {
		found, err := t.userByEmail(email)
		if err != nil {
			return err
		}
		row, err = t.changeUser(found.UUID, func(r *userRow) error { r.IsAdmin = true; return nil })
		return err
	})
	if err != nil {
		return User{}, err
	}
	return row.user(), nil
}

// SetTier puts an account on a tier, as an operator does whom no payment provider tells to. A paid tier is active from now on, and the
// balance is filled up to what the tier grants a month; Free ends what was active. Errors: NotFound; Unprocessable for an unknown tier.
func (s *Store) SetTier(email string, tier Tier) (AccountSummary, error) {
	var summary AccountSummary
	err := s.update(func(t *txn) error {
		plan, ok := s.o.Plans.Tiers[tier]
		if !ok {
			return failField("tier", "There is no tier %q; the tiers are %s, %s, %s and %s.", tier, Free, Hobby, Creator, Viral)
		}
		row, err := t.userByEmail(email)
		if err != nil {
			return err
		}
		a, err := accounts.get(t, row.UUID)
		if err != nil {
			return err
		}
		a.Tier, a.Status, a.TrialEndsAt, a.Since = tier, statusActive, nil, t.now
		if tier == Free {
			a.Status = statusNone
		}
		if missing := hundredths(plan.AIMinutes) - a.Balance; tier != Free && missing > 0 {
			a.Granted += missing
			a.Balance += missing
		}
		if err := accounts.put(t, a); err != nil {
			return err
		}
		summary = t.summary(row, a)
		return nil
	})
	return summary, err
}

// Accounts lists every account in the order of its address.
func (s *Store) Accounts() ([]AccountSummary, error) {
	list := []AccountSummary{}
	err := s.view(func(t *txn) error {
		c := t.Bucket([]byte(usersByEmail.name)).Cursor()
		for k, uuid := c.First(); k != nil; k, uuid = c.Next() {
			row, err := users.get(t, string(uuid))
			if err != nil {
				return err
			}
			a, err := accounts.get(t, row.UUID)
			if err != nil {
				return err
			}
			list = append(list, t.summary(row, a))
		}
		return nil
	})
	return list, err
}

func (t *txn) summary(row *userRow, a *account) AccountSummary {
	return AccountSummary{User: row.user(), Tier: t.tier(a), Status: t.status(a), ProjectCount: projects.count(t, projectsByUser, row.UUID)}
}

// userByEmail returns the account with an address, in whatever case. Errors: NotFound.
func (t *txn) userByEmail(email string) (*userRow, error) {
	row, err := users.lookup(t, usersByEmail, fold(email))
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, notFound(users.what)
	}
	return row, nil
}
