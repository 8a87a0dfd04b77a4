package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"roughcut/media"
)

// lines returns the caption lines of a project as text with their times.
func (w *world) lines(p Project) string {
	w.t.Helper()
	list, _, err := w.CaptionLines(p.UserUUID, p.UUID, Page{})
	must(w.t, err)
	var out []string
	for _, l := range list {
		out = append(out, fmt.Sprintf("%d-%d %s", l.StartMS, l.EndMS, l.Text))
	}
	return strings.Join(out, " | ")
}

// captioned is a project with two clips and three caption lines.
func captioned(t *testing.T) (*world, Project, []string) {
	w := open(t)
	p := w.project(w.user("ann"))
	first, second := w.ready(p, 10_000), w.ready(p, 5000)
	line := func(clip Clip, text string, start, end int64) ClipCaption {
		return ClipCaption{ClipUUID: clip.UUID, TimedText: media.TimedText{Text: text, StartMS: start, EndMS: end}}
	}
	w.analyzed(p, AnalysisResult{
		Transcripts: []ClipTranscript{speech(first.UUID, "one", "two", "three", "four")},
		CaptionLines: []ClipCaption{
			line(first, "one two", 0, 900), line(first, "three four", 1000, 1900), line(second, "five", 500, 1500),
		},
	})
	list, _, err := w.CaptionLines(p.UserUUID, p.UUID, Page{})
	must(t, err)
	ids := make([]string, len(list))
	for i, l := range list {
		ids[i] = l.UUID
	}
	return w, p, ids
}

// Every change of captions is an entry of the history, which undoes and redoes it exactly.
func TestCaptionChangesCanBeUndone(t *testing.T) {
	t.Parallel()
	w, p, id := captioned(t)
	u := p.UserUUID
	states, wants := []string{w.lines(p)}, []string{}
	for _, step := range []struct {
		do   func() error
		want string
	}{
		{
			func() error {
				_, err := w.UpdateCaptionLine(u, id[0], CaptionChange{Text: ptr("One, two")})
				return err
			},
			"0-900 One, two | 1000-1900 three four | 10500-11500 five",
		},
		{
			func() error {
				_, err := w.UpdateCaptionLine(u, id[0], CaptionChange{EndMS: ptr[int64](950)})
				return err
			},
			"0-950 One, two | 1000-1900 three four | 10500-11500 five",
		},
		{
			func() error { _, err := w.SplitCaptionLine(u, id[1], 6, nil); return err },
			"0-950 One, two | 1000-1500 three | 1500-1900 four | 10500-11500 five",
		},
		{
			func() error { _, err := w.MergeCaptionLine(u, id[0]); return err },
			"0-1500 One, two three | 1500-1900 four | 10500-11500 five",
		},
		{
			func() error {
				_, err := w.CreateCaptionLine(u, p.UUID, "[applause]", media.Span{StartMS: 9500, EndMS: 10_200})
				return err
			},
			"0-1500 One, two three | 1500-1900 four | 9500-10000 [applause] | 10500-11500 five",
		},
		{
			func() error { return w.DeleteCaptionLine(u, id[2]) },
			"0-1500 One, two three | 1500-1900 four | 9500-10000 [applause]",
		},
		{
			func() error {
				_, _, _, err := w.ReplaceText(u, p.UUID, TextReplacement{Find: "three four", Replace: "34"})
				return err
			},
			"0-1900 One, two 34 | 9500-10000 [applause]",
		},
		{
			func() error {
				_, _, err := w.ImportCaptionLines(u, p.UUID, CaptionImport{Replace: true, Lines: []media.CaptionLine{
					{Text: "from a file", StartMS: 200, EndMS: 2000},
					{Text: "past the end", StartMS: 90_000, EndMS: 91_000},
				}})
				return err
			},
			"200-2000 from a file",
		},
	} {
		w.clock.Advance(time.Second)
		must(t, step.do())
		states, wants = append(states, w.lines(p)), append(wants, step.want)
	}
	for i, want := range wants {
		if states[i+1] != want {
			t.Errorf("after change %d\n got %s\nwant %s", i, states[i+1], want)
		}
	}
	w.reopen()
	words := func() string { return fmt.Sprint(get(w.ClipTranscripts(u, p.UUID))(t)[0].Words) }
	replaced := words()
	for i := len(states) - 2; i >= 0; i-- {
		if w.undo(p, false); w.lines(p) != states[i] {
			t.Errorf("undo to %d\n got %s\nwant %s", i, w.lines(p), states[i])
		}
	}
	if spoken := words(); !strings.Contains(spoken, "three") || !strings.Contains(replaced, "34") {
		t.Errorf("words %s after the undo, %s before", spoken, replaced)
	}
	for i := 1; i < len(states); i++ {
		if w.undo(p, true); w.lines(p) != states[i] {
			t.Errorf("redo to %d\n got %s\nwant %s", i, w.lines(p), states[i])
		}
	}
	if again := words(); again != replaced {
		t.Errorf("the redone replacement gives %s, not %s", again, replaced)
	}
	entries := get(w.History(u, p.UUID))(t)
	kinds := []string{entries[0].Kind, entries[1].Kind}
	if len(entries) != len(states)-1 || !slices.Equal(kinds, []string{HistoryCaptions, HistoryText}) {
		t.Errorf("history %+v", entries)
	}
	w.clean()
}

