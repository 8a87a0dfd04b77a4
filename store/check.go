package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"roughcut/store/account"
	"roughcut/store/billing"
	"roughcut/store/pages"
	"roughcut/store/table"
)

// Finding is a broken invariant of the data directory.
type Finding struct {
	Code    string // stable, snake_case
	Message string
}

// check collects findings.
type check struct {
	t        *txn
	findings []Finding
}

func (c *check) report(code, format string, args ...any) {
	c.findings = append(c.findings, Finding{code, fmt.Sprintf(format, args...)})
}

// Check looks for broken invariants in the pages of the database, between rows, and between rows
// and files. It reads everything and blocks writers, so it is for maintenance only. It first waits
// for deletions and finishes interrupted ones. It returns an error when it cannot complete.
func (s *Store) Check(ctx context.Context) ([]Finding, error) {
	s.erasing.Lock()
	defer s.erasing.Unlock()
	if err := s.eraseLeft(); err != nil {
		return nil, err
	}
	if found, err := s.checkPages(); err != nil || len(found) > 0 {
		return found, err
	}
	var found []Finding
	var kept []fileRow
	err := s.view(func(t *txn) error {
		c := &check{t: t}
		for _, step := range []func() error{
			c.tables,
			c.storage,
			c.billing,
			c.jobs,
			c.projects,
			c.fileOwners,
			c.recordings,
			c.anchors,
			c.exports,
			c.assets,
			c.placedFiles,
			c.imports,
			c.parts,
			c.owners,
			c.presets,
			c.groups,
			c.wordLists,
			c.takeGroups,
			c.history,
			c.drafts,
		} {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := step(); err != nil {
				return err
			}
		}

		found = c.findings
		return files.Each(t, func(row *fileRow) error { kept = append(kept, *row); return nil })
	})
	if err != nil {
		return found, err
	}
	onDisk, err := s.checkFiles(kept)
	found = append(found, onDisk...)
	for _, message := range s.index.Verify() {
		found = append(found, Finding{"index", message})
	}
	return found, err
}

// checkPages checks the structure of the database.
func (s *Store) checkPages() (found []Finding, err error) {
	err = s.exclusively(func() error {
		unused, fault := pages.Check(s.file)
		switch {
		case fault != nil:
			found = []Finding{{"damaged_page", fmt.Sprintf("The database has a damaged page: %v.", fault)}}
		case unused > 0:
			message := fmt.Sprintf("%d pages of the database are neither in use nor free.", unused)
			found = []Finding{{"lost_pages", message}}
		}

		return nil
	})
	return found, err
}

// checkFiles compares the file rows with the files on disk.
func (s *Store) checkFiles(kept []fileRow) ([]Finding, error) {
	var found []Finding
	for _, row := range kept {
		st, err := os.Stat(s.FilePath(row.Key))
		switch {
		case errors.Is(err, os.ErrNotExist):
			found = append(found, Finding{"missing_file", fmt.Sprintf("The file %s is missing.", row.Key)})
		case err != nil:
			return found, err
		case st.Size() != row.Size:
			message := fmt.Sprintf("The file %s has %d bytes, but the database says %d.", row.Key, st.Size(), row.Size)
			found = append(found, Finding{"wrong_size", message})
		}
	}

	stored, err := s.storedFiles()
	if err != nil {
		return found, err
	}
	orphans, err := s.orphanKeys(stored)
	for _, k := range orphans {
		message := fmt.Sprintf("The file %s belongs to nothing in the database. The next start removes it.", k)
		found = append(found, Finding{"orphan_file", message})
	}

	return found, err
}

// tables checks that every index has exactly the entries of its table's rows.
func (c *check) tables() error {
	for _, tab := range tables() {
		err := tab.Verify(c.t, func(code, message string) { c.report(code, "%s", message) })
		if err != nil {
			return err
		}
	}

	return nil
}

// storage checks that the storage of each user equals the sums of the counted and of the generated
// files.
func (c *check) storage() error {
	used, generated := map[string]int64{}, map[string]int64{}
	err := files.Each(c.t, func(row *fileRow) error {
		switch {
		case row.Counted:
			used[row.UserUUID] += row.Size
		case row.generated():
			generated[row.UserUUID] += row.Size
		}

		return nil
	})
	if err != nil {
		return err
	}
	return c.t.registry().EachUser(func(row account.User) error {
		if row.StorageUsedBytes != used[row.UUID] {
			c.report(
				"storage_count",
				"User %s uses %d bytes according to the account, but %d according to the files.",
				row.UUID,
				row.StorageUsedBytes,
				used[row.UUID],
			)
		}

		if row.GeneratedBytes != generated[row.UUID] {
			c.report(
				"generated_count",
				"The generated files of user %s take %d bytes according to the account, but %d according to the files.",
				row.UUID,
				row.GeneratedBytes,
				generated[row.UUID],
			)
		}

		return nil
	})
}

