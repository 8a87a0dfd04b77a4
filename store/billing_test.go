package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roughcut/store/account"
	"roughcut/store/billing"
)

// ledger is the model of a user's credits, in hundredths of a minute.
type ledger struct {
	t                          *rapid.T
	w                          *world
	user                       account.User
	projects                   []*analyzing
	balance, reserved, charged int64
}

// analyzing is a project with its current run, if there is one.
type analyzing struct {
	Project
	cost    int64
	run     string
	job     *Job // nil while queued
	attempt int
}

// TestCreditLedgerFollowsAModel moves credits at random, with crashes in between, and compares them
// with a model.
func TestCreditLedgerFollowsAModel(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		l := &ledger{t: rt, w: w, user: w.user(fmt.Sprintf("user%d", n)), balance: 30 * 100}
		for _, duration := range []int64{
			rapid.Int64Range(1, 600_000).Draw(rt, "first"),
			rapid.Int64Range(600_000, 1_900_000).Draw(rt, "second"),
		} {
			p := w.project(l.user)
			w.ready(p, duration)
			l.projects = append(l.projects, &analyzing{Project: p, cost: (duration + 599) / 600})
		}
		defer func() {
			for _, p := range l.projects {
				must(t, w.DeleteProject(l.user.UUID, p.UUID))
			}
			w.clean()
		}()
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			l.step()
			l.compare()
		}
	})
}

func (l *ledger) step() {
	p := l.projects[rapid.IntRange(0, 1).Draw(l.t, "project")]
	switch rapid.SampledFrom([]string{"start", "start", "work", "work", "cancel", "crash"}).Draw(l.t, "action") {
	case "start":
		l.start(p)
	case "work":
		l.work()
	case "cancel":
		l.cancel(p)
	case "crash":
		l.crash()
	}
}

func (l *ledger) start(p *analyzing) {
	run, err := l.w.StartAnalysis(l.user.UUID, p.UUID, AnalysisSettings{})
	switch {
	case p.run != "":
		wantCode(l.w.t, err, Conflict, "already_analyzing")
	case p.cost > l.balance:
		wantCode(l.w.t, err, PaymentRequired, "insufficient_credits")
	default:
		must(l.w.t, err)
		p.run, p.job, p.attempt = run.UUID, nil, 0
		l.balance -= p.cost
		l.reserved += p.cost
	}
}

// work claims a queued job, or ends a claimed one.
func (l *ledger) work() {
	for _, p := range l.projects {
		if p.job == nil {
			continue
		}
		switch rapid.SampledFrom([]string{"finish", "fail", "release"}).Draw(l.t, "end") {
		case "finish":
			run := get(l.w.FinishAnalysis(*p.job, AnalysisResult{}))(l.w.t)
			if billing.Hundredths(run.CreditsCharged) != p.cost {
				l.t.Fatalf("charged %v, want %d", run.CreditsCharged, p.cost)
			}
			l.charged += p.cost
		case "fail":
			must(l.w.t, l.w.FailAnalysis(*p.job, "broken"))
			l.balance += p.cost
		case "release":
			must(l.w.t, l.w.ReleaseJob(*p.job))
			p.job = nil
			p.attempt--
			return
		}
		l.reserved -= p.cost
		if err := l.w.FailAnalysis(*p.job, "again"); !errors.Is(err, ErrStaleJob) {
			l.t.Fatalf("a second end: %v", err)
		}
		p.run, p.job = "", nil
		return
	}
	j, ok, err := l.w.ClaimJob(context.Background())
	must(l.w.t, err)
	for _, p := range l.projects {
		if ok && p.run == j.Subject {
			p.job = &j
			p.attempt++
		}
	}
}