// A replacement that is undone by its own uuid stays redoable while it is the newest change, and
// leaves the history otherwise.
func TestReplacementUndoneByItsUUID(t *testing.T) {
	t.Parallel()
	w, p, id := captioned(t)
	u := p.UserUUID
	before := w.lines(p)
	_, _, undo, err := w.ReplaceText(u, p.UUID, TextReplacement{Find: "two", Replace: "2"})
	must(t, err)
	after := w.lines(p)
	must(t, w.UndoReplacement(u, p.UUID, undo))
	if w.lines(p) != before {
		t.Errorf("captions %s", w.lines(p))
	}
	if entry := w.undo(p, true); entry.Kind != HistoryText || w.lines(p) != after {
		t.Errorf("redo of %+v gives %s", entry, w.lines(p))
	}
	must(t, w.DeleteCaptionLine(u, id[2]))
	must(t, w.UndoReplacement(u, p.UUID, undo))
	if entries := get(w.History(u, p.UUID))(t); len(entries) != 1 || entries[0].Kind != HistoryCaptions {
		t.Errorf("history %+v", entries)
	}
}

func TestReplaceInCaptionsOnly(t *testing.T) {
	t.Parallel()
	w, p, _ := captioned(t)
	places, changed, _, err := w.ReplaceText(
		p.UserUUID, p.UUID, TextReplacement{Find: "two", Replace: "2", CaptionsOnly: true},
	)
	must(t, err)
	if len(places) != 1 || changed != 1 || !strings.HasPrefix(w.lines(p), "0-900 one 2 |") {
		t.Errorf("%d places, %d changed: %s", len(places), changed, w.lines(p))
	}
	if words := get(w.ClipTranscripts(p.UserUUID, p.UUID))(t)[0].Words; words[1].Text != "two" {
		t.Errorf("the transcript says %q", words[1].Text)
	}
}

func TestRefusedCaptionChanges(t *testing.T) {
	t.Parallel()
	w, p, id := captioned(t)
	u, before := p.UserUUID, w.lines(p)
	split := func(position int, at *int64) error { _, err := w.SplitCaptionLine(u, id[0], position, at); return err }
	_, outside := w.UpdateCaptionLine(u, id[0], CaptionChange{EndMS: ptr[int64](20_000)})
	_, crossed := w.UpdateCaptionLine(u, id[0], CaptionChange{StartMS: ptr[int64](900)})
	_, last := w.MergeCaptionLine(u, id[1]) // the next line belongs to another clip
	_, empty := w.CreateCaptionLine(u, p.UUID, " ", media.Span{EndMS: 100})
	_, _, nothing := w.ImportCaptionLines(u, p.UUID, CaptionImport{Replace: true})
	for name, c := range map[string]struct {
		err  error
		kind Kind
	}{
		"past the end":       {outside, Invalid},
		"end before start":   {crossed, Unprocessable},
		"merge without next": {last, Conflict},
		"no text":            {empty, Unprocessable},
		"empty import":       {nothing, Unprocessable},
		"split at 0":         {split(0, nil), Unprocessable},
		"split at the end":   {split(7, nil), Unprocessable},
		"split at a space":   {split(100, nil), Unprocessable},
		"split outside":      {split(4, ptr[int64](5000)), Unprocessable},
	} {
		var e *Error
		if !errors.As(c.err, &e) || e.Kind != c.kind {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	if w.lines(p) != before || len(get(w.History(u, p.UUID))(t)) != 0 {
		t.Errorf("refused changes left %s", w.lines(p))
	}
}

// Captions that were exported from the edited video and corrected elsewhere return to their place.
func TestImportOfExportedCaptions(t *testing.T) {
	t.Parallel()
	w, p, _ := captioned(t)
	u := p.UserUUID
	get(w.CreateEdit(u, p.UUID, Edit{StartMS: 1950, EndMS: 9950, Active: true}))(t)
	before := w.lines(p)
	var file []media.CaptionLine
	for _, c := range get(w.EditedCaptions(u, p.UUID, Within{}))(t) {
		file = append(file, media.CaptionLine{Text: c.Text, StartMS: c.StartMS, EndMS: c.EndMS, Speaker: "Ada"})
	}
	if file[2].StartMS > 3000 {
		t.Fatalf("captions of the edited video %+v", file)
	}
	_, all, err := w.ImportCaptionLines(u, p.UUID, CaptionImport{Lines: file, Edited: true, Replace: true})
	must(t, err)
	for i, want := range []struct{ start, end int64 }{{0, 900}, {1000, 1900}, {10_500, 11_500}} {
		if d := all[i].StartMS - want.start; d < -40 || d > 40 {
			t.Errorf("caption %d starts at %d ms, want %d", i, all[i].StartMS, want.start)
		}
		if d := all[i].EndMS - want.end; d < -40 || d > 40 {
			t.Errorf("caption %d ends at %d ms, want %d", i, all[i].EndMS, want.end)
		}
		if all[i].Speaker != "Ada" {
			t.Errorf("caption %d is said by %q", i, all[i].Speaker)
		}
	}
	if w.undo(p, false); w.lines(p) != before {
		t.Errorf("after undo: %s", w.lines(p))
	}
}
