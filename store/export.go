package store

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"roughcut/media"
	"roughcut/store/billing"
	"roughcut/store/table"
)

// Statuses of an export, in addition to completed, failed and cancelled.
const (
	ExportQueued    = "queued"
	ExportRendering = "rendering"
	ExportExpired   = "expired"
)

// Export is a rendered video, or a request for one.
type Export struct {
	UUID, ProjectUUID, UserUUID, Name, Status, Step, Error string
	Progress                                               int // 0-100
	DraftID                                                *string
	ShortUUID                                              *string         `json:",omitempty"` // may be deleted
	Settings                                               json.RawMessage // effective settings
	// of the rendered video; before, the length that the cuts leave
	DurationMS              int64
	SizeBytes               int64
	Width, Height           int
	ContentType, StorageKey string
	// how the frames were made and the result of the file check; nil before
	Rendering         *media.RenderResult
	ExpiresAt         *time.Time // nil: never
	WatermarkRequired bool
	// queued until the clips are ready that were being read when the export was requested
	WaitsForClips        bool `json:",omitempty"`
	CreatedAt, UpdatedAt time.Time
}

// NewExport is a request for an export.
type NewExport struct {
	Name      string
	DraftID   *string
	ShortUUID *string         // its range is exported; its settings replace the draft's leaf by leaf
	Settings  json.RawMessage // replaces the settings of draft and short leaf by leaf
	Overrides map[string]Override
	// WaitForClips true waits for the clips that are being uploaded or processed, false leaves them
	// out. Nil waits for those that are being processed.
	WaitForClips *bool
}

// ExportInput is the input of an export job. It was frozen when the export was requested.
type ExportInput struct {
	Export     Export
	Settings   ExportSettings
	Clips      []media.RenderClip
	Cuts       []media.Span    // project time, sorted, disjoint
	Muted      []media.Span    // project time, sorted, disjoint; their audio becomes room tone
	Range      media.Span      // project time that is exported; empty for all of it
	Chapters   []media.Chapter // project time, by time
	Assets     []media.PlacedAsset
	Cover      *media.PlacedAsset // of clips without video; nil for none
	Transcript ExportTranscript
	// FacesLeft lists clips whose faces are unknown, but decide what the export shows.
	FacesLeft []Clip
	// linked files among the clips
	linkedFiles []LinkedFile
}

// CheckLinkedFiles returns an error when a linked file is missing or has changed. A worker calls it
// before and after the render. Errors: see LinkedFile.Check.
func (in ExportInput) CheckLinkedFiles() error { return checkLinkedFiles(in.linkedFiles) }

// ExportTranscript is the transcript data that an export needs, in project time. It is empty when
// no setting needs it.
type ExportTranscript struct {
	Language string     // ISO 639-1, empty when unknown
	Censored WordChoice // changes to the built-in list of censored words
	Words    []media.Word
	Captions []media.CaptionLine
}

// exportRow is the stored form of an Export.
type exportRow struct {
	Export
	Seq       uint64
	Waiting   *waitingExport `json:",omitempty"` // nil unless WaitsForClips
	TrashedAt *time.Time     `json:",omitempty"` // nil unless it is in the trash
}

// frozenExport is the input of an export that has not ended.
type frozenExport struct {
	ExportUUID string
	Clips      []frozenClip
	Cuts       []media.Span
	Muted      []media.Span     `json:",omitempty"`
	Range      media.Span       `json:",omitzero"`
	Chapters   []media.Chapter  `json:",omitempty"` // in project time
	Assets     []frozenAsset    // a later asset covers earlier ones
	Transcript ExportTranscript `json:"Speech"`
}

// frozenClip is a clip of an export.
type frozenClip struct {
	UUID     string `json:",omitempty"` // empty for exports from before crops had keyframes
	Key      string // of the original file
	Energies string `json:",omitempty"` // key; empty when the clip has none
	Peaks    string `json:",omitempty"` // key of the waveform; empty when the clip has none
	Info     media.Info
}