func (l *ledger) cancel(p *analyzing) {
	if p.run == "" {
		return
	}
	get(l.w.CancelRun(l.user.UUID, p.UUID, p.run))(l.w.t)
	if p.job != nil {
		if _, err := l.w.FinishAnalysis(*p.job, AnalysisResult{}); !errors.Is(err, ErrStaleJob) {
			l.t.Fatalf("a cancelled run was finished: %v", err)
		}
	}
	l.balance += p.cost
	l.reserved -= p.cost
	p.run, p.job = "", nil
}

// crash restarts the store without ending the claimed jobs. The store requeues them, or fails them
// after maxAttempts.
func (l *ledger) crash() {
	l.w.reopen()
	for _, p := range l.projects {
		if p.job != nil && p.attempt >= maxAttempts {
			l.balance += p.cost
			l.reserved -= p.cost
			p.run = ""
		}
		p.job = nil
	}
}

func (l *ledger) compare() {
	b := get(l.w.Billing(l.user.UUID))(l.w.t)
	movements, _, err := l.w.CreditMovements(l.user.UUID, Page{})
	must(l.w.t, err)
	charged := 0.0
	for _, m := range movements {
		if m.Kind == "charge" {
			charged += m.Minutes
		}
	}
	if billing.Hundredths(b.Balance) != l.balance || billing.Hundredths(b.Reserved) != l.reserved ||
		billing.Hundredths(charged) != l.charged {
		l.t.Fatalf(
			"billing %+v, %v charged, want balance %d reserved %d charged %d",
			b,
			charged,
			l.balance,
			l.reserved,
			l.charged,
		)
	}
}

// atOnce calls fn n times concurrently and returns how often it succeeded.
func atOnce(n int, fn func() error) int {
	var ok atomic.Int64
	var wg sync.WaitGroup
	start := make(chan struct{})
	for range n {
		wg.Go(func() {
			<-start
			if fn() == nil {
				ok.Add(1)
			}
		})
	}
	close(start)
	wg.Wait()
	return int(ok.Load())
}

func TestParallelConfirmsAndAnalysesCountOnce(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.uploaded(p, 4321)
	if n := atOnce(50, func() error { _, err := w.ConfirmClip(u.UUID, p.UUID, c.UUID); return err }); n != 50 {
		t.Errorf("%d of 50 confirms returned the clip", n)
	}
	if got := get(w.User(u.UUID))(t); got.StorageUsedBytes != 4321 {
		t.Errorf("%d bytes are counted, want 4321", got.StorageUsedBytes)
	}
	w.ingest(120_000)
	if _, ok, _ := w.ClaimJob(context.Background()); ok {
		t.Error("the clip was queued twice")
	}
	start := func() error {
		_, err := w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{})
		return err
	}
	if n := atOnce(50, start); n != 1 {
		t.Errorf("%d analyses were started", n)
	}
	if b := get(w.Billing(u.UUID))(t); b.Balance != 28 || b.Reserved != 2 {
		t.Errorf("billing %+v", b)
	}
	w.clean()
}

func TestInsufficientCredits(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 31*60_000+1)
	_, err := w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{})
	wantCode(t, err, PaymentRequired, "insufficient_credits")
	if err.Error() != "need 31.01 AI minutes, have 30" {
		t.Errorf("message %q", err)
	}
	cost, balance, ok, err := w.EstimateAnalysis(u.UUID, p.UUID)
	if err != nil || cost != 31.01 || balance != 30 || ok {
		t.Errorf("estimate %v %v %v %v", cost, balance, ok, err)
	}
	if got := get(w.Project(u.UUID, p.UUID))(t); got.Status != ProjectCreated {
		t.Errorf("the project is %s", got.Status)
	}
}

