package store

import (
	"encoding/json"
	"os"
	"slices"
	"time"

	"roughcut/media"
	"roughcut/store/table"
)

// Statuses of a run. Exports share the last three.
const (
	RunQueued       = "queued"
	RunRunning      = "running"
	StatusCompleted = "completed"
	StatusFailed    = "failed"
	StatusCancelled = "cancelled"
)

// What the AI Director does with the assets that it finds.
const (
	DirectorOff     = "off"     // it does not search
	DirectorSuggest = "suggest" // placements are inactive until a person accepts them
	DirectorPlace   = "place"   // placements are active where the AI Director is certain
)

// AnalysisSettings are a person's choices for an analysis.
type AnalysisSettings struct {
	media.CutOptions
	Language      *string // nil to detect it
	DirectorNotes string
	Director      string `json:",omitempty"` // one of the Director constants; empty in old runs: DirectorPlace
	// KeepScreens sets KeepDemonstrations when the analysis starts, if a clip is a recording of a
	// screen.
	KeepScreens bool `json:",omitempty"`
}

// maxRuns is the maximum number of analyses of a project.
const maxRuns = 1000

// Run is one analysis of a project.
type Run struct {
	UUID, ProjectUUID, UserUUID, Status, Error string
	AnalysisSettings
	Model                                    string // empty without a speech model
	DetectedLanguage                         string
	LanguageDoubt                            string `json:",omitempty"` // of media.Transcript
	EditCount, SilenceCount, FalseStartCount int
	CreditsCharged                           float64 // AI minutes
	// Estimate is the cost in AI minutes of the clips that are ready. It is set only in the results
	// of StartAnalysis and QueueAnalysis.
	Estimate   float64          `json:"-"`
	DurationMS int64            // of the analyzed clips
	Timings    map[string]int64 // step to milliseconds
	// the tier at the start included the AI Director, so assets are placed
	Directed       bool
	DirectorReport string        // result of the AI Director, in words
	WaitsForClips  bool          `json:",omitempty"` // queued until no clip is uploaded or processed
	ExportWhenDone *QueuedExport `json:",omitempty"`
	MotionLeft     bool          `json:",omitempty"` // the Proposal.MotionLeft of its edits
	// CoversClips says that the run has a transcript of each ready clip, as it has of the clips
	// that it analyzed and of their duplicates, unless other audio tracks of one are heard since.
	// It is set only in the results of Run and Runs.
	CoversClips          bool `json:"-"`
	CreatedAt, UpdatedAt time.Time
}

// QueuedExport is an export that the server creates when an analysis completes.
type QueuedExport struct {
	Name     string
	Settings json.RawMessage // JSON object; see NewExport
	Error    string          `json:",omitempty"` // why the export could not be created
}

// runRow is the stored form of a Run.
type runRow struct {
	Run
	Seq         uint64
	PriorStatus string // of the project, before this run
	PriorError  string
	Dismissed   []dismissal
	Corrected   bool `json:",omitempty"` // a person replaced text in its transcripts
	// audio tracks that it has analyzed, by clip file; none of files without another choice since
	Heard map[string][]int `json:",omitempty"`
}

var (
	runsByProject = &table.Index[runRow]{
		Name: "runs.by_project",
		Keys: func(r *runRow) [][]byte { return table.Entry(r.ProjectUUID, r.Seq) },
	}
	runs = &table.Table[runRow]{
		Name:    "runs",
		Noun:    "analysis run",
		Key:     func(r *runRow) []byte { return []byte(r.UUID) },
		Indexes: []*table.Index[runRow]{runsByProject},

		Undoable: true,
	}
	undoRuns = &undoRows[runRow]{Table: runs, only: []string{"Corrected"}}
)

func (t *txn) changeRun(uuid string, fn func(*runRow)) error {
	row, err := runs.Get(t, uuid)
	if err != nil {
		return err
	}
	fn(row)
	row.UpdatedAt = t.Now
	return runs.Put(t, row)
}