var (
	exportsByProject = &table.Index[exportRow]{
		Name: "exports.by_project",
		Keys: func(r *exportRow) [][]byte {
			if r.TrashedAt != nil {
				return nil
			}
			return table.Entry(r.ProjectUUID, r.Seq)
		},
	}
	// exportsCompleted lists the exports whose files can be downloaded.
	exportsCompleted = &table.Index[exportRow]{
		Name:    "exports.completed",
		Counted: true,
		Keys: func(r *exportRow) [][]byte {
			if r.Status != StatusCompleted || r.TrashedAt != nil {
				return nil
			}
			return table.Entry(r.ProjectUUID)
		},
	}
	exportsByExpiry = &table.Index[exportRow]{Name: "exports.by_expiry", Keys: func(r *exportRow) [][]byte {
		if r.Status != StatusCompleted || r.ExpiresAt == nil {
			return nil
		}
		return table.Entry(*r.ExpiresAt)
	}}
	exportsWaiting = &table.Index[exportRow]{Name: "exports.waiting", Keys: func(r *exportRow) [][]byte {
		if r.Waiting == nil || r.TrashedAt != nil {
			return nil
		}
		return table.Entry(r.ProjectUUID, r.Seq)
	}}
	exports = &table.Table[exportRow]{
		Name: "exports",
		Noun: "export",
		Key:  func(r *exportRow) []byte { return []byte(r.UUID) },
		Indexes: []*table.Index[exportRow]{
			exportsByProject,
			exportsByExpiry,
			exportsCompleted,
			exportsWaiting,
			exportsTrashed,
			exportsTrashedByProject,
		},
	}
	exportInputs = &table.Table[frozenExport]{
		Name:    "export_inputs",
		Noun:    "export input",
		Key:     func(r *frozenExport) []byte { return []byte(r.ExportUUID) },
		Indexes: []*table.Index[frozenExport]{inputsByAsset},
	}
)

// CreateExport queues an export and freezes its input: the effective edits, the settings, the
// expiry and the watermark. An export that waits for clips freezes its edits when it starts.
// Errors: NotFound and Forbidden for project and draft; Unprocessable; Invalid no_clips,
// out_of_bounds; Conflict clips_processing, asset_not_ready, reference_missing, reference_changed;
// StorageFull.
func (s *Store) CreateExport(userUUID, projectUUID string, in NewExport) (Export, error) {
	obstacle, err := s.exportObstacle(projectUUID)
	if err != nil {
		return Export{}, err
	}
	return updated(s, func(t *txn) (Export, error) {
		row, err := t.createExport(userUUID, projectUUID, in, obstacle)
		if err != nil {
			return Export{}, err
		}
		return row.Export, nil
	})
}

// exportObstacle checks the files for a reason to refuse an export: a linked file is missing or has
// changed, or the disk is full. obstacle is nil if the files allow the export, and err reports a
// failed check. Call it before the transaction, which must not wait for files.
func (s *Store) exportObstacle(projectUUID string) (obstacle, err error) {
	linked, err := s.projectLinkedFiles(projectUUID)
	if err != nil {
		return nil, err
	}
	if gone := checkLinkedFiles(linked); gone != nil {
		return gone, nil
	}
	return s.CheckFree(0), nil
}

// createExport is CreateExport within a transaction. It refuses before it writes.
func (t *txn) createExport(userUUID, projectUUID string, in NewExport, obstacle error) (*exportRow, error) {
	asked, err := t.askedExport(userUUID, projectUUID, in)
	if err == nil {
		err = obstacle
	}
	if err != nil {
		return nil, err
	}
	return t.addExport(asked, in)
}

// askedExport is everything that a request for an export freezes.
type askedExport struct {
	project   *projectRow
	short     Short           // empty unless one is exported
	settings  json.RawMessage // effective
	overrides map[string]Override
	within    media.Span // of the settings
	line      *timeline
	awaited   []string      // uuids of the clips that the export waits for
	frozen    *frozenExport // nil if it waits
}

