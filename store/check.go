package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"

	bolt "go.etcd.io/bbolt"
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

// Check looks for broken invariants: in the database's pages, between rows, and between rows and
// files. It reads everything and holds writers off meanwhile, so it is for maintenance. An error
// means that the check itself could not be made.
func (s *Store) Check(ctx context.Context) ([]Finding, error) {
	if found, err := s.checkPages(); err != nil || len(found) > 0 {
		return found, err
	}
	var found []Finding
	var kept []fileRow
	err := s.view(func(t *txn) error {
		c := &check{t: t}
		for _, step := range []func() error{c.indexes, c.storage, c.credits, c.payments, c.jobs, c.projects, c.rows, c.assets, c.placedFiles, c.imports, c.parts, c.owners, c.presets, c.groups, c.wordLists} {
			if err := errors.Join(ctx.Err(), step()); err != nil {
				return err
			}
		}
		found = c.findings
		return files.all(t, func(row *fileRow) error { kept = append(kept, *row); return nil })
	})
	if err != nil {
		return found, err
	}
	onDisk, err := s.checkFiles(kept)
	return append(append(found, onDisk...), s.checkIndex()...), err
}

// checkPages checks the structure of the database. The list of free pages is that of the writer, so
// no other may be at work.
func (s *Store) checkPages() ([]Finding, error) {
	if fault := readPages(s.db); fault != nil {
		return []Finding{{"damaged_page", fmt.Sprintf("The database has a damaged page: %v.", fault)}}, nil
	}
	tx, err := s.db.Begin(true)
	if err != nil {
		return nil, fmt.Errorf("checking the database: %w", err)
	}
	var found []Finding
	for fault := range tx.Check() {
		found = append(found, Finding{"damaged_page", fmt.Sprintf("The database has a damaged page: %v.", fault)})
	}
	return found, tx.Rollback()
}

// readPages visits every page that holds data. bbolt's own check panics, in a goroutine of its own,
// on what is found here.
func readPages(db *bolt.DB) (fault error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			fault = fmt.Errorf("%v", r)
		}
	}()
	return db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(_ []byte, b *bolt.Bucket) error {
			return b.ForEach(func(_, _ []byte) error { return nil })
		})
	})
}

// checkFiles compares the rows of files with the files.
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
			found = append(
				found,
				Finding{
					"wrong_size",
					fmt.Sprintf("The file %s has %d bytes instead of %d.", row.Key, st.Size(), row.Size),
				},
			)
		}
	}
	orphans, err := s.orphans()
	for _, k := range orphans {
		found = append(
			found,
			Finding{"orphan_file", fmt.Sprintf("No record names the file %s; it is removed at the next start.", k)},
		)
	}
	return found, err
}

// indexes checks that every index holds the entries of its table's rows and nothing else.
func (c *check) indexes() error {
	for _, table := range tables() {
		if err := table.verify(c); err != nil {
			return err
		}
	}
	return nil
}

// storage checks that what users are said to use is the sum of their counted files.
func (c *check) storage() error {
	used := map[string]int64{}
	err := files.all(c.t, func(row *fileRow) error {
		if row.Counted {
			used[row.UserUUID] += row.Size
		}
		return nil
	})
	if err != nil {
		return err
	}
	return users.all(c.t, func(row *userRow) error {
		if row.StorageUsedBytes != used[row.UUID] {
			c.report(
				"storage_count",
				"User %s is said to use %d bytes; the files are %d.",
				row.UUID,
				row.StorageUsedBytes,
				used[row.UUID],
			)
		}
		return nil
	})
}

// jobs checks that work and the state of its subject agree.
func (c *check) jobs() error {
	err := jobs.all(c.t, func(row *jobRow) error {
		if (row.State == jobRunning) != (row.LeasedAt != nil) || row.State == jobRunning && row.Attempt < 1 {
			c.report("job_lease", "Job %s is %s without a matching lease.", row.UUID, row.State)
		}
		return nil
	})
	if err != nil {
		return err
	}
	expect := func(subject, status string, busy bool) error {
		job, err := jobs.lookup(c.t, jobsBySubject, subject)
		if err == nil && (job != nil) != busy {
			c.report("job_subject", "%s is %s, which does not fit its job.", subject, status)
		}
		return err
	}
	return errors.Join(
		clips.all(c.t, func(r *clipRow) error { return expect(r.UUID, r.Status, r.Status == ClipProcessing) }),
		runs.all(c.t, func(r *runRow) error {
			return expect(r.UUID, r.Status, r.Status == RunQueued || r.Status == RunRunning)
		}),
		exports.all(c.t, func(r *exportRow) error {
			return expect(r.UUID, r.Status, r.Status == ExportQueued || r.Status == ExportRendering)
		}),
		assets.all(c.t, func(r *assetRow) error { return expect(r.UUID, r.Status, r.Status == AssetPending) }))
}

