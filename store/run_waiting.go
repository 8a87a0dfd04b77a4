package store

import (
	"encoding/json"
	"errors"
	"slices"

	"roughcut/store/billing"
)

// QueueAnalysis is StartAnalysis for a project whose clips may still be uploaded or processed. The
// analysis starts when every clip is ready or has failed; then it reserves its credits. Errors, in
// this order: Conflict already_analyzing; Invalid no_clips for a project without clips;
// PaymentRequired insufficient_credits when all clips are ready.
func (s *Store) QueueAnalysis(userUUID, projectUUID string, k AnalysisSettings) (Run, error) {
	return s.startAnalysis(userUUID, projectUUID, k, true)
}

// awaitsMotion reports whether an analysis with the settings must wait until the motion of a clip
// is measured.
func (t *txn) awaitsMotion(projectUUID string, k AnalysisSettings) (bool, error) {
	if !k.KeepDemonstrations {
		return false, nil
	}
	list, err := clips.List(t, clipsByProject, projectUUID)
	return slices.ContainsFunc(list, func(c *clipRow) bool { return c.TilesLeft }), err
}

// keepScreens applies KeepScreens to the settings, as soon as a clip of the project is known to
// show a screen.
func (t *txn) keepScreens(projectUUID string, k *AnalysisSettings) error {
	if !k.KeepScreens || k.KeepDemonstrations {
		return nil
	}
	list, err := clips.List(t, clipsByProject, projectUUID)
	k.KeepDemonstrations = slices.ContainsFunc(list, func(c *clipRow) bool { return c.Screen != nil && *c.Screen })
	return err
}

// startWaiting starts the analysis of a project that waits for the clips, once they are ready or
// have failed. An analysis without a ready clip or without sufficient credits starts too and then
// fails, so that its failure is reported like any other.
func (t *txn) startWaiting(project *projectRow) error {
	if project.Status != ProjectAnalyzing {
		return nil
	}
	list, err := runs.List(t, runsByProject, project.UUID)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(r *runRow) bool { return r.WaitsForClips })
	if at < 0 {
		return nil
	}
	run := list[at]
	if err := t.keepScreens(project.UUID, &run.AnalysisSettings); err != nil {
		return err
	}
	waits, err := t.awaitsAny(project.UUID, run.AnalysisSettings, true)
	if err != nil || waits {
		return err
	}
	line, err := t.timeline(project.UUID)
	if err != nil {
		return err
	}
	run.WaitsForClips, run.DurationMS, run.UpdatedAt = false, line.total, t.Now
	if len(line.places) == 0 {
		err = noClips()
	} else {
		err = t.books().Reserve(run.UserUUID, run.UUID, billing.Cost(line.heard()))
	}

	if refused := (*Error)(nil); errors.As(err, &refused) {
		run.Error = refused.Message
		err = t.books().Reserve(run.UserUUID, run.UUID, 0)
	}

	if err != nil {
		return err
	}
	if err := runs.Put(t, run); err != nil {
		return err
	}
	return t.enqueue(JobAnalysis, run.UUID, run.UserUUID, project.UUID)
}

// releaseRun releases the credits of a run that has not ended. A run that waits for its clips has
// reserved none.
func (t *txn) releaseRun(run *runRow) error {
	if run.WaitsForClips {
		return nil
	}
	return t.books().Release(run.UUID)
}

// ExportWhenDone makes the server create an export when a run completes; nil removes the request.
// Errors: NotFound, Forbidden; Unprocessable for wrong settings; Conflict after the run has ended.
func (s *Store) ExportWhenDone(userUUID, projectUUID, runUUID string, export *QueuedExport) (Run, error) {
	if export != nil {
		if _, err := effectiveSettings(json.RawMessage(`{}`), export.Settings); err != nil {
			return Run{}, err
		}
	}

	return updated(s, func(t *txn) (Run, error) {
		row, err := t.ownRun(userUUID, projectUUID, runUUID)
		if err != nil {
			return Run{}, err
		}
		if row.Status != RunQueued && row.Status != RunRunning {
			return Run{}, conflict(
				"The analysis has already ended (%s). Create the export directly.", row.Status,
			)
		}

		row.ExportWhenDone, row.UpdatedAt = export, t.Now
		return row.Run, runs.Put(t, row)
	})
}

// createQueuedExport creates the export that a completed run asks for, if any. A refusal is kept in
// the run and is not an error.
func (t *txn) createQueuedExport(run *runRow, obstacle error) error {
	wanted := run.ExportWhenDone
	if wanted == nil {
		return nil
	}
	in := NewExport{Name: wanted.Name, Settings: wanted.Settings}
	_, err := t.createExport(run.UserUUID, run.ProjectUUID, in, obstacle)
	refused := (*Error)(nil)
	if !errors.As(userError(err), &refused) {
		return err
	}
	run.ExportWhenDone = &QueuedExport{Name: wanted.Name, Settings: wanted.Settings, Error: refused.Message}
	return runs.Put(t, run)
}
