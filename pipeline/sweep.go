package pipeline

import (
	"context"
	"time"
)

// sweep expires exports and renews subscriptions, immediately and then after every SweepInterval,
// until ctx ends.
func (p *Pool) sweep(ctx context.Context) {
	tick := time.NewTicker(p.SweepInterval)
	defer tick.Stop()
	for {
		if n, err := p.Store.SweepExpired(); err != nil {
			p.Log.Error("expiring exports failed", "error", err)
		} else if n > 0 {
			p.Log.Info("expired exports", "count", n)
		}

		if err := p.Billing(ctx); err != nil {
			p.Log.Error("renewing subscriptions failed", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
