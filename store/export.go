package store

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"roughcut/media"
)

// Statuses of an export besides completed, failed and cancelled.
const (
	ExportQueued    = "queued"
	ExportRendering = "rendering"
	ExportExpired   = "expired"
)

// Export is a rendered video, or the wish for one.
type Export struct {
	UUID, ProjectUUID, UserUUID, Name, Status, Step, Error string
	Progress                                               int // 0-100
	DraftID                                                *string
	Settings                                               json.RawMessage // the effective ones
	// of the rendered video; until then of what the cuts leave
	DurationMS              int64
	SizeBytes               int64
	Width, Height           int
	ContentType, StorageKey string
	// how the frames came about and what the check of the file found; nil before
	Rendering            *media.RenderResult
	ExpiresAt            *time.Time // nil: never
	WatermarkRequired    bool
	CreatedAt, UpdatedAt time.Time
}

// NewExport asks for an export.
type NewExport struct {
	Name      string
	DraftID   *string
	Settings  json.RawMessage // replaces the draft's leaf by leaf
	Overrides map[string]Override
}

// ExportInput is what the worker of an export reads: frozen when the export was asked for.
type ExportInput struct {
	Export     Export
	Settings   ExportSettings
	Clips      []media.RenderClip
	Cuts       []media.Span // project time, sorted, disjoint
	Assets     []media.PlacedAsset
	Transcript ExportTranscript
	// references are the recordings that stay where they are.
	references []LinkedFile
}

// CheckFootage returns an error when a recording that stays where it is is not there any more, or
// is another one: the worker asks before it renders and after. Errors: those of Reference.Check.
func (in ExportInput) CheckLinkedFiles() error { return checkReferences(in.references) }

// ExportSpeech is what an export knows of what is said, on project time; it is empty where no
// setting asks for it.
type ExportTranscript struct {
	Language string     // ISO 639-1, empty where unknown
	Censored WordChoice // how the words that are censored differ from the program's
	Words    []media.Word
	Captions []media.CaptionLine
}

// exportRow is an Export as it is stored.
type exportRow struct {
	Export
	Seq uint64
}

// frozenExport is the input of an export that has not ended.
type frozenExport struct {
	ExportUUID string
	Clips      []frozenClip
	Cuts       []media.Span
	Assets     []frozenAsset    // a later one lies over those before it
	Transcript ExportTranscript `json:"Speech"`
}

// frozenClip is a recording of an export.
type frozenClip struct {
	Key      string // of the original
	Energies string `json:",omitempty"` // key; empty where they are not known
	Info     media.Info
}

var (
	exportsByProject = &index[exportRow]{
		name: "exports.by_project",
		keys: func(r *exportRow) [][]byte { return one(r.ProjectUUID, r.Seq) },
	}
	exportsByExpiry = &index[exportRow]{name: "exports.by_expiry", keys: func(r *exportRow) [][]byte {
		if r.Status != StatusCompleted || r.ExpiresAt == nil {
			return nil
		}
		return one(*r.ExpiresAt)
	}}
	exports = &table[exportRow]{
		name:    "exports",
		what:    "export",
		key:     func(r *exportRow) []byte { return []byte(r.UUID) },
		indexes: []*index[exportRow]{exportsByProject, exportsByExpiry},
	}
	exportInputs = &table[frozenExport]{
		name:    "export_inputs",
		what:    "export input",
		key:     func(r *frozenExport) []byte { return []byte(r.ExportUUID) },
		indexes: []*index[frozenExport]{inputsByAsset},
	}
)