// billing checks the ledgers. An open reservation belongs to a run that has not ended, and a
// completed run was charged.
func (c *check) billing() error {
	return c.t.books().Check(c.report, func(runUUID, state string) error {
		run, err := runs.Find(c.t, runUUID)
		if err != nil {
			return err
		}
		if state == billing.Reserved && (run == nil || (run.Status != RunQueued && run.Status != RunRunning)) {
			c.report("open_reservation", "Credits are reserved for run %s, which is not running.", runUUID)
		}
		if run != nil && run.Status == StatusCompleted != (state == billing.Charged) {
			c.report(
				"reservation_state",
				"The credits of run %s are %s, but the run has the status %s.",
				runUUID,
				state,
				run.Status,
			)
		}

		return nil
	})
}

// jobs checks that the states of jobs and subjects fit together.
func (c *check) jobs() error {
	err := jobs.Each(c.t, func(row *jobRow) error {
		if (row.State == jobRunning) != (row.LeasedAt != nil) || (row.State == jobRunning && row.Attempt < 1) {
			c.report("job_lease", "Job %s is %s, but its lease does not match.", row.UUID, row.State)
		}
		return nil
	})
	if err != nil {
		return err
	}
	expect := func(subject, status string, busy bool) error {
		job, err := jobs.Lookup(c.t, jobsBySubject, subject)
		if err == nil && (job != nil) != busy {
			c.report("job_subject", "%s has the status %s, which does not match its job.", subject, status)
		}
		return err
	}
	if err := clips.Each(c.t, func(r *clipRow) error {
		live, err := c.t.clipOfFile(r.ClipFileID)
		if err != nil {
			return err
		}
		trashed, err := c.t.trashed(live)
		if err != nil {
			return err
		}
		if err := expect(r.ClipFileID, "ready", live.TilesLeft && !trashed); err != nil {
			return err
		}
		if err := expect(copyPrefix+r.UUID, r.Status, r.makesCopy()); err != nil {
			return err
		}
		if r.Status == ClipReady {
			return nil // a job may make lost files again
		}
		if trashed, err = c.t.trashed(r); err != nil {
			return err
		}
		return expect(r.UUID, r.Status, r.Status == ClipProcessing && !trashed)
	}); err != nil {
		return err
	}

	if err := runs.Each(c.t, func(r *runRow) error {
		busy := r.Status == RunQueued || r.Status == RunRunning
		return expect(r.UUID, r.Status, busy && !r.WaitsForClips)
	}); err != nil {
		return err
	}

	if err := exports.Each(c.t, func(r *exportRow) error {
		busy := r.Status == ExportQueued || r.Status == ExportRendering
		return expect(r.UUID, r.Status, busy && !r.WaitsForClips)
	}); err != nil {
		return err
	}

	return assets.Each(c.t, func(r *assetRow) error {
		if r.Status == AssetUploaded {
			return nil // likewise
		}
		return expect(r.UUID, r.Status, r.Status == AssetPending)
	})
}

// projects checks the clip counts, durations, active runs and statuses of projects.
func (c *check) projects() error {
	return projects.Each(c.t, func(p *projectRow) error {
		line, err := c.t.timeline(p.UUID)
		if err != nil {
			return err
		}
		if n := clips.Count(c.t, clipsByProject, p.UUID); n != p.ClipCount {
			c.report("clip_count", "Project %s counts %d clips but has %d.", p.UUID, p.ClipCount, n)
		}
		if line.processing != (p.DurationMS == nil) || (p.DurationMS != nil && *p.DurationMS != line.total) {
			c.report("project_duration", "The duration of project %s does not match its clips.", p.UUID)
		}
		if p.ActiveRunUUID != "" {
			run, err := runs.Find(c.t, p.ActiveRunUUID)
			if err != nil {
				return err
			}
			if run == nil || run.ProjectUUID != p.UUID || run.Status != StatusCompleted {
				c.report(
					"active_run",
					"The active run of project %s is missing, not completed, or from another project.",
					p.UUID,
				)
			}
		}

		list, err := runs.List(c.t, runsByProject, p.UUID)
		busy := slices.ContainsFunc(
			list,
			func(r *runRow) bool { return r.Status == RunQueued || r.Status == RunRunning },
		)
		if busy != (p.Status == ProjectAnalyzing) {
			c.report("project_status", "Project %s has the status %s, which does not match its runs.", p.UUID, p.Status)
		}
		return err
	})
}

// fileOwners checks that files have an owner.
func (c *check) fileOwners() error {
	return files.Each(c.t, func(row *fileRow) error {
		clip, err := clips.Find(c.t, row.Owner)
		if err != nil || clip != nil {
			return err
		}
		asset, err := assets.Find(c.t, row.Owner)
		if err != nil || asset != nil {
			return err
		}
		export, err := exports.Find(c.t, row.Owner)
		if err == nil && export == nil {
			c.report("file_owner", "The owner of the file %s does not exist.", row.Key)
		}
		return err
	})
}

