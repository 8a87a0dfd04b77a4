package store

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"roughcut/media"
)

// TestKeptRowsAreNobodysToChange spoils all that a row points to, and wants the next reader to see
// nothing of it.
func TestKeptRowsAreNobodysToChange(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	keeps(
		t,
		projects,
		projectRow{
			Seq:     1,
			Project: Project{UUID: "p", Settings: json.RawMessage(`{"a":1}`), DurationMS: ptr(int64(5)), CreatedAt: at},
		},
	)
	keeps(
		t,
		edits,
		editRow{
			Found: &media.Span{StartMS: 1, EndMS: 2},
			Edit:  Edit{UUID: "e", RunUUID: ptr("r"), Confidence: ptr(0.5), Placement: &Placement{X: 1}, UpdatedAt: at},
		},
	)
	keeps(
		t,
		clips,
		clipRow{
			Clip: Clip{
				UUID:       "c",
				DurationMS: ptr(int64(5)),
				Info:       media.Info{Video: &media.VideoInfo{Width: 2}, Audio: &media.AudioInfo{Channels: 2}},
				CreatedAt:  at,
			},
		},
	)
	keeps(t, sessions, Session{Hash: "h", ExpiresAt: at})
	keeps(t, users, userRow{User: User{UUID: "u", CreatedAt: at}, Hash: "h"})
}

func keeps[T any](t *testing.T, tab *table[T], row T) {
	t.Helper()
	value := get(json.Marshal(row))(t)
	key := tab.key(&row)
	first := get(tab.decode(key, value))(t)
	for round := range 3 {
		spoil(reflect.ValueOf(first).Elem())
		again := get(tab.decode(key, value))(t)
		if !reflect.DeepEqual(*again, row) {
			t.Fatalf("%s, round %d: %+v, want %+v", tab.name, round, *again, row)
		}
		first = again
	}
	if tab.recent.get(key, value) == nil {
		t.Errorf("%s keeps nothing", tab.name)
	}
}

// spoil overwrites what a value points to, as deep as it goes.
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
