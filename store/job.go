package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roughcut/store/table"
)

// JobKind says what a job works on.
type JobKind string

// The kinds of jobs; Job.Subject is the uuid of a clip, a run, an export or an asset. An import is
// followed by the other job of its clip or asset.
const (
	JobImport      JobKind = "import"
	JobAssetImport JobKind = "asset_import"
	JobClip        JobKind = "clip"
	JobAnalysis    JobKind = "analysis"
	JobExport      JobKind = "export"
	JobAsset       JobKind = "asset"
)

// fetches reports an import, whose work is to wait for the network.
func (k JobKind) fetches() bool { return k == JobImport || k == JobAssetImport }

// Job is queued work. A worker holds it under the lease that ClaimJob gave it.
type Job struct {
	UUID        string
	Kind        JobKind
	Subject     string
	UserUUID    string
	ProjectUUID string // empty for an asset
	Attempt     int    // from 1
	Lease       uint64 // new with every claim; a result under an old one is refused
	CreatedAt   time.Time
}

// maxAttempts is how often work that takes the whole process down with it is tried. A crash is not
// always the fault of what was being worked on: power fails, and other work may have been running.
const maxAttempts = 3

// poisonReason is what a user reads about such work.
const poisonReason = "The server stopped three times while working on this, so it was given up. The file may be damaged: try another copy of it."

// States of a job. One that has ended has no row.
const (
	jobQueued  = "queued"
	jobRunning = "running"
)

type jobRow struct {
	Job
	Seq      uint64
	State    string
	LeasedAt *time.Time // nil while queued
}

var (
	jobsByState   = &table.Index[jobRow]{Name: "jobs.by_state", Keys: func(r *jobRow) [][]byte { return table.Entry(r.State, r.Seq) }}
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
	t.wakeFor(kind)
	return jobs.Put(
		t,
		&jobRow{
			Seq:   seq,
			State: jobQueued,
			Job: Job{UUID: t.s.NewID(), Kind: kind, Subject: subject, UserUUID: userUUID,
				ProjectUUID: projectUUID, CreatedAt: t.now},
		},
	)
}

// wakeFor remembers whom to wake after the commit.
func (t *txn) wakeFor(kind JobKind) {
	if kind.fetches() {
		t.wakeImports = true
	} else {
		t.wakeJobs = true
	}
}

// ClaimJob hands out the oldest queued job of the user who has the fewest running; ok is false when
// nothing is queued. Imports are none of its business: they wait for the network, not for the
// processors.
func (s *Store) ClaimJob(ctx context.Context) (j Job, ok bool, err error) {
	return s.claim(ctx, func(kind JobKind) bool { return !kind.fetches() })
}

// ClaimImport is ClaimJob for imports.
func (s *Store) ClaimImport(ctx context.Context) (j Job, ok bool, err error) {
	return s.claim(ctx, JobKind.fetches)
}

func (s *Store) claim(ctx context.Context, mine func(JobKind) bool) (j Job, ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return Job{}, false, err
	}
	waiting := false
	if err := s.view(
		func(t *txn) error { waiting = jobs.Count(t, jobsByState, jobQueued) > 0; return nil },
	); err != nil ||
		!waiting {
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
		now := t.now
		row.State, row.LeasedAt = jobRunning, &now
		row.Attempt++
		j, ok = row.Job, true
		return jobs.Put(t, row)
	})
	if err != nil {
		return Job{}, false, err
	}
	return j, ok, nil
}

// nextJob returns the queued job whose turn it is, or nil.
func (t *txn) nextJob(mine func(JobKind) bool) (*jobRow, error) {
	running, err := jobs.List(t, jobsByState, jobRunning)
	if err != nil {
		return nil, err
	}
	busy := map[string]int{}
	for _, row := range running {
		if mine(row.Kind) {
			busy[row.UserUUID]++
		}
	}
	queued, err := jobs.List(t, jobsByState, jobQueued)
	if err != nil {
		return nil, err
	}
	var best *jobRow
	for _, row := range queued {
		if mine(row.Kind) && (best == nil || busy[row.UserUUID] < busy[best.UserUUID]) {
			best = row
		}
	}
	return best, nil
}

