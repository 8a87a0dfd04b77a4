package server

import (
	"context"
	"errors"

	"roughcut/media"
	"roughcut/server/api"
	"roughcut/store"
)

func runSummary(r store.Run) api.RunSummary {
	summary := api.RunSummary{
		UUID:            r.UUID,
		Status:          api.RunStatus(r.Status),
		Error:           orNull(r.Error),
		Language:        r.Language,
		SpokenLanguage:  orNull(r.DetectedLanguage),
		LanguageDoubt:   (*api.LanguageDoubt)(orNull(r.LanguageDoubt)),
		Model:           orNull(r.Model),
		EditCount:       r.EditCount,
		SilenceCount:    r.SilenceCount,
		FalseStartCount: r.FalseStartCount,
		CreditsCharged:  r.CreditsCharged,
		DurationMS:      r.DurationMS,
		CoversClips:     r.CoversClips,
		WaitsForClips:   r.WaitsForClips,
		ExportWhenDone:  queuedExport(r.ExportWhenDone),
		CreatedAt:       timestamp(r.CreatedAt),
		UpdatedAt:       timestamp(r.UpdatedAt),
	}
	writeOptions(&summary, r.CutOptions)
	return summary
}

func queuedExport(e *store.QueuedExport) *api.QueuedExport {
	if e == nil {
		return nil
	}
	return &api.QueuedExport{Name: e.Name, ExportSettings: store.OrEmptyObject(e.Settings), Error: orNull(e.Error)}
}

// runRecord returns the full record of a run. Only completed runs have a transcript.
func (s *Server) runRecord(userUUID, projectUUID, runUUID string) (api.Run, error) {
	r, heard, err := s.Store.Run(userUUID, projectUUID, runUUID)
	if err != nil {
		return api.Run{}, err
	}
	var transcript *api.Transcript
	if r.Status == store.StatusCompleted {
		transcript = transcriptRecord(&heard)
	}
	timings := r.Timings
	if timings == nil {
		timings = map[string]int64{}
	}
	full := api.Run{
		Transcript:     transcript,
		Timings:        timings,
		DirectorReport: orNull(r.DirectorReport),
	}
	recode(runSummary(r), &full)
	return full, nil
}

// EstimateAnalysisCost returns the cost of an analysis and whether the balance covers it.
func (s handlers) EstimateAnalysisCost(
	ctx context.Context,
	request api.EstimateAnalysisCostRequestObject,
) (api.EstimateAnalysisCostResponseObject, error) {
	minutes, balance, sufficient, err := s.Store.EstimateAnalysis(userOf(ctx), request.ProjectUUID)
	return api.EstimateAnalysisCost200JSONResponse{
		EstimatedMinutes: minutes,
		Balance:          balance,
		Sufficient:       sufficient,
	}, err
}

// AnalyzeProject reserves the minutes and queues an analysis. With wait_for_clips, the analysis can
// wait for its clips.
func (s handlers) AnalyzeProject(
	ctx context.Context,
	request api.AnalyzeProjectRequestObject,
) (api.AnalyzeProjectResponseObject, error) {
	b := request.Body
	settings := store.AnalysisSettings{
		CutOptions:    media.DefaultCutOptions(),
		Language:      b.Language,
		DirectorNotes: valueOr(b.DirectorNotes, ""),
		Director:      string(valueOr(b.Director, "")),
		KeepScreens:   valueOr(b.KeepScreens, false),
	}
	readOptions(b, &settings.CutOptions)
	start := s.Store.StartAnalysis
	if valueOr(b.WaitForClips, false) {
		start = s.Store.QueueAnalysis
	}
	run, err := start(userOf(ctx), request.ProjectUUID, settings)
	return api.AnalyzeProject202JSONResponse{
		Status:           api.AnalysisStartedStatusAnalyzing,
		RunUUID:          run.UUID,
		EstimatedMinutes: run.Estimate,
	}, err
}

// ListRuns returns the runs of a project, newest first.
func (s handlers) ListRuns(
	ctx context.Context,
	request api.ListRunsRequestObject,
) (api.ListRunsResponseObject, error) {
	runs, err := s.Store.Runs(userOf(ctx), request.ProjectUUID)
	return api.ListRuns200JSONResponse(wholePage(runs, runSummary)), err
}

// GetRun returns the full record of one run.
func (s handlers) GetRun(ctx context.Context, request api.GetRunRequestObject) (api.GetRunResponseObject, error) {
	run, err := s.runRecord(userOf(ctx), request.ProjectUUID, request.RunUUID)
	return api.GetRun200JSONResponse(run), err
}

