package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"roughcut/pipeline/rank"
	"roughcut/store"
)

// errCancelled is the cause of a job's context after its user has cancelled the job or deleted its
// subject.
var errCancelled = errors.New("cancelled")

// Options configures a Pool.
type Options struct {
	Store    *store.Store
	Engine   Engine
	Ears     Ears // nil for LocalEars
	Speech   Speech
	Importer Importer
	Ranker   *rank.Client // ranks assets for placement with a language model; may be nil
	Events   *Events
	Workers  int // concurrent jobs besides imports and tiles, at least 1
	Log      *slog.Logger
	Now      func() time.Time // nil for time.Now
	// JobEnded is called after each job with its outcome (done, cancelled, released or failed) and
	// duration. It may be nil.
	JobEnded func(kind store.JobKind, outcome string, took time.Duration)

	PrerenderAfter time.Duration                   // idle time before an export is pre-rendered; 0 means 5 s
	SweepInterval  time.Duration                   // between two sweeps; 0 means a minute
	DiskPause      time.Duration                   // before a failed transaction is tried again; 0 means 5 s
	Billing        func(ctx context.Context) error // renews subscriptions in each sweep; may be nil
}

// Pool runs queued jobs: up to Workers at a time, and in addition imports and one job for tiles.
type Pool struct {
	Options
	mu      sync.Mutex
	running map[string]context.CancelCauseFunc // by job UUID
	yield   context.CancelFunc                 // stops pre-rendering; nil if it has never run
	idle    chan struct{}                      // receives a value when the last running job ends

	heard   hearingMemory // the recordings that were ingested last
	looking chan struct{} // holds a value while Faces looks for faces
}

// NewPool returns a pool. It starts jobs in Run.
func NewPool(o Options) *Pool {
	o.Workers = max(1, o.Workers)
	if o.Ears == nil {
		o.Ears = LocalEars{o.Engine}
	}
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
	if o.DiskPause <= 0 {
		o.DiskPause = 5 * time.Second
	}
	if o.Billing == nil {
		o.Billing = func(context.Context) error { return nil }
	}
	return &Pool{
		Options: o,
		running: map[string]context.CancelCauseFunc{},
		idle:    make(chan struct{}, 1),
		looking: make(chan struct{}, 1),
	}
}

// Run runs jobs until ctx ends. It then returns unfinished jobs to the queue and waits for all
// workers to stop.
func (p *Pool) Run(ctx context.Context) error {
	var workers sync.WaitGroup
	defer workers.Wait()
	if err := p.replanWithMotion(""); err != nil { // after a crash between the two
		p.Log.Error("applying the motion of clips failed", "error", err)
	}
	workers.Go(func() { p.watchCancellations(ctx) })
	workers.Go(func() { p.sweep(ctx) })
	workers.Go(func() { p.prerender(ctx) })
	workers.Go(func() {
		p.runLane(ctx, lane{slots: importers, claim: p.Store.ClaimImport, queued: p.Store.ImportQueued()})
	})
	workers.Go(func() {
		p.runLane(ctx, lane{slots: 1, claim: p.Store.ClaimTiles, queued: p.Store.TilesQueued()})
	})
	p.runLane(ctx, lane{slots: p.Workers, claim: p.Store.ClaimJob, queued: p.Store.JobQueued()})
	return nil
}

// lane is a part of the job queue with its own workers.
type lane struct {
	slots  int // concurrent jobs
	claim  func(context.Context) (store.Job, bool, error)
	queued <-chan struct{}
}

// runLane runs the jobs of a lane until ctx ends, and returns when its last worker has stopped.
func (p *Pool) runLane(ctx context.Context, l lane) {
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

// next waits for a job. It returns false if ctx ends first.
func (p *Pool) next(ctx context.Context, l lane) (store.Job, bool) {
	for ctx.Err() == nil {
		job, ok, err := l.claim(ctx)
		if ok {
			return job, true
		}
		var retry <-chan time.Time
		if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrDamaged) {
			p.Log.Error("claiming a job failed", "error", err)
			retry = time.After(p.DiskPause)
		}

		select {
		case <-l.queued:
		case <-retry:
		case <-ctx.Done():
		}
	}

	return store.Job{}, false
}

// watchCancellations cancels running jobs whose users cancel them, until ctx ends.
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

