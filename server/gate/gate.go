// Package gate admits requests that cost much, such as those that start a media engine or hash a
// password: few at a time, and the users in turn.
package gate

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Limits bound the requests in a gate.
type Limits struct {
	Running     int // at once
	Waiting     int // 0 for no bound
	UserRunning int // of one user; 1 while another user waits
	UserWaiting int
	Wait        time.Duration // of one request
}

// ErrBusy is the error of a request that would wait too long.
var ErrBusy = errors.New("too many requests are waiting")

// Gate admits requests. It is safe for concurrent use.
type Gate struct {
	limits Limits

	mu      sync.Mutex
	admits  int            // requests that are running
	running map[string]int // by user
	waiting map[string][]*ticket
	turns   []string // the users who wait, the next one first
}

// ticket is a request that waits.
type ticket struct{ admitted chan struct{} }

// New returns a gate with limits.
func New(limits Limits) *Gate {
	return &Gate{limits: limits, running: map[string]int{}, waiting: map[string][]*ticket{}}
}

// Enter waits until a request of a user may run. The caller calls leave when the request has ended.
// Errors: ErrBusy at a limit of the requests that wait; the cause of ctx.
func (g *Gate) Enter(ctx context.Context, user string) (leave func(), err error) {
	own, err := g.queue(user)
	if err != nil {
		return nil, err
	}
	late := time.NewTimer(g.limits.Wait)
	defer late.Stop()
	select {
	case <-own.admitted:
	case <-late.C:
		err = ErrBusy
	case <-ctx.Done():
		err = context.Cause(ctx)
	}

	leave = sync.OnceFunc(func() { g.leave(user) })
	if err == nil || !g.withdraw(user, own) {
		return leave, nil
	}
	return nil, err
}

// queue adds a request, and admits it at once if it may run.
func (g *Gate) queue(user string) (*ticket, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	isFull := g.limits.Waiting > 0 && g.count() == g.limits.Waiting
	if isFull || len(g.waiting[user]) == g.limits.UserWaiting {
		return nil, ErrBusy
	}
	if len(g.waiting[user]) == 0 {
		g.turns = append(g.turns, user)
	}
	own := &ticket{make(chan struct{})}
	g.waiting[user] = append(g.waiting[user], own)
	g.admit()
	return own, nil
}

// Waiting returns the number of requests that wait.
func (g *Gate) Waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.count()
}

func (g *Gate) count() (waiting int) {
	for _, list := range g.waiting {
		waiting += len(list)
	}
	return waiting
}

// withdraw removes a waiting request. It returns false if the request has been admitted.
func (g *Gate) withdraw(user string, own *ticket) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.waiting[user], own)
	if i < 0 {
		return false
	}
	g.remove(user, i)
	return true
}

// leave ends a request. Its user goes behind the others who wait.
func (g *Gate) leave(user string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.admits--
	if g.running[user]--; g.running[user] == 0 {
		delete(g.running, user)
	}
	if i := slices.Index(g.turns, user); i >= 0 {
		g.turns = append(slices.Delete(g.turns, i, i+1), user)
	}
	g.admit()
}

// admit lets requests run while there are slots.
func (g *Gate) admit() {
	for g.admits < g.limits.Running {
		most := g.limits.UserRunning
		if len(g.turns) > 1 {
			most = 1
		}
		i := slices.IndexFunc(g.turns, func(user string) bool { return g.running[user] < most })
		if i < 0 {
			return
		}
		user := g.turns[i]
		close(g.waiting[user][0].admitted)
		g.remove(user, 0)
		g.admits++
		g.running[user]++
	}
}

// remove removes the waiting request i of a user.
func (g *Gate) remove(user string, i int) {
	g.waiting[user] = slices.Delete(g.waiting[user], i, i+1)
	if len(g.waiting[user]) == 0 {
		delete(g.waiting, user)
		g.turns = slices.DeleteFunc(g.turns, func(other string) bool { return other == user })
	}
}
