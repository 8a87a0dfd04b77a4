package server

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"roughcut/store"
)

func TestLiveSet(t *testing.T) {
	var l transferSet
	ctxA, leaveA, err := l.join(t.Context(), transferOwner{user: "ada", session: "desk"})
	if err != nil {
		t.Fatal(err)
	}
	ctxB, leaveB, _ := l.join(t.Context(), transferOwner{user: "ada", session: "phone"})
	ctxC, leaveC, _ := l.join(t.Context(), transferOwner{user: "bob", session: "desk2"})
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
	for range maxTransfers {
		_, leave, err := l.join(t.Context(), transferOwner{user: "ada"})
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
	}
	if _, _, err := l.join(t.Context(), transferOwner{user: "ada"}); !store.IsKind(err, store.RateLimited) {
		t.Errorf("past the limit: %v", err)
	}
	_, leave, err := l.join(t.Context(), transferOwner{user: "bob"})
	if err != nil {
		t.Errorf("another account: %v", err)
	}
	leave()
	upload, leaveUpload, _ := l.join(t.Context(), transferOwner{user: "bob", upload: true})
	defer leaveUpload()
	l.close()
	if upload.Err() != nil {
		t.Error("close cut an upload off, which has the grace of the shutdown")
	}
	if ctxC.Err() == nil {
		t.Error("close left one going")
	}
	if _, _, err := l.join(t.Context(), transferOwner{user: "bob"}); !store.IsKind(err, store.Unavailable) {
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

// TestLongRequestsAreBoundedAndEndWithTheServer: no more of them act for one account than maxLive,
// and none begins while the server closes.
func TestLongRequestsAreBoundedAndEndWithTheServer(t *testing.T) {
	f := newFull(t)
	addresses := f.files()
	addresses["stream"] = "/api/v1/projects/" + f.ids["project_uuid"] + "/events"
	upload := f.p.resumable(f.ids["project_uuid"], 10)
	all := func(status int, code string) {
		t.Helper()
		for name, address := range addresses {
			for _, method := range []string{"GET", "HEAD"} {
				if name == "stream" && method == "HEAD" {
					continue // which opens none
				}
				r := f.p.do(method, address, nil)
				if r.status != status || method == "GET" && r.text("code") != code {
					t.Errorf("%s %s is answered %d %s, want %d", method, name, r.status, r.body, status)
				}
			}
		}
		f.w.anonymous().do("PUT", f.w.http.URL+upload.path, []byte("0123456789")).want(status, code)
		for _, method := range []string{"OPTIONS", "HEAD", "PATCH"} {
			if r := f.w.send(upload.request(method, "0", []byte("0123456789"))); r.status != status {
				t.Errorf("%s of an upload is answered %d %s, want %d", method, r.status, r.body, status)
			}
		}
	}
	var leave []func()
	for range maxTransfers {
		_, done, err := f.w.server.transfers.join(context.Background(), transferOwner{user: f.p.user.UUID})
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, done)
	}
	all(429, "rate_limited")
	for _, done := range leave {
		done()
	}
	f.w.server.transfers.close()
	all(503, "unavailable")
}
