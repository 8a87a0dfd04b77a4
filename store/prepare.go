package store

import (
	"encoding/json"

	"roughcut/media"
)

// editedKept is how many unread projects wait in the channel of Edited; what does not fit is not
// prepared, which costs time alone.
const editedKept = 256

// Edited tells projects whose cuts have changed, once that is committed.
func (s *Store) EditedProjects() <-chan string { return s.edited }

// recut remembers to tell that the cuts of a project have changed.
func (t *txn) recut(projectUUID string) { t.recuts = append(t.recuts, projectUUID) }

// NextExport returns what an export of the project would work on if it were asked for now, with the
// settings of its last export, or without one the usual ones. Errors: NotFound for a project that
// is gone; those of CreateExport.
func (s *Store) PreRenderInput(projectUUID string) (ExportInput, error) {
	var in ExportInput
	err := s.view(func(t *txn) error {
		project, err := projects.get(t, projectUUID)
		if err != nil {
			return err
		}
		a, err := accounts.get(t, project.UserUUID)
		if err != nil {
			return err
		}
		last, _, err := exports.page(t, Page{Number: 1, Size: 1}, exportsByProject, projectUUID)
		if err != nil {
			return err
		}
		var settings json.RawMessage
		if len(last) > 0 {
			settings = last[0].Settings
		}
		if settings, err = effectiveSettings(nil, settings); err != nil {
			return err
		}
		list, line, err := t.servedEdits(project)
		if err != nil {
			return err
		}
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
		in, err = t.exportInput(frozen, settings)
		in.Export.WatermarkRequired = t.watermarks(a)
		return err
	})
	return in, err
}

// exportInput makes of what was frozen what a worker reads.
func (t *txn) exportInput(frozen *frozenExport, settings json.RawMessage) (ExportInput, error) {
	in := ExportInput{Cuts: frozen.Cuts, Transcript: frozen.Transcript}
	for _, c := range frozen.Clips {
		path := t.s.FilePath(c.Key)
		row, err := clips.lookup(t, clipsByFile, footageID(c.Key))
		if err != nil {
			return in, err
		}
		if row != nil && row.LinkedFile != nil { // where it is now, not where it was when the export was asked for
			path = row.LinkedFile.Path
			in.references = append(in.references, *row.LinkedFile)
		}
		clip := media.RenderClip{Path: path, ID: footageID(c.Key), Info: c.Info}
		if c.Energies != "" {
			clip.EnergiesPath = t.s.FilePath(c.Energies)
		}
		in.Clips = append(in.Clips, clip)
	}
	for _, a := range frozen.Assets {
		in.Assets = append(in.Assets, a.placed(t.s))
	}
	var err error
	in.Settings, err = parseSettings(settings)
	return in, err
}
