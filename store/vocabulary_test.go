package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestVocabularyIsNormalized(t *testing.T) {
	t.Parallel()
	got := get(ValidVocabulary("v", []string{" Ada\n Lovelace ", "C++", "O’Brien", "ada lovelace", "Node.js", "東京"}))(t)
	if !slices.Equal(got, []string{"Ada Lovelace", "C++", "O'Brien", "Node.js", "東京"}) {
		t.Errorf("%q", got)
	}
	for _, term := range []string{
		"", "  ", "<|endoftext|>", "[_BEG_]", "a,b", "x\x00", "...", strings.Repeat("ä", 65), "\xff", "a\"b",
	} {
		_, err := ValidVocabulary("v", []string{term})
		wantCode(t, err, Unprocessable, "unprocessable")
	}
	many := make([]string, MaxVocabulary+1)
	for i := range many {
		many[i] = fmt.Sprint("term ", i)
	}
	_, err := ValidVocabulary("v", many)
	wantCode(t, err, Unprocessable, "unprocessable")
	get(ValidVocabulary("v", many[1:]))(t)
}

// An analysis gets the vocabulary of its project and of the account as they were at its start.
func TestAnalysisGetsTheVocabulary(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ann")
	p := w.project(u)
	w.ready(p, 10_000)
	get(w.UpdateProject(u.UUID, p.UUID, ProjectChange{Vocabulary: &[]string{"Ada Lovelace"}}))(t)
	get(w.UpdateProject(u.UUID, p.UUID, ProjectChange{Name: ptr("Talk 2")}))(t)
	get(w.PutWordList(u.UUID, "en", WordListChange{Vocabulary: &[]string{"C++"}}))(t)
	get(w.PutWordList(u.UUID, "en", WordListChange{Fillers: &WordChoice{Added: []string{"like"}}}))(t)
	w.reopen()
	get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
	in := get(w.StartRun(w.claim()))(t)
	if !slices.Equal(in.Vocabulary, []string{"Ada Lovelace"}) ||
		!slices.Equal(in.WordLists[0].Vocabulary, []string{"C++"}) {
		t.Errorf("the analysis gets %q and %+v", in.Vocabulary, in.WordLists)
	}
	w.clean()
	get(w.PutWordList(u.UUID, "en", WordListChange{Fillers: &WordChoice{}}))(t)
	get(w.PutWordList(u.UUID, "en", WordListChange{Vocabulary: &[]string{}}))(t)
	if all := get(w.WordLists(u.UUID))(t); len(all) != 0 {
		t.Errorf("an empty word list is stored: %+v", all)
	}
}
