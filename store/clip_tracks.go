package store

import (
	"cmp"
	"fmt"
	"slices"

	"roughcut/media"
)

// ChooseTracks chooses the audio tracks of a clip that are heard, by their index in
// media.Info.AudioTracks. They are mixed at equal levels. A job then makes again what depends on
// them: the audio of the proxy, the waveform and the audio for analyses. The choice also holds for
// the duplicates of the clip. The history can undo it, under the name as. Errors: NotFound,
// Forbidden; Conflict clips_processing unless the clip is ready, and while an analysis or export of
// the project runs; Unprocessable for tracks that the recording lacks or that do not decode;
// RateLimited too_many_jobs.
func (s *Store) ChooseTracks(userUUID, clipUUID string, tracks []int, as ...Change) (Clip, error) {
	return updated(s, func(t *txn) (Clip, error) {
		row, err := t.ownClip(userUUID, clipUUID)
		if err != nil {
			return Clip{}, err
		}
		if row.Status != ClipReady {
			return Clip{}, fail(
				Conflict, "clips_processing", "The clip is not ready. Wait until it is, then choose its audio tracks.",
			)
		}

		changed := *row
		if err := changed.Info.Hear(tracks); err != nil {
			return Clip{}, failField("tracks", "The audio tracks stay as they are: %v.", err)
		}
		same := slices.Equal(changed.Info.HeardTracks(), row.Info.HeardTracks())
		if same && row.TracksError == "" {
			return row.Clip, nil
		}
		if err := t.admitJob(userUUID); err != nil {
			return Clip{}, err
		}
		if err := t.hear(row, tracks); err != nil {
			return Clip{}, err
		}
		label := "choose the audio tracks of “" + row.Name + "”"
		return row.Clip, t.record(row.ProjectUUID, HistoryClips, optionalChange(as), label, noteTracks)
	})
}

// hear makes audio tracks of a ready clip the ones that are heard, and queues the job that makes
// its files again. Errors: Conflict while an analysis or export of a project with the recording
// runs.
func (t *txn) hear(row *clipRow, tracks []int) error {
	sharing, err := t.sharingProjects(row)
	if err != nil {
		return err
	}
	for _, uuid := range sharing {
		if err := t.refuseWhileUsed(uuid); err != nil {
			return err
		}
	}

	before := row.Info.HeardTracks()
	if err := row.Info.Hear(tracks); err != nil {
		return fmt.Errorf("choosing audio tracks: %w", err)
	}
	after := row.Info.HeardTracks()
	if err := t.noteChange(noteTracks, row.ClipFileID, before, after); err != nil {
		return err
	}
	for _, uuid := range sharing {
		if err := t.noteHeard(uuid, row.ClipFileID, before); err != nil {
			return err
		}
		if err := t.Changed(uuid); err != nil {
			return err
		}
	}

	others, err := t.sharers(row)
	if err != nil {
		return err
	}
	copied := false
	for _, clip := range append([]*clipRow{row}, others...) {
		if err := t.cancelJob(clip.UUID); err != nil {
			return err
		}
		if clip.ConstantRate == nil {
			continue
		}
		copied = true
		if err := t.dropCopy(clip); err != nil {
			return err
		}
		if err := clips.Put(t, clip); err != nil {
			return err
		}
	}

	row.TracksLeft, row.TracksError, row.UpdatedAt = true, "", t.Now
	if copied {
		row.ConstantRate = &ConstantRateCopy{Status: ClipProcessing}
		if err := t.enqueueCopy(row); err != nil {
			return err
		}
	}

	if err := t.putShared(row); err != nil {
		return err
	}
	return t.enqueueTracks(row)
}

// noteHeard notes in the runs of a project that know no other tracks of a file that they have heard
// these.
func (t *txn) noteHeard(projectUUID, fileID string, tracks []int) error {
	list, err := runs.List(t, runsByProject, projectUUID)
	if err != nil {
		return err
	}
	for _, run := range list {
		if _, known := run.Heard[fileID]; known || run.Status != StatusCompleted {
			continue
		}
		if run.Heard == nil {
			run.Heard = map[string][]int{}
		}
		run.Heard[fileID] = tracks
		if err := runs.Put(t, run); err != nil {
			return err
		}
	}

	return nil
}

// hears reports whether a run has analyzed the audio tracks of a clip that are heard.
func (r *runRow) hears(row *clipRow) bool {
	tracks, known := r.Heard[row.ClipFileID]
	return !known || slices.Equal(tracks, row.Info.HeardTracks())
}