// recordings checks that ready clips have their files.
func (c *check) recordings() error {
	return clips.Each(c.t, func(row *clipRow) error {
		if (row.Status != ClipReady && row.Status != ClipProcessing) || row.ImportURL != "" {
			return nil
		}
		file, err := files.Find(c.t, clipKey(row.ClipFileID, fileOriginal))
		if (row.LinkedFile != nil) != (row.Source == SourceLocal) ||
			(row.LinkedFile != nil && (file != nil || row.LinkedFile.SizeBytes != row.SizeBytes)) {
			c.report("clip_reference", "Clip %s has contradictory data about its linked file.", row.UUID)
		}

		if row.LinkedFile != nil {
			return err
		}
		if err == nil && (file == nil || !file.Counted || file.Size != row.SizeBytes) {
			c.report(
				"clip_file",
				"Clip %s has the status %s, but its file is missing or has another size.",
				row.UUID,
				row.Status,
			)
		}

		return err
	})
}

// anchors checks that the anchors of edits and shorts have their clip.
func (c *check) anchors() error {
	err := edits.Each(c.t, func(row *editRow) error {
		return c.anchored("edit", row.UUID, row.ProjectUUID, row.Start, row.End)
	})
	if err != nil {
		return err
	}
	return shorts.Each(c.t, func(row *shortRow) error {
		for _, p := range row.Parts {
			if err := c.anchored("short", row.UUID, row.ProjectUUID, p.Start, p.End); err != nil {
				return err
			}
		}

		return nil
	})
}

func (c *check) anchored(noun, uuid, projectUUID string, list ...anchor) error {
	for _, a := range list {
		if a.Clip == "" {
			continue
		}
		if clip, err := clips.Find(c.t, a.Clip); err != nil {
			return err
		} else if clip == nil || clip.ProjectUUID != projectUUID {
			c.report(noun+"_anchor", "The %s %s is on a clip that does not exist.", noun, uuid)
		}
	}

	return nil
}

// exports checks that completed exports have a file, and others have none.
func (c *check) exports() error {
	return exports.Each(c.t, func(row *exportRow) error {
		file, err := files.Find(c.t, row.key())
		if err == nil && (file != nil) != (row.Status == StatusCompleted) {
			c.report("export_file", "Export %s has the status %s, which does not match its file.", row.UUID, row.Status)
		}
		return err
	})
}

// parts checks that each resumable upload belongs to a clip or asset that waits for it.
func (c *check) parts() error {
	return uploadParts.Each(c.t, func(row *partRow) error {
		record, err := c.t.awaitingUpload(row.FileID)
		tooLong := err == nil && row.Offset > record.slot().declared
		if tooLong || IsKind(err, NotFound) || IsKind(err, Conflict) {
			c.report("upload_part", "No clip or asset waits for the upload %s.", row.FileID)
			return nil
		}

		return err
	})
}

// owners checks that each row with a user has that user.
func (c *check) owners() error {
	if err := c.t.registry().EachUser(func(r account.User) error {
		known, err := c.t.books().Known(r.UUID)
		if err == nil && !known {
			c.report("plan_gone", "User %s has no billing account.", r.UUID)
		}
		if len(r.Identities) > 0 && !r.EmailVerified {
			c.report(
				"identity_unverified",
				"User %s signs in through a provider but has no verified address.",
				r.UUID,
			)
		}

		return err
	}); err != nil {
		return err
	}

	for _, each := range []func() error{
		func() error { return c.t.books().EachOwner(c.owner) },
		func() error { return c.t.registry().EachOwner(c.owner) },
		owned(c, projects, "project", func(r *projectRow) (string, string) { return r.UUID, r.UserUUID }),
		owned(c, assets, "asset", func(r *assetRow) (string, string) { return r.UUID, r.UserUUID }),
		owned(c, groups, "asset group", func(r *groupRow) (string, string) { return r.UUID, r.UserUUID }),
		owned(c, presets, "preset", func(r *Preset) (string, string) { return r.UUID, r.UserUUID }),
		owned(c, previewPresets, "preview preset", func(r *PreviewPreset) (string, string) {
			return r.UUID, r.UserUUID
		}),
		owned(c, accountSettings, "settings", func(r *accountSettingsRow) (string, string) {
			return r.UserUUID, r.UserUUID
		}),
		owned(c, wordLists, "word list", func(r *WordList) (string, string) { return r.Language, r.UserUUID }),
		owned(c, files, "file", func(r *fileRow) (string, string) { return r.Key, r.UserUUID }),
		owned(c, uploadParts, "upload", func(r *partRow) (string, string) { return r.FileID, r.UserUUID }),
		owned(c, jobs, "job", func(r *jobRow) (string, string) { return r.UUID, r.UserUUID }),
	} {
		if err := each(); err != nil {
			return err
		}
	}

	return nil
}

// owned returns a function that checks the users of the rows of a table. of returns the id and the
// user of a row.
func owned[T any](c *check, rows *table.Table[T], what string, of func(*T) (id, userUUID string)) func() error {
	return func() error {
		return rows.Each(c.t, func(r *T) error {
			id, user := of(r)
			return c.owner(what, id, user)
		})
	}
}

// owner checks that the user of a row exists.
func (c *check) owner(what, id, userUUID string) error {
	known, err := c.t.registry().Known(userUUID)
	if err == nil && !known {
		c.report("owner_gone", "The %s %s belongs to an account that does not exist.", what, id)
	}
	return err
}