// projects checks what projects say about their clips and runs.
func (c *check) projects() error {
	return projects.all(c.t, func(p *projectRow) error {
		line, err := c.t.timeline(p.UUID)
		if err != nil {
			return err
		}
		if n := clips.count(c.t, clipsByProject, p.UUID); n != p.ClipCount {
			c.report("clip_count", "Project %s says that it has %d clips; it has %d.", p.UUID, p.ClipCount, n)
		}
		if line.processing != (p.DurationMS == nil) || p.DurationMS != nil && *p.DurationMS != line.total {
			c.report("project_duration", "Project %s has a wrong duration.", p.UUID)
		}
		if p.ActiveRunUUID != "" {
			run, err := runs.find(c.t, p.ActiveRunUUID)
			if err != nil {
				return err
			}
			if run == nil || run.ProjectUUID != p.UUID || run.Status != StatusCompleted {
				c.report("active_run", "The active run of project %s is not a completed run of it.", p.UUID)
			}
		}
		list, err := runs.list(c.t, runsByProject, p.UUID)
		busy := slices.ContainsFunc(
			list,
			func(r *runRow) bool { return r.Status == RunQueued || r.Status == RunRunning },
		)
		if busy != (p.Status == ProjectAnalyzing) {
			c.report("project_status", "Project %s is %s, which does not fit its runs.", p.UUID, p.Status)
		}
		return err
	})
}

