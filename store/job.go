package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"roughcut/store/table"
)

// JobKind is the kind of work of a job.
type JobKind string

// Kinds of jobs. Job.Subject is the uuid of a clip, run, export or asset. After an import, the clip
// or asset gets a job of the other kind. A ready clip can have three jobs at the same time: a
// JobClip that makes lost files again, a JobTiles, whose subject is the file id of the clip, and a
// JobConstantRate, whose subject is copyPrefix with the uuid of the clip.
const (
	JobImport       JobKind = "import"
	JobAssetImport  JobKind = "asset_import"
	JobClip         JobKind = "clip"
	JobAnalysis     JobKind = "analysis"
	JobExport       JobKind = "export"
	JobAsset        JobKind = "asset"
	JobConstantRate JobKind = "constant_rate"
	JobTiles        JobKind = "tiles"
)

// copyPrefix starts the subject of each JobConstantRate, so that it differs from the subject of a
// JobClip.
const copyPrefix = "constant-rate:"

// ClipUUID returns the clip of a JobClip or JobConstantRate.
func (j Job) ClipUUID() string { return strings.TrimPrefix(j.Subject, copyPrefix) }

// lane is a part of the queue with its own workers.
type lane int

// The lanes. Imports wait for the network most of the time, and tiles for a processor that nothing
// else needs.
const (
	laneWork lane = iota
	laneImports
	laneTiles
	lanes // the number of lanes
)

func (k JobKind) lane() lane {
	switch k {
	case JobImport, JobAssetImport:
		return laneImports
	case JobTiles:
		return laneTiles
	}

	return laneWork
}

// Job is queued work. A worker holds it under the lease from ClaimJob.
type Job struct {
	UUID        string
	Kind        JobKind
	Subject     string
	UserUUID    string
	ProjectUUID string // empty for an asset
	Attempt     int    // from 1
	Lease       uint64 // new with every claim; results under an old lease are refused
	CreatedAt   time.Time
}

// maxAttempts is how often a job runs that takes the whole process down. A crash is not always the
// fault of the job: the power may fail, or another job may have caused it.
const maxAttempts = 3

// poisonReason is the message to the user about a job that failed this way.
const poisonReason = "Processing failed because the server stopped three times during it. " +
	"The file may be damaged. Try another copy of the file."

// endlessReason is the message to the user about a job that several restarts have interrupted.
const endlessReason = "Processing failed because it had not ended after several restarts of the server. " +
	"The file may be damaged. Try another copy of the file."

// States of a job. A job that has ended has no row.
const (
	jobQueued  = "queued"
	jobRunning = "running"
)

type jobRow struct {
	Job
	Seq      uint64
	State    string
	LeasedAt *time.Time // nil while queued
	Suspect  bool       `json:",omitempty"` // ran when the server crashed; runs alone
	Releases int        `json:",omitempty"` // regular restarts that interrupted it
}

// Regular restarts that interrupt a job do not count as attempts, up to freeReleases, or if they do
// so within shortRun. A job that never ends would otherwise return after every restart.
const (
	freeReleases = 2
	shortRun     = time.Minute
)

var (
	jobsByState = &table.Index[jobRow]{
		Name: "jobs.by_state",
		Keys: func(r *jobRow) [][]byte { return table.Entry(r.State, r.Seq) },
	}
	jobsBySubject = &table.Index[jobRow]{
		Name:   "jobs.by_subject",
		Unique: true,
		Keys:   func(r *jobRow) [][]byte { return table.Entry(r.Subject) },
	}
	jobsByProject = &table.Index[jobRow]{
		Name: "jobs.by_project",
		Keys: func(r *jobRow) [][]byte { return table.Entry(r.ProjectUUID) },
	}
	jobs = &table.Table[jobRow]{
		Name:    "jobs",
		Noun:    "job",
		Key:     func(r *jobRow) []byte { return []byte(r.UUID) },
		Indexes: []*table.Index[jobRow]{jobsByState, jobsBySubject, jobsByProject},
	}
)

func (t *txn) enqueue(kind JobKind, subject, userUUID, projectUUID string) error {
	seq, err := jobs.NextSeq(t)
	if err != nil {
		return err
	}
	t.wakeOnCommit(t.s.queued[kind.lane()])
	return jobs.Put(t, &jobRow{
		Seq:   seq,
		State: jobQueued,
		Job: Job{UUID: t.NewID(), Kind: kind, Subject: subject, UserUUID: userUUID,
			ProjectUUID: projectUUID, CreatedAt: t.Now},
	})
}

