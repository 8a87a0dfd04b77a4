package store

import (
	"encoding/json"
	"slices"

	"roughcut/media"
)

// editedProjectsKept is how many projects the channel of EditedProjects holds. A project that does
// not fit is not pre-rendered, which costs only time.
const editedProjectsKept = 256

// EditedProjects receives the uuid of a project after each committed change of its edits.
func (s *Store) EditedProjects() <-chan string { return s.editedProjects }

// announceEdits announces after the commit that the edits of a project have changed.
func (t *txn) announceEdits(projectUUID string) {
	t.OnCommit(func() {
		select {
		case t.s.editedProjects <- projectUUID:
		default: // channel full: the project gets no pre-render
		}
	})
}

// PreRenderInput returns the input that an export of the project would have now. It uses the
// settings of the last export, or the defaults if the project has no export. Errors: NotFound for a
// project that is deleted or in the trash; see also CreateExport.
func (s *Store) PreRenderInput(projectUUID string) (ExportInput, error) {
	var in ExportInput
	err := s.view(func(t *txn) error {
		project, err := projects.Get(t, projectUUID)
		if err != nil {
			return err
		}
		if project.TrashedAt != nil {
			return inTrash()
		}
		rights, err := t.books().Entitlements(project.UserUUID)
		if err != nil {
			return err
		}
		last, _, err := exports.Page(t, Page{Number: 1, Size: 1}, exportsByProject, projectUUID)
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
		frozen, err := t.frozen(project, line, list, settings)
		if err != nil {
			return err
		}
		in, err = t.exportInput(frozen, settings)
		in.Export.WatermarkRequired = t.watermarks(rights)
		return err
	})
	return in, err
}

// exportInput turns a frozen input into the input of a job.
func (t *txn) exportInput(frozen *frozenExport, settings json.RawMessage) (ExportInput, error) {
	in := ExportInput{
		Cuts: frozen.Cuts, Muted: frozen.Muted, Range: frozen.Range, Chapters: frozen.Chapters,
		Transcript: frozen.Transcript,
	}
	var err error
	if in.Settings, err = parseSettings(settings); err != nil {
		return in, err
	}
	for _, c := range frozen.Clips {
		path := t.s.FilePath(c.Key)
		row, err := t.clipOfFile(footageID(c.Key))
		if err != nil {
			return in, err
		}
		// the current path, which may differ from the one at the request
		if row != nil && row.LinkedFile != nil {
			path = row.LinkedFile.Path
			in.linkedFiles = append(in.linkedFiles, *row.LinkedFile)
		}

		clip := media.RenderClip{
			Path: path, ID: footageID(c.Key), Info: c.Info,
			Crop: in.Settings.cropOf(c.UUID), Joins: in.Settings.joinsOf(c.UUID),
		}
		if row != nil && c.Info.Video != nil && in.Settings.followsFace(c.UUID) {
			clip.Faces = row.Faces
			asked := slices.ContainsFunc(in.FacesLeft, func(o Clip) bool { return o.ClipFileID == row.ClipFileID })
			if !row.FacesKnown && !asked {
				in.FacesLeft = append(in.FacesLeft, row.Clip)
			}
		}

		if c.Energies != "" {
			clip.EnergiesPath = t.s.FilePath(c.Energies)
		}
		if c.Peaks != "" {
			clip.PeaksPath = t.s.FilePath(c.Peaks)
		}
		in.Clips = append(in.Clips, clip)
	}

	for _, a := range frozen.Assets {
		placed := a.placed(t.s)
		if a.Cover {
			in.Cover = &placed
		} else {
			in.Assets = append(in.Assets, placed)
		}
	}

	return in, nil
}
