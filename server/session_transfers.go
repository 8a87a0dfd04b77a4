package server

import (
	"context"
	"sync"
	"time"

	"roughcut/server/problem"
	"roughcut/store"
)

// transferSet holds the long-running requests: event streams, media transfers and uploads. They end
// with their session or account. Streams and transfers also end with the server, while uploads may
// use its grace period. The zero value is ready for use.
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

// transferOwner identifies the owner of a long-running request.
type transferOwner struct {
	user    string // UUID
	session string // hash; empty for a signed address
	project string // UUID, of an event stream
	upload  bool
	bundle  bool // a timeline with its media, which the server keeps in memory without the media
}

// Maximum numbers of long-running requests per account.
const (
	maxTransfers = 500
	maxBundles   = 16 // which do not count as transfers
)

// join registers a request. Its context ends when the request must end; call leave afterwards. It
// returns RateLimited if the account has too many requests, and Unavailable while the server
// closes.
func (l *transferSet) join(parent context.Context, who transferOwner) (ctx context.Context, leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, problem.Errorf(
			store.Unavailable,
			"unavailable",
			"The server is shutting down. Try again in a moment.",
		)
	}

	count, most := 0, maxTransfers
	if who.bundle {
		most = maxBundles
	}
	for e := range l.entries {
		if e.user == who.user && e.bundle == who.bundle {
			count++
		}
	}

	if count >= most {
		return nil, nil, problem.Errorf(
			store.RateLimited,
			"rate_limited",
			"Too many streams and transfers at once. Close some of them.",
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

// endSession ends the requests of one session.
func (l *transferSet) endSession(hash string) {
	l.end(func(e *liveTransfer) bool { return e.session == hash })
}

// endUser ends the requests of one account.
func (l *transferSet) endUser(uuid string) {
	l.end(func(e *liveTransfer) bool { return e.user == uuid })
}

// endProject ends the event streams of a project.
func (l *transferSet) endProject(uuid string) {
	l.end(func(e *liveTransfer) bool { return e.project == uuid })
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

// close ends streams and transfers and rejects new ones.
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

// begin registers work for Close to wait for. It reports whether the server is still open; if so,
// call done afterwards.
func (l *transferSet) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.running.Add(1)
	}
	return !l.closed
}

// done ends the work that begin registered.
func (l *transferSet) done() { l.running.Done() }

// wait blocks until all requests have left after close.
func (l *transferSet) wait() { l.running.Wait() }

// counts returns the number of running streams and transfers, and of uploads.
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

// pace gives each write of a long response its own deadline. It interrupts the current write when
// the response must end.
type pace struct {
	ctx         context.Context
	conn        paced
	unwatch     func() bool
	interrupted chan struct{} // closed after the end of ctx has interrupted the current write
}

// paced is a connection, or its http.ResponseController.
type paced interface{ SetWriteDeadline(t time.Time) error }

func newPace(ctx context.Context, conn paced) *pace {
	p := &pace{ctx: ctx, conn: conn, interrupted: make(chan struct{})}
	p.unwatch = context.AfterFunc(ctx, func() {
		defer close(p.interrupted)
		_ = conn.SetWriteDeadline(time.Unix(1, 0))
	})
	return p
}

// extend sets the deadline of the next write. The second check of ctx covers an end between the
// first check and the new deadline.
func (p *pace) extend(d time.Duration) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if err := p.conn.SetWriteDeadline(time.Now().Add(d)); err != nil {
		return err
	}
	return p.ctx.Err()
}

// close ends the watch. It clears the deadline of the connection for later requests, unless the
// response was interrupted. After close the deadline belongs to the caller.
func (p *pace) close() {
	if !p.unwatch() {
		<-p.interrupted
		return
	}

	_ = p.conn.SetWriteDeadline(time.Time{})
}
