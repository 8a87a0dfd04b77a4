package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"roughcut/media"
)

// spokenScene is an analyzed project with two caption lines.
type spokenScene struct {
	*world
	project Project
	clip    Clip
}

// captioned analyzes a project with words of half a second, one segment and a caption line for each
// list.
func (w *world) captioned(lines ...[]string) spokenScene {
	w.t.Helper()
	p := w.project(w.user("ann"))
	clip := w.ready(p, 60_000)
	spoken := speech(clip.UUID, slices.Concat(lines...)...)
	var captions []ClipCaption
	at := 0
	for _, line := range lines {
		text := media.TimedText{
			Text:    strings.Join(line, " "),
			StartMS: int64(at) * 500,
			EndMS:   int64(at+len(line))*500 - 100,
		}
		at += len(line)
		spoken.Segments = append(spoken.Segments, text)
		captions = append(captions, ClipCaption{ClipUUID: clip.UUID, TimedText: text})
	}
	w.analyzed(p, AnalysisResult{Language: "en", Transcripts: []ClipTranscript{spoken}, CaptionLines: captions})
	return spokenScene{w, p, clip}
}

// texts returns the transcript, its segments and the captions.
func (s spokenScene) texts() (words, segments, captions string) {
	s.t.Helper()
	p := get(s.Store.Project(s.project.UserUUID, s.project.UUID))(s.t)
	var w, g, c []string
	for _, word := range p.Transcript.Words {
		w = append(w, fmt.Sprintf("%s@%d-%d", word.Text, word.StartMS, word.EndMS))
	}
	for _, segment := range p.Transcript.Segments {
		g = append(g, segment.Text)
	}
	lines, _, err := s.CaptionLines(s.project.UserUUID, s.project.UUID, Page{})
	must(s.t, err)
	for _, line := range lines {
		c = append(c, fmt.Sprintf("%s@%d-%d", line.Text, line.StartMS, line.EndMS))
	}
	return strings.Join(w, " "), strings.Join(g, "|"), strings.Join(c, "|")
}

// replace replaces a text and returns the places and the id for undo.
func (s spokenScene) replace(r TextReplacement) ([]ReplacedPlace, string) {
	s.t.Helper()
	places, _, undo, err := s.ReplaceText(s.project.UserUUID, s.project.UUID, r)
	must(s.t, err)
	return places, undo
}

func TestReplaceTextChangesTranscriptSegmentsAndCaptions(t *testing.T) {
	t.Parallel()
	s := open(t).captioned([]string{"A", "cuber", "netties,", "node"}, []string{"cuber", "netties", "again"})
	before := fmt.Sprint(s.texts())
	places, none := s.replace(TextReplacement{Find: "cuber  netties", Replace: "Kubernetes", DryRun: true})
	if fmt.Sprint(s.texts()) != before || none != "" {
		t.Errorf("a dry run changed the texts to %v", fmt.Sprint(s.texts()))
	}
	var list []string
	for _, p := range places {
		list = append(list, fmt.Sprintf("%d %s: %s[%s>%s]%s %d-%d", p.Index, p.In, p.ContextBefore, p.Before, p.After,
			p.ContextAfter, p.StartMS, p.EndMS))
	}
	want := []string{
		"0 transcript: A[cuber netties,>Kubernetes,]node cuber netties again 500-1400",
		"1 transcript: A cuber netties, node[cuber netties>Kubernetes]again 2000-2900",
		"2 captions: A[cuber netties,>Kubernetes,]node cuber netties again 0-1900",
		"3 captions: A cuber netties, node[cuber netties>Kubernetes]again 2000-3400",
	}
	if !slices.Equal(list, want) {
		t.Errorf("places\n%s\nwant\n%s", strings.Join(list, "\n"), strings.Join(want, "\n"))
	}
	_, undo := s.replace(TextReplacement{Find: "CUBER netties", Replace: "Kubernetes", Only: []int{0, 3}})
	words, segments, captions := s.texts()
	if words != "A@0-400 Kubernetes,@500-1400 node@1500-1900 cuber@2000-2400 netties@2500-2900 again@3000-3400" ||
		segments != "A Kubernetes, node|cuber netties again" ||
		captions != "A cuber netties, node@0-1900|Kubernetes again@2000-3400" {
		t.Errorf("replaced: %s\n%s\n%s", words, segments, captions)
	}
	s.clean()
	s.reopen()
	must(t, s.UndoReplacement(s.project.UserUUID, s.project.UUID, undo))
	if now := fmt.Sprint(s.texts()); now != before {
		t.Errorf("undone:\n%s\nwant\n%s", now, before)
	}
	s.clean()
}

