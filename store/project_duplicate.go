package store

import (
	"bytes"
	"encoding/json"
	"slices"
)

// maxProjectName is the maximum number of characters of the name of a copied project.
const maxProjectName = 200

// DuplicateProject copies a project: its clips, the active run with its transcript, edits, take
// groups and caption lines, its markers, shorts, drafts and settings. The copies of clips share the
// stored files, so they use no storage. Exports, other runs, the history and the trash are not
// copied. Errors: NotFound; Forbidden, also plan_limit; Conflict clips_processing while a clip is
// uploaded or processed; Unprocessable past maxSharers.
func (s *Store) DuplicateProject(userUUID, uuid string) (Project, error) {
	var copied Project
	err := s.updateSettings(userUUID, func(t *txn) error {
		from, err := t.ownProject(userUUID, uuid)
		if err != nil {
			return err
		}
		if err := t.allowProject(userUUID); err != nil {
			return err
		}
		c := &projectCopy{
			txn: t, from: from, clips: map[string]string{}, edits: map[string]string{}, shorts: map[string]string{},
		}
		made, err := c.project()
		if err != nil {
			return err
		}
		for _, step := range []func() error{
			c.copyClips, c.copyRun, c.copyEdits, c.copyMarkers, c.copyShorts, c.copyDrafts,
		} {
			if err := step(); err != nil {
				return err
			}
		}

		made.ExportSettings = c.settings(made.ExportSettings)
		if err := projects.Put(t, made); err != nil {
			return err
		}
		if err := t.refresh(made); err != nil {
			return err
		}
		if copied, err = t.counted(made); err != nil {
			return err
		}
		t.announceEdits(made.UUID)
		return t.Changed(made.UUID)
	})
	if err != nil {
		return Project{}, err
	}
	return copied, nil
}

// projectCopy copies a project within a transaction.
type projectCopy struct {
	*txn
	from, to             *projectRow
	clips, edits, shorts map[string]string // uuid of the copy by the uuid of the original
}

func (c *projectCopy) project() (*projectRow, error) {
	row := c.from.clone()
	var err error
	if row.Seq, err = projects.NextSeq(c); err != nil {
		return nil, err
	}
	row.UUID, row.CreatedAt, row.UpdatedAt = c.NewID(), c.Now, c.Now
	const suffix = " copy"
	name := []rune(row.Name)
	row.Name = string(name[:min(len(name), maxProjectName-len(suffix))]) + suffix
	row.Status, row.Error, row.ActiveRunUUID = ProjectCreated, "", ""
	c.to = &row
	return c.to, nil
}

func (c *projectCopy) copyClips() error {
	list, err := clips.List(c, clipsByProject, c.from.UUID)
	if err != nil {
		return err
	}
	for _, clip := range list {
		if clip.Status == ClipPending || clip.Status == ClipProcessing {
			return fail(
				Conflict, "clips_processing",
				"The clip %q is not ready. Wait until it is, then duplicate the project.", clip.Name,
			)
		}

		if clip.Status != ClipReady { // a failed clip has no footage
			continue
		}
		made, err := c.sharedClip(clip)
		if err != nil {
			return err
		}
		made.ProjectUUID, made.Position = c.to.UUID, len(c.clips)
		c.clips[clip.UUID] = made.UUID
		if err := clips.Put(c, made); err != nil {
			return err
		}
	}

	return nil
}

// copyRun copies the active run with the speech of the copied clips. It costs no credits.
func (c *projectCopy) copyRun() error {
	if c.from.ActiveRunUUID == "" {
		return nil
	}
	old, err := runs.Get(c, c.from.ActiveRunUUID)
	if err != nil {
		return err
	}
	run := *old
	if run.Seq, err = runs.NextSeq(c); err != nil {
		return err
	}
	run.UUID, run.ProjectUUID, run.CreatedAt, run.UpdatedAt = c.NewID(), c.to.UUID, c.Now, c.Now
	run.PriorStatus, run.PriorError, run.ExportWhenDone, run.CreditsCharged = ProjectCreated, "", nil, 0
	run.EditCount, run.SilenceCount, run.FalseStartCount = 0, 0, 0
	run.Dismissed = nil
	for _, d := range old.Dismissed {
		if to, ok := c.clips[d.Clip]; ok {
			d.Clip = to
			run.Dismissed = append(run.Dismissed, d)
		}
	}

	evidence := c.Bucket([]byte(bucketEvidence))
	if packed := bytes.Clone(evidence.Get([]byte(old.UUID))); packed != nil {
		if err := evidence.Put([]byte(run.UUID), packed); err != nil {
			return err
		}
	}

	for from, to := range c.clips {
		if err := c.copySpeech(old.UUID, &run, from, to); err != nil {
			return err
		}
	}

	c.to.Status, c.to.ActiveRunUUID = ProjectAnalyzed, run.UUID
	return runs.Put(c, &run)
}

// moved returns an anchor on the copy of its clip, and false for a clip that is not copied.
func (c *projectCopy) moved(a anchor) (anchor, bool) {
	to, ok := c.clips[a.Clip]
	return anchor{to, a.MS}, ok
}

// settings returns export settings for the copies of the clips that they name.
func (c *projectCopy) settings(raw json.RawMessage) json.RawMessage {
	for from, to := range c.clips {
		raw = bytes.ReplaceAll(raw, []byte(from), []byte(to))
	}
	return raw
}