// count adds n edits of a type to the run's totals.
func (r *runRow) count(editType string, n int) {
	r.EditCount += n
	switch editType {
	case EditSilence:
		r.SilenceCount += n
	case EditFalseStart:
		r.FalseStartCount += n
	}
}

// CancelRun stops a run that has not ended and releases its credits. The project returns to its
// former status. Errors: NotFound, Forbidden; Conflict after it has ended.
func (s *Store) CancelRun(userUUID, projectUUID, runUUID string) (Run, error) {
	return resultOf(s.updateOnReserve, func(t *txn) (Run, error) {
		row, err := t.ownRun(userUUID, projectUUID, runUUID)
		if err != nil {
			return Run{}, err
		}
		if row.Status != RunQueued && row.Status != RunRunning {
			return Run{}, conflict("The analysis has already ended (%s).", row.Status)
		}
		err = t.cancelRun(row)
		return row.Run, err
	})
}

// cancelRun stops a run that has not ended.
func (t *txn) cancelRun(row *runRow) error {
	if err := t.cancelJob(row.UUID); err != nil {
		return err
	}
	if err := t.releaseRun(row); err != nil {
		return err
	}
	row.Status, row.WaitsForClips, row.UpdatedAt = StatusCancelled, false, t.Now
	if err := runs.Put(t, row); err != nil {
		return err
	}
	if err := t.Bucket([]byte(bucketEvidence)).Delete([]byte(row.UUID)); err != nil {
		return err
	}
	return t.changeProject(row.ProjectUUID, func(p *projectRow) {
		p.Status, p.Error = row.PriorStatus, row.PriorError
		if p.ActiveRunUUID != "" {
			p.Status = ProjectAnalyzed
		}
	})
}

// ownRun returns a run of a user's project. Errors: NotFound, then Forbidden; NotFound for a run of
// another project.
func (t *txn) ownRun(userUUID, projectUUID, runUUID string) (*runRow, error) {
	if _, err := t.ownProject(userUUID, projectUUID); err != nil {
		return nil, err
	}
	row, err := runs.Get(t, runUUID)
	if err != nil {
		return nil, err
	}
	if row.ProjectUUID != projectUUID {
		return nil, notFound(runs.Noun)
	}
	return row, nil
}

// Runs returns the runs of a project, newest first, without the export settings of ended ones.
func (s *Store) Runs(userUUID, projectUUID string) ([]Run, error) {
	list := []Run{}
	err := s.view(func(t *txn) error {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		rows, _, err := runs.Page(t, Page{}, runsByProject, projectUUID)
		if err != nil {
			return err
		}
		line, err := t.timeline(projectUUID)
		for _, row := range rows {
			row.CoversClips = t.coversClips(row, line)
			if row.ExportWhenDone != nil && row.Status != RunQueued && row.Status != RunRunning {
				row.ExportWhenDone.Settings = nil
			}
			list = append(list, row.Run)
		}

		return err
	})
	return list, err
}

// Run returns a run with its transcript. Errors: NotFound, Forbidden.
func (s *Store) Run(userUUID, projectUUID, runUUID string) (Run, ProjectTranscript, error) {
	var run Run
	var spoken ProjectTranscript
	err := s.view(func(t *txn) error {
		row, err := t.ownRun(userUUID, projectUUID, runUUID)
		if err != nil {
			return err
		}
		project, err := projects.Get(t, projectUUID)
		if err != nil {
			return err
		}
		line, err := t.timeline(projectUUID)
		if err != nil {
			return err
		}
		run = row.Run
		run.CoversClips = t.coversClips(row, line)
		spoken, err = t.transcript(project, runUUID)
		return err
	})
	return run, spoken, err
}

// coversClips reports whether a run has a transcript of each clip on the timeline, which may have
// no words, from the audio tracks that are heard. Clips that share a recording have copies of it.
func (t *txn) coversClips(run *runRow, line *timeline) bool {
	return !slices.ContainsFunc(line.places, func(p place) bool {
		return !t.hasTranscript(run.UUID, p.row.UUID) || !run.hears(p.row)
	})
}

