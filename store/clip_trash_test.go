package store

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"roughcut/media"
)

// everything returns what a project shows, as JSON without the times of the last change.
func (w *world) everything(p Project) string {
	w.t.Helper()
	var names []string
	for _, c := range get(w.Clips(p.UserUUID, p.UUID))(w.t) {
		names = append(names, c.UUID)
	}
	edits := get(w.Edits(p.UserUUID, p.UUID, false))(w.t)
	for i := range edits {
		edits[i].UpdatedAt = time.Time{}
	}
	lines, _, err := w.CaptionLines(p.UserUUID, p.UUID, Page{})
	must(w.t, err)
	drafts := get(w.Drafts(p.UserUUID, p.UUID))(w.t)
	for i, d := range drafts {
		drafts[i] = get(w.Draft(p.UserUUID, d.UUID))(w.t)
	}
	project := get(w.Project(p.UserUUID, p.UUID))(w.t)
	return string(get(json.Marshal(map[string]any{
		"clips": names, "edits": edits, "captions": lines, "drafts": drafts,
		"markers": get(w.Markers(p.UserUUID, p.UUID))(w.t), "takes": get(w.TakeGroups(p.UserUUID, p.UUID))(w.t),
		"shorts": w.shorts(p), "words": project.Transcript, "duration": project.DurationMS, "count": project.ClipCount,
	}))(w.t))
}

// crowded is a project with three clips, and with edits, a draft, markers, shorts, captions and
// takes on all of them and across them.
func crowded(t *testing.T) (*world, Project, []Clip) {
	w := open(t, ownerMode)
	u := w.user("ada")
	p := w.project(u)
	list := []Clip{w.ready(p, 10_000), w.ready(p, 10_000), w.ready(p, 10_000)}
	music := w.named(u, "music.mp3")
	var found AnalysisResult
	for i, c := range list {
		found.Transcripts = append(found.Transcripts, speech(c.UUID, []string{"one", "two", "three"}[i]))
		found.Edits = append(found.Edits, silence(c.UUID, 1_000, 2_000), placing(c.UUID, music, 3_000, 4_000, true))
		line := media.TimedText{Text: "line", EndMS: 400}
		found.CaptionLines = append(found.CaptionLines, ClipCaption{ClipUUID: c.UUID, TimedText: line})
		take := takesOf(c.UUID, "take "+c.UUID, 1, ms{4_000, 5_000}, ms{6_000, 7_000})
		found.TakeGroups = append(found.TakeGroups, take)
	}
	w.analyzed(p, found)
	overrides := map[string]Override{}
	for _, s := range []ms{{9_000, 21_000}, {10_000, 20_000}, {19_000, 22_000}, {500, 800}, {5_000, 15_000}} {
		e := get(w.CreateEdit(u.UUID, p.UUID, manual(s[0], s[1])))(t)
		overrides[e.UUID] = Override{StartMS: ptr(s[0] + 100), EndMS: ptr(s[1] - 100)}
	}
	e := get(w.PlaceAsset(
		u.UUID, p.UUID, Edit{StartMS: 8_000, EndMS: 25_000, Active: true},
		PlacementChange{AssetFileID: &music.AssetFileID},
	))(t)
	overrides[e.UUID] = Override{Active: ptr(false)}
	get(w.CreateDraft(u.UUID, p.UUID, DraftChange{Name: ptr("d"), EditOverrides: overrides}))(t)
	for _, at := range []int64{2_500, 12_500, 22_500} {
		get(w.CreateMarker(u.UUID, p.UUID, Marker{Kind: MarkerChapter, Name: "chapter", TimeMS: at}))(t)
	}
	for _, s := range []ms{{1_000, 9_000}, {5_000, 15_000}, {10_000, 20_000}, {9_000, 30_000}} {
		m := Short{Name: "short", StartMS: s[0], EndMS: s[1], ExportSettings: []byte(`{"aspect_ratio":"9:16"}`)}
		get(w.CreateShort(u.UUID, p.UUID, m))(t)
	}
	w.clean()
	return w, p, list
}

