package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"roughcut/media"
	"roughcut/store/search"
	"roughcut/store/table"
)

// chunkWords is how many words of a transcript one stored value holds. Changing it breaks existing
// data. It equals search.WindowStep, so that showing a hit reads two values and not the whole
// transcript.
const chunkWords = 30

// putTranscript stores the transcript of one clip without its speakers.
func (t *txn) putTranscript(runUUID, clipUUID string, m media.Transcript) error {
	b := t.Bucket([]byte(bucketWords))
	words := m.Words
	m.Words = nil
	head, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("writing a transcript: %w", err)
	}
	if err := b.Put(table.Key(runUUID, clipUUID), head); err != nil {
		return err
	}
	n := uint64(0)
	for chunk := range slices.Chunk(words, chunkWords) {
		if err := b.Put(table.Key(runUUID, clipUUID, n), packWords(chunk)); err != nil {
			return err
		}
		n++
	}

	return nil
}

// clipTranscript returns the transcript of one clip on clip time, and whether there is one.
func (t *txn) clipTranscript(runUUID, clipUUID string) (m media.Transcript, ok bool, err error) {
	b := t.Bucket([]byte(bucketWords))
	head := b.Get(table.Key(runUUID, clipUUID))
	if head == nil {
		return m, false, nil
	}
	if err := json.Unmarshal(head, &m); err != nil {
		return m, false, fmt.Errorf("reading a transcript: %w", err)
	}
	prefix := table.Prefix(runUUID, clipUUID)
	c := b.Cursor()
	for k, value := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, value = c.Next() {
		if m.Words, err = unpackWords(m.Words, value); err != nil {
			return m, false, err
		}
	}

	turns, err := t.speakerTurns(runUUID, clipUUID)
	setSpeakers(m.Words, turns)
	return m, true, err
}

// hasTranscript reports whether a run has a transcript of a clip.
func (t *txn) hasTranscript(runUUID, clipUUID string) bool {
	return t.Bucket([]byte(bucketWords)).Get(table.Key(runUUID, clipUUID)) != nil
}

// wordWindow returns the words of a search window, which starts with the word number from. It
// returns none when the transcript does not exist.
func (t *txn) wordWindow(runUUID, clipUUID string, from int) (words []media.Word, err error) {
	prefix := table.Prefix(runUUID, clipUUID)
	words = make([]media.Word, 0, 2*chunkWords)
	c := t.Bucket([]byte(bucketWords)).Cursor()
	k, value := c.Seek(table.Key(runUUID, clipUUID, uint64(from/chunkWords)))
	for range 2 {
		if !bytes.HasPrefix(k, prefix) {
			break
		}
		if words, err = unpackWords(words, value); err != nil {
			return nil, err
		}
		k, value = c.Next()
	}

	turns, err := t.speakerTurns(runUUID, clipUUID)
	setSpeakers(words, turns)
	return words[:min(search.WindowWords, len(words))], err
}

// transcript returns the transcript of a run in project time, without clips that were deleted.
func (t *txn) transcript(project *projectRow, runUUID string) (ProjectTranscript, error) {
	out := ProjectTranscript{Words: []ProjectWord{}, Segments: []media.TimedText{}}
	line, err := t.timeline(project.UUID)
	if err != nil {
		return out, err
	}
	if run, err := runs.Get(t, runUUID); err != nil {
		return out, err
	} else {
		out.Language = run.DetectedLanguage
	}

	for _, p := range line.places {
		m, _, err := t.clipTranscript(runUUID, p.row.UUID)
		if err != nil {
			return out, err
		}
		for _, w := range m.Words {
			w.StartMS, w.EndMS = w.StartMS+p.start, w.EndMS+p.start
			out.Words = append(out.Words, ProjectWord{Word: w, ClipUUID: p.row.UUID})
		}

		for _, seg := range m.Segments {
			seg.StartMS, seg.EndMS = seg.StartMS+p.start, seg.EndMS+p.start
			out.Segments = append(out.Segments, seg)
		}
	}

	return out, nil
}

// ClipTranscripts returns the transcripts of the active run by clip, on clip time and in display
// order. Errors: Conflict no_transcript without an active run.
func (s *Store) ClipTranscripts(userUUID, projectUUID string) ([]ClipTranscript, error) {
	list := []ClipTranscript{}
	err := s.view(func(t *txn) error {
		project, err := t.transcribedProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		line, err := t.timeline(projectUUID)
		if err != nil {
			return err
		}
		for _, p := range line.places {
			m, ok, err := t.clipTranscript(project.ActiveRunUUID, p.row.UUID)
			if err != nil {
				return err
			}
			if ok {
				list = append(list, ClipTranscript{ClipUUID: p.row.UUID, Transcript: m})
			}
		}

		return nil
	})
	return list, err
}

// transcribedProject returns a project of a user that has an active run. Errors: Conflict
// no_transcript; see also ownProject.
func (t *txn) transcribedProject(userUUID, projectUUID string) (*projectRow, error) {
	project, err := t.ownProject(userUUID, projectUUID)
	if err == nil && project.ActiveRunUUID == "" {
		err = noTranscript()
	}
	return project, err
}

func noTranscript() *Error {
	return fail(Conflict, "no_transcript", "The project has no transcript yet. Analyze the project first.")
}

// dropTranscripts deletes the transcripts of a clip in all runs while the transaction has room.
func (t *txn) dropTranscripts(clipUUID, projectUUID string) error {
	list, err := runs.List(t, runsByProject, projectUUID)
	if err != nil {
		return err
	}
	for _, run := range list {
		err := t.Bucket([]byte(bucketWords)).Delete(table.Key(run.UUID, clipUUID))
		if err == nil {
			err = t.dropPrefix(bucketWords, table.Prefix(run.UUID, clipUUID))
		}
		if err == nil {
			err = t.putSpeakers(run.UUID, clipUUID, nil)
		}
		if err != nil || t.Room <= 0 {
			return err
		}
	}

	return nil
}

// dropPrefix deletes the entries of a bucket whose keys begin with a prefix, while the transaction
// has room.
func (t *txn) dropPrefix(bucket string, prefix []byte) error {
	b := t.Bucket([]byte(bucket))
	var keys [][]byte
	c := b.Cursor()
	for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix) && t.Room > 0; k, v = c.Next() {
		keys = append(keys, bytes.Clone(k))
		t.Spend(len(v))
	}

	for _, k := range keys {
		if err := b.Delete(k); err != nil {
			return err
		}
	}

	return nil
}
