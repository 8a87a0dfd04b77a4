package store

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"roughcut/store/table"
)

// DuplicateClip adds a clip of the same recording behind a ready clip. The duplicate shares the
// stored files, so it uses no storage, and has its own copies of the edits, transcripts, caption
// lines and take groups. It has no markers. Errors: NotFound, Forbidden; Conflict clips_processing
// unless the clip is ready, and for those of OrderClips; Unprocessable past maxSharers, maxClips
// and maxCopiedEdits. The history can undo it, under the name as.
func (s *Store) DuplicateClip(userUUID, clipUUID string, as ...Change) (Clip, error) {
	var made *clipRow
	err := s.update(func(t *txn) error {
		from, err := t.ownClip(userUUID, clipUUID)
		if err != nil {
			return err
		}
		before, err := t.movableTimeline(from.ProjectUUID)
		if err != nil {
			return err
		}
		if made, err = t.duplicateClip(from); err != nil {
			return err
		}
		rows, err := clips.List(t, clipsByProject, from.ProjectUUID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(rows, func(r *clipRow) bool { return r.UUID == clipUUID })
		if err := t.place(slices.Insert(rows, at+1, made)); err != nil {
			return err
		}
		if err := t.refreshProject(from.ProjectUUID); err != nil {
			return err
		}
		if err := t.rearrange(from.ProjectUUID, before, nil); err != nil {
			return err
		}
		if err := errors.Join(t.duplicateEdits(from, made), t.checkCopies(from.ProjectUUID)); err != nil {
			return err
		}
		t.edited(from.ProjectUUID)
		steps := historySteps{Clips: []clipStep{{UUID: made.UUID}}}
		return errors.Join(
			t.Changed(from.ProjectUUID),
			t.record(from.ProjectUUID, HistoryClips, first(as), "duplicate “"+from.Name+"”", steps),
		)
	})
	if err != nil {
		return Clip{}, err
	}
	return made.Clip, nil
}

// movableTimeline returns the timeline of a project before its clips change their places. Errors:
// Conflict conflict, clips_processing.
func (t *txn) movableTimeline(projectUUID string) (*timeline, error) {
	if err := t.refuseWhileUsed(projectUUID); err != nil {
		return nil, err
	}
	line, err := t.timeline(projectUUID)
	if err == nil && line.processing {
		err = t.refuseUnanchored(projectUUID)
	}
	return line, err
}

// place writes the clips whose positions in a list are new.
func (t *txn) place(ordered []*clipRow) (err error) {
	for i, row := range ordered {
		if row.Position != i {
			row.Position, row.UpdatedAt = i, t.now
			err = errors.Join(err, clips.Put(t, row))
		}
	}
	return err
}

// duplicateClip writes a clip with the file of another one, and its transcripts, caption lines and
// take groups in all runs. The caller gives it a place and edits. Errors: Conflict
// clips_processing; Unprocessable past maxSharers and maxClips.
func (t *txn) duplicateClip(from *clipRow) (*clipRow, error) {
	if from.Status != ClipReady {
		return nil, fail(Conflict, "clips_processing", "The clip is not ready. Wait until it is, then duplicate it.")
	}
	if n := clips.Count(t, clipsByFile, from.ClipFileID); n >= maxSharers {
		return nil, fail(
			Unprocessable, "unprocessable",
			"A recording can be in a project %d times, the trash included. Remove some of them and empty the trash.",
			maxSharers,
		)
	}
	if len(from.CopyOf) >= maxSharers {
		return nil, tooMany(
			"A clip can be the duplicate of %d others, each of the one before. Duplicate one of them.", maxSharers,
		)
	}
	if err := t.checkClips(from.ProjectUUID); err != nil {
		return nil, err
	}
	row := from.clone()
	row.UUID, row.Position, row.CreatedAt, row.UpdatedAt = t.s.NewID(), -1, t.now, t.now
	row.CopyOf = append(row.CopyOf, from.UUID)
	if row.ConstantRate != nil && row.ConstantRate.Status != ClipReady {
		row.ConstantRate = nil
	}
	list, err := runs.List(t, runsByProject, from.ProjectUUID)
	for _, run := range list {
		err = errors.Join(err, t.duplicateSpeech(run.UUID, from.UUID, row.UUID))
		gone := slices.DeleteFunc(slices.Clone(run.Dismissed), func(d dismissal) bool { return d.Clip != from.UUID })
		for _, d := range gone {
			d.Clip = row.UUID
			run.Dismissed = append(run.Dismissed, d)
		}
		if len(gone) > 0 {
			err = errors.Join(err, runs.Put(t, run))
		}
	}
	return &row, errors.Join(err, t.duplicateCaptions(from.UUID, row.UUID))
}

// duplicateSpeech copies the transcript of a clip in a run, and its take groups.
func (t *txn) duplicateSpeech(runUUID, from, to string) error {
	b := t.Bucket([]byte(bucketWords))
	prefix := table.Key(runUUID, from)
	target := table.Key(runUUID, to)
	type entry struct{ key, value []byte }
	var list []entry
	c := b.Cursor()
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		list = append(list, entry{slices.Concat(target, k[len(prefix):]), bytes.Clone(v)})
	}
	for _, e := range list {
		if err := b.Put(e.key, e.value); err != nil {
			return err
		}
	}
	turns, err := t.speakerTurns(runUUID, from)
	if err != nil {
		return err
	}
	groups, err := takeGroups.List(t, takeGroupsByRun, runUUID)
	for _, g := range groups {
		if g.ClipUUID == from {
			g.ID, g.ClipUUID = copiedGroup(g.ID, to), to
			err = errors.Join(err, takeGroups.Put(t, g))
		}
	}
	return errors.Join(err, t.putSpeakers(runUUID, to, turns))
}

