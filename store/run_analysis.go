package store

import (
	"cmp"
	"fmt"
	"os"

	"roughcut/media"
	"roughcut/store/billing"
)

// AnalysisInput is the input of an analysis job.
type AnalysisInput struct {
	Run   Run
	Clips []AnalysisClip // ready clips in display order

	UserEdits []DetectedEdit // edits that a person made or changed before, which stay
	WordLists []WordList     // of the user

	Vocabulary []string // of the project
}

// AnalysisClip is a clip of an analysis.
type AnalysisClip struct {
	UUID       string
	FileID     string // duplicates have that of their clip
	SpeechPath string // of an audio.SpeechFile; empty without audio
	Info       media.Info
	Keyframes  []int64 // of media.IngestResult
	Motion     []byte  // of media.IngestResult
	// Transcript is the transcript that a person imported for the clip, or nil.
	Transcript *media.ImportedTranscript
}

// DetectedEdit is a proposed cut or asset placement on clip time.
type DetectedEdit struct {
	ClipUUID, Type string
	Span           media.Span
	Active         bool
	Reason         string
	Confidence     float64          // 0-1
	Placement      *media.Placement // of type asset only
	Action         string           // ActionCut or ActionMute; empty is ActionCut
	TakeGroup      string           // ID of the take group of which it removes a take; empty for others
	TakeNumber     int              // from 1
}

// Removes reports whether the edit removes its span from the video.
func (d DetectedEdit) Removes() bool {
	return d.Active && media.IsCut(d.Type) && d.Action != ActionMute
}

// Proposal is the result of detection: edits and take groups.
type Proposal struct {
	Edits      []DetectedEdit
	TakeGroups []DetectedTakeGroup
	// MotionLeft says that the settings need the motion of a clip that was still being measured.
	MotionLeft bool
}

// ClipTranscript is the transcript of one clip on clip time.
type ClipTranscript struct {
	ClipUUID string
	media.Transcript
}

// ClipCaption is a caption line on clip time.
type ClipCaption struct {
	ClipUUID string
	media.TimedText
	Speaker string // empty for that of the words
}

// AnalysisResult is the output of an analysis job.
type AnalysisResult struct {
	Model, Language string
	Doubt           string // about the language, of media.Transcript
	Transcripts     []ClipTranscript
	Evidence        []byte // opaque to the store; kept for a later replan
	Edits           []DetectedEdit
	TakeGroups      []DetectedTakeGroup
	CaptionLines    []ClipCaption
	Timings         map[string]int64 // step to milliseconds
	DirectorReport  string           // result of the AI Director, in words
}

// EstimateAnalysis returns the cost of an analysis in AI minutes, the user's balance, and whether
// the balance is sufficient. Errors: NotFound, Forbidden.
func (s *Store) EstimateAnalysis(userUUID, projectUUID string) (cost, balance float64, sufficient bool, err error) {
	b, err := s.Billing(userUUID)
	if err != nil {
		return 0, 0, false, err
	}
	err = s.view(func(t *txn) error {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		line, err := t.timeline(projectUUID)
		if err == nil {
			cost = billing.Minutes(billing.Cost(line.heard()))
		}
		return err
	})
	return cost, b.Balance, s.o.TierTable.Unlimited || billing.Hundredths(cost) <= billing.Hundredths(b.Balance), err
}

// StartAnalysis queues an analysis and reserves its credits. If the analysis needs the motion of a
// clip that is still being measured, or audio tracks that were chosen just before, it waits for
// that like one of QueueAnalysis. Errors, in this order: Conflict already_analyzing; Unprocessable
// past maxRuns; Conflict clips_processing; Invalid no_clips; PaymentRequired insufficient_credits.
func (s *Store) StartAnalysis(userUUID, projectUUID string, k AnalysisSettings) (Run, error) {
	return s.startAnalysis(userUUID, projectUUID, k, false)
}

