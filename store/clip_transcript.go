package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"roughcut/media"
)

// ClipImport describes the transcript that a person gave a clip. An analysis uses it instead of the
// speech model.
type ClipImport struct {
	Name       string // of the file, for people
	Language   string // ISO 639-1 or empty
	Words      int
	File       string // name of the clip's file with the transcript
	ImportedAt time.Time
	Warnings   []string `json:",omitempty"` // what the reader of the file has corrected, for people
}

// ImportTranscript gives a clip a transcript and replaces an earlier one. The next analysis uses
// it. Errors: NotFound, Forbidden; Conflict clips_processing unless the clip is ready.
func (s *Store) ImportTranscript(
	userUUID, clipUUID, name string,
	m media.ImportedTranscript,
) (clip Clip, err error) {
	var row *clipRow
	err = s.view(func(t *txn) error {
		if row, err = t.ownClip(userUUID, clipUUID); err == nil && row.Status != ClipReady {
			err = fail(Conflict, "clips_processing", "The clip is not ready. Wait until it is, then import again.")
		}
		return err
	})
	if err != nil {
		return Clip{}, err
	}
	packed, err := json.Marshal(m)
	if err != nil {
		return Clip{}, fmt.Errorf("writing a transcript: %w", err)
	}
	file := "transcript-" + s.NewID() + ".json"
	key := clipKey(row.ClipFileID, file)
	size, err := s.writeIn(packed, key)
	if err != nil {
		return Clip{}, userError(err)
	}
	err = s.update(func(t *txn) error {
		row, err := t.ownClip(userUUID, clipUUID)
		if err != nil {
			return err
		}
		if err := t.dropClipTranscript(row); err != nil {
			return err
		}
		if err := t.checkGenerated(row.UserUUID); err != nil {
			return err
		}
		made := fileRow{Key: key, Size: size, Owner: row.UUID, UserUUID: row.UserUUID, CreatedAt: t.Now}
		if err := t.putFile(&made); err != nil {
			return err
		}
		row.Transcript = &ClipImport{
			Name: name, Language: m.Language, Words: len(m.Words), File: file, ImportedAt: t.Now, Warnings: m.Warnings,
		}
		row.UpdatedAt = t.Now
		clip = row.Clip
		return clips.Put(t, row)
	})
	if err != nil {
		s.discardFiles(key)
	}
	return clip, err
}

// RemoveTranscript removes the imported transcript of a clip. Runs that used it stay. Errors:
// NotFound, Forbidden.
func (s *Store) RemoveTranscript(userUUID, clipUUID string) error {
	return s.updateOnReserve(func(t *txn) error {
		row, err := t.ownClip(userUUID, clipUUID)
		if err != nil || row.Transcript == nil {
			return err
		}
		if err := t.dropClipTranscript(row); err != nil {
			return err
		}
		row.Transcript, row.UpdatedAt = nil, t.Now
		return clips.Put(t, row)
	})
}

// dropClipTranscript deletes the file of a clip's imported transcript, unless a duplicate needs it.
func (t *txn) dropClipTranscript(row *clipRow) error {
	if row.Transcript == nil {
		return nil
	}
	file, err := files.Find(t, clipKey(row.ClipFileID, row.Transcript.File))
	if err != nil || file == nil {
		return err
	}
	others, err := t.sharers(row)
	if err != nil {
		return err
	}
	if file.Owner != row.UUID && slices.ContainsFunc(others, func(r *clipRow) bool { return r.needs(file.Key) }) {
		return nil
	}
	return t.bequeath(file, others)
}

// ClipTranscript returns the transcript of a clip in the active run, on clip time. Errors:
// NotFound, Forbidden; Conflict no_transcript.
func (s *Store) ClipTranscript(userUUID, clipUUID string) (m media.Transcript, err error) {
	return viewed(s, func(t *txn) (m media.Transcript, err error) {
		row, err := t.ownClip(userUUID, clipUUID)
		if err != nil {
			return m, err
		}
		project, err := projects.Get(t, row.ProjectUUID)
		if err != nil {
			return m, err
		}
		ok := false
		if project.ActiveRunUUID != "" {
			m, ok, err = t.clipTranscript(project.ActiveRunUUID, clipUUID)
		}
		if err == nil && !ok {
			err = noTranscript()
		}
		return m, err
	})
}

// readTranscript reads the imported transcript of a clip. It returns nil if the clip has no
// imported transcript.
func (s *Store) readTranscript(row *clipRow) (*media.ImportedTranscript, error) {
	if row.Transcript == nil {
		return nil, nil
	}
	packed, err := os.ReadFile(s.FilePath(clipKey(row.ClipFileID, row.Transcript.File)))
	if errors.Is(err, os.ErrNotExist) { // removed in the meantime
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the transcript of a clip: %w", err)
	}
	var m media.ImportedTranscript
	if err := json.Unmarshal(packed, &m); err != nil {
		return nil, fmt.Errorf("reading the transcript of a clip: %w", err)
	}
	return &m, nil
}
