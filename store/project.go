package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"roughcut/media"
	"roughcut/store/table"
)

// Statuses of a project.
const (
	ProjectCreated   = "created"
	ProjectAnalyzing = "analyzing"
	ProjectAnalyzed  = "analyzed"
	ProjectFailed    = "failed"
)

// Project contains clips, edits and exports.
type Project struct {
	UUID, UserUUID, Name, Status, Error, ActiveRunUUID string
	Settings                                           json.RawMessage
	Vocabulary                                         []string `json:",omitempty"` // as ValidVocabulary returns it
	DirectorOff                                        bool     `json:",omitempty"` // analyses do not search for assets
	// ExportSettings are the options of the next export in the editor; nil before the first choice.
	ExportSettings json.RawMessage `json:",omitempty"`
	// sum of the ready clips; nil while a clip is processed
	DurationMS *int64
	ClipCount  int
	// Transcript is the one of the active run. Only Store.Project sets it.
	Transcript *ProjectTranscript `json:"-"`
	// Counts are set only in lists, and by what moves, restores and duplicates a project.
	Counts               ProjectCounts `json:"-"`
	TrashedAt            *time.Time    `json:",omitempty"` // nil unless it is in the trash
	CreatedAt, UpdatedAt time.Time
}

// ProjectTranscript is the transcript of a run on project time.
type ProjectTranscript struct {
	Language string
	Words    []ProjectWord
	Segments []media.TimedText
}

// ProjectWord is a word on project time, with the clip that contains it.
type ProjectWord struct {
	media.Word
	ClipUUID string
}

// Page selects a part of a list: Number counts from 1, Size is in items. The zero Page selects the
// whole list.
type Page = table.Page

// projectRow is the stored form of a Project.
type projectRow struct {
	Project
	Seq uint64 // grows with every project; lists sort by it
}

var (
	projectsByUser = &table.Index[projectRow]{
		Name:    "projects.by_user",
		Counted: true,
		Keys: func(r *projectRow) [][]byte {
			if r.TrashedAt != nil {
				return nil
			}
			return table.Entry(r.UserUUID, r.Seq)
		},
	}
	projects = &table.Table[projectRow]{
		Name:       "projects",
		Noun:       "project",
		Key:        func(r *projectRow) []byte { return []byte(r.UUID) },
		Owner:      func(r *projectRow) string { return r.UserUUID },
		Indexes:    []*table.Index[projectRow]{projectsByUser, projectsTrashed, projectsTrashedByUser},
		CachedRows: 16384,
		Clone:      projectRow.clone,
		Undoable:   true,
	}
	undoProjects = &undoRows[projectRow]{Table: projects, only: []string{"ActiveRunUUID"}}
)

func (r projectRow) clone() projectRow {
	r.Settings, r.DurationMS = bytes.Clone(r.Settings), cloned(r.DurationMS)
	r.Vocabulary = slices.Clone(r.Vocabulary)
	r.ExportSettings, r.TrashedAt = bytes.Clone(r.ExportSettings), cloned(r.TrashedAt)
	return r
}

// CreateProject creates an empty project. Errors: Forbidden plan_limit.
func (s *Store) CreateProject(userUUID, name string, settings json.RawMessage) (Project, error) {
	var row *projectRow
	err := s.updateSettings(userUUID, func(t *txn) error {
		if err := t.allowProject(userUUID); err != nil {
			return err
		}
		seq, err := projects.NextSeq(t)
		if err != nil {
			return err
		}
		none := int64(0)
		row = &projectRow{
			Seq: seq,
			Project: Project{UUID: s.NewID(), UserUUID: userUUID, Name: name, Status: ProjectCreated,
				Settings: OrEmptyObject(settings), DurationMS: &none, CreatedAt: t.Now, UpdatedAt: t.Now},
		}
		return projects.Put(t, row)
	})
	if err != nil {
		return Project{}, err
	}
	return row.Project, nil
}

// allowProject refuses one more project than the tier of a user allows. Projects in the trash do
// not count. Errors: Forbidden plan_limit.
func (t *txn) allowProject(userUUID string) error {
	rights, err := t.books().Entitlements(userUUID)
	if err != nil {
		return err
	}
	limit := rights.MaxProjects
	if !t.s.o.TierTable.Unlimited && projects.Count(t, projectsByUser, userUUID) >= limit {
		return fail(Forbidden, "plan_limit", "Your tier allows %d projects. Delete one, or upgrade.", limit)
	}
	return nil
}