// CreateExport queues an export and freezes all that it depends on: the edits that hold, the
// settings, expiry and watermark. Errors: NotFound and Forbidden for project and draft;
// Unprocessable; Invalid no_clips, out_of_bounds; Conflict while the only clips are being
// processed, asset_not_ready, reference_missing, reference_changed; StorageFull.
func (s *Store) CreateExport(userUUID, projectUUID string, in NewExport) (Export, error) {
	full := s.CheckFree(0)
	linked, err := s.projectReferences(projectUUID)
	if err != nil {
		return Export{}, err
	}
	gone := checkReferences(linked)
	var row *exportRow
	err = s.update(func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		draft, err := t.exportDraft(userUUID, projectUUID, in.DraftID)
		if err != nil {
			return err
		}
		settings, err := effectiveSettings(draft.ExportSettings, in.Settings)
		if err != nil {
			return err
		}
		list, line, err := t.servedEdits(project)
		if err != nil {
			return err
		}
		if err := t.checkOverrides(projectUUID, line, in.Overrides); err != nil {
			return err
		}
		list = overridden(list, mergeOverrides(draft.EditOverrides, in.Overrides))
		frozen, err := freeze(line, list)
		if err != nil {
			return err
		}
		if frozen.Assets, err = t.freezeAssets(line, list); err != nil {
			return err
		}
		if frozen.Transcript, err = t.exportSpeech(project, settings); err != nil {
			return err
		}
		if err := errors.Join(gone, full); err != nil {
			return err
		}
		row, err = t.addExport(project, in, settings, line, frozen)
		return err
	})
	if err != nil {
		return Export{}, err
	}
	return row.Export, nil
}

// exportDraft returns the draft that an export names, or an empty one.
func (t *txn) exportDraft(userUUID, projectUUID string, id *string) (Draft, error) {
	if id == nil {
		return Draft{}, nil
	}
	row, line, err := t.ownDraft(userUUID, *id)
	if err != nil {
		return Draft{}, err
	}
	if row.ProjectUUID != projectUUID {
		return Draft{}, notFound(drafts.what)
	}
	return row.served(line), nil
}

// exportSpeech returns what settings need of the active run's transcript and captions.
func (t *txn) exportSpeech(project *projectRow, raw json.RawMessage) (speech ExportTranscript, err error) {
	settings, err := parseSettings(raw)
	captioned := settings.Captions.Enabled
	if err != nil || project.ActiveRunUUID == "" || !captioned && settings.AudioCensorship == media.CensorNone {
		return speech, err
	}
	if speech, err = t.speechOf(project, captioned); err != nil {
		return speech, err
	}
	list, err := t.wordList(project.UserUUID, speech.Language)
	speech.Censored = list.Censored
	return speech, err
}

// speechOf returns what the active run heard, and its caption lines where they are wanted.
func (t *txn) speechOf(project *projectRow, captioned bool) (speech ExportTranscript, err error) {
	transcript, err := t.transcript(project, project.ActiveRunUUID)
	if err != nil {
		return speech, err
	}
	speech.Language = transcript.Language
	for _, w := range transcript.Words {
		speech.Words = append(speech.Words, w.Word)
	}
	if !captioned {
		return speech, nil
	}
	lines, err := t.captionLines(project.UUID, project.ActiveRunUUID)
	for _, l := range lines {
		speech.Captions = append(speech.Captions, media.CaptionLine{Text: l.Text, StartMS: l.StartMS, EndMS: l.EndMS})
	}
	return speech, err
}

// EditedCaptions returns the captions of the active run as the active edits leave them, on the time
// of the edited video. Errors: Conflict no_transcript without an active run, clips_processing while
// the only clips are being processed; Invalid no_clips; Unprocessable where nothing is left.
func (s *Store) EditedCaptions(userUUID, projectUUID string) ([]media.Caption, error) {
	var frozen *frozenExport
	err := s.view(func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		if project.ActiveRunUUID == "" {
			return noTranscript()
		}
		list, line, err := t.servedEdits(project)
		if err != nil {
			return err
		}
		if frozen, err = freeze(line, list); err != nil {
			return err
		}
		frozen.Transcript, err = t.speechOf(project, true)
		return err
	})
	if err != nil {
		return nil, err
	}
	var clips []media.RenderClip
	for _, c := range frozen.Clips {
		clips = append(clips, media.RenderClip{Info: c.Info})
	}
	plan, err := media.NewRenderPlan(
		clips,
		frozen.Cuts,
		media.RenderSettings{Captions: &media.CaptionTrack{Lines: frozen.Transcript.Captions, Words: frozen.Transcript.Words}},
	)
	if errors.Is(err, media.ErrNothingLeft) {
		return nil, fail(
			Unprocessable,
			"unprocessable",
			"The cuts leave nothing of the recording; switch some of them off.",
		)
	}
	return plan.Captions, err
}

