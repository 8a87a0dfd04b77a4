package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"roughcut/pipeline/rank"
	"roughcut/store"
)

// errCancelled is the cause of a job's context when its user cancelled or deleted what it worked
// on.
var errCancelled = errors.New("cancelled")

// Options are what a Pool is made of.
type Options struct {
	Store    *store.Store
	Engine   Engine
	Speech   Speech
	Importer Importer
	Ranker   *rank.Client // a language model that ranks assets to be placed; nil where there is none
	Events   *Events
	Workers  int // jobs at the same time, at least 1; imports come on top
	Log      *slog.Logger
	Now      func() time.Time // paces progress reports; nil means time.Now
	// JobEnded is told of each job how it ended (done, cancelled, released, failed) and how long it
	// took; it may be nil.
	JobEnded func(kind store.JobKind, outcome string, took time.Duration)

	// how long nothing must have happened before exports are prepared; 0 means five seconds
	PrerenderAfter time.Duration
	SweepInterval  time.Duration                   // between two looks for what is past its time; 0 means a minute
	Billing        func(ctx context.Context) error // does what time has brought about for plans; nil means nothing
}

// Pool runs queued jobs, Workers at a time, and imports beside them.
type Pool struct {
	Options
	mu      sync.Mutex
	running map[string]context.CancelCauseFunc // by job
	yield   context.CancelFunc                 // ends what runs only while no job does; nil while nothing does
	idle    chan struct{}                      // the last job has ended
}

// NewPool returns a pool that does nothing until Run.
func NewPool(o Options) *Pool {
	o.Workers = max(1, o.Workers)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.JobEnded == nil {
		o.JobEnded = func(store.JobKind, string, time.Duration) {}
	}
	if o.PrerenderAfter <= 0 {
		o.PrerenderAfter = 5 * time.Second
	}
	if o.SweepInterval <= 0 {
		o.SweepInterval = time.Minute
	}
	if o.Billing == nil {
		o.Billing = func(context.Context) error { return nil }
	}
	return &Pool{Options: o, running: map[string]context.CancelCauseFunc{}, idle: make(chan struct{}, 1)}
}

// Run works until ctx ends, then gives what it was working on back to the queue and returns when
// the last worker has stopped.
func (p *Pool) Run(ctx context.Context) error {
	var workers sync.WaitGroup
	defer workers.Wait()
	workers.Go(func() { p.watchCancellations(ctx) })
	workers.Go(func() { p.sweep(ctx) })
	workers.Go(func() { p.prepare(ctx) })
	workers.Go(func() {
		p.take(ctx, lane{slots: importers, claim: p.Store.ClaimImport, queued: p.Store.ImportQueued()})
	})
	p.take(ctx, lane{slots: p.Workers, claim: p.Store.ClaimJob, queued: p.Store.JobQueued()})
	return nil
}

// lane is a part of the queue that is worked off for itself.
type lane struct {
	slots  int // jobs at the same time
	claim  func(context.Context) (store.Job, bool, error)
	queued <-chan struct{}
}

// take works off a lane until ctx ends, and returns when its last worker has stopped.
func (p *Pool) take(ctx context.Context, l lane) {
	var workers sync.WaitGroup
	defer workers.Wait()
	slots := make(chan struct{}, l.slots)
	for {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		job, ok := p.next(ctx, l)
		if !ok {
			return
		}
		workers.Go(func() {
			defer func() { <-slots }()
			p.work(ctx, job)
		})
	}
}

// next waits for a job; ok is false when ctx ended first.
func (p *Pool) next(ctx context.Context, l lane) (store.Job, bool) {
	for ctx.Err() == nil {
		job, ok, err := l.claim(ctx)
		if ok {
			return job, true
		}
		var retry <-chan time.Time
		if err != nil && ctx.Err() == nil {
			p.Log.Error("claiming a job", "error", err)
			timer := time.NewTimer(5 * time.Second)
			defer timer.Stop()
			retry = timer.C
		}
		select {
		case <-l.queued:
		case <-retry:
		case <-ctx.Done():
		}
	}
	return store.Job{}, false
}

