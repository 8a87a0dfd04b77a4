package server

import (
	"testing"

	"roughcut/store"
)

func TestLiveSet(t *testing.T) {
	var l liveSet
	ctxA, leaveA, err := l.join(t.Context(), liveFor{user: "ada", session: "desk"})
	if err != nil {
		t.Fatal(err)
	}
	ctxB, leaveB, _ := l.join(t.Context(), liveFor{user: "ada", session: "phone"})
	ctxC, leaveC, _ := l.join(t.Context(), liveFor{user: "bob", session: "desk2"})
	l.endSession("desk")
	if ctxA.Err() == nil || ctxB.Err() != nil {
		t.Error("endSession ended the wrong one")
	}
	l.endUser("ada")
	if ctxB.Err() == nil || ctxC.Err() != nil {
		t.Error("endUser ended the wrong one")
	}
	leaveA()
	leaveB()
	if l.count() != 1 {
		t.Errorf("%d are left", l.count())
	}
	for range maxLive {
		_, leave, err := l.join(t.Context(), liveFor{user: "ada"})
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
	}
	if _, _, err := l.join(t.Context(), liveFor{user: "ada"}); !store.IsKind(err, store.RateLimited) {
		t.Errorf("past the limit: %v", err)
	}
	_, leave, err := l.join(t.Context(), liveFor{user: "bob"})
	if err != nil {
		t.Errorf("another account: %v", err)
	}
	leave()
	upload, leaveUpload, _ := l.join(t.Context(), liveFor{user: "bob", upload: true})
	defer leaveUpload()
	l.close()
	if upload.Err() != nil {
		t.Error("close cut an upload off, which has the grace of the shutdown")
	}
	if ctxC.Err() == nil {
		t.Error("close left one going")
	}
	if _, _, err := l.join(t.Context(), liveFor{user: "bob"}); !store.IsKind(err, store.Unavailable) {
		t.Errorf("after close: %v", err)
	}
	leaveC()
}
