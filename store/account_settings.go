package store

import (
	"encoding/json"
	"maps"
	"regexp"

	"roughcut/store/table"
)

// Limits of the settings of an account.
const (
	maxAccountSettings     = 50
	maxAccountSettingBytes = 32 << 10  // of one value
	maxAccountBytes        = 128 << 10 // of all values
)

// accountSettingsRow holds values that clients store with an account. Only clients know their
// meaning.
type accountSettingsRow struct {
	UserUUID string
	Values   map[string]json.RawMessage // by name
}

var accountSettings = &table.Table[accountSettingsRow]{
	Name:  "account_settings",
	Noun:  "settings",
	Key:   func(r *accountSettingsRow) []byte { return []byte(r.UserUUID) },
	Owner: func(r *accountSettingsRow) string { return r.UserUUID },
}

var accountSettingName = regexp.MustCompile(`^[a-z][a-z0-9_.-]{0,63}$`)

// AccountSettings returns the settings of an account by name.
func (s *Store) AccountSettings(userUUID string) (values map[string]json.RawMessage, err error) {
	return viewed(s, func(t *txn) (values map[string]json.RawMessage, err error) {
		row, err := t.accountSettings(userUUID)
		values = row.Values
		return values, err
	})
}

func (t *txn) accountSettings(userUUID string) (accountSettingsRow, error) {
	row, err := accountSettings.Find(t, userUUID)
	if err != nil || row == nil {
		return accountSettingsRow{userUUID, map[string]json.RawMessage{}}, err
	}
	row.Values = maps.Clone(row.Values)
	return *row, nil
}

// ChangeAccountSettings sets some settings of an account and returns all. A value of null removes a
// setting. Errors: Unprocessable past the limits.
func (s *Store) ChangeAccountSettings(
	userUUID string,
	change map[string]json.RawMessage,
) (values map[string]json.RawMessage, err error) {
	for name, value := range change {
		if !accountSettingName.MatchString(name) {
			return nil, failField(
				name, "Use a name of at most 64 lowercase letters, digits, dots, dashes and underscores.",
			)
		}

		if len(value) > maxAccountSettingBytes {
			return nil, failField(name, "The value must have at most %d KiB.", maxAccountSettingBytes>>10)
		}
	}

	err = s.updateSettings(userUUID, func(t *txn) error {
		row, err := t.accountSettings(userUUID)
		if err != nil {
			return err
		}
		for name, value := range change {
			if string(value) == "null" {
				delete(row.Values, name)
			} else {
				row.Values[name] = value
			}
		}

		if err := row.check(); err != nil {
			return err
		}
		values = row.Values
		return accountSettings.Put(t, &row)
	})
	return values, err
}

func (r accountSettingsRow) check() error {
	size := 0
	for name, value := range r.Values {
		size += len(name) + len(value)
	}

	switch {
	case len(r.Values) > maxAccountSettings:
		return tooMany("An account can have %d settings. Remove some of them first.", maxAccountSettings)
	case size > maxAccountBytes:
		return tooMany("The settings of an account can have %d KiB. Remove some of them first.", maxAccountBytes>>10)
	}

	return nil
}

// dropAccountSettings deletes the settings of an account.
func (t *txn) dropAccountSettings(userUUID string) error {
	return accountSettings.Delete(t, userUUID)
}