// Removing and restoring clips in any order leaves the project unchanged.
func TestRemovedClipsComeBackWithEverything(t *testing.T) {
	t.Parallel()
	w, p, list := crowded(t)
	before := w.everything(p)
	orders := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	for _, out := range orders {
		for _, in := range orders {
			for _, i := range out {
				w.clock.Advance(time.Second)
				must(t, w.DeleteClip(p.UserUUID, list[i].UUID))
				w.clean()
			}
			for _, i := range in {
				w.clock.Advance(time.Second)
				must(t, w.RestoreTrashed(p.UserUUID, p.UUID, list[i].UUID))
				w.clean()
			}
			if after := w.everything(p); after != before {
				t.Fatalf("removed in the order %v and restored in the order %v:\n%s\nwant\n%s", out, in, after, before)
			}
		}
	}
}

// The history removes and restores clips. Requests with one change are one entry.
func TestHistoryOfRemovedClips(t *testing.T) {
	t.Parallel()
	w, p, list := crowded(t)
	before := w.everything(p)
	change := Change{UUID: w.NewID(), Label: "remove clips"}
	for _, c := range list[:2] {
		must(t, w.DeleteClip(p.UserUUID, c.UUID, change))
	}
	without := w.everything(p)
	if h := get(w.History(p.UserUUID, p.UUID))(t); h[0].Kind != HistoryClips || h[0].Label != "remove clips" ||
		h[0].UUID != change.UUID {
		t.Errorf("history %+v", h[0])
	}
	for range 2 {
		w.undo(p, false)
		if got := w.everything(p); got != before {
			t.Errorf("after undo\n%s\nwant\n%s", got, before)
		}
		w.undo(p, true)
		if got := w.everything(p); got != without {
			t.Errorf("after redo\n%s\nwant\n%s", got, without)
		}
		w.clean()
	}
	must(t, w.RestoreTrashed(p.UserUUID, p.UUID, list[0].UUID))
	w.undo(p, false) // the clip is in the trash again
	if n := len(w.trash(p.UserUUID, p.UUID)); n != 2 {
		t.Errorf("%d items in the trash", n)
	}
	must(t, w.EmptyTrash(p.UserUUID, p.UUID))
	w.clean()
	for _, e := range get(w.History(p.UserUUID, p.UUID))(t) {
		if e.Kind == HistoryClips {
			t.Errorf("the history still has %+v", e)
		}
	}
	must(t, w.DeleteProject(p.UserUUID, p.UUID))
	w.clean()
}

