package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roughcut/store/account"
)

// patience is the timeout of all waits. It is long, so that slow machines pass too.
const patience = 2 * time.Minute

// settled waits until the index has all changes.
func (w *world) settled() {
	w.t.Helper()
	deadline := time.After(patience)
	poll := time.NewTicker(2 * time.Millisecond)
	defer poll.Stop()
	for {
		if w.indexIsCurrent() {
			return
		}
		select {
		case <-poll.C:
		case <-deadline:
			w.t.Fatal("the index does not catch up")
		}
	}
}

func (w *world) indexIsCurrent() bool {
	state, err := w.IndexState()
	return err == nil && state == IndexReady
}

func (w *world) indexPath() string { return filepath.Join(w.opts.Dir, "index", "transcripts") }

func (w *world) search(u account.User, q string) []SearchHit {
	w.t.Helper()
	hits, total, err := w.Search(u.UUID, q, "", Page{})
	must(w.t, err)
	if total != len(hits) {
		w.t.Fatalf("%d hits of %d", len(hits), total)
	}
	return hits
}

func TestSearch(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, stranger := w.user("ada"), w.user("eve")
	p, theirs := w.project(u), w.project(stranger)
	first, second := w.ready(p, 60_000), w.ready(p, 60_000)
	other := w.ready(theirs, 60_000)
	long := make([]string, 100)
	for i := range long {
		long[i] = fmt.Sprintf("w%d", i)
	}
	long[35] = "Needle"
	w.analyzed(
		p,
		AnalysisResult{
			Transcripts: []ClipTranscript{
				speech(first.UUID, "The", "quick", "<b>brown</b>", "fox", "jumps."),
				speech(second.UUID, long...),
			},
		},
	)
	w.analyzed(theirs, AnalysisResult{Transcripts: []ClipTranscript{speech(other.UUID, "A", "quick", "secret")}})
	w.settled()
	hits := w.search(u, "QUICK jumps")
	if len(hits) != 1 || hits[0].StartMS != 500 || hits[0].EndMS != 2_400 || hits[0].ClipUUID != first.UUID ||
		hits[0].ProjectName != "Talk" ||
		hits[0].Kind != "transcript" {
		t.Fatalf("hits %+v", hits)
	}
	if want := "The <mark>quick</mark> &lt;b&gt;brown&lt;/b&gt; fox <mark>jumps</mark>."; hits[0].Fragment != want {
		t.Errorf("fragment %q, want %q", hits[0].Fragment, want)
	}
	if hits := w.search(u, "needle"); len(hits) != 1 || hits[0].StartMS != 60_000+35*500 {
		t.Errorf("a word in two windows: %+v", hits)
	}
	for q, want := range map[string]int{
		`"fox quick"`:     0,
		`"quick b brown"`: 1,
		"secret":          0,
		"quick secret":    0,
		"nothing":         0,
		"w99":             1,
	} {
		if hits := w.search(u, q); len(hits) != want {
			t.Errorf("%s: %+v", q, hits)
		}
	}
	_, _, err := w.Search(u.UUID, ` "" `, "", Page{})
	wantCode(t, err, Unprocessable, "unprocessable")
	w.clean()

	must(t, w.DeleteClip(u.UUID, first.UUID))
	w.settled()
	if hits := w.search(u, "needle"); len(hits) != 1 || hits[0].StartMS != 35*500 {
		t.Errorf("after the first clip was deleted: %+v", hits)
	}
	if hits := w.search(u, "quick"); len(hits) != 0 {
		t.Errorf("a deleted clip is found: %+v", hits)
	}
	w.analyzed(p, AnalysisResult{Transcripts: []ClipTranscript{speech(second.UUID, "anew")}})
	w.settled()
	if len(w.search(u, "needle")) != 0 || len(w.search(u, "anew")) != 1 {
		t.Error("the index still holds the earlier run")
	}
	w.clean()
	must(t, w.DeleteProject(u.UUID, p.UUID))
	w.settled()
	if hits := w.search(u, "anew"); len(hits) != 0 {
		t.Errorf("a deleted project is found: %+v", hits)
	}
	w.clean()
}

// TestDamagedIndexIsRebuilt opens a store whose index is damaged, missing, behind, or from another
// database.
func TestDamagedIndexIsRebuilt(t *testing.T) {
	t.Parallel()
	damage := map[string]func(t *testing.T, w *world){
		"missing": func(t *testing.T, w *world) { must(t, os.RemoveAll(w.indexPath())) },
		"every file garbage": func(t *testing.T, w *world) {
			for _, path := range w.filesUnder("index") {
				must(t, os.WriteFile(path, []byte(strings.Repeat("garbage", 2000)), 0o600))
			}
		},
		"every file cut off": func(t *testing.T, w *world) {
			for _, path := range w.filesUnder("index") {
				st := get(os.Stat(path))(t)
				must(t, os.Truncate(path, st.Size()/2))
			}
		},
		"every file empty": func(t *testing.T, w *world) {
			for _, path := range w.filesUnder("index") {
				must(t, os.Truncate(path, 0))
			}
		},
		"a file in its place": func(t *testing.T, w *world) {
			must(t, os.RemoveAll(w.indexPath()))
			must(t, os.WriteFile(w.indexPath(), []byte("garbage"), 0o600))
		},
		"an empty folder": func(t *testing.T, w *world) {
			must(t, os.RemoveAll(w.indexPath()))
			must(t, os.Mkdir(w.indexPath(), 0o700))
		},
		"of another database": func(t *testing.T, w *world) {
			w.start()
			must(
				t,
				w.update(
					func(tx *txn) error {
						return tx.Bucket([]byte(bucketMeta)).Put([]byte(metaInstance), []byte("other"))
					},
				),
			)
			must(t, w.Close())
		},
		"behind": func(t *testing.T, w *world) {
			w.start()
			must(
				t,
				w.update(func(tx *txn) error { _, err := tx.Bucket([]byte(bucketChanges)).NextSequence(); return err }),
			)
			must(t, w.Close())
		},
	}
	for name, spoil := range damage {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			u := w.user("ada")
			p := w.project(u)
			c := w.ready(p, 60_000)
			w.analyzed(p, AnalysisResult{Transcripts: []ClipTranscript{speech(c.UUID, "hello", "world")}})
			w.settled()
			must(t, w.Close())
			spoil(t, w)
			w.start()
			w.settled()
			if hits := w.search(u, "hello"); len(hits) != 1 {
				t.Errorf("hits %+v", hits)
			}
			w.clean()
			if aside, _ := filepath.Glob(filepath.Join(w.opts.Dir, "index", "broken-*")); len(aside) > 0 {
				t.Errorf("left behind: %v", aside)
			}
		})
	}
}

func TestSearchWhileTheIndexIsBuilt(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.index.Close()
	_, _, err := w.Search(w.user("ada").UUID, "word", "", Page{})
	wantCode(t, err, Unavailable, "unavailable")
}
