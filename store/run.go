package store

import (
	"slices"
	"time"
)

// Statuses of runs; exports share the last three.
const (
	RunQueued       = "queued"
	RunRunning      = "running"
	StatusCompleted = "completed"
	StatusFailed    = "failed"
	StatusCancelled = "cancelled"
)

// Knobs is what a person chooses for an analysis.
type AnalysisSettings struct {
	PacingLevel           int     // 0-100
	FalseStartSensitivity int     // 0-100
	CutFillers            bool    // fillers are proposed as active edits
	Language              *string // nil to detect it
	DirectorNotes         string
}

// Run is one analysis of a project.
type Run struct {
	UUID, ProjectUUID, UserUUID, Status, Error string
	AnalysisSettings
	Model                                    string // empty when there was no speech model
	DetectedLanguage                         string
	EditCount, SilenceCount, FalseStartCount int
	CreditsCharged                           float64          // AI minutes
	DurationMS                               int64            // of the clips that were analysed
	Timings                                  map[string]int64 // step to milliseconds
	// assets of the library are placed: the plan at its start had the AI Director
	Directed             bool
	DirectorReport       string // what came of that, in words
	CreatedAt, UpdatedAt time.Time
}

// runRow is a Run as it is stored.
type runRow struct {
	Run
	Seq         uint64
	PriorStatus string // of the project, before this run
	PriorError  string
	Dismissed   []dismissal
}

var (
	runsByProject = &index[runRow]{
		name: "runs.by_project",
		keys: func(r *runRow) [][]byte { return one(r.ProjectUUID, r.Seq) },
	}
	runs = &table[runRow]{
		name:    "runs",
		what:    "analysis run",
		key:     func(r *runRow) []byte { return []byte(r.UUID) },
		indexes: []*index[runRow]{runsByProject},
	}
)

func (t *txn) changeRun(uuid string, fn func(*runRow)) error {
	row, err := runs.get(t, uuid)
	if err != nil {
		return err
	}
	fn(row)
	row.UpdatedAt = t.now
	return runs.put(t, row)
}

// count adds n edits of a type to what the run says about itself.
func (r *runRow) count(editType string, n int) {
	r.EditCount += n
	switch editType {
	case EditSilence:
		r.SilenceCount += n
	case EditFalseStart:
		r.FalseStartCount += n
	}
}

// CancelRun stops a run that has not ended and releases its credits; the project returns to where
// it was. Errors: Conflict.
func (s *Store) CancelRun(userUUID, projectUUID, runUUID string) (Run, error) {
	var row *runRow
	err := s.update(func(t *txn) (err error) {
		if row, err = t.ownRun(userUUID, projectUUID, runUUID); err != nil {
			return err
		}
		if row.Status != RunQueued && row.Status != RunRunning {
			return fail(Conflict, "conflict", "The analysis has ended already (%s).", row.Status)
		}
		if err := t.cancelJob(row.UUID); err != nil {
			return err
		}
		if _, err := t.settle(row.UUID, released); err != nil {
			return err
		}
		row.Status, row.UpdatedAt = StatusCancelled, t.now
		if err := runs.put(t, row); err != nil {
			return err
		}
		if err := t.Bucket([]byte(bucketEvidence)).Delete([]byte(row.UUID)); err != nil {
			return err
		}
		return t.changeProject(projectUUID, func(p *projectRow) {
			p.Status, p.Error = row.PriorStatus, row.PriorError
			if p.ActiveRunUUID != "" {
				p.Status = ProjectAnalyzed
			}
		})
	})
	if err != nil {
		return Run{}, err
	}
	return row.Run, nil
}

// ownRun returns a run of a user's project. Errors: NotFound, then Forbidden; NotFound also for a
// run of another project.
func (t *txn) ownRun(userUUID, projectUUID, runUUID string) (*runRow, error) {
	if _, err := t.ownProject(userUUID, projectUUID); err != nil {
		return nil, err
	}
	row, err := runs.get(t, runUUID)
	if err != nil {
		return nil, err
	}
	if row.ProjectUUID != projectUUID {
		return nil, notFound(runs.what)
	}
	return row, nil
}

