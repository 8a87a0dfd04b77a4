package store

import "roughcut/media"

// RoomToneRequest returns the request that finds room tone for a muted part of a clip. Room tone
// never comes from a part that an active edit mutes. Errors: Conflict unless the clip is ready; see
// also LinkedFile.Check.
func (s *Store) RoomToneRequest(userUUID, clipUUID string, muted media.Span) (media.RoomToneRequest, error) {
	request := media.RoomToneRequest{Muted: muted.Samples()}
	var clip Clip
	err := s.view(func(t *txn) error {
		row, err := t.ownClip(userUUID, clipUUID)
		if err != nil {
			return err
		}
		if row.Status != ClipReady {
			return conflict("The clip is not ready. Wait until it has been read.")
		}
		project, err := projects.Get(t, row.ProjectUUID)
		if err != nil {
			return err
		}
		clip = row.Clip
		request.Info = row.Info
		all, line, err := t.servedEdits(project)
		if err != nil {
			return err
		}
		place, _ := line.find(clipUUID)
		for _, e := range all {
			if e.Active && e.Action == ActionMute && media.IsCut(e.Type) {
				span := media.Span{StartMS: e.StartMS - place.start, EndMS: e.EndMS - place.start}
				request.Avoid = append(request.Avoid, span.Samples())
			}
		}

		request.Avoid = append(request.Avoid, request.Muted)
		return nil
	})
	if err != nil {
		return request, err
	}
	request.Tracks = clip.Info.HeardTracks()
	request.EnergiesPath = s.FilePath(clipKey(clip.ClipFileID, fileEnergies))
	request.Path, err = s.OriginalPath(clip)
	return request, err
}