// mergeOverrides lays inline overrides over a draft's, field by field.
func mergeOverrides(draft, inline map[string]Override) map[string]Override {
	merged := map[string]Override{}
	maps.Copy(merged, draft)
	for id, o := range inline {
		m := merged[id]
		if o.Active != nil {
			m.Active = o.Active
		}
		if o.StartMS != nil {
			m.StartMS = o.StartMS
		}
		if o.EndMS != nil {
			m.EndMS = o.EndMS
		}
		merged[id] = m
	}
	return merged
}

// overridden returns edits as overrides make them.
func overridden(list []Edit, overrides map[string]Override) []Edit {
	list = slices.Clone(list)
	for i := range list {
		o := overrides[list[i].UUID]
		change(&list[i].Active, o.Active)
		change(&list[i].StartMS, o.StartMS)
		change(&list[i].EndMS, o.EndMS)
	}
	return list
}

// freeze works out the clips and cuts of an export. An edit whose bounds cross cuts nothing.
func freeze(line *timeline, list []Edit) (*frozenExport, error) {
	if len(line.places) == 0 {
		if line.processing {
			return nil, fail(
				Conflict,
				"clips_processing",
				"The project's clips are still being processed; wait until they are ready.",
			)
		}
		return nil, noClips()
	}
	frozen := &frozenExport{}
	for _, p := range line.places {
		clip := frozenClip{Key: clipKey(p.row.ClipFileID, fileOriginal), Info: p.row.Info}
		if p.row.HasEnergies {
			clip.Energies = clipKey(p.row.ClipFileID, fileEnergies)
		}
		frozen.Clips = append(frozen.Clips, clip)
	}
	var cuts []media.Span
	for _, e := range list {
		if e.Active && media.IsCut(e.Type) {
			cuts = append(cuts, media.Span{StartMS: e.StartMS, EndMS: e.EndMS}.Intersect(media.Span{EndMS: line.total}))
		}
	}
	frozen.Cuts = media.MergeSpans(cuts)
	if len(media.KeptSpans(line.total, frozen.Cuts)) == 0 {
		return nil, fail(
			Unprocessable,
			"unprocessable",
			"The cuts leave nothing of the recording; switch some of them off.",
		)
	}
	return frozen, nil
}

func (t *txn) addExport(
	project *projectRow,
	in NewExport,
	settings json.RawMessage,
	line *timeline,
	frozen *frozenExport,
) (*exportRow, error) {
	a, err := accounts.get(t, project.UserUUID)
	if err != nil {
		return nil, err
	}
	seq, err := exports.next(t)
	if err != nil {
		return nil, err
	}
	row := &exportRow{
		Seq: seq,
		Export: Export{
			UUID:        t.s.NewID(),
			ProjectUUID: project.UUID,
			UserUUID:    project.UserUUID,
			Name:        in.Name,
			Status:      ExportQueued,
			DraftID:     in.DraftID,
			Settings:    settings,
			ContentType: media.DefaultExportFormat().ContentType,
			CreatedAt:   t.now,
			UpdatedAt:   t.now,
		},
	}
	for _, kept := range media.KeptSpans(line.total, frozen.Cuts) {
		row.DurationMS += kept.Duration()
	}
	if row.WatermarkRequired = t.watermarks(a); !t.s.o.TierTable.Owner {
		expires := t.now.Add(t.plan(a).ExportRetention)
		row.ExpiresAt = &expires
	}
	frozen.ExportUUID = row.UUID
	if err := errors.Join(exports.put(t, row), exportInputs.put(t, frozen)); err != nil {
		return nil, err
	}
	return row, t.enqueue(JobExport, row.UUID, project.UserUUID, project.UUID)
}

