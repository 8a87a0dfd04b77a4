package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"roughcut/media"
	"roughcut/store/account"
)

// crowd gives a user a project with more rows than one transaction of a deletion may delete, of
// each kind: edits of several runs, words, captions, history, fat drafts, clips and exports.
func crowd(w *world, u account.User) (Project, Clip, Export) {
	w.t.Helper()
	p := w.project(u)
	c := w.ready(p, 3_600_000)
	words := make([]string, 9_000)
	for i := range words {
		words[i] = fmt.Sprintf("w%d", i)
	}
	for range 4 {
		r := AnalysisResult{Evidence: make([]byte, 100_000), Transcripts: []ClipTranscript{speech(c.UUID, words...)}}
		for i := range int64(600) {
			r.Edits = append(r.Edits, silence(c.UUID, i*5000, i*5000+900))
			line := media.TimedText{Text: "hello", StartMS: i * 2000, EndMS: i*2000 + 1900}
			r.CaptionLines = append(r.CaptionLines, ClipCaption{ClipUUID: c.UUID, TimedText: line})
		}
		w.analyzed(p, r)
	}
	overrides := map[string]Override{}
	for _, e := range get(w.Edits(u.UUID, p.UUID, false))(w.t) {
		overrides[e.UUID] = Override{Active: ptr(false), StartMS: ptr(e.StartMS + 10), EndMS: ptr(e.EndMS)}
	}
	for range 40 {
		get(w.CreateDraft(u.UUID, p.UUID, DraftChange{Name: ptr("d"), EditOverrides: overrides}))(w.t)
		get(w.CreateEdit(u.UUID, p.UUID, manual(10, 20)))(w.t)
		get(w.CreateMarker(u.UUID, p.UUID, Marker{Kind: MarkerChapter}))(w.t)
		get(w.CreateShort(u.UUID, p.UUID, Short{Name: "s", EndMS: 10}))(w.t)
	}
	short := w.ready(p, 1_000)
	for range 20 {
		get(w.DuplicateClip(u.UUID, short.UUID))(w.t)
	}
	e := get(w.CreateExport(u.UUID, p.UUID, NewExport{Name: "out"}))(w.t)
	get(w.FinishExport(w.claim(), w.temp(300), media.RenderResult{DurationMS: 1000}))(w.t)
	must(w.t, w.DeleteExport(u.UUID, get(w.CreateExport(u.UUID, p.UUID, NewExport{Name: "trash"}))(w.t).UUID))
	return p, c, e
}

// copied copies the data directory as a kill of the process would leave it now.
func (w *world) copied() string {
	w.t.Helper()
	dir := w.t.TempDir()
	must(w.t, os.CopyFS(filepath.Join(dir, "media"), os.DirFS(filepath.Join(w.opts.Dir, "media"))))
	must(w.t, w.db.View(func(tx *bolt.Tx) error { return tx.CopyFile(filepath.Join(dir, DatabaseFile), 0o600) }))
	return dir
}

// A deleted project, clip or account is gone after the first transaction. The next ones are small,
// and after a kill between any two of them the next start deletes the rest.
func TestDeletionsInSmallTransactions(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(*world, account.User, Project) error{
		"project": func(w *world, u account.User, p Project) error { return w.DeleteProject(u.UUID, p.UUID) },
		"account": func(w *world, u account.User, _ Project) error { return w.DeleteUser(u.UUID, "hash") },
		"clip":    func(w *world, u account.User, p Project) error { return w.EmptyTrash(u.UUID, p.UUID) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin := func() {} // runs before each transaction
			w := open(t, ownerMode, func(o *Options) {
				now := o.Now
				o.Now = func() time.Time { begin(); return now() }
			})
			w.user("admin")
			u := w.user("ada")
			p, c, e := crowd(w, u)
			pending := get(w.PresignClip(u.UUID, p.UUID, "a.mp4", "video/mp4", 10))(t)
			if name == "clip" {
				must(t, w.DeleteClip(u.UUID, c.UUID))
			}
			w.settled()
			w.index.Close()
			gone := map[string]func() error{
				"clip":    func() error { _, err := w.Clip(u.UUID, c.UUID); return err },
				"account": func() error { _, err := w.Account(u.UUID); return err },
				"project": func() error {
					_, project := w.Project(u.UUID, p.UUID)
					_, export := w.Export(u.UUID, e.UUID)
					_, upload := w.OpenUpload(pending.ClipFileID)
					_, clip := w.Clip(u.UUID, c.UUID)
					for _, err := range []error{export, upload, clip} {
						if !IsKind(err, NotFound) {
							return err
						}
					}
					return project
				},
			}[name]
			var pages []int64
			var copies []string
			before := w.db.Stats().TxStats
			var look func()
			look = func() {
				begin = func() {}
				defer func() { begin = look }()
				now := w.db.Stats().TxStats
				pages = append(pages, now.GetWrite()-before.GetWrite())
				if before = now; len(pages) < 3 {
					return
				}
				copies = append(copies, w.copied())
				if err := gone(); !IsKind(err, NotFound) {
					t.Errorf("after transaction %d, the %s answers %v", len(pages)-1, name, err)
				}
			}
			begin = look
			must(t, remove(w, u, p))
			begin = func() {}
			must(t, w.Close())
			t.Logf("the transactions write %v pages", pages)
			if most := slices.Max(pages); len(pages) < 8 || most > 60 {
				t.Errorf("the largest of %d transactions wrote %d pages", len(pages), most)
			}
			for i, dir := range append(copies, w.opts.Dir) {
				again := open(t, ownerMode, func(o *Options) { o.Dir = dir })
				again.clean()
				names := []string{c.UUID}
				kept := []string{bucketChanges, draftContents.Name, historyStepsTable.Name}
				if name != "clip" {
					names, kept = []string{p.UUID, c.UUID, c.ClipFileID, e.UUID}, kept[:1]
					list, _, err := again.Users(Page{}, account.UserFilter{})
					if err != nil || list[0].StorageUsedBytes != 0 {
						t.Errorf("storage %+v, %v", list, err)
					}
				}
				left := again.bucketsNaming(names...)
				left = slices.DeleteFunc(left, func(b string) bool { return slices.Contains(kept, b) })
				if len(left) > 0 {
					t.Errorf("after a kill before transaction %d, rows are left in %v", i+3, left)
				}
				must(t, again.Close())
			}
		})
	}
}
