package server

import "testing"

func TestEveryRateLimitIsEnforced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.withPassword("ada")
	ids := map[string]string{"project_uuid": p.project("Talk"), "provider": "none"}
	for _, op := range sortedOperations(w) {
		rate, limited := rateLimits[op.ID]
		if !limited {
			continue
		}
		for n := range rate.requests + 1 {
			r := p.do(op.Route.Method, fill(op, ids), []byte("{}"))
			if (r.status == 429) != (n == rate.requests) {
				t.Fatalf("request %d of %s: response %d %s", n+1, op.ID, r.status, r.body)
			}
		}
		w.clock.Advance(rate.window)
		if r := p.do(op.Route.Method, fill(op, ids), []byte("{}")); r.status == 429 {
			t.Errorf("%s is still limited after %v", op.ID, rate.window)
		}
	}
}