// checkCutOptions refuses levels out of range, and unknown choices and types. Errors:
// Unprocessable.
func checkCutOptions(o media.CutOptions) error {
	o = o.WithDefaults()
	for _, option := range media.CutOptionTable() {
		if err := option.Check(o); err != nil {
			return failField(option.Name, "The value %v.", err)
		}
	}

	return nil
}

// checkLanguage refuses a language that speech models do not know. Errors: Unprocessable.
func checkLanguage(tag *string) error {
	if tag == nil {
		return nil
	}
	if _, err := media.SpeechLanguage(*tag); err != nil {
		return failField("language", "%v.", err)
	}
	return nil
}

// startAnalysis is StartAnalysis, or with wait QueueAnalysis.
func (s *Store) startAnalysis(userUUID, projectUUID string, k AnalysisSettings, wait bool) (Run, error) {
	if err := cmp.Or(checkCutOptions(k.CutOptions), checkLanguage(k.Language)); err != nil {
		return Run{}, err
	}
	var row *runRow
	err := s.update(func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		if err := t.keepScreens(projectUUID, &k); err != nil {
			return err
		}
		line, waits, err := t.admitAnalysis(project, k, wait)
		if err != nil {
			return err
		}
		seq, err := runs.NextSeq(t)
		if err != nil {
			return err
		}
		rights, err := t.books().Entitlements(userUUID)
		if err != nil {
			return err
		}
		if k.Director, err = t.directorOf(project, k); err != nil {
			return err
		}
		row = &runRow{
			Seq:         seq,
			PriorStatus: project.Status,
			PriorError:  project.Error,
			Run: Run{
				UUID:             s.NewID(),
				ProjectUUID:      projectUUID,
				UserUUID:         userUUID,
				Status:           RunQueued,
				AnalysisSettings: k,
				Estimate:         billing.Minutes(billing.Cost(line.heard())),
				DurationMS:       line.total,
				Directed:         rights.AIDirector && k.Director != DirectorOff,
				WaitsForClips:    waits,
				CreatedAt:        t.Now,
				UpdatedAt:        t.Now,
			},
		}
		if !waits {
			if err := t.enqueueAnalysis(row, billing.Cost(line.heard())); err != nil {
				return err
			}
		}

		if err = runs.Put(t, row); err != nil {
			return err
		}
		project.Status, project.Error, project.UpdatedAt = ProjectAnalyzing, "", t.Now
		return projects.Put(t, project)
	})
	if err != nil {
		return Run{}, err
	}
	return row.Run, nil
}

// alreadyAnalyzing returns the error that names the analysis of a project that is queued or runs.
func (t *txn) alreadyAnalyzing(projectUUID string) error {
	list, err := runs.List(t, runsByProject, projectUUID)
	if err != nil {
		return err
	}
	refusal := fail(
		Conflict,
		"already_analyzing",
		"An analysis of this project is already running. Wait until it has ended, or cancel it.",
	)
	for _, run := range list {
		if run.Status == RunQueued || run.Status == RunRunning {
			refusal.RunUUID = run.UUID
		}
	}

	return refusal
}

// admitAnalysis refuses an analysis that cannot start now. It returns the clips, and whether the
// analysis has to wait; see awaitsAny.
func (t *txn) admitAnalysis(project *projectRow, k AnalysisSettings, wait bool) (*timeline, bool, error) {
	if project.Status == ProjectAnalyzing {
		return nil, false, t.alreadyAnalyzing(project.UUID)
	}

	if runs.Count(t, runsByProject, project.UUID) >= maxRuns {
		return nil, false, tooMany("A project can have %d analyses. Add the recordings to another project.", maxRuns)
	}
	line, err := t.timeline(project.UUID)
	if err != nil {
		return nil, false, err
	}
	waits, err := t.awaitsAny(project.UUID, k, wait)
	if err != nil {
		return nil, false, err
	}
	if line.processing && !wait {
		return nil, false, fail(
			Conflict,
			"clips_processing",
			"A clip is still being processed. Wait until all clips are ready.",
		)
	}

	if len(line.places) == 0 && !waits {
		return nil, false, noClips()
	}
	return line, waits, nil
}