// ActivateRun makes a completed run the source of the project's edits, captions and transcript.
func (s handlers) ActivateRun(
	ctx context.Context,
	request api.ActivateRunRequestObject,
) (api.ActivateRunResponseObject, error) {
	if _, err := s.Store.ActivateRun(
		userOf(ctx), request.ProjectUUID, request.RunUUID,
		changeOf(request.Params.XChange, request.Params.XChangeLabel),
	); err != nil {
		return nil, err
	}

	run, err := s.runRecord(userOf(ctx), request.ProjectUUID, request.RunUUID)
	return api.ActivateRun200JSONResponse(run), err
}

// CancelRun stops an analysis and releases its reserved minutes.
func (s handlers) CancelRun(
	ctx context.Context,
	request api.CancelRunRequestObject,
) (api.CancelRunResponseObject, error) {
	if _, err := s.Store.CancelRun(userOf(ctx), request.ProjectUUID, request.RunUUID); err != nil {
		return nil, err
	}
	run, err := s.runRecord(userOf(ctx), request.ProjectUUID, request.RunUUID)
	return api.CancelRun202JSONResponse(run), err
}

// SetExportWhenDone makes the server create an export when a run completes.
func (s handlers) SetExportWhenDone(
	ctx context.Context,
	request api.SetExportWhenDoneRequestObject,
) (api.SetExportWhenDoneResponseObject, error) {
	name, err := store.ValidName("name", request.Body.Name)
	if err != nil {
		return nil, err
	}
	run, err := s.Store.ExportWhenDone(userOf(ctx), request.ProjectUUID, request.RunUUID, &store.QueuedExport{
		Name:     name,
		Settings: store.OrEmptyObject(request.Body.ExportSettings),
	})
	return api.SetExportWhenDone200JSONResponse(runSummary(run)), err
}

// ClearExportWhenDone removes the request for an export from a run.
func (s handlers) ClearExportWhenDone(
	ctx context.Context,
	request api.ClearExportWhenDoneRequestObject,
) (api.ClearExportWhenDoneResponseObject, error) {
	_, err := s.Store.ExportWhenDone(userOf(ctx), request.ProjectUUID, request.RunUUID, nil)
	return api.ClearExportWhenDone204Response{}, err
}

// ReplanRun derives a run's edits again from the stored evidence.
func (s handlers) ReplanRun(
	ctx context.Context,
	request api.ReplanRunRequestObject,
) (api.ReplanRunResponseObject, error) {
	b, user := request.Body, userOf(ctx)
	choose := func(k *store.AnalysisSettings) { readOptions(b, &k.CutOptions) }
	var edits []store.Edit
	var changed int
	save := func(k store.AnalysisSettings, found store.Proposal) (err error) {
		if valueOr(b.DryRun, false) {
			edits, changed, err = s.Store.PreviewDetectedEdits(user, request.ProjectUUID, request.RunUUID, k, found)
			return err
		}

		as := changeOf(request.Params.XChange, request.Params.XChangeLabel)
		edits, changed, err = s.Store.ReplaceDetectedEdits(user, request.ProjectUUID, request.RunUUID, k, found, as)
		return err
	}
	if err := s.replan(user, request.ProjectUUID, request.RunUUID, choose, save); err != nil {
		return nil, err
	}
	return api.ReplanRun200JSONResponse{
		Items:    mapSlice(edits, plannedEdit),
		Total:    len(edits),
		Page:     1,
		PageSize: onePageSize(len(edits)),
		Changed:  changed,
	}, nil
}

// replan derives the edits of a run with the settings that choose sets, and saves them. It derives
// them again if the motion of a clip has been measured since.
func (s handlers) replan(
	user, project, run string,
	choose func(*store.AnalysisSettings),
	save func(store.AnalysisSettings, store.Proposal) error,
) error {
	for {
		in, err := s.Store.ReplanInput(user, project, run)
		if err != nil {
			return err
		}
		choose(&in.Run.AnalysisSettings)
		found, err := s.Replan(in)
		if err == nil {
			err = save(in.Run.AnalysisSettings, found)
		}
		if !errors.Is(err, store.ErrMotionMeasured) {
			return err
		}
	}
}

func plannedEdit(e store.Edit) api.PlannedEdit {
	p := api.PlannedEdit{
		RunUUID:    e.RunUUID,
		Type:       api.EditType(e.Type),
		StartMS:    e.StartMS,
		EndMS:      e.EndMS,
		Active:     e.Active,
		Reason:     e.Reason,
		Confidence: e.Confidence,
		Action:     editAction(e),
		TakeGroup:  orNull(e.TakeGroup),
		TakeNumber: takeNumber(e),
	}
	if e.UUID != "" {
		p.UUID, p.CreatedAt, p.UpdatedAt = &e.UUID, timestampOrNull(&e.CreatedAt), timestampOrNull(&e.UpdatedAt)
	}
	return p
}