// copiedGroup returns the ID of the copy of a take group on a duplicate.
func copiedGroup(id, clipUUID string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("roughcut:copied-take-group:"+clipUUID+":"+id)).String()
}

// duplicateCaptions copies the caption lines of a clip in all runs.
func (t *txn) duplicateCaptions(from, to string) error {
	list, err := captions.List(t, captionsByClip, from)
	for _, line := range list {
		line.UUID, line.ClipUUID, line.CreatedAt, line.UpdatedAt = t.s.NewID(), to, t.now, t.now
		err = errors.Join(err, captions.Put(t, line))
	}
	return err
}

// maxCopiedEdits is the number of current edits that a project has after a clip was duplicated, at
// most.
const maxCopiedEdits = 50_000

// checkCopies refuses more current edits than maxCopiedEdits. Errors: Unprocessable.
func (t *txn) checkCopies(projectUUID string) error {
	project, err := projects.Get(t, projectUUID)
	if err != nil {
		return err
	}
	n := edits.Count(t, editsManual, projectUUID)
	if project.ActiveRunUUID != "" {
		n += edits.Count(t, editsByRun, project.ActiveRunUUID)
	}
	if n <= maxCopiedEdits {
		return nil
	}
	line, err := t.timeline(projectUUID)
	if err != nil {
		return err
	}
	if n = t.editsOn(line, ""); project.ActiveRunUUID != "" {
		n += t.editsOn(line, project.ActiveRunUUID)
	}
	if n <= maxCopiedEdits {
		return nil
	}
	return tooMany("Duplicates can bring a project to %d cuts. Remove some of the clips first.", maxCopiedEdits)
}

// copiedEdit is the edit of which another one is a copy, and the clips of both.
type copiedEdit struct {
	UUID, From, To string
	Seq            uint64 // of the duplication, see draftContent
}

// moved returns an anchor on the clip of the copy.
func (c *copiedEdit) moved(a *anchor) *anchor {
	if a == nil || a.Clip != c.From {
		return a
	}
	return &anchor{c.To, a.MS}
}

// duplicateEdits copies the edits on a clip to its duplicate, which is on the timeline. It leaves
// the overrides of saved drafts to draftContent.all.
func (t *txn) duplicateEdits(from, to *clipRow) error {
	line, err := t.timeline(from.ProjectUUID)
	if err != nil {
		return err
	}
	list, err := edits.List(t, editsByClip, from.UUID)
	if err != nil {
		return err
	}
	others, err := edits.List(t, editsAcross, from.ProjectUUID)
	if err != nil {
		return err
	}
	seq, err := draftContents.NextSeq(t)
	if err != nil {
		return err
	}
	for _, e := range append(list, others...) {
		for _, part := range line.split(anchoredSpan{e.Start, e.End}) {
			if part.start.Clip != from.UUID {
				continue
			}
			made := e.on(to.UUID, part, t.s.NewID(), t.now)
			made.Copied = &copiedEdit{UUID: e.UUID, From: from.UUID, To: to.UUID, Seq: seq}
			err = errors.Join(
				t.skipAhead(made, line.at(part.start)-line.at(e.Start)), t.countEdit(made, 1), edits.Put(t, made),
			)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// on returns a new edit like this one on a duplicate of its clip.
func (r *editRow) on(clipUUID string, part anchoredSpan, id string, now time.Time) *editRow {
	made := r.clone()
	made.UUID, made.CreatedAt, made.UpdatedAt = id, now, now
	made.Start, made.End = anchor{clipUUID, part.start.MS}, anchor{clipUUID, part.end.MS}
	made.moveTo(part.start.Clip, clipUUID)
	made.Origin, made.Judged = nil, nil
	return &made
}

// moveTo notes that an edit moved from a clip to a duplicate of it.
func (r *editRow) moveTo(from, to string) {
	if r.FoundClip != from || from == to {
		return
	}
	r.FoundClip = to
	if r.TakeGroup != "" {
		r.TakeGroup = copiedGroup(r.TakeGroup, to)
	}
}
