package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"roughcut/media"
)

// Statuses of a project.
const (
	ProjectCreated   = "created"
	ProjectAnalyzing = "analyzing"
	ProjectAnalyzed  = "analyzed"
	ProjectFailed    = "failed"
)

// Project is the container of clips, edits and exports.
type Project struct {
	UUID, UserUUID, Name, Status, Error, ActiveRunUUID string
	Settings                                           json.RawMessage
	DurationMS                                         *int64 // of the ready clips; nil while a clip is processing
	ClipCount                                          int
	// of the active run; only Store.Project fills it
	Transcript           *ProjectTranscript `json:"-"`
	CreatedAt, UpdatedAt time.Time
}

// ProjectTranscript is what a run heard, on project time.
type ProjectTranscript struct {
	Language string
	Words    []ProjectWord
	Segments []media.TimedText
}

// ProjectWord is a word on project time with the clip that it was spoken in.
type ProjectWord struct {
	media.Word
	ClipUUID string
}

// Page asks for one page of a list: Number from 1, Size items. The zero Page asks for everything.
type Page struct{ Number, Size int }

// cut returns the page's part of a list.
func cut[T any](list []T, p Page) []T {
	if p.Size <= 0 {
		return list
	}
	first := min((max(p.Number, 1)-1)*p.Size, len(list))
	return list[first:min(first+p.Size, len(list))]
}

// projectRow is a Project as it is stored.
type projectRow struct {
	Project
	Seq uint64 // grows with every project: the order of lists
}

var (
	projectsByUser = &index[projectRow]{
		name:    "projects.by_user",
		counted: true,
		keys:    func(r *projectRow) [][]byte { return one(r.UserUUID, r.Seq) },
	}
	projects = &table[projectRow]{
		name:    "projects",
		what:    "project",
		key:     func(r *projectRow) []byte { return []byte(r.UUID) },
		indexes: []*index[projectRow]{projectsByUser},
		recent:  newRecent(16384, projectRow.clone),
	}
)

func (r projectRow) clone() projectRow {
	r.Settings, r.DurationMS = bytes.Clone(r.Settings), cloned(r.DurationMS)
	return r
}

// CreateProject makes an empty project. Errors: Forbidden plan_limit.
func (s *Store) CreateProject(userUUID, name string, settings json.RawMessage) (Project, error) {
	var row *projectRow
	err := s.update(func(t *txn) error {
		a, err := accounts.get(t, userUUID)
		if err != nil {
			return err
		}
		if limit := t.plan(a).MaxProjects; !s.o.TierTable.Owner && projects.count(t, projectsByUser, userUUID) >= limit {
			return fail(Forbidden, "plan_limit", "Your plan holds %d projects. Delete one, or upgrade.", limit)
		}
		seq, err := projects.next(t)
		if err != nil {
			return err
		}
		none := int64(0)
		row = &projectRow{
			Seq: seq,
			Project: Project{UUID: s.NewID(), UserUUID: userUUID, Name: name, Status: ProjectCreated,
				Settings: object(settings), DurationMS: &none, CreatedAt: t.now, UpdatedAt: t.now},
		}
		return projects.put(t, row)
	})
	if err != nil {
		return Project{}, err
	}
	return row.Project, nil
}

// object returns a JSON object, the empty one for nothing.
func object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}")
	}
	return raw
}

// ProjectFilter says which projects to list, and in which order.
type ProjectFilter struct {
	Query string // only those whose name contains it, in whatever case
	Sort  string // a key of projectOrders; newest first for any other
}

// projectOrders compare projects; of those that are alike, the newest comes first.
var projectOrders = map[string]func(a, b Project) int{
	"oldest":  func(a, b Project) int { return a.CreatedAt.Compare(b.CreatedAt) },
	"changed": func(a, b Project) int { return b.UpdatedAt.Compare(a.UpdatedAt) },
	"name":    func(a, b Project) int { return cmp.Compare(fold(a.Name), fold(b.Name)) },
	"longest": func(a, b Project) int { return cmp.Compare(b.length(), a.length()) },
}

// length is DurationMS, 0 while it is not known.
func (p Project) length() int64 {
	if p.DurationMS == nil {
		return 0
	}
	return *p.DurationMS
}