// rows checks that what belongs to something finds it: files their clip, export or asset, a ready
// clip its files, anchors their clip.
func (c *check) rows() error {
	err := files.all(c.t, func(row *fileRow) error {
		clip, err := clips.find(c.t, row.Owner)
		if err != nil || clip != nil {
			return err
		}
		asset, err := assets.find(c.t, row.Owner)
		if err != nil || asset != nil {
			return err
		}
		export, err := exports.find(c.t, row.Owner)
		if err == nil && export == nil {
			c.report("file_owner", "The file %s belongs to nothing.", row.Key)
		}
		return err
	})
	if err != nil {
		return err
	}
	err = clips.all(c.t, func(row *clipRow) error {
		if row.Status != ClipReady && row.Status != ClipProcessing || row.ImportURL != "" {
			return nil
		}
		file, err := files.find(c.t, clipKey(row.ClipFileID, fileOriginal))
		if (row.LinkedFile != nil) != (row.Source == SourceLocal) ||
			row.LinkedFile != nil && (file != nil || row.LinkedFile.SizeBytes != row.SizeBytes) {
			c.report("clip_reference", "Clip %s does not know whether its recording is kept here.", row.UUID)
		}
		if row.LinkedFile != nil {
			return err
		}
		if err == nil && (file == nil || !file.Counted || file.Size != row.SizeBytes) {
			c.report("clip_file", "Clip %s is %s without its file.", row.UUID, row.Status)
		}
		return err
	})
	if err != nil {
		return err
	}
	err = edits.all(c.t, func(row *editRow) error {
		for _, a := range []anchor{row.Start, row.End} {
			if a.Clip == "" {
				continue
			}
			if clip, err := clips.find(c.t, a.Clip); err != nil {
				return err
			} else if clip == nil || clip.ProjectUUID != row.ProjectUUID {
				c.report("edit_anchor", "Edit %s lies on a clip that is gone.", row.UUID)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return exports.all(c.t, func(row *exportRow) error {
		file, err := files.find(c.t, exportKey(row.UUID))
		if err == nil && (file != nil) != (row.Status == StatusCompleted) {
			c.report("export_file", "Export %s is %s, which does not fit its file.", row.UUID, row.Status)
		}
		return err
	})
}

// parts checks that a resumable upload belongs to a clip or asset that waits for it.
func (c *check) parts() error {
	return parts.all(c.t, func(row *partRow) error {
		record, err := c.t.awaiting(row.FileID)
		if IsKind(err, NotFound) || IsKind(err, Conflict) || err == nil && row.Offset > record.slot().declared {
			c.report("upload_part", "Nothing waits for the upload %s.", row.FileID)
			return nil
		}
		return err
	})
}

// owners checks that what belongs to a user finds the account.
func (c *check) owners() error {
	expect := func(what, id, userUUID string) error {
		user, err := users.find(c.t, userUUID)
		if err == nil && user == nil {
			c.report("owner_gone", "The %s %s belongs to an account that is gone.", what, id)
		}
		return err
	}
	return errors.Join(
		users.all(c.t, func(r *userRow) error {
			a, err := accounts.find(c.t, r.UUID)
			if err == nil && a == nil {
				c.report("plan_gone", "User %s has no plan.", r.UUID)
			}
			if len(r.Identities) > 0 && !r.EmailVerified {
				c.report(
					"identity_unverified",
					"User %s signs in through another service without a verified address.",
					r.UUID,
				)
			}
			return err
		}),
		accounts.all(c.t, func(r *account) error { return expect("plan", r.UserUUID, r.UserUUID) }),
		sessions.all(c.t, func(r *Session) error { return expect("session", r.Hash, r.UserUUID) }),
		accessTokens.all(c.t, func(r *accessTokenRow) error { return expect("token", r.UUID, r.UserUUID) }),
		invitations.all(c.t, func(r *Invitation) error { return expect("invitation", r.UUID, r.InvitedBy) }),
		movements.all(
			c.t,
			func(r *movement) error { return expect("movement of credits", fmt.Sprint(r.Seq), r.UserUUID) },
		),
		payments.all(c.t, func(r *paymentRow) error { return expect("payment", r.UUID, r.UserUUID) }),
		invoices.all(c.t, func(r *invoiceRow) error { return expect("invoice", r.UUID, r.UserUUID) }),
		feedback.all(c.t, func(r *Feedback) error { return expect("feedback", r.UUID, r.UserUUID) }),
		reservations.all(
			c.t,
			func(r *reservation) error { return expect("reservation of run", r.RunUUID, r.UserUUID) },
		),
		projects.all(c.t, func(r *projectRow) error { return expect("project", r.UUID, r.UserUUID) }),
		assets.all(c.t, func(r *assetRow) error { return expect("asset", r.UUID, r.UserUUID) }),
		groups.all(c.t, func(r *groupRow) error { return expect("asset group", r.UUID, r.UserUUID) }),
		presets.all(c.t, func(r *presetRow) error { return expect("preset", r.UUID, r.UserUUID) }),
		previewPresets.all(
			c.t,
			func(r *previewPresetRow) error { return expect("preview preset", r.UUID, r.UserUUID) },
		),
		wordLists.all(c.t, func(r *WordList) error { return expect("word list", r.Language, r.UserUUID) }),
		files.all(c.t, func(r *fileRow) error { return expect("file", r.Key, r.UserUUID) }),
		parts.all(c.t, func(r *partRow) error { return expect("upload", r.FileID, r.UserUUID) }),
		jobs.all(c.t, func(r *jobRow) error { return expect("job", r.UUID, r.UserUUID) }),
	)
}

// verify compares a table's indexes with its rows.
func (t *table[T]) verify(c *check) error {
	want := map[string]map[string]bool{}
	for _, ix := range t.indexes {
		want[ix.name] = map[string]bool{}
		if ix.counted {
			if err := ix.verifyCounts(c); err != nil {
				return err
			}
		}
	}
	err := t.all(c.t, func(row *T) error {
		for _, ix := range t.indexes {
			for _, k := range ix.entries(ix.keys(row), t.key(row)) {
				want[ix.name][string(k)] = true
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for name, keys := range want {
		n := 0
		err := c.t.Bucket([]byte(name)).ForEach(func(k, _ []byte) error {
			n++
			if !keys[string(k)] {
				c.report("index_entry", "The index %s names a row that is gone.", name)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if n < len(keys) {
			c.report("index_entry", "The index %s misses %d rows.", name, len(keys)-n)
		}
	}
	return nil
}

// verifyCounts checks that what is kept of how many entries an index has is how many it has.
func (ix *index[T]) verifyCounts(c *check) error {
	there := map[string]uint64{}
	err := c.t.Bucket([]byte(ix.name)).ForEach(func(k, _ []byte) error {
		first, _, _ := bytes.Cut(k, []byte{0})
		there[string(key(ix.name, string(first)))]++
		return nil
	})
	if err != nil {
		return err
	}
	prefix := keyPrefix(ix.name)
	cursor := c.t.Bucket([]byte(bucketCounts)).Cursor()
	for k, v := cursor.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = cursor.Next() {
		if n := binary.BigEndian.Uint64(v); n != there[string(k)] {
			c.report("index_count", "The index %s counts %d entries instead of %d.", ix.name, n, there[string(k)])
		}
		delete(there, string(k))
	}
	if len(there) > 0 {
		c.report("index_count", "The index %s does not count the entries of %d lists.", ix.name, len(there))
	}
	return nil
}