// awaitsAny reports whether an analysis has to wait for the chosen tracks, for the motion that it
// looks for, or, with clips, for clips.
func (t *txn) awaitsAny(projectUUID string, k AnalysisSettings, clips bool) (bool, error) {
	waits, err := t.awaitsTracks(projectUUID)
	if err == nil && !waits {
		waits, err = t.awaitsMotion(projectUUID, k)
	}
	if err == nil && !waits && clips {
		var unread []string
		unread, err = t.unreadClips(projectUUID, true)
		waits = len(unread) > 0
	}

	return waits, err
}

// enqueueAnalysis queues the job of a run and reserves its credits.
func (t *txn) enqueueAnalysis(row *runRow, cost int64) error {
	if err := t.admitJob(row.UserUUID); err != nil {
		return err
	}
	if err := t.books().Reserve(row.UserUUID, row.UUID, cost); err != nil {
		return err
	}
	return t.enqueue(JobAnalysis, row.UUID, row.UserUUID, row.ProjectUUID)
}

// directorOf returns what the AI Director does in an analysis. Without a choice it is off if the
// project or the account switched it off, places assets by notes, and suggests them otherwise.
func (t *txn) directorOf(project *projectRow, k AnalysisSettings) (string, error) {
	if k.Director != "" {
		return k.Director, nil
	}
	user, err := t.registry().User(project.UserUUID)
	switch {
	case err != nil:
		return "", err
	case project.DirectorOff || user.DirectorOff:
		return DirectorOff, nil
	case k.DirectorNotes != "":
		return DirectorPlace, nil
	}

	return DirectorSuggest, nil
}

// StartRun sets a run to running and returns the input of its job. Errors: ErrStaleJob; Conflict
// cannot_start for a run whose clips or credits were insufficient when its wait for the clips
// ended.
func (s *Store) StartRun(j Job) (AnalysisInput, error) {
	var in AnalysisInput
	var line *timeline
	err := s.update(func(t *txn) error {
		_, run, err := heldRow(t, j, runs, j.Subject)
		if err != nil {
			return err
		}
		if run.Error != "" {
			return fail(Conflict, "cannot_start", "%s", run.Error)
		}
		run.Status, run.UpdatedAt = RunRunning, t.Now
		if line, err = t.timeline(run.ProjectUUID); err != nil {
			return err
		}
		if in, err = t.analysisInput(run, line); err != nil {
			return err
		}
		return runs.Put(t, run)
	})
	if err != nil {
		return AnalysisInput{}, err
	}
	for _, p := range line.places {
		clip, err := s.analysisClip(p.row)
		if err != nil {
			return AnalysisInput{}, err
		}
		in.Clips = append(in.Clips, clip)
	}

	return in, nil
}

// analysisInput returns the input of an analysis without its clips.
func (t *txn) analysisInput(run *runRow, line *timeline) (AnalysisInput, error) {
	in := AnalysisInput{Run: run.Run}
	lists, err := t.wordLists(run.UserUUID)
	if err != nil {
		return in, err
	}
	for _, row := range lists {
		in.WordLists = append(in.WordLists, *row)
	}
	project, err := projects.Get(t, run.ProjectUUID)
	if err != nil {
		return in, err
	}
	in.Vocabulary = project.Vocabulary
	in.UserEdits, err = t.userEdits(project.UUID, project.ActiveRunUUID, line)
	return in, err
}

