package store

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"roughcut/media"
)

// rowIDs are the uuids and times of rows in JSON.
var rowIDs = regexp.MustCompile(
	`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|"(CreatedAt|UpdatedAt)":"[^"]*"`,
)

// takeIDs are the ids of take groups, also those that the world gives.
var takeIDs = regexp.MustCompile(`"ID":"[^"]*"`)

// comparable returns what a project shows without the uuids and times of its rows.
func (w *world) comparable(p Project) string {
	w.t.Helper()
	out := w.everything(p)
	names := map[string]string{p.UUID: "project"}
	project := get(w.Project(p.UserUUID, p.UUID))(w.t)
	names[project.ActiveRunUUID] = "run"
	for i, c := range get(w.Clips(p.UserUUID, p.UUID))(w.t) {
		names[c.UUID] = "clip " + string(rune('a'+i))
	}
	for uuid, name := range names {
		if uuid != "" {
			out = strings.ReplaceAll(out, uuid, name)
		}
	}
	return rowIDs.ReplaceAllString(takeIDs.ReplaceAllString(out, ""), "")
}

// A duplicate of a project shows the same clips, words, cuts, captions, chapters and drafts, and
// its files count once. Each of the two projects changes, goes to the trash and is deleted without
// the other.
func TestDuplicatedProjectHasEverything(t *testing.T) {
	t.Parallel()
	w, p, list := crowded(t)
	get(w.UpdateProject(p.UserUUID, p.UUID, ProjectChange{
		Vocabulary: &[]string{"Kubernetes"}, ExportSettings: []byte(`{"resolution":"720p"}`),
	}))(t)
	used := get(w.User(p.UserUUID))(t)
	before := w.everything(p)
	run := get(w.Project(p.UserUUID, p.UUID))(t).ActiveRunUUID
	made := get(w.DuplicateProject(p.UserUUID, p.UUID))(t)
	w.clean()
	if w.everything(p) != before {
		t.Error("the original has changed")
	}
	if a, b := w.comparable(p), w.comparable(made); a != b {
		t.Errorf("the original\n%s\nand its duplicate\n%s", a, b)
	}
	if made.Name != "Talk copy" || made.Status != ProjectAnalyzed || made.ActiveRunUUID == run ||
		len(made.Vocabulary) != 1 || string(made.ExportSettings) != `{"resolution":"720p"}` || made.ClipCount != 3 {
		t.Errorf("duplicate %+v", made)
	}
	now := get(w.User(p.UserUUID))(t)
	if now.StorageUsedBytes != used.StorageUsedBytes || now.GeneratedBytes != used.GeneratedBytes {
		t.Errorf("storage %d and %d, was %d and %d",
			now.StorageUsedBytes, now.GeneratedBytes, used.StorageUsedBytes, used.GeneratedBytes)
	}
	if h := get(w.History(p.UserUUID, made.UUID))(t); len(h) != 0 {
		t.Errorf("history %+v", h)
	}
	w.settled()
	if hits := w.search(get(w.User(p.UserUUID))(t), "two"); len(hits) != 2 {
		t.Errorf("%d search hits", len(hits))
	}

	first := get(w.Edits(p.UserUUID, made.UUID, false))(t)[0]
	get(w.UpdateEdit(p.UserUUID, first.UUID, EditChange{Active: ptr(!first.Active)}))(t)
	if w.everything(p) != before {
		t.Error("a cut of the duplicate has changed the original")
	}
	after := w.everything(made)
	get(w.TrashProject(p.UserUUID, p.UUID))(t)
	w.clean()
	must(t, w.DeleteProject(p.UserUUID, p.UUID))
	w.clean()
	w.reopen()
	w.clean()
	if got := w.everything(made); got != after {
		t.Errorf("after the original was deleted\n%s\nwant\n%s", got, after)
	}
	original := w.FilePath(clipKey(list[0].ClipFileID, fileOriginal))
	if _, err := os.Stat(original); err != nil {
		t.Error(err)
	}
	must(t, w.DeleteProject(p.UserUUID, made.UUID))
	w.clean()
	if _, err := os.Stat(original); !os.IsNotExist(err) {
		t.Errorf("the recording is left: %v", err)
	}
}

