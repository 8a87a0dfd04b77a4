package store

import (
	"errors"
	"slices"
)

// waitingExport is what an export needs to start once its clips are ready.
type waitingExport struct {
	Clips     []string // uuids
	Overrides anchoredOverrides
	Range     *anchoredSpan `json:",omitempty"` // of the settings
}

// awaitedClips returns the clips that a new export waits for. Without a choice it waits for the
// clips that are being processed, unless no other clip is ready.
func (t *txn) awaitedClips(project *projectRow, line *timeline, wait *bool) ([]string, error) {
	if (wait != nil && !*wait) || (wait == nil && len(line.places) == 0) {
		return nil, nil
	}
	return t.unreadClips(project.UUID, wait != nil)
}

// startWaitingExports starts the exports of a project whose clips are ready, have failed, or are
// deleted. An export that has become impossible starts too and then fails, so that its failure is
// reported like any other.
func (t *txn) startWaitingExports(project *projectRow) error {
	list, err := exports.List(t, exportsWaiting, project.UUID)
	if err != nil || len(list) == 0 {
		return err
	}
	unread, err := t.unreadClips(project.UUID, true)
	if err != nil {
		return err
	}
	for _, row := range list {
		waits, failed, err := t.awaited(row.Waiting.Clips, unread)
		if err != nil {
			return err
		}
		if waits {
			continue
		}
		if err := t.startWaitingExport(project, row, failed); err != nil {
			return err
		}
	}

	return nil
}

// awaited reports whether one of the clips is among the unread ones. Otherwise it returns the first
// clip that failed, or nil if none failed.
func (t *txn) awaited(uuids, unread []string) (waits bool, failed *clipRow, err error) {
	for _, uuid := range uuids {
		if slices.Contains(unread, uuid) {
			return true, nil, nil
		}
		row, err := clips.Find(t, uuid)
		if err != nil {
			return false, nil, err
		}
		if row != nil && row.Trashed == nil && row.Status == ClipFailed && failed == nil {
			failed = row
		}
	}

	return false, failed, nil
}

func (t *txn) startWaitingExport(project *projectRow, row *exportRow, failed *clipRow) error {
	waiting := row.Waiting
	row.Waiting, row.WaitsForClips, row.UpdatedAt = nil, false, t.Now
	err := t.freezeWaiting(project, row, waiting)
	refused := (*Error)(nil)
	switch {
	case failed != nil:
		row.Error = "The clip " + failed.Name + " could not be read. Remove it or add it again, then export again."
		err = nil
	case errors.As(err, &refused):
		row.Error, err = refused.Message, nil
	}

	if err != nil {
		return err
	}
	if err := exports.Put(t, row); err != nil {
		return err
	}
	return t.enqueue(JobExport, row.UUID, row.UserUUID, project.UUID)
}

// freezeWaiting freezes the input of an export that has waited, from the edits of the moment.
func (t *txn) freezeWaiting(project *projectRow, row *exportRow, waiting *waitingExport) error {
	list, line, err := t.servedEdits(project)
	if err != nil {
		return err
	}
	overrides, err := t.servedOverrides(line, waiting.Overrides)
	if err != nil {
		return err
	}
	if waiting.Range != nil {
		if row.Settings, err = line.servedRange(*waiting.Range, row.Settings); err != nil {
			return err
		}
	}

	frozen, err := t.frozen(project, line, overridden(list, overrides), row.Settings)
	if err != nil {
		return err
	}
	row.DurationMS = frozen.duration(line)
	frozen.ExportUUID = row.UUID
	return exportInputs.Put(t, frozen)
}

// frozen freezes the input of an export. Errors: see freeze, freezeAssets and freezeCover.
func (t *txn) frozen(project *projectRow, line *timeline, list []Edit, settings []byte) (*frozenExport, error) {
	parsed, err := parseSettings(settings)
	if err != nil {
		return nil, err
	}
	frozen, err := freeze(line, list, parsed.within())
	if err != nil {
		return nil, err
	}
	if frozen.Chapters, err = t.chapters(project.UUID, line); err != nil {
		return nil, err
	}
	if frozen.Assets, err = t.freezeAssets(line, list); err != nil {
		return nil, err
	}
	cover, err := t.freezeCover(project.UserUUID, parsed.AudioClips.CoverAssetFileID)
	if err != nil {
		return nil, err
	}
	ducks := func(a frozenAsset) bool { return a.Placement.DuckUnderVoice }
	frozen.Transcript, err = t.exportTranscript(project, parsed, slices.ContainsFunc(frozen.Assets, ducks))
	frozen.Assets = append(frozen.Assets, cover...)
	return frozen, err
}
