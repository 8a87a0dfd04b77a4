package server

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"roughcut/store"
)

// count returns the number of running requests.
func (l *transferSet) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.entries)
}

func TestTransferSet(t *testing.T) {
	t.Parallel()
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
		t.Errorf("%d transfers are left", l.count())
	}
	for range maxTransfers {
		_, leave, err := l.join(t.Context(), transferOwner{user: "ada"})
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
	}
	if _, _, err := l.join(t.Context(), transferOwner{user: "ada"}); !store.IsKind(err, store.RateLimited) {
		t.Errorf("beyond the limit: %v", err)
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
		t.Error("close ended an upload during its grace period")
	}
	if ctxC.Err() == nil {
		t.Error("close left a transfer running")
	}
	if _, _, err := l.join(t.Context(), transferOwner{user: "bob"}); !store.IsKind(err, store.Unavailable) {
		t.Errorf("after close: %v", err)
	}
	leaveC()
}

// slowConn delays its interruption.
type slowConn struct{ hold chan struct{} }

func (c slowConn) SetWriteDeadline(at time.Time) error {
	if at.Equal(time.Unix(1, 0)) {
		<-c.hold
	}
	return nil
}

// After close the caller may set its own deadlines, so close waits for a running interruption.
func TestClosedPaceSetsNoDeadlines(t *testing.T) {
	t.Parallel()
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
			t.Error("close returns during the interruption")
		}
		close(conn.hold)
		synctest.Wait()
		if !closed {
			t.Error("close does not return")
		}
	})
}

// TestLongRequestsAreLimitedAndEndWithServer checks that an account has at most maxTransfers long
// requests, and that none starts while the server closes.
func TestLongRequestsAreLimitedAndEndWithServer(t *testing.T) {
	t.Parallel()
	f := newFull(t)
	addresses := f.files()
	addresses["stream"] = "/api/v1/projects/" + f.ids["project_uuid"] + "/events"
	upload := f.p.resumable(f.ids["project_uuid"], 10)
	all := func(status int, code string) {
		t.Helper()
		for name, address := range addresses {
			for _, method := range []string{"GET", "HEAD"} {
				if name == "stream" && method == "HEAD" {
					continue // opens no transfer
				}
				r := f.p.do(method, address, nil)
				if r.status != status || (method == "GET" && r.text("code") != code) {
					t.Errorf("%s %s: response %d %s, want %d", method, name, r.status, r.body, status)
				}
			}
		}
		f.w.anonymous().do("PUT", f.w.http.URL+upload.path, []byte("0123456789")).want(status, code)
		f.p.do("PUT", "/api/v1/models/mine/file", []byte("0123456789")).want(status, code)
		for _, method := range []string{"OPTIONS", "HEAD", "PATCH"} {
			if r := f.w.send(upload.request(method, "0", []byte("0123456789"))); r.status != status {
				t.Errorf("%s of an upload: response %d %s, want %d", method, r.status, r.body, status)
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