func TestReplaceTextSplitsASpanByLetters(t *testing.T) {
	t.Parallel()
	s := open(t).captioned([]string{"oh", "adalovelace"})
	s.replace(TextReplacement{Find: "adalovelace", Replace: "Ada Lovelace"})
	words, segments, captions := s.texts()
	if words != "oh@0-400 Ada@500-609 Lovelace@609-900" || segments != "oh Ada Lovelace" ||
		captions != "oh Ada Lovelace@0-900" {
		t.Errorf("%s\n%s\n%s", words, segments, captions)
	}
}

func TestReplaceTextHonorsCaseAndWholeWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		request TextReplacement
		want    string
	}{
		{TextReplacement{Find: "go", Replace: "Go"}, "Go Goes, aGo Go's"},
		{TextReplacement{Find: "go", Replace: "Go", WholeWords: true}, "Go Goes, ago Go's"},
		{TextReplacement{Find: "go", Replace: "X", MatchCase: true}, "X Goes, aX X's"},
		{TextReplacement{Find: "go’s", Replace: "Go is"}, "go Goes, ago Go is"},
		{TextReplacement{Find: "goes, ago", Replace: "gone"}, "go gone go's"},
		{TextReplacement{Find: ".*", Replace: "x"}, "go Goes, ago go's"},
	} {
		s := open(t).captioned([]string{"go", "Goes,", "ago", "go's"})
		s.replace(c.request)
		_, segments, captions := s.texts()
		if segments != c.want || captions != c.want+"@0-1900" {
			t.Errorf("%+v gives %q and %q, want %q", c.request, segments, captions, c.want)
		}
	}
}

func TestReplaceTextJoinsCaptionLines(t *testing.T) {
	t.Parallel()
	s := open(t).captioned(
		[]string{"our", "cuber"}, []string{"netties.", "It", "runs"}, []string{"cuber"}, []string{"netties"},
	)
	before := fmt.Sprint(s.texts())
	_, undo := s.replace(TextReplacement{Find: "cuber netties", Replace: "Kubernetes"})
	_, segments, captions := s.texts()
	if captions != "our Kubernetes.@0-900|It runs@1000-2400|Kubernetes@2500-3400" ||
		segments != "our Kubernetes.|It runs|Kubernetes" {
		t.Errorf("%s\n%s", captions, segments)
	}
	s.clean()
	must(t, s.UndoReplacement(s.project.UserUUID, s.project.UUID, undo))
	if now := fmt.Sprint(s.texts()); now != before {
		t.Errorf("undone:\n%s\nwant\n%s", now, before)
	}
}

func TestReplaceTextFindsWordsWithoutSpaces(t *testing.T) {
	t.Parallel()
	s := open(t).captioned([]string{"東", "京", "都", "に"})
	s.replace(TextReplacement{Find: "京都", Replace: "京", WholeWords: true})
	if words, segments, _ := s.texts(); segments != "東京に" || words != "東@0-400 京@500-1400 に@1500-1900" {
		t.Errorf("%s\n%s", words, segments)
	}
}

func TestUndoReplacementKeepsLaterCaptionChanges(t *testing.T) {
	t.Parallel()
	s := open(t).captioned([]string{"one", "two"}, []string{"two", "three"})
	user, project := s.project.UserUUID, s.project.UUID
	_, first := s.replace(TextReplacement{Find: "two", Replace: "2"})
	_, second := s.replace(TextReplacement{Find: "three", Replace: "3"})
	wantCode(t, s.UndoReplacement(user, project, first), Conflict, "conflict")
	must(t, s.UndoReplacement(user, project, second))
	lines, _, err := s.CaptionLines(user, project, Page{})
	must(t, err)
	get(s.UpdateCaptionLine(user, lines[0].UUID, CaptionChange{Text: ptr("by hand")}))(t)
	must(t, s.UndoReplacement(user, project, first))
	if _, segments, captions := s.texts(); segments != "one two|two three" ||
		captions != "by hand@0-900|two three@1000-1900" {
		t.Errorf("%s\n%s", segments, captions)
	}
	wantCode(t, s.UndoReplacement(user, project, first), NotFound, "not_found")
}

func TestReplaceTextRefusesWrongRequests(t *testing.T) {
	t.Parallel()
	s := open(t).captioned([]string{"one"})
	user, project := s.project.UserUUID, s.project.UUID
	for _, r := range []TextReplacement{{Find: " \n", Replace: "x"}, {Find: "one", Replace: " "}} {
		_, _, _, err := s.ReplaceText(user, project, r)
		wantCode(t, err, Unprocessable, "unprocessable")
	}
	_, _, _, err := s.ReplaceText(s.user("eve").UUID, project, TextReplacement{Find: "one", Replace: "1"})
	wantCode(t, err, Forbidden, "forbidden")
	bare := get(s.CreateProject(user, "bare", nil))(t)
	_, _, _, err = s.ReplaceText(user, bare.UUID, TextReplacement{Find: "one", Replace: "1"})
	wantCode(t, err, Conflict, "no_transcript")
	if _, undo := s.replace(TextReplacement{Find: "one", Replace: "one"}); undo != "" {
		t.Errorf("a replacement by the same text has an undo")
	}
}