// askedExport checks a request for an export and freezes its input. Errors: as in CreateExport,
// except for linked files and the disk.
func (t *txn) askedExport(userUUID, projectUUID string, in NewExport) (asked askedExport, err error) {
	if asked.project, err = t.ownProject(userUUID, projectUUID); err != nil {
		return asked, err
	}
	draft, err := t.exportDraft(userUUID, projectUUID, in.DraftID)
	if err != nil {
		return asked, err
	}
	list, line, err := t.servedEdits(asked.project)
	if err != nil {
		return asked, err
	}
	short, err := t.exportShort(userUUID, projectUUID, in, draft)
	if err != nil {
		return asked, err
	}
	asked.short = short
	if asked.settings, err = effectiveSettings(draft.ExportSettings, short.ExportSettings, in.Settings); err != nil {
		return asked, err
	}
	if err := t.checkOverrides(projectUUID, line, in.Overrides); err != nil {
		return asked, err
	}
	asked.line, asked.overrides = line, mergeOverrides(draft.EditOverrides, in.Overrides)
	if asked.within, err = line.rangeOf(asked.settings); err != nil {
		return asked, err
	}
	asked.awaited, err = t.awaitedClips(asked.project, line, in.WaitForClips)
	if err != nil || len(asked.awaited) > 0 {
		return asked, err
	}
	asked.frozen, err = t.frozen(asked.project, line, overridden(list, asked.overrides), asked.settings)
	return asked, err
}

// exportDraft returns the draft with an id, or an empty one for nil. Errors: NotFound, Forbidden.
func (t *txn) exportDraft(userUUID, projectUUID string, id *string) (Draft, error) {
	if id == nil {
		return Draft{}, nil
	}
	d, err := t.draft(userUUID, *id)
	if err == nil && d.ProjectUUID != projectUUID {
		err = notFound(drafts.Noun)
	}
	return d, err
}

// exportTranscript returns the parts of the active run's transcript and captions that the settings
// need. With ducks, assets are lowered while someone speaks.
func (t *txn) exportTranscript(
	project *projectRow, settings ExportSettings, ducks bool,
) (speech ExportTranscript, err error) {
	captioned := settings.Captions.Enabled
	needed := captioned || ducks || settings.AudioCensorship != media.CensorNone
	if project.ActiveRunUUID == "" || !needed {
		return speech, nil
	}
	if speech, err = t.transcriptOf(project, captioned); err != nil {
		return speech, err
	}
	list, err := t.wordList(project.UserUUID, speech.Language)
	speech.Censored = list.Censored
	return speech, err
}

// transcriptOf returns the transcript of the active run, with its caption lines if captioned.
func (t *txn) transcriptOf(project *projectRow, captioned bool) (speech ExportTranscript, err error) {
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
		speech.Captions = append(speech.Captions, l.media())
	}
	return speech, err
}

func (t *txn) addExport(asked askedExport, in NewExport) (*exportRow, error) {
	project := asked.project
	rights, err := t.books().Entitlements(project.UserUUID)
	if err != nil {
		return nil, err
	}
	seq, err := exports.NextSeq(t)
	if err != nil {
		return nil, err
	}
	row := &exportRow{
		Seq: seq,
		Export: Export{
			UUID:        t.NewID(),
			ProjectUUID: project.UUID,
			UserUUID:    project.UserUUID,
			Name:        cmp.Or(in.Name, asked.short.Name),
			Status:      ExportQueued,
			DraftID:     in.DraftID,
			ShortUUID:   in.ShortUUID,
			Settings:    asked.settings,
			ContentType: formatOf(asked.settings).ContentType,
			CreatedAt:   t.Now,
			UpdatedAt:   t.Now,
		},
	}
	if row.WatermarkRequired = t.watermarks(rights); !t.s.o.TierTable.Unlimited {
		row.ExpiresAt = new(t.Now.Add(rights.ExportRetention))
	}

	if len(asked.awaited) > 0 {
		row.WaitsForClips = true
		row.Waiting = &waitingExport{Clips: asked.awaited, Overrides: asked.line.anchored(asked.overrides)}
		if asked.within.Duration() > 0 {
			row.Waiting.Range = new(asked.line.anchoredSpan(asked.within))
		}
		return row, exports.Put(t, row)
	}

	asked.frozen.ExportUUID = row.UUID
	row.DurationMS = asked.frozen.duration(asked.line)
	if err := t.checkGenerated(project.UserUUID); err != nil {
		return nil, err
	}
	if err := t.admitJob(project.UserUUID); err != nil {
		return nil, err
	}
	if err := exports.Put(t, row); err != nil {
		return row, err
	}
	if err := exportInputs.Put(t, asked.frozen); err != nil {
		return row, err
	}
	return row, t.enqueue(JobExport, row.UUID, project.UserUUID, project.UUID)
}