func (p *Pool) watchCancellations(ctx context.Context) {
	for {
		select {
		case id := <-p.Store.Cancellations():
			p.mu.Lock()
			if cancel := p.running[id]; cancel != nil {
				cancel(errCancelled)
			}
			p.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

// work runs one job to its end, whatever that is.
func (p *Pool) work(ctx context.Context, job store.Job) {
	jobCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p.enter(job.UUID, cancel)
	defer p.leave(job.UUID)
	log := p.Log.With("job", job.UUID, "kind", job.Kind, "subject", job.Subject, "attempt", job.Attempt)
	// A cancellation that came between the claim and the line above was announced to nobody.
	if cancelled, err := p.Store.JobCancelled(job); err == nil && cancelled {
		cancel(errCancelled)
	}
	started := p.Now()
	err := p.run(jobCtx, job)
	took, outcome := p.Now().Sub(started), "done"
	defer func() { p.JobEnded(job.Kind, outcome, took) }()
	switch {
	case err == nil:
		log.Info("job done", "took", took.Round(time.Millisecond))
	case errors.Is(err, store.ErrStaleJob), errors.Is(context.Cause(jobCtx), errCancelled):
		outcome = "cancelled"
		log.Info("job cancelled")
		if err := p.abandon(job); err != nil {
			log.Warn("telling of a cancelled job", "error", err)
		}
	case ctx.Err() != nil:
		outcome = "released"
		if err := p.Store.ReleaseJob(job); err != nil {
			log.Error("giving a job back to the queue", "error", err)
		}
	default:
		outcome = "failed"
		reason, ours := explain(err)
		if ours {
			log.Error("job failed", "error", err)
		} else {
			log.Warn("job failed", "error", err)
		}
		if err := p.fail(job, reason); err != nil && !errors.Is(err, store.ErrStaleJob) {
			log.Error("recording a failed job", "error", err)
		}
	}
}

// enter notes that a job runs, and ends what runs only while none does.
func (p *Pool) enter(job string, cancel context.CancelCauseFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[job] = cancel
	if p.yield != nil {
		p.yield()
	}
}

// leave notes that a job has ended.
func (p *Pool) leave(job string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.running, job)
	if len(p.running) > 0 {
		return
	}
	select {
	case p.idle <- struct{}{}:
	default:
	}
}

// run does the work of a job and commits its result. A panic becomes an error: one bad recording
// must not end the server.
func (p *Pool) run(ctx context.Context, job store.Job) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	switch job.Kind {
	case store.JobImport:
		return p.importClip(ctx, job)
	case store.JobAssetImport:
		return p.importAsset(ctx, job)
	case store.JobClip:
		return p.clip(ctx, job)
	case store.JobAnalysis:
		return p.analysis(ctx, job)
	case store.JobExport:
		return p.export(ctx, job)
	case store.JobAsset:
		return p.asset(ctx, job)
	}
	return fmt.Errorf("unknown kind of job %q", job.Kind)
}

// fail commits the end of a job that did not work out, and says so on the stream of its project,
// where it has one.
func (p *Pool) fail(job store.Job, reason string) error {
	switch job.Kind {
	case store.JobClip, store.JobImport:
		if err := p.Store.FailClip(job, reason); err != nil {
			return err
		}
		return p.Events.Publish(job.ProjectUUID, ClipFailed, clipFailed{job.Subject, reason})
	case store.JobAnalysis:
		if err := p.Store.FailAnalysis(job, reason); err != nil {
			return err
		}
		return p.Events.Publish(job.ProjectUUID, AnalysisFailed, analysisFailed{job.Subject, reason})
	case store.JobExport:
		if err := p.Store.FailExport(job, reason); err != nil {
			return err
		}
		return p.Events.Publish(job.ProjectUUID, ExportFailed, exportFailed{job.Subject, reason})
	case store.JobAsset, store.JobAssetImport:
		return p.Store.FailAsset(job, reason)
	}
	return fmt.Errorf("unknown kind of job %q", job.Kind)
}

// explain turns an error into what a person reads, and tells whether the fault is the program's
// own.
func explain(err error) (reason string, ours bool) {
	var file FileFault
	var known *store.Error
	switch {
	case errors.As(err, &file):
		return sentence(file.FileFault()), false
	case errors.As(err, &known):
		return known.Message, false
	case errors.Is(err, syscall.ENOSPC):
		return "The disk is full. Free some space and try again.", false
	}
	return "Something went wrong inside Roughcut; the log has the details. Trying again may help.", true
}

// sentence makes one of what an error says.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(text[size:], ".") + "."
}

// pacer lets progress through at most four times a second, and only where the figure has moved.
type pacer struct {
	now   func() time.Time
	last  time.Time
	shown int
	step  string
}

// ready reports whether step and percent are worth telling; a new step always is.
func (p *pacer) ready(step string, percent int) bool {
	now := p.now()
	if step == p.step && (percent == p.shown || now.Sub(p.last) < 250*time.Millisecond) {
		return false
	}
	p.step, p.shown, p.last = step, percent, now
	return true
}