// copyEdits copies the edits of the active run and the edits that a person made. Edits on clips in
// the trash stay behind.
func (c *projectCopy) copyEdits() error {
	list, err := edits.List(c, editsManual, c.from.UUID)
	if err != nil {
		return err
	}
	var run *runRow
	if c.to.ActiveRunUUID != "" {
		detected, err := edits.List(c, editsByRun, c.from.ActiveRunUUID)
		if err != nil {
			return err
		}
		list = append(list, detected...)
		if run, err = runs.Get(c, c.to.ActiveRunUUID); err != nil {
			return err
		}
	}

	for _, e := range list {
		made := e.clone()
		var starts, ends bool
		made.Start, starts = c.moved(e.Start)
		made.End, ends = c.moved(e.End)
		if !starts || !ends {
			continue
		}
		made.UUID, made.ProjectUUID, made.Origin, made.Copied = c.NewID(), c.to.UUID, nil, nil
		if to, ok := c.clips[made.FoundClip]; ok {
			made.moveTo(made.FoundClip, to)
		}
		if made.RunUUID != nil {
			made.RunUUID = &run.UUID
			if made.Placement == nil {
				run.count(made.Type, 1)
			}
		}

		c.edits[e.UUID] = made.UUID
		if err := edits.Put(c, &made); err != nil {
			return err
		}
	}

	if run == nil {
		return nil
	}
	return runs.Put(c, run)
}

func (c *projectCopy) copyMarkers() error {
	list, err := markers.List(c, markersByProject, c.from.UUID)
	for _, m := range list {
		at, ok := c.moved(m.At)
		if !ok {
			continue
		}
		m.UUID, m.ProjectUUID, m.At = c.NewID(), c.to.UUID, at
		if err == nil {
			err = markers.Put(c, m)
		}
	}

	return err
}

// copyShorts copies the shorts with their parts on copied clips.
func (c *projectCopy) copyShorts() error {
	list, err := shorts.List(c, shortsByProject, c.from.UUID)
	for _, m := range list {
		if err == nil && c.moveShort(m) {
			err = shorts.Put(c, m)
		}
	}

	return err
}

// moveShort makes a short, or one that a draft holds, a part of the copy. It reports whether any of
// its clips is copied.
func (c *projectCopy) moveShort(m *shortRow) bool {
	m.Parts = movedParts(m.Parts, func(p anchoredSpan) []anchoredSpan {
		start, ok := c.moved(p.Start)
		end, _ := c.moved(p.End)
		if !ok {
			return nil
		}
		return []anchoredSpan{{start, end}}
	})
	if c.shorts[m.UUID] == "" {
		c.shorts[m.UUID] = c.NewID()
	}
	m.UUID, m.ProjectUUID = c.shorts[m.UUID], c.to.UUID
	m.ExportSettings = c.settings(m.ExportSettings)
	return len(m.Parts) > 0
}

// copyDrafts copies the drafts that the project shows, with the overrides of copied edits.
func (c *projectCopy) copyDrafts() error {
	list, err := drafts.List(c, draftsByProject, c.from.UUID)
	if err != nil {
		return err
	}
	for _, row := range list {
		if row.RunUUID != "" && row.RunUUID != c.from.ActiveRunUUID {
			continue
		}
		content, err := draftContents.Get(c, row.UUID)
		if err != nil {
			return err
		}
		overrides, err := content.all(c.txn)
		if err != nil {
			return err
		}
		row.UUID, row.ProjectUUID = c.NewID(), c.to.UUID
		if row.RunUUID != "" {
			row.RunUUID = c.to.ActiveRunUUID
		}
		if row.Seq, err = drafts.NextSeq(c); err != nil {
			return err
		}
		content.DraftUUID, content.ProjectUUID = row.UUID, c.to.UUID
		content.ExportSettings = c.settings(content.ExportSettings)
		kept := content.Shorts[:0]
		for _, short := range content.Shorts {
			if c.moveShort(&short) {
				kept = append(kept, short)
			}
		}

		content.Shorts = kept
		if err := content.save(c.txn, c.movedOverrides(overrides)); err != nil {
			return err
		}
		if err := drafts.Put(c, row); err != nil {
			return err
		}
		if err := draftContents.Put(c, content); err != nil {
			return err
		}
	}

	return nil
}

func (c *projectCopy) movedOverrides(list anchoredOverrides) anchoredOverrides {
	out := anchoredOverrides{}
	move := func(a *anchor) *anchor {
		if a == nil {
			return nil
		}
		if at, ok := c.moved(*a); ok {
			return &at
		}
		return nil
	}
	for uuid, o := range list {
		if to, ok := c.edits[uuid]; ok {
			o.Start, o.End = move(o.Start), move(o.End)
			out[to] = o
		}
	}

	return out
}

// passJobsOn queues the jobs of the files of a project that ends, for clips of other projects with
// these files.
func (t *txn) passJobsOn(projectUUID string) error {
	list, err := clips.List(t, clipsByProject, projectUUID)
	if err != nil {
		return err
	}
	removed, err := clips.List(t, clipsTrashedByProject, projectUUID)
	if err != nil {
		return err
	}
	for _, clip := range slices.Concat(list, removed) {
		if !clip.TilesLeft && !clip.TracksLeft {
			continue
		}
		others, err := t.sharers(clip)
		if err != nil {
			return err
		}
		others = slices.DeleteFunc(others, func(r *clipRow) bool { return r.ProjectUUID == projectUUID })
		if len(others) == 0 {
			continue
		}
		if gone, err := t.trashed(others[0]); gone || err != nil {
			if err != nil {
				return err
			}
			continue
		}

		if others[0].TilesLeft {
			if err := t.enqueueTiles(others[0]); err != nil {
				return err
			}
		}

		if err := t.enqueueTracks(others[0]); err != nil {
			return err
		}
	}

	return nil
}