// ActivateRun selects a completed run as the active one, whose edits, captions and drafts the
// project shows. Errors: Unprocessable run_not_activatable.
func (s *Store) ActivateRun(userUUID, projectUUID, runUUID string, as ...Change) (Run, error) {
	var run Run
	err := s.update(func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		row, err := runs.Get(t, runUUID)
		if err != nil {
			return err
		}
		if row.ProjectUUID != projectUUID || row.Status != StatusCompleted {
			return fail(
				Unprocessable,
				"run_not_activatable",
				"Only a completed analysis of this project can become the active one.",
			)
		}

		run = row.Run
		if project.ActiveRunUUID == runUUID {
			return nil
		}
		if err := t.changeProject(projectUUID, func(p *projectRow) { p.ActiveRunUUID = runUUID }); err != nil {
			return err
		}
		if err := t.record(projectUUID, HistoryRun, optionalChange(as), "use another run"); err != nil {
			return err
		}
		return t.Changed(projectUUID)
	})
	return run, err
}

// ReplanInput is the input of a replan, which derives edits from the evidence of a run.
type ReplanInput struct {
	Run       Run            // with its current settings
	Evidence  []byte         // stored by the run
	UserEdits []DetectedEdit // edits that a person made or changed, which stay
	// Corrected holds the transcripts if a person replaced text in them. Their words replace the
	// words of the evidence.
	Corrected []ClipTranscript
	// Motion holds the motion of clips that was measured after the analysis had begun, by clip.
	Motion map[string][]byte
	// MotionLeft says that the motion of a clip is still being measured.
	MotionLeft bool
	// Duplicates are the clips that are duplicates of others. The evidence may have only those.
	Duplicates []Clip
}

// ReplanInput returns the input of a replan. Errors: Conflict for a run without evidence.
func (s *Store) ReplanInput(userUUID, projectUUID, runUUID string) (ReplanInput, error) {
	in := ReplanInput{Motion: map[string][]byte{}}
	var measured []*clipRow
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
		if in.UserEdits, err = t.userEdits(projectUUID, runUUID, line); err != nil {
			return err
		}
		for _, p := range line.places {
			in.MotionLeft = in.MotionLeft || p.row.TilesLeft
			if len(p.row.CopyOf) > 0 {
				in.Duplicates = append(in.Duplicates, p.row.Clip)
			}
			if p.row.HasMotion {
				measured = append(measured, p.row)
			}
		}

		if row.Corrected {
			in.Corrected, err = t.corrected(runUUID, line)
		}
		return err
	})
	for _, row := range measured {
		// A lost file leaves the motion that the evidence has.
		if motion, readErr := os.ReadFile(s.FilePath(clipKey(row.ClipFileID, fileMotion))); readErr == nil {
			in.Motion[row.UUID] = motion
		}
	}

	return in, err
}

// corrected returns the transcripts of a run.
func (t *txn) corrected(runUUID string, line *timeline) (out []ClipTranscript, err error) {
	for _, p := range line.places {
		m, ok, err := t.clipTranscript(runUUID, p.row.UUID)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, ClipTranscript{ClipUUID: p.row.UUID, Transcript: m})
		}
	}

	return out, nil
}

// dropRuns deletes the runs of a project with their transcripts and evidence while the transaction
// has room.
func (t *txn) dropRuns(projectUUID string) error {
	return dropEach(t, runs, projectUUID, func(row *runRow) error {
		return t.dropAll(
			row.UUID,
			func(uuid string) error { return t.dropPrefix(bucketWords, table.Prefix(uuid)) },
			func(uuid string) error { return t.dropPrefix(bucketSpeakers, table.Prefix(uuid)) },
			func(uuid string) error { return t.Bucket([]byte(bucketEvidence)).Delete([]byte(uuid)) },
			func(uuid string) error { return runs.Delete(t, uuid) },
		)
	}, runsByProject)
}
