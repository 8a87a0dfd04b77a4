package store

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"roughcut/media"
)

// EditedCaptions returns the captions of the active run after the active edits, in the time of the
// edited video. Errors: Conflict no_transcript without an active run, clips_processing while the
// only clips are being processed; Invalid no_clips; Unprocessable when the cuts leave nothing.
func (s *Store) EditedCaptions(userUUID, projectUUID string, within Within) ([]media.Caption, error) {
	load := func(t *txn, project *projectRow, frozen *frozenExport) error {
		if project.ActiveRunUUID == "" {
			return noTranscript()
		}
		var err error
		frozen.Transcript, err = t.transcriptOf(project, true)
		return err
	}
	plan, err := s.editedPlan(userUUID, projectUUID, within, load)
	return plan.Captions, err
}

// EditedChapters returns the chapters of a project after the active edits, in the time of the
// edited video, and the length of that video. Errors: as in EditedCaptions, except no_transcript.
func (s *Store) EditedChapters(
	userUUID, projectUUID string,
	within Within,
) (chapters []media.Chapter, durationMS int64, err error) {
	load := func(*txn, *projectRow, *frozenExport) error { return nil }
	plan, err := s.editedPlan(userUUID, projectUUID, within, load)
	if err != nil {
		return nil, 0, err
	}
	return plan.Chapters, plan.DurationMS(), nil
}

// editedPlan returns the render plan of a project with its active edits. load checks the project
// and adds what the plan needs besides clips, cuts and chapters.
func (s *Store) editedPlan(
	userUUID, projectUUID string,
	within Within,
	load func(*txn, *projectRow, *frozenExport) error,
) (plan media.RenderPlan, err error) {
	var frozen *frozenExport
	err = s.view(func(t *txn) error {
		project, err := t.ownProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		var loaded frozenExport
		if err := load(t, project, &loaded); err != nil {
			return err
		}
		list, line, err := t.servedEdits(project)
		if err != nil {
			return err
		}
		span, err := line.spanOf("", within.StartMS, within.EndMS)
		if err != nil {
			return err
		}
		if frozen, err = freeze(line, list, span); err != nil {
			return err
		}
		frozen.Transcript = loaded.Transcript
		frozen.Chapters, err = t.chapters(projectUUID, line)
		return err
	})
	if err != nil {
		return plan, err
	}
	var clips []media.RenderClip
	for _, c := range frozen.Clips {
		clips = append(clips, media.RenderClip{Info: c.Info})
	}
	plan, err = media.NewRenderPlan(clips, frozen.Cuts, media.RenderSettings{
		Captions: &media.CaptionTrack{Lines: frozen.Transcript.Captions, Words: frozen.Transcript.Words},
		Muted:    frozen.Muted,
		Range:    frozen.Range,
		Chapters: frozen.Chapters,
	})
	if errors.Is(err, media.ErrNothingLeft) {
		err = nothingLeft(frozen.Range)
	}
	return plan, err
}

// nothingLeft is the error of an export of a range without footage.
func nothingLeft(within media.Span) error {
	whole := "recording"
	if within.Duration() > 0 {
		whole = "range"
	}
	return fail(Unprocessable, "unprocessable", "The cuts remove the whole %s. Switch off some of them.", whole)
}

// mergeOverrides merges inline overrides into a draft's, field by field.
func mergeOverrides(draft, inline map[string]Override) map[string]Override {
	merged := map[string]Override{}
	maps.Copy(merged, draft)
	for id, o := range inline {
		m := merged[id]
		merged[id] = Override{
			Active:  cmp.Or(o.Active, m.Active),
			StartMS: cmp.Or(o.StartMS, m.StartMS),
			EndMS:   cmp.Or(o.EndMS, m.EndMS),
			Action:  cmp.Or(o.Action, m.Action),
		}
	}

	return merged
}

// overridden returns edits with their overrides applied.
func overridden(list []Edit, overrides map[string]Override) []Edit {
	list = slices.Clone(list)
	for i := range list {
		o := overrides[list[i].UUID]
		SetIfGiven(&list[i].Active, o.Active)
		SetIfGiven(&list[i].StartMS, o.StartMS)
		SetIfGiven(&list[i].EndMS, o.EndMS)
		SetIfGiven(&list[i].Action, o.Action)
	}

	return list
}

// freeze computes the clips, cuts and muted spans of an export of a range. An edit with crossed
// bounds cuts and mutes nothing.
// Errors: Conflict clips_processing; Invalid no_clips; Unprocessable when the cuts leave nothing.
func freeze(line *timeline, list []Edit, within media.Span) (*frozenExport, error) {
	if len(line.places) == 0 {
		if line.processing {
			return nil, fail(
				Conflict,
				"clips_processing",
				"The clips of the project are still being processed. Wait until they are ready.",
			)
		}

		return nil, noClips()
	}

	frozen := &frozenExport{Range: within}
	for _, p := range line.places {
		clip := frozenClip{UUID: p.row.UUID, Key: clipKey(p.row.ClipFileID, fileOriginal), Info: p.row.Info}
		measured := !p.row.TracksLeft && p.row.TracksError == "" // the tracks that are heard
		if p.row.HasEnergies && measured {
			clip.Energies = clipKey(p.row.ClipFileID, fileEnergies)
		}
		if p.row.HasPeaks && measured {
			clip.Peaks = clipKey(p.row.ClipFileID, filePeaks)
		}
		frozen.Clips = append(frozen.Clips, clip)
	}

	var cuts, muted []media.Span
	for _, e := range list {
		if !e.Active || !media.IsCut(e.Type) {
			continue
		}
		span := media.Span{StartMS: e.StartMS, EndMS: e.EndMS}.Intersect(media.Span{EndMS: line.total})
		if e.Action == ActionMute {
			muted = append(muted, span)
		} else {
			cuts = append(cuts, span)
		}
	}

	frozen.Cuts, frozen.Muted = media.MergeSpans(cuts), media.MergeSpans(muted)
	if len(frozen.kept(line)) == 0 {
		return nil, nothingLeft(within)
	}
	return frozen, nil
}