// The search index follows a replacement.
func TestReplaceTextChangesTheSearch(t *testing.T) {
	t.Parallel()
	s := open(t).captioned([]string{"our", "cuber", "netties", "cluster"})
	s.replace(TextReplacement{Find: "cuber netties", Replace: "Kubernetes"})
	s.settled()
	hits, total, err := s.Search(s.project.UserUUID, "kubernetes", HitTranscript, Page{Number: 1, Size: 10})
	must(t, err)
	if total != 1 || hits[0].StartMS != 500 {
		t.Errorf("the search finds %+v", hits)
	}
}

// Words stay in order and within the span of the words that they replace, and undo restores them.
func TestReplacedWordsStayInOrder(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{"a", "b", "ab", "b,", "A", "界", "c"})
	rapid.Check(t, func(r *rapid.T) {
		var words []media.Word
		at := int64(0)
		for range rapid.IntRange(1, 30).Draw(r, "words") {
			at += rapid.Int64Range(0, 50).Draw(r, "gap")
			end := at + rapid.Int64Range(1, 400).Draw(r, "duration")
			words = append(words, media.Word{Text: word.Draw(r, "text"), StartMS: at, EndMS: end, Probability: .5})
			at = end
		}
		find := strings.Join(rapid.SliceOfN(word, 1, 3).Draw(r, "find"), " ")
		with := strings.Join(rapid.SliceOfN(word, 1, 3).Draw(r, "replace"), " ")
		m, err := newTextMatcher(TextReplacement{Find: find, Replace: with, WholeWords: rapid.Bool().Draw(r, "whole")})
		if err != nil {
			r.Fatal(err)
		}
		text, starts := windowText(words)
		out, made := m.replaceWords(words, text, starts, m.find(text))
		for i, w := range out {
			if w.EndMS < w.StartMS || (i > 0 && w.StartMS < out[i-1].EndMS) || w.Text == "" {
				r.Fatalf("word %d of %v overlaps", i, out)
			}
		}
		if out[0].StartMS != words[0].StartMS || out[len(out)-1].EndMS != words[len(words)-1].EndMS {
			r.Fatalf("%v became %v", words, out)
		}
		if back, _, ok := undoSplices(slices.Clone(out), made); !ok || !slices.Equal(back, words) {
			r.Fatalf("undo gives %v, want %v", back, words)
		}
	})
}

// Caption lines keep their order and undo restores them, however matches cross lines.
func TestReplacedLinesCanBeRestored(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{"a", "b", "b,", "c"})
	rapid.Check(t, func(r *rapid.T) {
		var rows []*captionRow
		for i := range rapid.IntRange(1, 8).Draw(r, "lines") {
			text := strings.Join(rapid.SliceOfN(word, 1, 4).Draw(r, "line"), " ")
			start := int64(i) * 1000
			rows = append(rows, &captionRow{
				Span:        media.Span{StartMS: start, EndMS: start + 900},
				CaptionLine: CaptionLine{UUID: fmt.Sprint(i), Text: text},
			})
		}
		var before []captionRow
		for _, row := range rows {
			before = append(before, *row)
		}
		find := strings.Join(rapid.SliceOfN(word, 1, 6).Draw(r, "find"), " ")
		m, err := newTextMatcher(TextReplacement{Find: find, Replace: "new text"})
		if err != nil {
			r.Fatal(err)
		}
		joined := joinLines(rows)
		hits := m.find(joined.text)
		changes := m.replaceLines(rows, joined, hits)
		var texts []string
		for _, row := range rows {
			if row.Text != "" {
				texts = append(texts, row.Text)
			}
		}
		want := strings.ReplaceAll(joined.text, find, "new text")
		if got := strings.Join(texts, " "); got != want {
			r.Fatalf("%q with %q gives %q, want %q", joined.text, find, got, want)
		}
		for i, row := range rows {
			if *row != before[i] && !slices.Contains(changes, row) {
				r.Fatalf("line %d changed and is not in the changes", i)
			}
		}
	})
}

func BenchmarkReplaceText(b *testing.B) {
	words := make([]string, 30_000) // three hours
	for i := range words {
		words[i] = [...]string{"we", "run", "cuber", "netties", "today"}[i%5]
	}
	w := open(b)
	p := w.project(w.user("ann"))
	clip := w.ready(p, 60_000)
	w.analyzed(p, AnalysisResult{Transcripts: []ClipTranscript{speech(clip.UUID, words...)}})
	for b.Loop() {
		_, _, undo, err := w.ReplaceText(
			p.UserUUID, p.UUID, TextReplacement{Find: "cuber netties", Replace: "Kubernetes"},
		)
		must(b, err)
		must(b, w.UndoReplacement(p.UserUUID, p.UUID, undo))
	}
}
