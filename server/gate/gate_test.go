package gate_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"roughcut/server/gate"
)

// crowd enters a gate for users and notes the order of their admission.
type crowd struct {
	t        *testing.T
	gate     *gate.Gate
	mu       sync.Mutex
	admitted []string
	leaves   []func()
	failed   []error
}

// pass lets time pass, by the clock of the test.
func (c *crowd) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// wantRefused checks the error of the one request that was refused; nil stands for no such request.
func (c *crowd) wantRefused(want error) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if (want == nil && len(c.failed) > 0) || (want != nil && (len(c.failed) != 1 || !errors.Is(c.failed[0], want))) {
		c.t.Errorf("the refusals are %v, want %v", c.failed, want)
	}
}

// enter sends a request and waits until it runs or waits.
func (c *crowd) enter(ctx context.Context, user string) {
	go func() {
		leave, err := c.gate.Enter(ctx, user)
		c.mu.Lock()
		defer c.mu.Unlock()
		if err != nil {
			c.failed = append(c.failed, err)
			return
		}
		c.admitted = append(c.admitted, user)
		c.leaves = append(c.leaves, leave)
	}()
	synctest.Wait()
}

func (c *crowd) running() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.leaves) > 0
}

// leaveFirst ends the request that has run longest.
func (c *crowd) leaveFirst() {
	c.mu.Lock()
	leave := c.leaves[0]
	c.leaves = c.leaves[1:]
	c.mu.Unlock()
	leave()
	synctest.Wait()
}

func (c *crowd) wantAdmitted(want ...string) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Equal(c.admitted, want) {
		c.t.Errorf("admitted %q, want %q", c.admitted, want)
	}
}

// inGate runs a test with a fake clock at a gate that admits running requests at once.
func inGate(t *testing.T, running int, test func(*crowd)) {
	synctest.Test(t, func(t *testing.T) {
		c := &crowd{t: t, gate: gate.New(gate.Limits{
			Running: running, Waiting: 10, UserRunning: 2, UserWaiting: 8, Wait: 20 * time.Second,
		})}
		test(c)
		for c.running() {
			c.leaveFirst()
		}
	})
}

func TestOneUserRunsTwoRequests(t *testing.T) {
	inGate(t, 3, func(c *crowd) {
		for range 4 {
			c.enter(c.t.Context(), "ada")
		}
		c.wantAdmitted("ada", "ada")
		c.leaveFirst()
		c.wantAdmitted("ada", "ada", "ada")
	})
}

func TestUsersTakeTurns(t *testing.T) {
	inGate(t, 2, func(c *crowd) {
		for range 4 {
			c.enter(c.t.Context(), "ada")
		}
		c.enter(c.t.Context(), "bo")
		c.enter(c.t.Context(), "bo")
		c.wantAdmitted("ada", "ada")
		c.leaveFirst() // ada still runs one, so it is the turn of bo
		c.leaveFirst()
		c.leaveFirst()
		c.wantAdmitted("ada", "ada", "bo", "ada", "bo")
	})
}

func TestOneSlotPassesFromUserToUser(t *testing.T) {
	inGate(t, 1, func(c *crowd) {
		for _, user := range []string{"ada", "ada", "ada", "bo", "cy", "bo"} {
			c.enter(c.t.Context(), user)
		}
		for range 5 {
			c.leaveFirst()
		}
		c.wantAdmitted("ada", "bo", "cy", "ada", "bo", "ada")
	})
}

func TestNinthRequestOfAUserIsRefused(t *testing.T) {
	inGate(t, 1, func(c *crowd) {
		for range 10 {
			c.enter(c.t.Context(), "ada")
		}
		c.wantRefused(gate.ErrBusy)
		c.enter(c.t.Context(), "bo")
		c.leaveFirst()
		c.wantAdmitted("ada", "bo")
		c.wantRefused(gate.ErrBusy)
	})
}

func TestEleventhRequestOfAllUsersIsRefused(t *testing.T) {
	inGate(t, 1, func(c *crowd) {
		c.enter(c.t.Context(), "ada")
		for _, user := range []string{"ada", "bo", "cy", "di", "ed"} {
			c.enter(c.t.Context(), user)
			c.enter(c.t.Context(), user)
		}
		c.wantRefused(nil)
		c.enter(c.t.Context(), "flo")
		c.wantRefused(gate.ErrBusy)
	})
}

func TestRequestIsRefusedAfterTwentySeconds(t *testing.T) {
	inGate(t, 1, func(c *crowd) {
		c.enter(c.t.Context(), "ada")
		c.enter(c.t.Context(), "bo")
		c.pass(20*time.Second - 1)
		c.wantRefused(nil)
		c.pass(1)
		c.wantRefused(gate.ErrBusy)
		c.leaveFirst()
		c.enter(c.t.Context(), "cy")
		c.wantAdmitted("ada", "cy")
	})
}

func TestRequestThatEndsLeavesTheQueue(t *testing.T) {
	inGate(t, 1, func(c *crowd) {
		ctx, cancel := context.WithCancelCause(c.t.Context())
		gone := errors.New("gone")
		c.enter(c.t.Context(), "ada")
		c.enter(ctx, "bo")
		c.enter(c.t.Context(), "cy")
		cancel(gone)
		synctest.Wait()
		c.leaveFirst()
		c.wantAdmitted("ada", "cy")
		c.wantRefused(gone)
	})
}
