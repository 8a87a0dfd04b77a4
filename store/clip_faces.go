package store

import (
	"os"
	"slices"

	"roughcut/media"
)

// ReadyClip returns a clip that has been read. Errors: NotFound, Forbidden; Conflict
// clips_processing.
func (s *Store) ReadyClip(userUUID, clipUUID string) (Clip, error) {
	c, err := s.Clip(userUUID, clipUUID)
	if err == nil && c.Status != ClipReady {
		err = fail(Conflict, "clips_processing", "The clip is not ready. Wait until it has been read.")
	}
	return c, err
}

// Keyframes returns the times of the keyframes of a clip in milliseconds, none if they are unknown.
func (s *Store) Keyframes(c Clip) []int64 {
	packed, err := os.ReadFile(s.FilePath(clipKey(c.ClipFileID, fileKeys)))
	if err != nil {
		return nil
	}
	return unpackTimes(packed)
}

// SetFaces stores the faces of a clip. Requests that only read call it, so UpdatedAt stays. It does
// nothing for a clip that was deleted.
func (s *Store) SetFaces(clipUUID string, faces []media.Face) error {
	return s.update(func(t *txn) error {
		row, err := clips.Find(t, clipUUID)
		if err != nil || row == nil {
			return err
		}
		row.Faces, row.FacesKnown = faces, true
		return t.putShared(row)
	})
}

// followsFace reports whether what an export shows of a clip depends on its faces.
func (s ExportSettings) followsFace(clipUUID string) bool {
	zoomed := s.PunchIn.ScalePercent > 100 || slices.ContainsFunc(s.PunchIn.Joins, func(j Join) bool {
		return j.ClipUUID == clipUUID && j.Size == media.JoinIn
	})
	return (zoomed && s.PunchIn.Center == CenterFace) ||
		(s.Fit == string(media.Crop) && len(s.cropOf(clipUUID)) == 0)
}
