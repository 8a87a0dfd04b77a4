package server

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

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

// slowConn takes its time to be interrupted.
type slowConn struct{ hold chan struct{} }

func (c slowConn) SetWriteDeadline(at time.Time) error {
	if at.Equal(time.Unix(1, 0)) {
		<-c.hold
	}
	return nil
}

// Who closes a pace may set deadlines of its own: an interruption that is under way comes first.
func TestAClosedPaceTouchesNoDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		conn := slowConn{make(chan struct{})}
		p := newPace(ctx, conn)
		cancel()
		closed := false
		go func() {
			p.close()
			closed = true
		}()
		synctest.Wait()
		if closed {
			t.Error("the pace is closed while it interrupts")
		}
		close(conn.hold)
		synctest.Wait()
		if !closed {
			t.Error("the pace is not closed")
		}
	})
}