// work runs one job and records its outcome.
func (p *Pool) work(ctx context.Context, job store.Job) {
	jobCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p.enter(job.UUID, cancel)
	defer p.leave(job.UUID)
	log := p.Log.With("job", job.UUID, "kind", job.Kind, "subject", job.Subject, "attempt", job.Attempt)
	// watchCancellations misses a cancellation between the claim and enter.
	if cancelled, err := p.Store.JobCancelled(job); err == nil && cancelled {
		cancel(errCancelled)
	}
	started := p.Now()
	err := p.run(jobCtx, job)
	took, outcome := p.Now().Sub(started), "done"
	defer func() {
		p.Store.JobEnded(job, took)
		p.JobEnded(job.Kind, outcome, took)
	}()
	switch {
	case err == nil:
		log.Info("job done", "took", took.Round(time.Millisecond))
	case p.Store.Damage() != nil:
		outcome = "released" // nothing can be recorded; the next start returns the job to the queue
	case errors.Is(err, store.ErrStaleJob), errors.Is(context.Cause(jobCtx), errCancelled):
		outcome = "cancelled"
		log.Info("job cancelled")
		if err := p.abandon(job); err != nil {
			log.Warn("publishing the cancellation of a job failed", "error", err)
		}
	case ctx.Err() != nil:
		outcome = "released"
		if err := p.Store.ReleaseJob(job); err != nil {
			log.Error("returning a job to the queue failed", "error", err)
		}
	case errors.Is(err, ErrKilled) && p.retryAlone(log, job):
		outcome = "released"
		log.Warn("the system killed the engine of a job, which runs again, alone", "error", err)
	default:
		outcome = "failed"
		err = p.Store.MissingFile(err)
		reason, internal := failureReason(err)
		if internal {
			log.Error("job failed", "error", err)
		} else {
			log.Warn("job failed", "error", err)
		}

		p.recordFailure(ctx, log, job, reason)
	}
}

// ErrKilled is in the error of an engine that the system killed, for example because its memory was
// full.
var ErrKilled = errors.New("the system killed the engine")

// retryAlone returns a job to the queue to run alone, and reports whether it does so.
func (p *Pool) retryAlone(log *slog.Logger, job store.Job) bool {
	again, err := p.Store.RetryAlone(job)
	if err != nil {
		log.Error("returning a job to the queue failed", "error", err)
	}
	return again
}

// recordFailure records the failure of a job. It tries again while the disk refuses it, because
// nothing else would end the job before the next start.
func (p *Pool) recordFailure(ctx context.Context, log *slog.Logger, job store.Job, reason string) {
	for {
		err := p.fail(job, reason)
		if err == nil || errors.Is(err, store.ErrStaleJob) {
			return
		}
		log.Error("recording a failed job failed", "error", err)
		if p.Store.Damage() != nil {
			return
		}
		select {
		case <-time.After(p.DiskPause):
		case <-ctx.Done():
			return
		}
	}
}

// enter registers a running job and stops pre-rendering.
func (p *Pool) enter(job string, cancel context.CancelCauseFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[job] = cancel
	if p.yield != nil {
		p.yield()
	}
}

// leave removes a job that has ended.
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

// run executes a job and commits its result. It turns a panic into an error, so that one bad
// recording cannot stop the server.
func (p *Pool) run(ctx context.Context, job store.Job) (err error) {
	defer panicAsError(&err)
	switch job.Kind {
	case store.JobImport:
		return p.importClip(ctx, job)
	case store.JobAssetImport:
		return p.importAsset(ctx, job)
	case store.JobClip:
		return p.clip(ctx, job)
	case store.JobTiles:
		return p.tiles(ctx, job)
	case store.JobAnalysis:
		return p.analysis(ctx, job)
	case store.JobExport:
		return p.export(ctx, job)
	case store.JobAsset:
		return p.asset(ctx, job)
	case store.JobConstantRate:
		return p.constantRate(ctx, job)
	}

	return fmt.Errorf("unknown job kind %q", job.Kind)
}

// panicAsError, deferred, sets err if the function panics.
func panicAsError(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
	}
}

// fail records the failure of a job and publishes it on the event stream of its project, if it has
// one.
func (p *Pool) fail(job store.Job, reason string) error {
	switch job.Kind {
	case store.JobClip, store.JobImport:
		if err := p.Store.FailClip(job, reason); err != nil {
			return err
		}
		return p.Events.Publish(job.ProjectUUID, ClipFailed, clipFailed{job.Subject, reason})
	case store.JobConstantRate:
		if err := p.Store.FailConstantRateCopy(job, reason); err != nil {
			return err
		}
		return p.Events.Publish(job.ProjectUUID, ConstantRateFailed, clipFailed{job.ClipUUID(), reason})
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
	case store.JobTiles:
		return p.failTiles(job, reason)
	}

	return fmt.Errorf("unknown job kind %q", job.Kind)
}

// failureReason returns the text of an error for the user, and whether the error is internal to
// Roughcut.
func failureReason(err error) (reason string, internal bool) {
	var file FileFault
	var known *store.Error
	switch {
	case errors.As(err, &file):
		return sentence(file.FileFault()), false
	case errors.As(err, &known):
		return known.Message, errors.Is(err, store.ErrDisk)
	case store.DiskFull(err):
		return "The disk is full. Free some space and try again.", false
	case store.DiskBroken(err):
		return store.DiskErrorText, true
	case store.TooManyFiles(err):
		return store.OpenFilesText, true
	}

	return "Something went wrong inside Roughcut. Try again; the server log has the details.", true
}

// sentence turns an error text into a sentence.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(text[size:], ".") + "."
}

// pacer limits progress reports to four per second and step, and to changed percentages.
type pacer struct {
	now   func() time.Time
	last  time.Time
	shown int
	step  string
}

// ready reports whether to report a progress. It always accepts a new step.
func (p *pacer) ready(step string, percent int) bool {
	now := p.now()
	tooSoon := now.Sub(p.last) < 250*time.Millisecond
	if step == p.step && (percent == p.shown || tooSoon) {
		return false
	}
	p.step, p.shown, p.last = step, percent, now
	return true
}