// analysisClip returns a clip of an analysis with the contents of its files.
func (s *Store) analysisClip(row *clipRow) (AnalysisClip, error) {
	c := AnalysisClip{UUID: row.UUID, FileID: row.ClipFileID, Info: row.Info}
	path := func(name string) string { return s.FilePath(clipKey(row.ClipFileID, name)) }
	if row.HasSpeech {
		c.SpeechPath = path(fileSpeech)
	}
	if row.HasKeys {
		packed, err := os.ReadFile(path(fileKeys))
		if err != nil {
			return c, err
		}
		c.Keyframes = unpackTimes(packed)
	}

	if row.HasMotion {
		motion, err := os.ReadFile(path(fileMotion))
		if err != nil {
			return c, err
		}
		c.Motion = motion
	}

	if row.Transcript == nil {
		return c, nil
	}
	var err error
	c.Transcript, err = s.readTranscript(row)
	return c, err
}

// SaveEvidence stores evidence of a run before its transcription ends, so that its silences can be
// previewed. Errors: ErrStaleJob.
func (s *Store) SaveEvidence(j Job, evidence []byte) error {
	return s.update(func(t *txn) error {
		if _, err := t.heldJob(j); err != nil {
			return err
		}
		return t.Bucket([]byte(bucketEvidence)).Put([]byte(j.Subject), evidence)
	})
}

// FinishAnalysis stores the result of an analysis, charges its credits, makes its run the active
// one and creates the export that the run asks for, all in one transaction. The search index
// follows. Errors: ErrStaleJob.
func (s *Store) FinishAnalysis(j Job, r AnalysisResult) (Run, error) {
	obstacle, err := s.exportObstacle(j.ProjectUUID)
	if err != nil {
		return Run{}, err
	}
	var run *runRow
	err = s.update(func(t *txn) error {
		held, err := t.heldJob(j)
		if err != nil {
			return err
		}
		if run, err = runs.Get(t, j.Subject); err != nil {
			return err
		}
		line, err := t.timeline(run.ProjectUUID)
		if err != nil {
			return err
		}
		project, err := projects.Get(t, run.ProjectUUID)
		if err != nil {
			return err
		}
		kept, err := t.inherit(run, line, project.ActiveRunUUID, r)
		if err != nil {
			return err
		}
		if err := t.keepResult(run, line, kept, r); err != nil {
			return err
		}
		if err := t.activate(run, project, r); err != nil {
			return err
		}
		if err := jobs.Delete(t, held.UUID); err != nil {
			return err
		}
		return t.createQueuedExport(run, obstacle)
	})
	if err != nil {
		return Run{}, err
	}
	return run.Run, nil
}

// activate charges and completes a run, and makes it the active one of its project.
func (t *txn) activate(run *runRow, project *projectRow, r AnalysisResult) error {
	amount, err := t.books().Charge(run.UUID)
	if err != nil {
		return err
	}
	run.Status, run.CreditsCharged, run.UpdatedAt = StatusCompleted, billing.Minutes(amount), t.Now
	run.Model = r.Model
	run.DetectedLanguage, run.LanguageDoubt = r.Language, r.Doubt
	run.Timings = r.Timings
	run.DirectorReport = r.DirectorReport
	if err := runs.Put(t, run); err != nil {
		return err
	}
	if err := t.changeProject(run.ProjectUUID, func(p *projectRow) {
		p.Status, p.Error, p.ActiveRunUUID = ProjectAnalyzed, "", run.UUID
	}); err != nil {
		return err
	}

	if project.ActiveRunUUID != "" {
		if err := t.record(project.UUID, HistoryRun, Change{}, "analyze again", projects.Name); err != nil {
			return err
		}
	}

	if err := t.Changed(run.ProjectUUID); err != nil {
		return err
	}
	t.announceEdits(run.ProjectUUID)
	return nil
}

