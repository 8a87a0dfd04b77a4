package store

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"roughcut/store/table"
)

// PutWordList normalizes words, keeps a choice that is not given, and deletes a list without
// differences.
func TestWordListsAreStored(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, other := w.user("ann"), w.user("bob")
	list := get(
		w.PutWordList(
			u.UUID,
			"en",
			WordListChange{
				Censored: &WordChoice{Added: []string{" Heck", "darn*", "heck", "Don’t"}, Removed: []string{"Damn"}},
			},
		),
	)(t)
	if !slices.Equal(list.Censored.Added, []string{"darn*", "don't", "heck"}) ||
		!slices.Equal(list.Censored.Removed, []string{"damn"}) {
		t.Errorf("%+v", list)
	}
	get(w.PutWordList(u.UUID, "en", WordListChange{Fillers: &WordChoice{Added: []string{"like"}}}))(t)
	get(w.PutWordList(u.UUID, "de", WordListChange{Fillers: &WordChoice{Added: []string{"tja"}}}))(t)
	w.clean()
	w.reopen()
	all := get(w.WordLists(u.UUID))(t)
	if len(all) != 2 || all[0].Language != "de" || !slices.Equal(all[1].Censored.Added, list.Censored.Added) ||
		!slices.Equal(all[1].Fillers.Added, []string{"like"}) {
		t.Errorf("%+v", all)
	}
	if all := get(w.WordLists(other.UUID))(t); len(all) != 0 {
		t.Errorf("another account has %+v", all)
	}
	get(w.PutWordList(u.UUID, "de", WordListChange{Fillers: &WordChoice{}}))(t)
	if all := get(w.WordLists(u.UUID))(t); len(all) != 1 {
		t.Errorf("an empty list is stored as %+v", all)
	}
	for _, c := range []struct {
		language string
		words    []string
	}{
		{"EN", nil},
		{"", nil},
		{"english", nil},
		{"en", []string{""}},
		{"en", []string{"two words"}},
		{"en", []string{"*"}},
		{"en", []string{"a*b"}},
		{"en", []string{"-"}},
		{"en", []string{"x\x00"}},
		{"en", []string{strings.Repeat("ä", 65)}},
		{"en", slices.Repeat([]string{"a"}, 1001)},
	} {
		_, err := w.PutWordList(u.UUID, c.language, WordListChange{Censored: &WordChoice{Added: c.words}})
		wantCode(t, err, Unprocessable, "unprocessable")
	}
	get(
		w.PutWordList(
			u.UUID,
			"en",
			WordListChange{Censored: &WordChoice{Added: slices.Repeat([]string{strings.Repeat("ä", 64)}, 1000)}},
		),
	)(t)
	w.clean()
	must(t, w.update(func(tx *txn) error {
		return wordLists.Put(
			tx,
			&WordList{UserUUID: u.UUID, Language: "fr", Fillers: WordChoice{Added: []string{"No List"}}},
		)
	}))
	if found := get(w.Check(t.Context()))(t); len(found) != 1 || found[0].Code != "word_list" {
		t.Errorf("the check finds %+v", found)
	}
}

// An export uses the words at its request, and an analysis those at its start.
func TestWordListsAreFrozen(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ann")
	p := w.project(u)
	clip := w.ready(p, 10_000)
	before := WordChoice{Added: []string{"heck"}}
	get(w.PutWordList(u.UUID, "en", WordListChange{Censored: &before, Fillers: &before}))(t)
	get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
	j := w.claim()
	if in := get(w.StartRun(j))(t); len(in.WordLists) != 1 || !reflect.DeepEqual(in.WordLists[0].Fillers, before) {
		t.Errorf("an analysis takes %+v", in.WordLists)
	}
	get(
		w.FinishAnalysis(
			j,
			AnalysisResult{Language: "en", Transcripts: []ClipTranscript{speech(clip.UUID, "oh", "heck")}},
		),
	)(t)
	get(w.CreateExport(u.UUID, p.UUID, NewExport{Settings: []byte(`{"audio_censorship":"bleep"}`)}))(t)
	get(w.PutWordList(u.UUID, "en", WordListChange{Censored: &WordChoice{Removed: []string{"heck"}}}))(t)
	if in := get(w.ExportInput(w.claim()))(t); !reflect.DeepEqual(in.Transcript.Censored, before) ||
		len(in.Transcript.Words) != 2 {
		t.Errorf("an export takes %+v", in.Transcript)
	}
}

// A directory of schema 2 gets the new buckets and keeps a copy of the database.
func TestSchema3HasWordLists(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ann")
	must(t, w.update(func(tx *txn) error {
		for _, name := range wordLists.Buckets() {
			if err := tx.DeleteBucket([]byte(name)); err != nil {
				return err
			}
		}
		return tx.Bucket([]byte(bucketMeta)).Put([]byte(metaSchema), table.Key(uint64(2)))
	}))
	w.reopen()
	get(w.PutWordList(u.UUID, "en", WordListChange{Fillers: &WordChoice{Added: []string{"like"}}}))(t)
	w.clean()
	if copies := w.filesUnder("."); !slices.ContainsFunc(
		copies,
		func(path string) bool {
			return strings.HasSuffix(path, fmt.Sprintf("roughcut.db.before-%d", len(migrations)))
		},
	) {
		t.Errorf("no copy from before: %v", copies)
	}
}