// ClaimJob gives a worker the next job, see nextJob. ok is false if no job can start. ClaimJob
// skips imports and tiles, which have their own workers.
func (s *Store) ClaimJob(ctx context.Context) (j Job, ok bool, err error) {
	return s.claimJob(ctx, laneWork)
}

// ClaimImport is ClaimJob for imports.
func (s *Store) ClaimImport(ctx context.Context) (j Job, ok bool, err error) {
	return s.claimJob(ctx, laneImports)
}

// ClaimTiles is ClaimJob for jobs of the kind JobTiles.
func (s *Store) ClaimTiles(ctx context.Context) (j Job, ok bool, err error) {
	return s.claimJob(ctx, laneTiles)
}

func (s *Store) claimJob(ctx context.Context, mine lane) (j Job, ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return Job{}, false, err
	}
	waiting := false
	err = s.view(func(t *txn) error {
		waiting = jobs.Count(t, jobsByState, jobQueued) > 0
		return nil
	})
	if err != nil || !waiting {
		return Job{}, false, err
	}
	err = s.update(func(t *txn) error {
		row, err := t.nextJob(mine)
		if err != nil || row == nil {
			return err
		}
		row.Lease, err = jobs.NextSeq(t)
		if err != nil {
			return err
		}
		now := t.Now
		row.State, row.LeasedAt = jobRunning, &now
		row.Attempt++
		j, ok = row.Job, true
		return jobs.Put(t, row)
	})
	if err != nil && !inEffect(err) { // a claim in effect is valid: no other worker gets the job
		return Job{}, false, err
	}
	return j, ok, nil
}

// heldJob returns the row of a job whose lease is still valid. Errors: ErrStaleJob.
func (t *txn) heldJob(j Job) (*jobRow, error) {
	row, err := jobs.Find(t, j.UUID)
	if err != nil {
		return nil, err
	}
	if row == nil || row.State != jobRunning || row.Lease != j.Lease {
		return nil, ErrStaleJob
	}
	return row, nil
}

// heldRow returns the row of a job whose lease is still valid, and a row of its subject. Errors:
// ErrStaleJob.
func heldRow[T any](t *txn, j Job, subjects *table.Table[T], key string) (*jobRow, *T, error) {
	held, err := t.heldJob(j)
	if err != nil {
		return nil, nil, err
	}
	row, err := subjects.Get(t, key)
	return held, row, err
}

// failJob ends a job without success. Errors: ErrStaleJob.
func (s *Store) failJob(j Job, reason string, fail func(*txn, *jobRow, string) error) error {
	return s.updateOnReserve(func(t *txn) error {
		held, err := t.heldJob(j)
		if err != nil {
			return err
		}
		return fail(t, held, reason)
	})
}

// ReleaseJob returns a job to the queue, for example at shutdown. The attempt does not count unless
// the job ran for a minute and was already released twice. ReleaseJob fails a job that has had all
// its attempts. Errors: ErrStaleJob.
func (s *Store) ReleaseJob(j Job) error {
	return s.update(func(t *txn) error {
		row, err := t.heldJob(j)
		if err != nil {
			return err
		}
		if row.LeasedAt != nil && t.Now.Sub(*row.LeasedAt) >= shortRun {
			row.Releases++
		}
		return t.release(row)
	})
}

// release returns a job to the queue, or fails it after too many releases.
func (t *txn) release(row *jobRow) error {
	if row.Releases <= freeReleases {
		row.Attempt--
	} else if row.Attempt >= maxAttempts {
		return t.giveUp(row, endlessReason)
	}

	return t.requeue(row)
}

// RetryAlone returns a job to the queue whose engine the system has killed, which runs alone then.
// again is false if it has run alone already. Errors: ErrStaleJob.
func (s *Store) RetryAlone(j Job) (again bool, err error) {
	return updated(s, func(t *txn) (again bool, err error) {
		row, err := t.heldJob(j)
		if err != nil || row.Suspect {
			return again, err
		}
		again, row.Suspect = true, true
		return again, t.requeue(row)
	})
}

// requeue returns a running job to the queue and sets its subject to queued.
func (t *txn) requeue(row *jobRow) error {
	row.State, row.LeasedAt = jobQueued, nil
	t.wakeOnCommit(t.s.queued[row.Kind.lane()])
	var err error
	switch row.Kind {
	case JobAnalysis:
		err = t.changeRun(row.Subject, func(r *runRow) { r.Status = RunQueued })
	case JobExport:
		err = t.changeExport(row.Subject, func(r *exportRow) { r.Status, r.Step, r.Progress = ExportQueued, "", 0 })
	}

	if err != nil {
		return err
	}
	return jobs.Put(t, row)
}