// Projects returns one page of a user's projects, and how many there are in all.
func (s *Store) Projects(userUUID string, f ProjectFilter, p Page) ([]Project, int, error) {
	var list []Project
	var total int
	q, order := f.Query, projectOrders[f.Sort]
	whole := q != "" || order != nil
	err := s.view(func(t *txn) error {
		read := p
		if whole {
			read = Page{}
		}
		rows, n, err := projects.page(t, read, projectsByUser, userUUID)
		if err != nil {
			return err
		}
		total = n
		list = make([]Project, 0, len(rows))
		for _, row := range rows {
			if q == "" || strings.Contains(fold(row.Name), fold(q)) {
				list = append(list, row.Project)
			}
		}
		return nil
	})
	if whole {
		if order != nil {
			slices.SortStableFunc(list, order)
		}
		total = len(list)
		list = cut(list, p)
	}
	return list, total, err
}

// ownProject returns a project of a user. Errors: NotFound, then Forbidden.
func (t *txn) ownProject(userUUID, uuid string) (*projectRow, error) {
	row, err := projects.get(t, uuid)
	if err != nil {
		return nil, err
	}
	if row.UserUUID != userUUID {
		return nil, notYours(projects.what)
	}
	return row, nil
}

// Project returns a project with the transcript of its active run.
func (s *Store) Project(userUUID, uuid string) (Project, error) {
	var p Project
	err := s.view(func(t *txn) error {
		row, err := t.ownProject(userUUID, uuid)
		if err != nil {
			return err
		}
		p = row.Project
		if p.ActiveRunUUID == "" {
			return nil
		}
		transcript, err := t.transcript(row, p.ActiveRunUUID)
		p.Transcript = &transcript
		return err
	})
	return p, err
}

// UpdateProject changes name and settings; nil leaves one as it is.
func (s *Store) UpdateProject(userUUID, uuid string, name *string, settings json.RawMessage) (Project, error) {
	var row *projectRow
	err := s.update(func(t *txn) (err error) {
		if row, err = t.ownProject(userUUID, uuid); err != nil {
			return err
		}
		if name != nil {
			row.Name = *name
		}
		if settings != nil {
			row.Settings = object(settings)
		}
		row.UpdatedAt = t.now
		return projects.put(t, row)
	})
	if err != nil {
		return Project{}, err
	}
	return row.Project, nil
}

// DeleteProject removes a project with everything in it: its work is cancelled, reserved credits
// and storage are given back, its files go.
func (s *Store) DeleteProject(userUUID, uuid string) error {
	return s.update(func(t *txn) error {
		if _, err := t.ownProject(userUUID, uuid); err != nil {
			return err
		}
		return t.dropProject(uuid)
	})
}

func (t *txn) dropProject(uuid string) error {
	for _, drop := range []func(string) error{t.dropJobs, t.dropRuns, t.dropClips, t.dropEdits, t.dropCaptions, t.dropDrafts, t.dropExports, t.dropEvents} {
		if err := drop(uuid); err != nil {
			return err
		}
	}
	if err := t.changed(uuid); err != nil {
		return err
	}
	return projects.delete(t, uuid)
}

// refreshProject is refresh for a project by its id.
func (t *txn) refreshProject(uuid string) error {
	row, err := projects.get(t, uuid)
	if err != nil {
		return err
	}
	return t.refresh(row)
}

// refresh numbers the clips of a project without gaps, recounts what the project says about them,
// and writes the project.
func (t *txn) refresh(row *projectRow) error {
	list, err := clips.list(t, clipsByProject, row.UUID)
	if err != nil {
		return err
	}
	total := int64(0)
	row.ClipCount, row.DurationMS = len(list), &total
	for i, c := range list {
		if c.Position != i {
			c.Position = i
			if err := clips.put(t, c); err != nil {
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
	row.UpdatedAt = t.now
	return projects.put(t, row)
}

// deleteRows deletes what an index lists under a key.
func deleteRows[T any](t *txn, tab *table[T], ix *index[T], parts ...any) error {
	rows, err := tab.list(t, ix, parts...)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := tab.delete(t, string(tab.key(row))); err != nil {
			return err
		}
	}
	return nil
}
