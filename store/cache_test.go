package store

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/store/account"
	"roughcut/store/table"
)

// A caller can change the row that it reads, because the cache keeps its own copy.
func TestCachedRowsAreCopies(t *testing.T) {
	t.Parallel()
	w := open(t)
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	keeps(
		t,
		w,
		projects,
		projectRow{
			Seq:     1,
			Project: Project{UUID: "p", Settings: json.RawMessage(`{"a":1}`), DurationMS: ptr(int64(5)), CreatedAt: at},
		},
	)
	keeps(
		t,
		w,
		edits,
		editRow{
			Found: &media.Span{StartMS: 1, EndMS: 2},
			Edit: Edit{UUID: "e", RunUUID: ptr("r"), Confidence: ptr(0.5),
				Placement: &media.Placement{X: 1}, UpdatedAt: at},
		},
	)
	keeps(
		t,
		w,
		clips,
		clipRow{
			Clip: Clip{
				UUID:       "c",
				ClipFileID: "f",
				DurationMS: ptr(int64(5)),
				Info:       media.Info{Video: &media.VideoInfo{Width: 2}, Audio: &media.AudioInfo{Channels: 2}},
				CreatedAt:  at,
			},
		},
	)

	u := get(w.SignInWithProvider(
		account.ProviderProfile{
			Issuer:        "i",
			Subject:       "1",
			Provider:      "corp",
			Email:         "ada@example.org",
			EmailVerified: true,
		},
		account.InvitationProof{},
		nil,
	))(t)
	must(t, w.CreateSession(account.Session{Hash: "h", UserUUID: u.UUID, ExpiresAt: w.Now().Add(time.Hour)}, 0))
	type row struct {
		Session account.Session
		User    account.User
	}
	var first string
	for round := range 4 {
		session, user, err := w.Session("h", time.Hour)
		must(t, err)
		got := row{session, user}
		text := string(get(json.Marshal(got))(t))
		if round == 0 {
			first = text
		} else if text != first {
			t.Fatalf("round %d: %s, want %s", round, text, first)
		}
		spoil(reflect.ValueOf(&got).Elem())
	}
}

// keeps stores a row, reads it several times, and each time changes everything that the copy points
// to.
func keeps[T any](t *testing.T, w *world, tab *table.Table[T], row T) {
	t.Helper()
	key := string(tab.Key(&row))
	must(t, w.update(func(tx *txn) error { return tab.Put(tx, &row) }))
	must(t, w.view(func(tx *txn) error {
		for round := range 4 {
			got := get(tab.Get(tx, key))(t)
			if !reflect.DeepEqual(*got, row) {
				t.Fatalf("%s, round %d: %+v, want %+v", tab.Name, round, *got, row)
			}
			spoil(reflect.ValueOf(got).Elem())
		}
		return nil
	}))
	if tab.CachedRows == 0 {
		t.Errorf("the cache keeps no rows of %s", tab.Name)
	}
}

// spoil overwrites everything that a value points to, at any depth.
func spoil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				spoil(v.Field(i))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() && v.Type() != reflect.TypeFor[*time.Location]() {
			v.Elem().SetZero()
		}
	case reflect.Slice:
		for i := range v.Len() {
			v.Index(i).SetZero()
		}
	case reflect.Map:
		v.Clear()
	}
}