// watermarks reports that exports of an account bear the watermark.
func (t *txn) watermarks(a *account) bool { return !t.s.o.TierTable.Owner && !t.plan(a).WatermarkFree }

// ExportInput returns what an export job works on. Errors: ErrStaleJob.
func (s *Store) ExportInput(j Job) (ExportInput, error) {
	var in ExportInput
	err := s.view(func(t *txn) error {
		if _, err := t.held(j); err != nil {
			return err
		}
		row, err := exports.get(t, j.Subject)
		if err != nil {
			return err
		}
		frozen, err := exportInputs.get(t, j.Subject)
		if err != nil {
			return err
		}
		in, err = t.exportInput(frozen, row.Settings)
		in.Export = row.Export
		return err
	})
	return in, err
}

// changeExport reads an export, lets fn change it, and writes it.
func (t *txn) changeExport(uuid string, fn func(*exportRow)) error {
	row, err := exports.get(t, uuid)
	if err != nil {
		return err
	}
	fn(row)
	row.UpdatedAt = t.now
	return exports.put(t, row)
}

// StartExport marks an export as rendering. Errors: ErrStaleJob; StorageFull when the disk has no
// room for a render.
func (s *Store) StartExport(j Job) error {
	if err := s.CheckFree(0); err != nil {
		return err
	}
	return s.update(func(t *txn) error {
		if _, err := t.held(j); err != nil {
			return err
		}
		return t.changeExport(j.Subject, func(r *exportRow) { r.Status = ExportRendering })
	})
}

// ExportProgress notes how far an export has come, in percent. Errors: ErrStaleJob.
func (s *Store) ExportProgress(j Job, step string, percent int) error {
	return s.batch(func(t *txn) error {
		if _, err := t.held(j); err != nil {
			return err
		}
		return t.changeExport(j.Subject, func(r *exportRow) { r.Step, r.Progress = step, min(max(percent, 0), 100) })
	})
}

// FinishExport moves a rendered file in and completes the export. The temporary file is gone
// afterwards, also after an error. Errors: ErrStaleJob; StorageFull.
func (s *Store) FinishExport(j Job, tempPath string, r media.RenderResult) (Export, error) {
	k := exportKey(j.Subject)
	var size int64
	err := s.view(func(t *txn) error { _, err := t.held(j); return err })
	if err == nil {
		size, err = s.moveIn(tempPath, k)
	}
	var row *exportRow
	if err == nil {
		err = s.update(func(t *txn) (err error) {
			row, err = t.finishExport(j, k, size, r)
			return err
		})
		if err != nil {
			s.discard(k)
		}
	}
	if err != nil {
		return Export{}, userError(errors.Join(err, remove(tempPath)))
	}
	return row.Export, nil
}

func (t *txn) finishExport(j Job, fileKey string, size int64, r media.RenderResult) (*exportRow, error) {
	held, err := t.held(j)
	if err != nil {
		return nil, err
	}
	row, err := exports.get(t, j.Subject)
	if err != nil {
		return nil, err
	}
	if err := t.putFile(
		&fileRow{Key: fileKey, Size: size, Owner: row.UUID, UserUUID: row.UserUUID, CreatedAt: t.now},
	); err != nil {
		return nil, err
	}
	row.Status = StatusCompleted
	row.Step = "finalize"
	row.Error = ""
	row.Progress = 100
	row.UpdatedAt = t.now
	row.DurationMS = r.DurationMS
	row.Width = r.Width
	row.Height = r.Height
	row.SizeBytes = size
	row.StorageKey = fileKey
	row.Rendering = &r
	if err := exports.put(t, row); err != nil {
		return nil, err
	}
	return row, t.endExport(row.UUID, held)
}

