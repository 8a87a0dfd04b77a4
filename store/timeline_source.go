package store

import "roughcut/media"

// TimelineSource is everything that the timeline of a project is derived from. Its times are
// project time.
type TimelineSource struct {
	Project    Project
	Clips      []Clip // the ready ones, in display order
	Edits      []Edit // cuts and proposed cuts by start, without placements
	Assets     []media.PlacedAsset
	Chapters   []media.Chapter
	Transcript media.Transcript // empty without an active run
	Captions   []media.CaptionLine
	Range      media.Span // of the request; empty for all of the project
}

// TimelineSource returns a project with its active run for a timeline. Errors: NotFound, Forbidden;
// Conflict clips_processing while the only clips are being processed; Invalid no_clips;
// Unprocessable when the cuts leave nothing; NotFound or Conflict asset_not_ready for a placed
// asset.
func (s *Store) TimelineSource(userUUID, projectUUID string, within Within) (source TimelineSource, err error) {
	err = s.view(func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		list, line, err := t.servedEdits(project)
		if err != nil {
			return err
		}
		source = TimelineSource{Project: project.Project}
		if source.Range, err = line.spanOf("", within.StartMS, within.EndMS); err != nil {
			return err
		}
		if _, err := freeze(line, list, source.Range); err != nil {
			return err
		}
		for _, p := range line.places {
			source.Clips = append(source.Clips, p.row.clone().Clip)
		}
		for _, e := range list {
			if media.IsCut(e.Type) && e.EndMS > e.StartMS {
				source.Edits = append(source.Edits, e)
			}
		}

		assets, err := t.freezeAssets(line, list)
		if err != nil {
			return err
		}
		for _, a := range assets {
			source.Assets = append(source.Assets, a.placed(s))
		}
		if source.Chapters, err = t.chapters(projectUUID, line); err != nil || project.ActiveRunUUID == "" {
			return err
		}
		return t.readTranscript(project, &source)
	})
	return source, err
}

// readTranscript adds the words, the phrases and the caption lines of the active run.
func (t *txn) readTranscript(project *projectRow, source *TimelineSource) error {
	said, err := t.transcript(project, project.ActiveRunUUID)
	if err != nil {
		return err
	}
	source.Transcript = media.Transcript{Language: said.Language, Segments: said.Segments}
	for _, w := range said.Words {
		source.Transcript.Words = append(source.Transcript.Words, w.Word)
	}
	lines, err := t.captionLines(project.UUID, project.ActiveRunUUID)
	for _, l := range lines {
		source.Captions = append(source.Captions, l.media())
	}
	return err
}