// requeueJobs returns the jobs that a crash interrupted to the queue. It fails a job that has had
// all its attempts and ran alone, because no other job can have caused the crash. With isolation,
// the crash counts like a regular restart after a long run.
func (s *Store) requeueJobs() error {
	interrupted := 0
	err := s.view(func(t *txn) error {
		interrupted = jobs.Count(t, jobsByState, jobRunning)
		return nil
	})
	if err != nil || interrupted == 0 {
		return err
	}
	return s.updateOnReserve(func(t *txn) error {
		running, err := jobs.List(t, jobsByState, jobRunning)
		if err != nil {
			return err
		}
		for _, row := range running {
			switch {
			case s.o.Isolated:
				row.Releases++
				err = t.release(row)
			case row.Attempt >= maxAttempts && len(running) == 1:
				err = t.giveUp(row, poisonReason)
			default:
				row.Suspect = true
				err = t.requeue(row)
			}

			if err != nil {
				return err
			}
		}

		return nil
	})
}

// giveUp fails the subject of a job that has had all its attempts, and appends an event to the log
// of its project, if there is one.
func (t *txn) giveUp(row *jobRow, reason string) error {
	t.s.o.Log.Error(
		"dropping a job after its last attempt",
		"job",
		row.UUID,
		"kind",
		row.Kind,
		"subject",
		row.Subject,
		"attempts",
		row.Attempt,
	)
	var err error
	var event, name string
	switch row.Kind {
	case JobClip, JobImport:
		event, name, err = "CLIP_FAILED", "clip_uuid", t.failClip(row, reason)
	case JobConstantRate:
		event, name, err = "CONSTANT_RATE_FAILED", "clip_uuid", t.failConstantRateCopy(row, reason)
	case JobAnalysis:
		event, name, err = "ANALYSIS_FAILED", "run_uuid", t.failRun(row, reason)
	case JobExport:
		event, name, err = "EXPORT_FAILED", "export_uuid", t.failExport(row, reason)
	case JobAsset, JobAssetImport:
		return t.failAsset(row, reason)
	case JobTiles:
		clip, err := t.failTiles(row, reason)
		if err != nil || clip == "" {
			return err
		}
		failed := map[string]string{"clip_uuid": clip, "error": reason}
		return t.appendEvent(row.ProjectUUID, "CLIP_TILES_FAILED", failed)
	default:
		err = fmt.Errorf("unknown job kind %q", row.Kind)
	}

	if err != nil {
		return err
	}
	return t.appendEvent(row.ProjectUUID, event, map[string]string{name: row.ClipUUID(), "error": reason})
}

// JobCancelled reports whether a job was cancelled, its subject was deleted, or another attempt
// holds its lease.
func (s *Store) JobCancelled(j Job) (bool, error) {
	gone := false
	err := s.view(func(t *txn) error {
		_, err := t.heldJob(j)
		if gone = errors.Is(err, ErrStaleJob); gone {
			err = nil
		}
		return err
	})
	return gone, err
}

// JobQueued receives a token when there may be a job for ClaimJob.
func (s *Store) JobQueued() <-chan struct{} { return s.queued[laneWork] }

// ImportQueued receives a token when there may be a job for ClaimImport.
func (s *Store) ImportQueued() <-chan struct{} { return s.queued[laneImports] }

// TilesQueued receives a token when there may be a job for ClaimTiles.
func (s *Store) TilesQueued() <-chan struct{} { return s.queued[laneTiles] }

// Cancellations receives the ids of running jobs that must stop now.
func (s *Store) Cancellations() <-chan string { return s.cancellations }

// cancelJob deletes the job of a subject, if there is one, and stops it when it runs.
func (t *txn) cancelJob(subject string) error {
	row, err := jobs.Lookup(t, jobsBySubject, subject)
	if err != nil || row == nil {
		return err
	}
	return t.dropJob(row)
}

func (t *txn) dropJob(row *jobRow) error {
	if row.State == jobRunning {
		t.OnCommit(func() {
			select {
			case t.s.cancellations <- row.UUID:
			default: // channel full: the worker asks JobCancelled
			}
		})
	}

	return jobs.Delete(t, row.UUID)
}

// dropJobs deletes all jobs of a project and stops those that run.
func (t *txn) dropJobs(projectUUID string) error {
	rows, err := jobs.List(t, jobsByProject, projectUUID)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := t.dropJob(row); err != nil {
			return err
		}
	}

	return nil
}