// enqueueTracks queues the job that makes the files of a clip again after a choice of tracks. A
// clip in the trash leaves it to a duplicate, or to its restore.
func (t *txn) enqueueTracks(row *clipRow) error {
	if !row.TracksLeft {
		return nil
	}
	if row.Trashed != nil {
		others, err := t.sharers(row)
		if err != nil || len(others) == 0 {
			return err
		}
		row = others[0]
		if trashed, err := t.trashed(row); trashed || err != nil {
			return err
		}
	}

	return t.enqueueOnce(JobClip, row.UUID, row.UserUUID, row.ProjectUUID)
}

// awaitsTracks reports whether an analysis must wait until the audio of a clip is made again after
// a choice of tracks.
func (t *txn) awaitsTracks(projectUUID string) (bool, error) {
	list, err := clips.List(t, clipsByProject, projectUUID)
	return slices.ContainsFunc(list, func(c *clipRow) bool { return c.TracksLeft }), err
}

// planTracks makes the former audio tracks of a recording the ones that are heard, unless others
// have been chosen since.
func (u *undoing) planTracks(s undoStep) (func() error, error) {
	var from, to []int
	if err := s.from.value(&from); err != nil {
		return nil, err
	}
	if err := s.to.value(&to); err != nil {
		return nil, err
	}
	row, err := u.clipOfFile(s.Key)
	if err != nil || row == nil || !slices.Equal(row.Info.HeardTracks(), from) {
		return nil, err
	}
	return func() error {
		row, err := u.clipOfFile(s.Key)
		if err != nil {
			return err
		}
		return u.hear(row, to)
	}, nil
}

// NeedsTracks reports whether an earlier version has read a clip, so that a job has to find out
// about its audio tracks.
func (c Clip) NeedsTracks() bool { return c.Status == ClipReady && !c.TracksKnown }

// lacksTracks reports whether an earlier version has listed audio tracks, without their codecs.
func lacksTracks(info media.Info) bool {
	return slices.ContainsFunc(info.AudioTracks, func(t media.AudioTrack) bool { return t.Codec == "" })
}

// QueueTracks queues jobs that find out about the audio tracks of the clips that need it.
func (s *Store) QueueTracks(list []Clip) error {
	if !slices.ContainsFunc(list, Clip.NeedsTracks) {
		return nil
	}
	return s.update(func(t *txn) error {
		for _, c := range list {
			row, err := clips.Find(t, c.UUID)
			if err == nil && row != nil && row.Trashed == nil && row.NeedsTracks() {
				err = t.enqueueOnce(JobClip, row.UUID, row.UserUUID, row.ProjectUUID)
			}
			if err != nil {
				return err
			}
		}

		return nil
	})
}

// FinishTracks stores what a job has found out about the audio tracks of a clip that NeedsTracks.
// The tracks that are heard stay. Errors: ErrStaleJob.
func (s *Store) FinishTracks(j Job, found media.Info) error {
	return s.update(func(t *txn) error {
		held, row, err := heldRow(t, j, clips, j.Subject)
		if err != nil {
			return err
		}
		row.Info, row.TracksKnown, row.UpdatedAt = learnAudio(row.Info, found, false), true, t.Now
		if err := t.putShared(row); err != nil {
			return err
		}
		return jobs.Delete(t, held.UUID)
	})
}

// learnAudio returns what is known about a recording, with its audio tracks and their channels as a
// job has found them. The tracks that are heard stay. So do the channels that a mix leaves out,
// unless the audio was made again.
func learnAudio(known, found media.Info, remade bool) media.Info {
	tracks := slices.Clone(found.AudioTracks)
	for i := range tracks {
		t := &tracks[i]
		at := slices.IndexFunc(known.AudioTracks, func(o media.AudioTrack) bool { return o.Stream == t.Stream })
		switch {
		case at >= 0:
			t.Played = known.AudioTracks[at].Played
			t.Speech = cmp.Or(t.Speech, known.AudioTracks[at].Speech)
		case len(known.AudioTracks) > 0 || known.Audio == nil:
			t.Played = false
		}
	}

	if len(tracks) > 0 {
		known.AudioTracks = tracks
	}
	sameTracks := slices.Equal(known.HeardTracks(), found.HeardTracks())
	if known.Audio == nil || found.Audio == nil || !sameTracks || known.Audio.Channels != found.Audio.Channels {
		return known
	}
	audio := *known.Audio
	audio.VoiceOn, audio.VoiceGain, audio.Opposite = found.Audio.VoiceOn, found.Audio.VoiceGain, found.Audio.Opposite
	if isMixed := audio.Channels > 2; remade || !isMixed {
		audio.Microphones, audio.Unheard = found.Audio.Microphones, found.Audio.Unheard
	}
	known.Audio = &audio
	return known
}