// duration returns the length that the cuts leave, in milliseconds.
func (f *frozenExport) duration(line *timeline) (ms int64) {
	for _, kept := range f.kept(line) {
		ms += kept.Duration()
	}
	return ms
}

// kept returns the spans of project time that the export has.
func (f *frozenExport) kept(line *timeline) []media.Span {
	return media.KeptSpans(line.total, slices.Concat(f.Cuts, f.Range.Outside(line.total)))
}

// watermarks reports whether the exports of a user with entitlements get a watermark.
func (t *txn) watermarks(rights billing.Entitlements) bool {
	return !t.s.o.TierTable.Unlimited && !rights.WatermarkFree
}

// ownExport returns an export of a user. Errors: NotFound, then Forbidden.
func (t *txn) ownExport(userUUID, uuid string) (*exportRow, error) {
	row, err := exports.Get(t, uuid)
	if err != nil {
		return nil, err
	}
	if row.UserUUID != userUUID {
		return nil, notYours(exports.Noun)
	}
	if row.TrashedAt != nil {
		return nil, notFound(exports.Noun)
	}
	return row, t.ownPart(userUUID, row.ProjectUUID, exports.Noun)
}

// Exports returns one page of a project's exports, newest first, and the number of all.
func (s *Store) Exports(userUUID, projectUUID string, p Page) ([]Export, int, error) {
	return viewedPage(s, func(t *txn) (list []Export, total int, err error) {
		if _, err := t.ownProject(userUUID, projectUUID); err != nil {
			return nil, 0, err
		}
		rows, total, err := exports.Page(t, p, exportsByProject, projectUUID)
		for _, row := range rows {
			list = append(list, row.Export)
		}
		return list, total, err
	})
}

// Export returns an export. Errors: NotFound, Forbidden.
func (s *Store) Export(userUUID, uuid string) (Export, error) {
	return viewed(s, func(t *txn) (Export, error) {
		row, err := t.ownExport(userUUID, uuid)
		if err != nil {
			return Export{}, err
		}
		return row.Export, nil
	})
}

// CancelExport stops an export that has not ended. Errors: NotFound, Forbidden; Conflict after it
// has ended.
func (s *Store) CancelExport(userUUID, uuid string) (Export, error) {
	return resultOf(s.updateOnReserve, func(t *txn) (Export, error) {
		row, err := t.ownExport(userUUID, uuid)
		if err != nil {
			return Export{}, err
		}
		if row.Status != ExportQueued && row.Status != ExportRendering {
			return Export{}, conflict("The export has already ended (%s).", row.Status)
		}
		err = t.cancelExport(row)
		return row.Export, err
	})
}

// cancelExport stops an export that has not ended.
func (t *txn) cancelExport(row *exportRow) error {
	row.Status, row.WaitsForClips, row.Waiting, row.UpdatedAt = StatusCancelled, false, nil, t.Now
	if err := exports.Put(t, row); err != nil {
		return err
	}
	return t.endExport(row.UUID, nil)
}

// DeleteExport moves an export to the trash of its project. It cancels a running export. Errors:
// NotFound, Forbidden.
func (s *Store) DeleteExport(userUUID, uuid string) error {
	return s.updateOnReserve(func(t *txn) error {
		row, err := t.ownExport(userUUID, uuid)
		if err != nil {
			return err
		}
		if row.Status == ExportQueued || row.Status == ExportRendering {
			row.Status, row.WaitsForClips, row.Waiting = StatusCancelled, false, nil
		}
		row.TrashedAt, row.UpdatedAt = &t.Now, t.Now
		if err := t.endExport(uuid, nil); err != nil {
			return err
		}
		return exports.Put(t, row)
	})
}

// dropExport permanently deletes an export.
func (t *txn) dropExport(row *exportRow) error {
	if err := t.endExport(row.UUID, nil); err != nil {
		return err
	}
	if err := t.dropFiles(row.UUID); err != nil {
		return err
	}
	return exports.Delete(t, row.UUID)
}

// dropExports deletes the exports of a project while the transaction has room.
func (t *txn) dropExports(projectUUID string) error {
	return dropEach(t, exports, projectUUID, t.dropExport, exportsByProject, exportsTrashedByProject)
}