// keepResult writes the transcripts, evidence, edits, take groups and caption lines of a run, and
// counts the edits. Decisions of a person replace the detected edits that they are about.
func (t *txn) keepResult(run *runRow, line *timeline, kept decisions, r AnalysisResult) error {
	words := map[string][]media.Word{}
	for _, spoken := range r.Transcripts {
		if _, ok := line.find(spoken.ClipUUID); !ok {
			return fmt.Errorf(
				"an analysis returned a transcript of clip %q, which is not in the project",
				spoken.ClipUUID,
			)
		}

		turns, err := t.namedSpeakers(run, spoken)
		if err != nil {
			return err
		}
		err = t.putTranscript(run.UUID, spoken.ClipUUID, spoken.Transcript)
		if err == nil {
			err = t.putSpeakers(run.UUID, spoken.ClipUUID, turns)
		}
		if err != nil {
			return err
		}
		words[spoken.ClipUUID] = spoken.Words
	}

	if len(r.Evidence) > 0 {
		if err := t.Bucket([]byte(bucketEvidence)).Put([]byte(run.UUID), r.Evidence); err != nil {
			return err
		}
	}

	elsewhere, err := t.elsewhere(run.ProjectUUID)
	if err != nil {
		return err
	}
	for _, d := range r.Edits {
		row, err := t.detected(run, line, d)
		if err != nil {
			return err
		}
		if row != nil && !kept.settles(line, row, words[row.FoundClip]) && !elsewhere.hide(row) {
			run.count(row.Type, 1)
			if err := edits.Put(t, row); err != nil {
				return err
			}
		}
	}

	if err := t.putTakeGroups(run, line, r.TakeGroups); err != nil {
		return err
	}
	e := &captionEdit{txn: t, projectUUID: run.ProjectUUID, runUUID: run.UUID, line: line}
	_, err = e.addAll(r.CaptionLines)
	return err
}

// detected returns the row of a detected edit. It returns nil when the edit is not on the clip,
// when its asset cannot be placed, and when a person has deleted the same placement.
func (t *txn) detected(run *runRow, line *timeline, d DetectedEdit) (*editRow, error) {
	span := line.clamp(d.ClipUUID, d.Span)
	if span.Duration() <= 0 {
		return nil, nil
	}
	if d.Placement != nil {
		if ok, err := t.canPlace(run.UserUUID, d.Placement); err != nil || !ok {
			return nil, err
		}
	}

	row := &editRow{
		Start:     anchor{d.ClipUUID, span.StartMS},
		End:       anchor{d.ClipUUID, span.EndMS},
		Found:     &span,
		FoundClip: d.ClipUUID,
		Edit: Edit{
			UUID:        t.NewID(),
			ProjectUUID: run.ProjectUUID,
			RunUUID:     &run.UUID,
			Type:        d.Type,
			Active:      d.Active,
			Reason:      d.Reason,
			Confidence:  &d.Confidence,
			Placement:   cloned(d.Placement),
			TakeGroup:   d.TakeGroup,
			TakeNumber:  d.TakeNumber,
			CreatedAt:   t.Now,
			UpdatedAt:   t.Now,
		},
	}
	if d.Action == ActionMute {
		row.Action = ActionMute
	}
	if run.dismissed(row) {
		return nil, nil
	}
	return row, nil
}

func (t *txn) changeProject(uuid string, fn func(*projectRow)) error {
	row, err := projects.Get(t, uuid)
	if err != nil {
		return err
	}
	fn(row)
	row.UpdatedAt = t.Now
	return projects.Put(t, row)
}

// FailAnalysis ends an analysis as failed and releases its credits. Errors: ErrStaleJob.
func (s *Store) FailAnalysis(j Job, reason string) error {
	return s.failJob(j, reason, (*txn).failRun)
}

func (t *txn) failRun(held *jobRow, reason string) error {
	if err := t.books().Release(held.Subject); err != nil {
		return err
	}
	if err := t.changeRun(held.Subject, func(r *runRow) { r.Status, r.Error = StatusFailed, reason }); err != nil {
		return err
	}
	if err := t.Bucket([]byte(bucketEvidence)).Delete([]byte(held.Subject)); err != nil {
		return err
	}
	if err := jobs.Delete(t, held.UUID); err != nil {
		return err
	}
	return t.changeProject(held.ProjectUUID, func(p *projectRow) {
		if p.Status = ProjectFailed; p.ActiveRunUUID != "" {
			p.Status = ProjectAnalyzed
		}
		p.Error = reason
	})
}
