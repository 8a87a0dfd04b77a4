package server

import (
	"context"
	"sync"
	"time"

	"roughcut/server/problem"
	"roughcut/store"
)

// liveSet holds the requests that go on for long: event streams, transfers of media, uploads. They
// end with the session or account that they act for; streams and transfers end with the server too,
// uploads may use its grace. The zero value is ready for use.
type transferSet struct {
	mu      sync.Mutex
	closed  bool
	entries map[*liveTransfer]struct{}
	running sync.WaitGroup
}

type liveTransfer struct {
	transferOwner
	cancel context.CancelFunc
}

// liveFor says on whose behalf a request goes on.
type transferOwner struct {
	user    string // uuid
	session string // hash; empty for a signed address
	upload  bool
}

// maxLive is how many long requests may act for one account at once.
const maxTransfers = 500

// join registers a request. Its context ends when the request has to; leave must be called when it
// has ended. Errors: RateLimited when too many act for the account; Unavailable when the server
// closes.
func (l *transferSet) join(parent context.Context, who transferOwner) (ctx context.Context, leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, problem.Errorf(store.Unavailable, "unavailable", "The server is shutting down; try again in a moment.")
	}
	count := 0
	for e := range l.entries {
		if e.user == who.user {
			count++
		}
	}
	if count >= maxTransfers {
		return nil, nil, problem.Errorf(
			store.RateLimited,
			"rate_limited",
			"Too many streams and transfers at once; close some of them.",
		)
	}
	ctx, cancel := context.WithCancel(parent)
	entry := &liveTransfer{who, cancel}
	if l.entries == nil {
		l.entries = map[*liveTransfer]struct{}{}
	}
	l.entries[entry] = struct{}{}
	l.running.Add(1)
	return ctx, func() {
		cancel()
		l.mu.Lock()
		delete(l.entries, entry)
		l.mu.Unlock()
		l.running.Done()
	}, nil
}

// endSession ends what acts for one session.
func (l *transferSet) endSession(hash string) {
	l.end(func(e *liveTransfer) bool { return e.session == hash })
}

// endUser ends what acts for one account.
func (l *transferSet) endUser(uuid string) {
	l.end(func(e *liveTransfer) bool { return e.user == uuid })
}

func (l *transferSet) end(which func(*liveTransfer) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for e := range l.entries {
		if which(e) {
			e.cancel()
		}
	}
}

// close ends streams and transfers, and lets nothing new begin.
func (l *transferSet) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for e := range l.entries {
		if !e.upload {
			e.cancel()
		}
	}
}

// begin registers work that Close has to wait for, and reports whether the server is still open;
// done must follow when it is.
func (l *transferSet) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.running.Add(1)
	}
	return !l.closed
}

// done ends what begin registered.
func (l *transferSet) done() { l.running.Done() }

// wait returns when everything has left after close.
func (l *transferSet) wait() { l.running.Wait() }

// count returns how many requests are going on.
func (l *transferSet) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.entries)
}

// counts returns how many streams and transfers are going on, and how many uploads.
func (l *transferSet) counts() (streams, uploads int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for e := range l.entries {
		if e.upload {
			uploads++
		} else {
			streams++
		}
	}
	return streams, uploads
}

// pace gives each write of a long response its own deadline, and interrupts the one that is under
// way when the response has to end.
type pace struct {
	ctx         context.Context
	conn        paced
	unwatch     func() bool
	interrupted chan struct{} // closed when the end of ctx has interrupted what was under way
}

// paced is a connection, or the http.ResponseController of one.
type paced interface{ SetWriteDeadline(t time.Time) error }

func newPace(ctx context.Context, conn paced) *pace {
	p := &pace{ctx: ctx, conn: conn, interrupted: make(chan struct{})}
	p.unwatch = context.AfterFunc(ctx, func() {
		defer close(p.interrupted)
		_ = conn.SetWriteDeadline(time.Unix(1, 0))
	})
	return p
}

// extend gives the next write its time. The second look at ctx covers its end between the first
// look and the new deadline.
func (p *pace) extend(d time.Duration) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if err := p.conn.SetWriteDeadline(time.Now().Add(d)); err != nil {
		return err
	}
	return p.ctx.Err()
}

// close ends the watch and, unless the response was cut off, takes the deadline from the
// connection, which may serve another request. After it the deadline is the caller's.
func (p *pace) close() {
	if !p.unwatch() {
		<-p.interrupted
		return
	}
	_ = p.conn.SetWriteDeadline(time.Time{})
}
