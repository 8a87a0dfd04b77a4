package store

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"roughcut/media"
	"roughcut/store/table"
)

// speakerTurn is a stored turn of a speaker on clip time.
type speakerTurn struct {
	media.SpeakerTurn
	// As is the name in the imported transcript, for a speaker that a person renamed.
	As string `json:"as,omitempty"`
}

// putSpeakers stores the turns of the speakers of one clip in a run; none delete them.
func (t *txn) putSpeakers(runUUID, clipUUID string, turns []speakerTurn) error {
	b, key := t.Bucket([]byte(bucketSpeakers)), table.Key(runUUID, clipUUID)
	former, err := t.speakerTurns(runUUID, clipUUID)
	if err == nil {
		err = t.noteChange(bucketSpeakers, string(key), former, turns)
	}
	if err != nil {
		return err
	}
	if len(turns) == 0 {
		return b.Delete(key)
	}
	packed, err := json.Marshal(turns)
	if err != nil {
		return fmt.Errorf("writing the speakers of a transcript: %w", err)
	}
	return b.Put(key, packed)
}

// speakerTurns returns the turns of the speakers of one clip in a run.
func (t *txn) speakerTurns(runUUID, clipUUID string) (turns []speakerTurn, err error) {
	packed := t.Bucket([]byte(bucketSpeakers)).Get(table.Key(runUUID, clipUUID))
	if packed == nil {
		return nil, nil
	}
	if err := json.Unmarshal(packed, &turns); err != nil {
		return nil, fmt.Errorf("reading the speakers of a transcript: %w", err)
	}
	return turns, nil
}

// setSpeakers gives words the speakers of stored turns.
func setSpeakers(words []media.Word, turns []speakerTurn) {
	plain := make([]media.SpeakerTurn, len(turns))
	for i, turn := range turns {
		plain[i] = turn.SpeakerTurn
	}
	media.SetSpeakers(words, plain)
}

// namedSpeakers returns the turns of a transcript that a run found. A speaker keeps the name that a
// person gave it in the run before, unless another transcript was imported since then.
func (t *txn) namedSpeakers(run *runRow, spoken ClipTranscript) ([]speakerTurn, error) {
	found := media.SpeakerTurns(spoken.Words)
	if len(found) == 0 {
		return nil, nil
	}
	names, err := t.givenNames(run, spoken.ClipUUID)
	if err != nil {
		return nil, err
	}
	turns := make([]speakerTurn, len(found))
	for i, turn := range found {
		turns[i].SpeakerTurn = turn
		if name, ok := names[turn.Speaker]; ok && turn.Speaker != "" {
			turns[i].Speaker, turns[i].As = name, turn.Speaker
		}
	}

	return turns, nil
}

// givenNames returns the names of the speakers of a clip in the active run by those in its imported
// transcript, if that is still the same one.
func (t *txn) givenNames(run *runRow, clipUUID string) (map[string]string, error) {
	project, err := projects.Get(t, run.ProjectUUID)
	if err != nil || project.ActiveRunUUID == "" {
		return nil, err
	}
	before, err := runs.Get(t, project.ActiveRunUUID)
	if err != nil {
		return nil, err
	}
	clip, err := clips.Get(t, clipUUID)
	if err != nil || clip.Transcript == nil || clip.Transcript.ImportedAt.After(before.CreatedAt) {
		return nil, err
	}
	turns, err := t.speakerTurns(before.UUID, clipUUID)
	names := map[string]string{}
	for _, turn := range turns {
		if turn.As != "" {
			names[turn.As] = turn.Speaker
		}
	}

	return names, err
}

// RenameSpeaker gives a speaker another name in all clips of the active run. The name of another
// speaker joins the two. It returns how many words the speaker says. Errors: NotFound, also for a
// speaker that the transcript does not have; Forbidden; Unprocessable; Conflict no_transcript.
func (s *Store) RenameSpeaker(userUUID, projectUUID, speaker, name string, as ...Change) (words int, err error) {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, name)
	if name = strings.Join(strings.Fields(name), " "); name == "" {
		return 0, failField("name", "The name is empty. Enter a name.")
	}
	if utf8.RuneCountInString(name) > media.MaxSpeakerRunes {
		return 0, failField("name", "The name is longer than %d characters. Shorten it.", media.MaxSpeakerRunes)
	}
	err = s.update(func(t *txn) error {
		project, err := t.transcribedProject(userUUID, projectUUID)
		if err != nil {
			return err
		}
		line, err := t.timeline(projectUUID)
		if err != nil {
			return err
		}
		words = 0
		for _, p := range line.places {
			n, err := t.renameSpeaker(project.ActiveRunUUID, p.row.UUID, speaker, name)
			if words += n; err != nil {
				return err
			}
		}

		if words == 0 {
			return fail(NotFound, "not_found", "The transcript has no speaker %q. Reload the transcript.", speaker)
		}
		if speaker == name {
			return nil
		}
		if err := t.record(projectUUID, HistoryText, optionalChange(as), "rename speaker"); err != nil {
			return err
		}
		t.announceEdits(projectUUID)
		return t.Changed(projectUUID)
	})
	return words, err
}

// renameSpeaker renames a speaker in the transcript of a clip. It returns how many words the
// speaker says.
func (t *txn) renameSpeaker(runUUID, clipUUID, speaker, name string) (words int, err error) {
	m, ok, err := t.clipTranscript(runUUID, clipUUID)
	if err != nil || !ok {
		return 0, err
	}
	for _, w := range m.Words {
		if speaker != "" && w.Speaker == speaker {
			words++
		}
	}

	if words == 0 || speaker == name {
		return words, nil
	}
	turns, err := t.speakerTurns(runUUID, clipUUID)
	if err != nil {
		return 0, err
	}
	for i := range turns {
		if turn := &turns[i]; turn.Speaker == speaker {
			turn.As = cmp.Or(turn.As, speaker)
			turn.Speaker = name
		}
	}

	return words, t.putSpeakers(runUUID, clipUUID, turns)
}

// planSpeakers restores the turns of a clip, unless they changed or the transcript was deleted.
func (u *undoing) planSpeakers(s undoStep) (func() error, error) {
	runUUID, clipUUID, _ := strings.Cut(s.Key, "\x00")
	now, err := u.speakerTurns(runUUID, clipUUID)
	if err != nil || !s.from.is("Value", now) {
		return nil, err
	}
	var turns []speakerTurn
	err = s.to.value(&turns)
	return func() error { return u.putSpeakers(runUUID, clipUUID, turns) }, err
}
