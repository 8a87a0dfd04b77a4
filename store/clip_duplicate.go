package store

import (
	"bytes"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"roughcut/store/table"
)

// DuplicateClip adds a clip of the same recording behind a ready clip. The duplicate shares the
// stored files, so it uses no storage, and has its own copies of the edits, transcripts, caption
// lines and take groups. Copies for runs other than the active one follow in later transactions.
// The duplicate has no markers. Errors: NotFound, Forbidden; Conflict clips_processing unless the
// clip is ready; Conflict as in OrderClips; Unprocessable past maxSharers, maxClips and
// maxCopiedEdits. The history can undo it, under the name as.
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
		if err := t.writePositions(slices.Insert(rows, at+1, made)); err != nil {
			return err
		}
		if err := t.refreshProject(from.ProjectUUID); err != nil {
			return err
		}
		if err := t.rearrange(from.ProjectUUID, before, nil); err != nil {
			return err
		}
		label := "duplicate “" + from.Name + "”"
		if err := t.record(from.ProjectUUID, HistoryClips, optionalChange(as), label, movesClip...); err != nil {
			return err
		}
		t.announceEdits(from.ProjectUUID)
		if err := t.Changed(from.ProjectUUID); err != nil {
			return err
		}
		if err := t.duplicateFirst(from, made); err != nil {
			return err
		}
		return t.checkCopies(from.ProjectUUID)
	})
	if err != nil {
		return Clip{}, err
	}
	return made.Clip, s.duplicateRest(made.UUID)
}

// duplication is a duplicate of a clip that still lacks its edits and speech in runs. They get them
// in later transactions, the newest run first.
type duplication struct {
	ClipUUID, From, ProjectUUID string
	RunUUID                     string // the run that was active, which has its copies
	Seq                         uint64 // of the copied edits
	Before                      uint64 // the runs with a lower Seq are left
}

var duplications = &table.Table[duplication]{
	Name: "duplications",
	Noun: "duplication",
	Key:  func(r *duplication) []byte { return []byte(r.ClipUUID) },
}

// duplicateFirst copies the edits that a person made on a clip and its parts of the active run to a
// duplicate, and leaves the other runs to duplicateRest.
func (t *txn) duplicateFirst(from, to *clipRow) error {
	seq, err := draftContents.NextSeq(t)
	if err != nil {
		return err
	}
	project, err := projects.Get(t, from.ProjectUUID)
	if err != nil {
		return err
	}
	line, err := t.timeline(from.ProjectUUID)
	if err != nil {
		return err
	}
	d := &duplication{
		ClipUUID: to.UUID, From: from.UUID, ProjectUUID: project.UUID, RunUUID: project.ActiveRunUUID,
		Seq: seq, Before: math.MaxUint64,
	}
	if err := t.duplicateEdits(line, d, nil); err != nil {
		return err
	}
	if d.RunUUID != "" {
		run, err := runs.Get(t, d.RunUUID)
		if err == nil {
			err = t.duplicateSpeech(run, d.From, d.ClipUUID)
			if err == nil {
				err = t.duplicateEdits(line, d, run)
			}
		}

		if err != nil {
			return err
		}
	}

	return duplications.Put(t, d)
}