func TestOwnerModeChargesNothing(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	newOwner := func() account.User {
		return account.User{Name: "Me", Username: "me", Email: "me@localhost", EmailVerified: true}
	}
	u := get(w.Owner(newOwner))(t)
	if again := get(w.Owner(newOwner))(t); again.UUID != u.UUID {
		t.Error("a second owner was created")
	}
	p := w.project(u)
	c := w.ready(p, 100*3600_000)
	w.analyzed(p, AnalysisResult{Edits: []DetectedEdit{silence(c.UUID, 0, 10)}})
	b := get(w.Billing(u.UUID))(t)
	if b.Tier != billing.Viral || b.Balance != 2400 || b.Reserved != 0 || !b.CanWatermarkFree || !b.HasActivePlan {
		t.Errorf("billing %+v", b)
	}
	e := get(w.CreateExport(u.UUID, p.UUID, NewExport{}))(t)
	if e.ExpiresAt != nil || e.WatermarkRequired {
		t.Errorf("export %+v", e)
	}
	w.clean()
}

func TestTrialRunsOncePerAddress(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	wantCode(t, w.VerifyEmail("verify-"+u.UUID, u.UUID, w.Now().Add(time.Hour)), Invalid, "invalid_token")
	must(t, w.VerifyEmail("another", u.UUID, w.Now().Add(time.Hour)))
	if b := get(w.Billing(u.UUID))(
		t,
	); b.Balance != 30 || !b.TrialUsed || b.Tier != billing.Creator || !b.CanUseAIDirector ||
		b.CanAccessSupport {
		t.Errorf("billing %+v", b)
	}
	w.clock.Advance(7 * 24 * time.Hour)
	if b := get(w.Billing(u.UUID))(t); b.Tier != billing.Free || b.SubscriptionStatus != "none" || b.HasActivePlan ||
		b.CanWatermarkFree {
		t.Errorf("after the trial: %+v", b)
	}
	w.project(u)
	w.project(u)
	w.project(u)
	_, err := w.CreateProject(u.UUID, "one more", nil)
	wantCode(t, err, Forbidden, "plan_limit")
}

// A run that holds credits does not carry them over to the next month or to another tier.
func TestReleasedCreditsExpireWithTheirMonthAndTier(t *testing.T) {
	t.Parallel()
	type step func(w *world, u account.User)
	none := func(*world, account.User) {}
	on := func(priceID int) step { return func(w *world, u account.User) { w.subscribe(u, priceID) } }
	wait := func(d time.Duration) step {
		return func(w *world, _ account.User) { w.clock.Advance(d); w.tick(true) }
	}
	for _, c := range []struct {
		name              string
		before, meanwhile step
		held, after       float64
	}{
		{"within the month they come back", none, none, 29, 30},
		{"a month begins", on(1), wait(32 * day), 119, 120},
		{"a higher plan begins", on(1), on(3), 119, 600},
		{"the plan is left", on(5), func(w *world, u account.User) {
			answer := billing.Feedback{UserUUID: u.UUID, Reason: "other", Outcome: billing.FeedbackCancelled}
			must(w.t, w.AddFeedback(answer))
		}, 2399, 30},
		{
			"the beta credits are renewed",
			func(w *world, u account.User) { get(w.GrantBeta(u.Email, 5, w.Now().Add(time.Hour)))(w.t) },
			wait(2 * time.Hour),
			34,
			35,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := open(t, func(o *Options) { o.TrialOnRequest = true })
			u := w.user("ada")
			c.before(w, u)
			p := w.project(u)
			w.ready(p, 60_000)
			run := get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
			if b := get(w.Billing(u.UUID))(t); b.Balance != c.held || b.Reserved != 1 {
				t.Fatalf("during the run: %+v", b)
			}
			c.meanwhile(w, u)
			get(w.CancelRun(u.UUID, p.UUID, run.UUID))(t)
			if b := get(w.Billing(u.UUID))(t); b.Balance != c.after || b.Reserved != 0 {
				t.Errorf("after the cancellation: %+v", b)
			}
			w.clean()
		})
	}
}

func TestTrialOnRequest(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *Options) { o.TrialOnRequest = true })
	u := w.user("ada")
	if b := get(w.Billing(u.UUID))(t); b.Tier != billing.Free || b.Balance != 30 || b.TrialUsed ||
		b.SubscriptionStatus != "none" {
		t.Errorf("billing %+v", b)
	}
}