// A clip in the trash uses storage until the trash is emptied or 30 days are over. A running
// analysis keeps clips in place.
func TestTrashOfClips(t *testing.T) {
	t.Parallel()
	w, p, list := crowded(t)
	original := w.FilePath(clipKey(list[1].ClipFileID, fileOriginal))
	used := get(w.User(p.UserUUID))(t).StorageUsedBytes
	must(t, w.DeleteClip(p.UserUUID, list[1].UUID))
	wantCode(t, w.DeleteClip(p.UserUUID, list[1].UUID), NotFound, "not_found")
	_, err := w.Clip(p.UserUUID, list[1].UUID)
	wantCode(t, err, NotFound, "not_found")
	trash := w.trash(p.UserUUID, p.UUID)
	if len(trash) != 1 || trash[0].Kind != TrashedClip || trash[0].SizeBytes < 1000 {
		t.Errorf("trash %+v", trash)
	}
	space, _, err := w.UserStorage(p.UserUUID, Page{})
	if now := get(w.User(p.UserUUID))(t).StorageUsedBytes; err != nil || now != used || space.ClipBytes != 3000 {
		t.Errorf("%d bytes used, before %d; %+v, %v", now, used, space, err)
	}
	get(w.StartAnalysis(p.UserUUID, p.UUID, AnalysisSettings{}))(t)
	wantCode(t, w.RestoreTrashed(p.UserUUID, p.UUID, list[1].UUID), Conflict, "conflict")
	get(w.CancelRun(p.UserUUID, p.UUID, get(w.Runs(p.UserUUID, p.UUID))(t)[0].UUID))(t)
	w.clock.Advance(trashKept - time.Minute)
	get(w.SweepExpired())(t)
	if _, err := os.Stat(original); err != nil {
		t.Error(err)
	}
	w.clock.Advance(2 * time.Minute)
	get(w.SweepExpired())(t)
	w.clean()
	wantCode(t, w.RestoreTrashed(p.UserUUID, p.UUID, list[1].UUID), NotFound, "not_found")
	if _, err := os.Stat(original); !os.IsNotExist(err) {
		t.Errorf("the recording still exists: %v", err)
	}
	if now := get(w.User(p.UserUUID))(t).StorageUsedBytes; now != used-1000 {
		t.Errorf("%d bytes used, before %d", now, used)
	}
	must(t, w.DeleteClip(p.UserUUID, list[0].UUID))
	must(t, w.DeleteProject(p.UserUUID, p.UUID))
	w.clean()
}

// A clip that was removed during its processing is processed after it returns. An upload that was
// never confirmed leaves nothing behind.
func TestTrashOfUnreadClips(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	u := w.user("ada")
	p := w.project(u)
	c := w.uploaded(p, 1000)
	get(w.ConfirmClip(u.UUID, p.UUID, c.UUID))(t)
	must(t, w.DeleteClip(u.UUID, c.UUID))
	w.clean()
	must(t, w.RestoreTrashed(u.UUID, p.UUID, c.UUID))
	w.clean()
	if got := w.ingest(5_000); got.UUID != c.UUID || got.Status != ClipReady {
		t.Errorf("clip %+v", got)
	}
	pending := w.uploaded(p, 1000)
	must(t, w.DeleteClip(u.UUID, pending.UUID))
	wantCode(t, w.RestoreTrashed(u.UUID, p.UUID, pending.UUID), NotFound, "not_found")
	w.clean()
}

// Clips that are removed, restored and reordered write as much in a project with cuts of many
// analyses as in one without: the cuts on one clip go and come back without a change.
func TestCutsCostChangesOfClipsNothing(t *testing.T) {
	t.Parallel()
	var cost [2][]int64
	for i, analyses := range []int{0, 4} {
		w := open(t, ownerMode)
		p := w.project(w.user("ada"))
		list := []Clip{w.ready(p, 1_000_000), w.ready(p, 1_000)}
		shown := 0
		for range analyses {
			var found AnalysisResult
			for k := range int64(400) {
				found.Edits = append(found.Edits, silence(list[0].UUID, k*2_000, k*2_000+1_000))
			}
			w.analyzed(p, found)
			shown = len(found.Edits)
		}
		for _, change := range []func() error{
			func() error { return w.DeleteClip(p.UserUUID, list[0].UUID) },
			func() error { return w.RestoreTrashed(p.UserUUID, p.UUID, list[0].UUID) },
			func() error {
				_, err := w.OrderClips(p.UserUUID, p.UUID, []string{list[1].UUID, list[0].UUID})
				return err
			},
		} {
			w.settled()
			cost[i] = append(cost[i], w.pages(change))
			w.clean()
		}
		if n := len(get(w.Edits(p.UserUUID, p.UUID, false))(t)); n != shown {
			t.Errorf("%d of %d cuts are left", n, shown)
		}
	}
	for i, pages := range cost[1] {
		if pages > cost[0][i]+20 {
			t.Errorf("change %d writes %d pages with cuts, and %d without", i, pages, cost[0][i])
		}
	}
}