// duplicateRest completes a duplicate in the runs that are left, in transactions of bounded size.
func (s *Store) duplicateRest(clipUUID string) error {
	for done := false; !done; {
		err := s.update(func(t *txn) error {
			d, err := duplications.Find(t, clipUUID)
			if done = d == nil; done {
				return err
			}
			t.Room = erasedAtOnce
			if done, err = t.duplicateSome(d); err != nil {
				return err
			}
			if done {
				return duplications.Delete(t, clipUUID)
			}
			return duplications.Put(t, d)
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// duplicateSome completes a duplicate in runs while the transaction has room, and reports whether
// none is left.
func (t *txn) duplicateSome(d *duplication) (done bool, err error) {
	to, err := clips.Find(t, d.ClipUUID)
	if err == nil && to != nil {
		_, err = t.ownAnyProject(to.UserUUID, d.ProjectUUID)
	}
	if err == nil && to != nil {
		_, err = t.registry().User(to.UserUUID)
	}
	if to == nil || IsKind(userError(err), NotFound) { // deleted since
		return true, nil
	}
	if err != nil {
		return false, err
	}
	line, err := t.timeline(d.ProjectUUID)
	if err != nil {
		return false, err
	}
	list, err := runs.List(t, runsByProject, d.ProjectUUID)
	if err != nil {
		return false, err
	}
	for _, run := range slices.Backward(list) {
		if t.Room <= 0 {
			return false, nil
		}
		if run.Seq < d.Before && run.UUID != d.RunUUID {
			if err := t.duplicateSpeech(run, d.From, d.ClipUUID); err != nil {
				return false, err
			}
			if err := t.duplicateEdits(line, d, run); err != nil {
				return false, err
			}
		}

		d.Before = min(d.Before, run.Seq)
	}

	return true, nil
}

// duplicateLeft completes all duplicates.
func (s *Store) duplicateLeft() error {
	var list []string
	err := s.view(func(t *txn) error {
		return duplications.Each(t, func(d *duplication) error { list = append(list, d.ClipUUID); return nil })
	})
	return joinEach(err, list, s.duplicateRest)
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

// writePositions writes the clips whose positions in a list are new. A new clip has the position
// -1.
func (t *txn) writePositions(ordered []*clipRow) (err error) {
	if len(ordered) == 0 {
		return nil
	}
	former := slices.DeleteFunc(slices.Clone(ordered), func(r *clipRow) bool { return r.Position < 0 })
	slices.SortStableFunc(former, func(a, b *clipRow) int { return a.Position - b.Position })
	project := ordered[0].ProjectUUID
	if err := t.noteChange(noteOrder, project, clipIDs(former), clipIDs(ordered)); err != nil {
		return err
	}
	for i, row := range ordered {
		if row.Position != i {
			row.Position, row.UpdatedAt = i, t.Now
			if err == nil {
				err = clips.Put(t, row)
			}
		}
	}

	return err
}

// duplicateClip returns a new clip with the file of another one. The caller writes it, and gives it
// a place, edits and speech. Errors: Conflict clips_processing; Unprocessable past maxSharers and
// maxClips.
func (t *txn) duplicateClip(from *clipRow) (*clipRow, error) {
	if from.Status != ClipReady {
		return nil, fail(Conflict, "clips_processing", "The clip is not ready. Wait until it is, then duplicate it.")
	}
	if err := t.checkClips(from.ProjectUUID); err != nil {
		return nil, err
	}
	return t.sharedClip(from)
}

// sharedClip returns a new clip with the file of a ready clip. Errors: Unprocessable past
// maxSharers.
func (t *txn) sharedClip(from *clipRow) (*clipRow, error) {
	if n := clips.Count(t, clipsByFile, from.ClipFileID); n >= maxSharers {
		return nil, fail(
			Unprocessable, "unprocessable",
			"A recording can be used %d times, in projects and trashes. Remove some of the clips and empty the trash.",
			maxSharers,
		)
	}

	if len(from.CopyOf) >= maxSharers {
		return nil, tooMany(
			"A clip can be the duplicate of %d others, each of the one before. Duplicate one of them.", maxSharers,
		)
	}

	row := from.clone()
	row.UUID, row.Position, row.CreatedAt, row.UpdatedAt = t.NewID(), -1, t.Now, t.Now
	row.CopyOf = append(row.CopyOf, from.UUID)
	if row.ConstantRate != nil && row.ConstantRate.Status != ClipReady {
		row.ConstantRate = nil
	}
	return &row, nil
}

// duplicateSpeech copies the transcript of a clip in a run, its take groups and caption lines, and
// the placements on it that a person deleted.
func (t *txn) duplicateSpeech(run *runRow, from, to string) error {
	gone := slices.DeleteFunc(slices.Clone(run.Dismissed), func(d dismissal) bool { return d.Clip != from })
	for _, d := range gone {
		d.Clip = to
		run.Dismissed = append(run.Dismissed, d)
	}

	if len(gone) > 0 {
		if err := runs.Put(t, run); err != nil {
			return err
		}
	}

	return t.copySpeech(run.UUID, run, from, to)
}

// copySpeech copies the transcript of a clip in a run, its take groups and caption lines, to a clip
// with the same file in a run, which may be another one.
func (t *txn) copySpeech(fromRun string, run *runRow, from, to string) error {
	b := t.Bucket([]byte(bucketWords))
	prefix := table.Key(fromRun, from)
	target := table.Key(run.UUID, to)
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
		t.Spend(len(e.value))
	}

	turns, err := t.speakerTurns(fromRun, from)
	if err != nil {
		return err
	}
	groups, err := takeGroups.List(t, takeGroupsByRun, fromRun)
	for _, g := range groups {
		if g.ClipUUID == from {
			g.ID, g.ClipUUID, g.RunUUID, g.ProjectUUID = copiedGroup(g.ID, to), to, run.UUID, run.ProjectUUID
			if err == nil {
				err = takeGroups.Put(t, g)
			}
			t.Spend(0)
		}
	}

	if err != nil {
		return err
	}
	if err := t.putSpeakers(run.UUID, to, turns); err != nil {
		return err
	}
	return t.duplicateCaptions(fromRun, run, from, to)
}

// copiedGroup returns the ID of the copy of a take group on a duplicate.
func copiedGroup(id, clipUUID string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("roughcut:copied-take-group:"+clipUUID+":"+id)).String()
}

// duplicateCaptions copies the caption lines of a clip in a run to a clip in a run, which may be
// another one.
func (t *txn) duplicateCaptions(fromRun string, run *runRow, from, to string) error {
	list, err := captions.List(t, captionsByClip, from, fromRun)
	for _, line := range list {
		t.Spend(0)
		line.UUID, line.ClipUUID, line.CreatedAt, line.UpdatedAt = t.NewID(), to, t.Now, t.Now
		line.RunUUID, line.ProjectUUID = run.UUID, run.ProjectUUID
		if err == nil {
			err = captions.Put(t, line)
		}
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

// copiedEdit names the original of a copied edit, and the clips of the original and the copy.
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

// duplicateEdits copies the edits of a run on a clip to its duplicate. Without a run it copies the
// edits that a person made. It leaves the overrides of saved drafts to draftContent.all.
func (t *txn) duplicateEdits(line *timeline, d *duplication, run *runRow) error {
	runUUID, detected := "", 0
	if run != nil {
		runUUID = run.UUID
	}
	list, err := edits.List(t, editsByClip, d.From, runUUID)
	if err != nil {
		return err
	}
	others, err := edits.List(t, editsAcross, d.ProjectUUID)
	if err != nil {
		return err
	}
	others = slices.DeleteFunc(others, func(e *editRow) bool { return e.run() != runUUID })
	for _, e := range append(list, others...) {
		parts := []anchoredSpan{{e.Start, e.End}}
		if line.has(e) {
			parts = line.split(parts[0])
		}
		for _, part := range parts {
			if part.Start.Clip != d.From || part.End.Clip != d.From {
				continue
			}
			made := e.on(d.ClipUUID, part, t.NewID(), t.Now)
			made.Copied = &copiedEdit{UUID: e.UUID, From: d.From, To: d.ClipUUID, Seq: d.Seq}
			err := t.skipAhead(made, line.at(part.Start)-line.at(e.Start))
			if err == nil {
				err = edits.Put(t, made)
			}
			if err != nil {
				return err
			}
			if run != nil && made.Placement == nil {
				detected++
				run.count(made.Type, 1)
			}

			t.Spend(0)
		}
	}

	if detected == 0 {
		return nil
	}
	run.UpdatedAt = t.Now
	return runs.Put(t, run)
}

// on returns a new edit like this one on a duplicate of its clip.
func (r *editRow) on(clipUUID string, part anchoredSpan, id string, now time.Time) *editRow {
	made := r.clone()
	made.UUID, made.CreatedAt, made.UpdatedAt = id, now, now
	made.Start, made.End = anchor{clipUUID, part.Start.MS}, anchor{clipUUID, part.End.MS}
	made.moveTo(part.Start.Clip, clipUUID)
	made.Origin = nil
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