// held returns the row of a job that is still its worker's. Errors: ErrStaleJob.
func (t *txn) held(j Job) (*jobRow, error) {
	row, err := jobs.Find(t, j.UUID)
	if err != nil {
		return nil, err
	}
	if row == nil || row.State != jobRunning || row.Lease != j.Lease {
		return nil, ErrStaleJob
	}
	return row, nil
}

// ReleaseJob puts a job back in the queue, as at shutdown; the attempt does not count. Errors:
// ErrStaleJob.
func (s *Store) ReleaseJob(j Job) error {
	return s.update(func(t *txn) error {
		row, err := t.held(j)
		if err != nil {
			return err
		}
		row.Attempt--
		return t.requeue(row)
	})
}

// requeue puts a running job back in the queue, and its subject back to waiting.
func (t *txn) requeue(row *jobRow) error {
	row.State, row.LeasedAt = jobQueued, nil
	t.wakeFor(row.Kind)
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

// requeueJobs puts the work that a crash interrupted back in the queue, and gives up what was tried
// often enough.
func (s *Store) requeueJobs() error {
	interrupted := 0
	if err := s.view(
		func(t *txn) error { interrupted = jobs.Count(t, jobsByState, jobRunning); return nil },
	); err != nil ||
		interrupted == 0 {
		return err
	}
	return s.update(func(t *txn) error {
		running, err := jobs.List(t, jobsByState, jobRunning)
		if err != nil {
			return err
		}
		for _, row := range running {
			if row.Attempt >= maxAttempts {
				err = t.giveUp(row)
			} else {
				err = t.requeue(row)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// giveUp fails the subject of a job that crashed the process too often, and says so in the log of
// its project, if it has one.
func (t *txn) giveUp(row *jobRow) error {
	t.s.o.Log.Error(
		"giving up on work that stopped the server",
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
		event, name, err = "CLIP_FAILED", "clip_uuid", t.failClip(row, poisonReason)
	case JobAnalysis:
		event, name, err = "ANALYSIS_FAILED", "run_uuid", t.failRun(row, poisonReason)
	case JobExport:
		event, name, err = "EXPORT_FAILED", "export_uuid", t.failExport(row, poisonReason)
	case JobAsset, JobAssetImport:
		return t.failAsset(row, poisonReason)
	default:
		err = fmt.Errorf("a job of unknown kind %q", row.Kind)
	}
	if err != nil {
		return err
	}
	return t.appendEvent(row.ProjectUUID, event, map[string]string{name: row.Subject, "error": poisonReason})
}

// JobCancelled reports whether the subject of a job was cancelled or deleted, or the job is no
// longer this worker's.
func (s *Store) JobCancelled(j Job) (bool, error) {
	gone := false
	err := s.view(func(t *txn) error {
		_, err := t.held(j)
		if gone = errors.Is(err, ErrStaleJob); gone {
			err = nil
		}
		return err
	})
	return gone, err
}

// JobQueued carries a token when there may be something for ClaimJob.
func (s *Store) JobQueued() <-chan struct{} { return s.jobQueued }

// ImportQueued carries a token when there may be something for ClaimImport.
func (s *Store) ImportQueued() <-chan struct{} { return s.importQueued }

// Cancellations carries the ids of jobs whose work shall stop now.
func (s *Store) Cancellations() <-chan string { return s.cancellations }

// cancelJob takes the job of a subject away; there may be none.
func (t *txn) cancelJob(subject string) error {
	row, err := jobs.Lookup(t, jobsBySubject, subject)
	if err != nil || row == nil {
		return err
	}
	return t.dropJob(row)
}

func (t *txn) dropJob(row *jobRow) error {
	if row.State == jobRunning {
		t.cancels = append(t.cancels, row.UUID)
	}
	return jobs.Delete(t, row.UUID)
}

// dropJobs takes all jobs of a project away.
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