// ProjectFilter selects and sorts projects.
type ProjectFilter struct {
	Query string // part of the name, ignoring case
	// Sort is a key of projectOrders. Any other value sorts the newest first, and in the trash the
	// last deleted first.
	Sort    string
	Trashed bool // only projects in the trash; false selects the others
}

// projectOrders compare projects. Among equal projects, the newest comes first.
var projectOrders = map[string]func(a, b Project) int{
	"oldest":  func(a, b Project) int { return a.CreatedAt.Compare(b.CreatedAt) },
	"changed": func(a, b Project) int { return b.UpdatedAt.Compare(a.UpdatedAt) },
	"name":    func(a, b Project) int { return cmp.Compare(table.Fold(a.Name), table.Fold(b.Name)) },
	"longest": func(a, b Project) int { return cmp.Compare(b.length(), a.length()) },
}

// length returns DurationMS, 0 when it is not known.
func (p Project) length() int64 {
	if p.DurationMS == nil {
		return 0
	}
	return *p.DurationMS
}

// Projects returns one page of a user's projects and the number of all.
func (s *Store) Projects(userUUID string, f ProjectFilter, p Page) ([]Project, int, error) {
	q, order := f.Query, projectOrders[f.Sort]
	whole := q != "" || order != nil
	index := projectsByUser
	if f.Trashed {
		index = projectsTrashedByUser
	}
	return viewedPage(s, func(t *txn) ([]Project, int, error) {
		read := p
		if whole {
			read = Page{}
		}
		rows, total, err := projects.Page(t, read, index, userUUID)
		if err != nil {
			return nil, 0, err
		}
		if !whole {
			list, err := t.listed(rows, Page{})
			return list, total, err
		}

		rows = slices.DeleteFunc(rows, func(row *projectRow) bool {
			return !strings.Contains(table.Fold(row.Name), table.Fold(q))
		})
		if order != nil {
			slices.SortStableFunc(rows, func(a, b *projectRow) int { return order(a.Project, b.Project) })
		}
		list, err := t.listed(rows, p)
		return list, len(rows), err
	})
}

// ownProject returns a project of a user. Errors: NotFound, also in the trash, then Forbidden.
func (t *txn) ownProject(userUUID, uuid string) (*projectRow, error) {
	row, err := t.ownAnyProject(userUUID, uuid)
	if err == nil && row.TrashedAt != nil {
		return nil, inTrash()
	}
	return row, err
}

// ownAnyProject returns a project of a user, in the trash or not. Errors: NotFound, then Forbidden.
func (t *txn) ownAnyProject(userUUID, uuid string) (*projectRow, error) {
	row, err := projects.Get(t, uuid)
	if err != nil {
		return nil, err
	}
	if row.UserUUID != userUUID {
		return nil, notYours(projects.Noun)
	}
	t.actor = userUUID
	return row, nil
}

// Project returns a project with the transcript of its active run.
func (s *Store) Project(userUUID, uuid string) (Project, error) {
	return viewed(s, func(t *txn) (p Project, err error) {
		row, err := t.ownProject(userUUID, uuid)
		if err != nil {
			return p, err
		}
		p = row.Project
		if p.ActiveRunUUID == "" {
			return p, nil
		}
		transcript, err := t.transcript(row, p.ActiveRunUUID)
		p.Transcript = &transcript
		return p, err
	})
}

// ProjectChange is a change to a project. A nil field stays unchanged.
type ProjectChange struct {
	Name       *string
	Settings   json.RawMessage
	Vocabulary *[]string // the next analysis uses it
	Director   *bool     // whether the next analysis searches for assets
	// ExportSettings replace the options of the next export in the editor.
	ExportSettings json.RawMessage
}

