package store

import (
	"fmt"
	"testing"
	"time"
)

func TestResponsesMakeRoom(t *testing.T) {
	t.Parallel()
	w := open(t)
	ada, eve := w.user("ada"), w.user("eve")
	must(t, w.BeginResponse(eve.UUID, "hers", nil))
	must(t, w.update(func(tx *txn) error {
		for n := range maxResponses {
			if err := responses.Put(tx, &Response{
				UserUUID: ada.UUID, Key: fmt.Sprint(n), BegunAt: tx.Now.Add(time.Duration(n) * time.Millisecond),
			}); err != nil {
				return err
			}
		}
		return nil
	}))
	w.clock.Advance(maxResponses * time.Millisecond)
	kept := func(user, key string) bool { return get(w.Response(user, key))(t) != nil }
	must(t, w.BeginResponse(ada.UUID, "newest", nil))
	if kept(ada.UUID, "0") || !kept(ada.UUID, "1") || !kept(ada.UUID, "newest") || !kept(eve.UUID, "hers") {
		t.Error("another response than the oldest one of the account made room")
	}

	large := make([]byte, maxResponseBytes)
	must(t, w.EndResponse(Response{UserUUID: ada.UUID, Key: "newest", Status: 200, Body: large}))
	must(t, w.BeginResponse(ada.UUID, "after", nil))
	if kept(ada.UUID, "newest") || !kept(ada.UUID, "after") || !kept(eve.UUID, "hers") {
		t.Error("a response that fills the room stays")
	}
	w.clean()
}

func TestResponsesExpire(t *testing.T) {
	t.Parallel()
	w := open(t)
	ada := w.user("ada")
	must(t, w.BeginResponse(ada.UUID, "key", []byte("request")))
	must(t, w.EndResponse(Response{UserUUID: ada.UUID, Key: "key", Request: []byte("another"), Status: 200}))
	if a := get(w.Response(ada.UUID, "key"))(t); a.Status != 0 {
		t.Errorf("the request of another response has %+v", a)
	}
	w.clock.Advance(ResponseTime - time.Millisecond)
	if get(w.Response(ada.UUID, "key"))(t) == nil {
		t.Error("the response is gone before its time")
	}
	w.clock.Advance(time.Millisecond)
	if get(w.Response(ada.UUID, "key"))(t) != nil {
		t.Error("a response is older than ResponseTime")
	}
	get(w.SweepExpired())(t)
	must(t, w.view(func(tx *txn) error {
		if responses.Count(tx, responsesByUser, ada.UUID) != 0 {
			t.Error("an old response stays in the database")
		}
		return nil
	}))
	must(t, w.ForgetResponse(ada.UUID, "key"))
	w.clean()
}