// The duplicate lacks clips in the trash with their edits, and has the rest of edits across clips.
func TestDuplicatedProjectLeavesTheTrash(t *testing.T) {
	t.Parallel()
	w, p, list := crowded(t)
	must(t, w.DeleteClip(p.UserUUID, list[1].UUID))
	made := get(w.DuplicateProject(p.UserUUID, p.UUID))(t)
	w.clean()
	if a, b := w.comparable(p), w.comparable(made); a != b {
		t.Errorf("the original\n%s\nand its duplicate\n%s", a, b)
	}
	if n := len(w.trash(p.UserUUID, made.UUID)); n != 0 {
		t.Errorf("%d items in the trash of the duplicate", n)
	}
}

// A running job of a shared file ends with its project, and the other project gets it.
func TestDuplicatedProjectKeepsJobsOfItsFiles(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world, p Project){
		"trash":  func(w *world, p Project) { get(w.TrashProject(p.UserUUID, p.UUID))(w.t) },
		"delete": func(w *world, p Project) { must(w.t, w.DeleteProject(p.UserUUID, p.UUID)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			p := w.project(w.user("ada"))
			c := w.leaving(p)
			w.claimTiles(c)
			made := get(w.DuplicateProject(p.UserUUID, p.UUID))(t)
			w.clean()
			end(w, p)
			w.clean()
			w.reopen()
			get(w.FinishTiles(w.claimTiles(c), w.temp(20), tilesOf(1)))(t)
			w.clean()
			if got := get(w.Clips(p.UserUUID, made.UUID))(t); got[0].Sprite == (media.Sprite{}) {
				t.Errorf("clips %+v", got)
			}
		})
	}
}

// Settings of a project, a draft and a short name the copies of clips in a duplicate.
func TestDuplicatedSettingsNameTheCopies(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	settings := func(c Clip) string {
		return `{"crop_keyframes":[{"clip_uuid":"` + c.UUID + `","at_ms":5,"x":0.25,"y":0.5}],"fit":"crop"}`
	}
	c := w.ready(p, 10_000)
	look := []byte(settings(c))
	get(w.UpdateProject(p.UserUUID, p.UUID, ProjectChange{ExportSettings: look}))(t)
	get(w.CreateDraft(p.UserUUID, p.UUID, DraftChange{Name: ptr("d"), ExportSettings: look}))(t)
	get(w.CreateShort(p.UserUUID, p.UUID, Short{Name: "s", EndMS: 10, ExportSettings: look}))(t)
	made := get(w.DuplicateProject(p.UserUUID, p.UUID))(t)
	draft := get(w.Drafts(p.UserUUID, made.UUID))(t)[0]
	got := []string{
		string(made.ExportSettings),
		string(get(w.Draft(p.UserUUID, draft.UUID))(t).ExportSettings),
		string(w.shorts(made)[0].ExportSettings),
	}
	want := settings(get(w.Clips(p.UserUUID, made.UUID))(t)[0])
	equal(t, "settings", got, []string{want, want, want})
	if now := get(w.Project(p.UserUUID, p.UUID))(t); string(now.ExportSettings) != settings(c) {
		t.Errorf("the original has the settings %s", now.ExportSettings)
	}
}

// The duplicate waits for the clips, counts as a project, and shares a recording at most maxSharers
// times.
func TestDuplicateProjectRefuses(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 10_000)
	pending := w.uploaded(p, 10)
	_, err := w.DuplicateProject(u.UUID, p.UUID)
	wantCode(t, err, Conflict, "clips_processing")
	must(t, w.DeleteClip(u.UUID, pending.UUID))
	_, err = w.DuplicateProject(w.user("eve").UUID, p.UUID)
	wantCode(t, err, Forbidden, "forbidden")
	for err = error(nil); err == nil; {
		_, err = w.DuplicateProject(u.UUID, p.UUID)
	}
	wantCode(t, err, Forbidden, "plan_limit")
	get(w.TrashProject(u.UUID, p.UUID))(t)
	_, err = w.DuplicateProject(u.UUID, p.UUID)
	wantCode(t, err, NotFound, "not_found")
	w.clock.Advance(time.Minute)
	w.clean()
}