// UpdateProject changes a project. Errors: NotFound, Forbidden, Unprocessable.
func (s *Store) UpdateProject(userUUID, uuid string, c ProjectChange) (Project, error) {
	var terms []string
	if c.Vocabulary != nil {
		var err error
		if terms, err = ValidVocabulary("vocabulary", *c.Vocabulary); err != nil {
			return Project{}, err
		}
	}

	if c.ExportSettings != nil {
		if _, err := parseSettings(OrEmptyObject(c.ExportSettings)); err != nil {
			return Project{}, err
		}
	}

	var row *projectRow
	err := s.updateSettings(userUUID, func(t *txn) (err error) {
		if row, err = t.ownProject(userUUID, uuid); err != nil {
			return err
		}
		SetIfGiven(&row.Name, c.Name)
		if c.Settings != nil {
			row.Settings = OrEmptyObject(c.Settings)
		}
		if c.Vocabulary != nil {
			row.Vocabulary = terms
		}
		if c.ExportSettings != nil {
			row.ExportSettings = c.ExportSettings
		}
		if c.Director != nil {
			row.DirectorOff = !*c.Director
		}
		row.UpdatedAt = t.Now
		return projects.Put(t, row)
	})
	if err != nil {
		return Project{}, err
	}
	return row.Project, nil
}

// DeleteProject deletes a project with all its content, in the trash or not. It cancels its jobs,
// releases reserved credits, frees the user's storage and removes the files. The project is gone
// for everyone after the first of several transactions.
func (s *Store) DeleteProject(userUUID, uuid string) error {
	return s.erase(uuid, func(t *txn) error {
		project, err := t.ownAnyProject(userUUID, uuid)
		if err != nil {
			return err
		}
		return t.eraseProject(project)
	})
}

// eraseProject deletes a project, and leaves its content to dropProject.
func (t *txn) eraseProject(project *projectRow) error {
	uuid := project.UUID
	if project.Status == ProjectAnalyzing {
		newest, _, err := runs.Page(t, Page{Number: 1, Size: 1}, runsByProject, uuid)
		if err != nil {
			return err
		}
		if err = t.releaseRun(newest[0]); err != nil {
			return err
		}
	}

	t.s.progress.drop(uuid)
	if err := t.dropJobs(uuid); err != nil {
		return err
	}
	if err := t.registry().DropProjectTokens(project.UserUUID, uuid); err != nil {
		return err
	}
	if err := t.Changed(uuid); err != nil {
		return err
	}
	if err := projects.Delete(t, uuid); err != nil {
		return err
	}
	if err := t.passJobsOn(uuid); err != nil {
		return err
	}
	return deletions.Put(t, &deletion{UUID: uuid})
}

// dropProject deletes a project with its content while the transaction has room.
func (t *txn) dropProject(uuid string) error {
	return t.dropAll(
		uuid,
		t.dropEdits,
		t.dropHistory,
		t.dropTakeGroups,
		t.dropCaptions,
		func(uuid string) error { return markersOn.drop(t, uuid) },
		func(uuid string) error { return shortsOn.drop(t, uuid) },
		t.dropDrafts,
		t.dropRuns,
		t.dropClips,
		t.dropExports,
		t.dropEvents,
		t.Changed,
		func(uuid string) error { return projects.Delete(t, uuid) },
	)
}

// refreshProject is refresh for a project by its id.
func (t *txn) refreshProject(uuid string) error {
	row, err := projects.Get(t, uuid)
	if err != nil {
		return err
	}
	return t.refresh(row)
}

// refresh numbers the clips of a project without gaps, updates the clip count and the duration, and
// writes the project. It starts the analysis and the exports that wait for the clips when they are
// ready.
func (t *txn) refresh(row *projectRow) error {
	list, err := clips.List(t, clipsByProject, row.UUID)
	if err != nil {
		return err
	}
	total := int64(0)
	row.ClipCount, row.DurationMS = len(list), &total
	for i, c := range list {
		if c.Position != i {
			c.Position = i
			if err := clips.Put(t, c); err != nil {
				return err
			}
		}

		if c.Status == ClipReady {
			total += *c.DurationMS
		}
	}

	for _, c := range list {
		if c.Status == ClipProcessing {
			row.DurationMS = nil
		}
	}

	row.UpdatedAt = t.Now
	if err := projects.Put(t, row); err != nil {
		return err
	}
	if err := t.startWaiting(row); err != nil {
		return err
	}
	return t.startWaitingExports(row)
}
