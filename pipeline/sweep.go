package pipeline

import (
	"context"
	"time"
)

// sweep lets the store expire what is past its time and moves plans on, at once and then every
// interval, until ctx ends.
func (p *Pool) sweep(ctx context.Context) {
	tick := time.NewTicker(p.SweepInterval)
	defer tick.Stop()
	for {
		if n, err := p.Store.SweepExpired(); err != nil {
			p.Log.Error("sweeping", "error", err)
		} else if n > 0 {
			p.Log.Info("swept", "exports", n)
		}
		if err := p.Billing(ctx); err != nil {
			p.Log.Error("moving plans on", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