// endExport removes what only an export under way needs.
func (t *txn) endExport(uuid string, held *jobRow) error {
	if err := t.dropInput(uuid); err != nil {
		return err
	}
	if held == nil {
		return t.cancelJob(uuid)
	}
	return jobs.delete(t, held.UUID)
}

// FailExport ends an export without success. Errors: ErrStaleJob.
func (s *Store) FailExport(j Job, reason string) error {
	return s.update(func(t *txn) error {
		held, err := t.held(j)
		if err != nil {
			return err
		}
		return t.failExport(held, reason)
	})
}

func (t *txn) failExport(held *jobRow, reason string) error {
	if err := t.changeExport(
		held.Subject,
		func(r *exportRow) { r.Status, r.Error = StatusFailed, reason },
	); err != nil {
		return err
	}
	return t.endExport(held.Subject, held)
}

// ownExport returns an export of a user. Errors: NotFound, then Forbidden.
func (t *txn) ownExport(userUUID, uuid string) (*exportRow, error) {
	row, err := exports.get(t, uuid)
	if err != nil {
		return nil, err
	}
	if row.UserUUID != userUUID {
		return nil, notYours(exports.what)
	}
	return row, nil
}

// Exports returns one page of a project's exports, newest first, and how many there are in all.
func (s *Store) Exports(userUUID, projectUUID string, p Page) ([]Export, int, error) {
	list := []Export{}
	total := 0
	err := s.view(func(t *txn) error {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return err
		}
		rows, n, err := exports.page(t, p, exportsByProject, projectUUID)
		for _, row := range rows {
			list = append(list, row.Export)
		}
		total = n
		return err
	})
	return list, total, err
}

// Export returns an export.
func (s *Store) Export(userUUID, uuid string) (Export, error) {
	var e Export
	err := s.view(func(t *txn) error {
		row, err := t.ownExport(userUUID, uuid)
		if err == nil {
			e = row.Export
		}
		return err
	})
	return e, err
}

// CancelExport stops an export that has not ended. Errors: Conflict.
func (s *Store) CancelExport(userUUID, uuid string) (Export, error) {
	var row *exportRow
	err := s.update(func(t *txn) (err error) {
		if row, err = t.ownExport(userUUID, uuid); err != nil {
			return err
		}
		if row.Status != ExportQueued && row.Status != ExportRendering {
			return fail(Conflict, "conflict", "The export has ended already (%s).", row.Status)
		}
		row.Status, row.UpdatedAt = StatusCancelled, t.now
		if err := exports.put(t, row); err != nil {
			return err
		}
		return t.endExport(uuid, nil)
	})
	if err != nil {
		return Export{}, err
	}
	return row.Export, nil
}

// DeleteExport deletes an export with its file; one that is under way is cancelled.
func (s *Store) DeleteExport(userUUID, uuid string) error {
	return s.update(func(t *txn) error {
		row, err := t.ownExport(userUUID, uuid)
		if err != nil {
			return err
		}
		return t.dropExport(row)
	})
}

func (t *txn) dropExport(row *exportRow) error {
	if err := t.endExport(row.UUID, nil); err != nil {
		return err
	}
	if err := t.dropFiles(row.UUID); err != nil {
		return err
	}
	return exports.delete(t, row.UUID)
}

// dropExports deletes all exports of a project.
func (t *txn) dropExports(projectUUID string) error {
	list, err := exports.list(t, exportsByProject, projectUUID)
	if err != nil {
		return err
	}
	for _, row := range list {
		if err := t.dropExport(row); err != nil {
			return err
		}
	}
	return nil
}
