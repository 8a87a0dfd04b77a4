package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"roughcut/store/table"
)

func TestSettingsBelongToAnAccount(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, other := w.user("ada"), w.user("eve")
	change := func(userUUID, text string) error {
		values := map[string]json.RawMessage{}
		must(t, json.Unmarshal([]byte(text), &values))
		_, err := w.ChangeAccountSettings(userUUID, values)
		return err
	}
	has := func(userUUID, want string) {
		t.Helper()
		got := string(get(json.Marshal(get(w.AccountSettings(userUUID))(t)))(t))
		if got != want {
			t.Errorf("the settings are %s, want %s", got, want)
		}
	}
	has(u.UUID, `{}`)
	must(t, change(u.UUID, `{"theme":"dark","keys":{"play":["K"]}}`))
	must(t, change(other.UUID, `{"theme":"light"}`))
	must(t, change(u.UUID, `{"theme":null,"sort":"name"}`))
	w.reopen()
	has(u.UUID, `{"keys":{"play":["K"]},"sort":"name"}`)
	has(other.UUID, `{"theme":"light"}`)
	w.clean()

	must(t, w.DeleteUser(u.UUID, u.PasswordHash))
	w.clean()
	must(t, w.view(func(tx *txn) error {
		if n := accountSettings.Len(tx); n != 1 {
			t.Errorf("%d accounts have settings after a deletion, want 1", n)
		}
		return nil
	}))
}

func TestSettingsOfAnAccountAreBounded(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	text := func(kib int) json.RawMessage { return json.RawMessage(`"` + strings.Repeat("x", kib<<10-2) + `"`) }
	refused := func(change map[string]json.RawMessage) {
		t.Helper()
		_, err := w.ChangeAccountSettings(u.UUID, change)
		wantCode(t, err, Unprocessable, "unprocessable")
	}
	for _, name := range []string{"", "Theme", "a b", "1", strings.Repeat("a", 65)} {
		refused(map[string]json.RawMessage{name: text(1)})
	}
	refused(map[string]json.RawMessage{"a": append(text(32), ' ')})
	refused(map[string]json.RawMessage{"a": text(32), "b": text(32), "c": text(32), "d": text(32)})
	many := map[string]json.RawMessage{}
	for i := range maxAccountSettings {
		many[fmt.Sprintf("s%d", i)] = text(1)
	}
	get(w.ChangeAccountSettings(u.UUID, many))(t)
	refused(map[string]json.RawMessage{"one-more": text(1)})
	get(w.ChangeAccountSettings(u.UUID, map[string]json.RawMessage{"one-more": text(1), "s0": []byte("null")}))(t)
}

// A directory of schema 13 gets the bucket.
func TestSchema14HasSettingsOfAccounts(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	must(t, w.update(func(tx *txn) error {
		for _, name := range accountSettings.Buckets() {
			if err := tx.DeleteBucket([]byte(name)); err != nil {
				return err
			}
		}
		return tx.Bucket([]byte(bucketMeta)).Put([]byte(metaSchema), table.Key(uint64(13)))
	}))
	w.reopen()
	get(w.ChangeAccountSettings(u.UUID, map[string]json.RawMessage{"theme": []byte(`"dark"`)}))(t)
	w.clean()
}