// Runs returns the runs of a project, newest first.
func (s *Store) Runs(userUUID, projectUUID string) ([]Run, error) {
	list := []Run{}
	err := s.view(func(t *txn) error {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		rows, _, err := runs.page(t, Page{}, runsByProject, projectUUID)
		for _, row := range rows {
			list = append(list, row.Run)
		}
		return err
	})
	return list, err
}

// Run returns a run with its transcript.
func (s *Store) Run(userUUID, projectUUID, runUUID string) (Run, ProjectTranscript, error) {
	var run Run
	var spoken ProjectTranscript
	err := s.view(func(t *txn) error {
		row, err := t.ownRun(userUUID, projectUUID, runUUID)
		if err != nil {
			return err
		}
		project, err := projects.get(t, projectUUID)
		if err != nil {
			return err
		}
		run = row.Run
		spoken, err = t.transcript(project, runUUID)
		return err
	})
	return run, spoken, err
}

// ActivateRun makes a completed run the one whose edits, captions and drafts are served. Errors:
// Unprocessable run_not_activatable.
func (s *Store) ActivateRun(userUUID, projectUUID, runUUID string) (Run, error) {
	var run Run
	err := s.update(func(t *txn) error {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		row, err := runs.get(t, runUUID)
		if err != nil {
			return err
		}
		if row.ProjectUUID != projectUUID || row.Status != StatusCompleted {
			return fail(
				Unprocessable,
				"run_not_activatable",
				"Only a completed analysis of this project can be made the active one.",
			)
		}
		run = row.Run
		if err := t.changeProject(projectUUID, func(p *projectRow) { p.ActiveRunUUID = runUUID }); err != nil {
			return err
		}
		return t.changed(projectUUID)
	})
	return run, err
}

// ReplanInput is what edits are derived from anew.
type ReplanInput struct {
	Run       Run            // its knobs are those to plan with
	Evidence  []byte         // what the run kept
	UserEdits []DetectedEdit // what a person has decided meanwhile, which stays
}

// ReplanInput returns what a replan of a run works on. Errors: Conflict for a run that has kept
// nothing (yet).
func (s *Store) ReplanInput(userUUID, projectUUID, runUUID string) (ReplanInput, error) {
	var in ReplanInput
	err := s.view(func(t *txn) error {
		row, err := t.ownRun(userUUID, projectUUID, runUUID)
		if err != nil {
			return err
		}
		line, err := t.timeline(projectUUID)
		if err != nil {
			return err
		}
		in.Run, in.Evidence = row.Run, slices.Clone(t.Bucket([]byte(bucketEvidence)).Get([]byte(runUUID)))
		if in.Evidence == nil && row.Status != StatusCompleted {
			return notPlannable(row)
		}
		in.UserEdits, err = t.standing(projectUUID, runUUID, line)
		return err
	})
	return in, err
}

// dropRuns deletes all runs of a project with their transcripts and evidence, and releases what
// credits they hold.
func (t *txn) dropRuns(projectUUID string) error {
	list, err := runs.list(t, runsByProject, projectUUID)
	if err != nil {
		return err
	}
	for _, row := range list {
		if row.Status == RunQueued || row.Status == RunRunning {
			if _, err := t.settle(row.UUID, released); err != nil {
				return err
			}
		}
		if err := t.dropPrefix(bucketWords, keyPrefix(row.UUID)); err != nil {
			return err
		}
		if err := t.Bucket([]byte(bucketEvidence)).Delete([]byte(row.UUID)); err != nil {
			return err
		}
		if err := runs.delete(t, row.UUID); err != nil {
			return err
		}
	}
	return nil
}
