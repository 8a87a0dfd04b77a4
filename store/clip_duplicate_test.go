package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"roughcut/media"
)

// A duplicate plays the same recording with the same cuts, words and captions, right behind its
// clip, and costs no storage. The history takes it away and brings it back.
func TestDuplicateHasEverythingOfItsClip(t *testing.T) {
	t.Parallel()
	w, p, list := crowded(t)
	used := get(w.User(p.UserUUID))(t)
	made := get(w.DuplicateClip(p.UserUUID, list[1].UUID, Change{UUID: w.NewID(), Label: "duplicate"}))(t)
	w.clean()
	if made.Status != ClipReady || made.ClipFileID != list[1].ClipFileID || made.Position != 2 ||
		!slices.Equal(made.CopyOf, []string{list[1].UUID}) {
		t.Errorf("duplicate %+v", made)
	}
	if now := get(w.User(p.UserUUID))(t); now.StorageUsedBytes != used.StorageUsedBytes ||
		now.GeneratedBytes != used.GeneratedBytes {
		t.Errorf("storage %d and %d, was %d and %d",
			now.StorageUsedBytes, now.GeneratedBytes, used.StorageUsedBytes, used.GeneratedBytes)
	}
	after := w.everything(p)
	inside := func(from int64) (out []string) {
		for _, e := range get(w.Edits(p.UserUUID, p.UUID, false))(t) {
			if e.StartMS < from+10_000 && e.EndMS > from {
				start, end := max(e.StartMS, from)-from, min(e.EndMS, from+10_000)-from
				out = append(out, fmt.Sprint(e.Type, start, end, e.Active))
			}
		}
		slices.Sort(out)
		return out
	}
	if a, b := inside(10_000), inside(20_000); len(a) < 4 || !slices.Equal(a, b) {
		t.Errorf("edits of the clip    %v\nand of its duplicate %v", a, b)
	}
	words := map[string]string{}
	for _, word := range get(w.Project(p.UserUUID, p.UUID))(t).Transcript.Words {
		words[word.ClipUUID] = word.Text
	}
	if words[made.UUID] != "two" {
		t.Errorf("words %v", words)
	}
	lines, _, err := w.CaptionLines(p.UserUUID, p.UUID, Page{})
	must(t, err)
	takes := get(w.TakeGroups(p.UserUUID, p.UUID))(t)
	if len(lines) != 4 || lines[2].StartMS != 20_000 || len(takes) != 4 {
		t.Errorf("captions %+v\ntakes %+v", lines, takes)
	}
	for range 2 {
		w.undo(p, false)
		w.clean()
		if n := len(get(w.Clips(p.UserUUID, p.UUID))(t)); n != 3 {
			t.Errorf("%d clips after undo", n)
		}
		w.undo(p, true)
		w.clean()
		if got := w.everything(p); got != after {
			t.Errorf("after redo\n%s\nwant\n%s", got, after)
		}
	}
}

// A run covers the clips that it analyzed and all their duplicates, and no recording that was added
// later.
func TestRunsCoverDuplicates(t *testing.T) {
	t.Parallel()
	w, p, list := crowded(t)
	covers := func(when string, want bool) {
		t.Helper()
		all := get(w.Runs(p.UserUUID, p.UUID))(t)
		one, _, err := w.Run(p.UserUUID, p.UUID, all[0].UUID)
		must(t, err)
		if all[0].CoversClips != want || one.CoversClips != want {
			t.Errorf("%s: the list says %v and the run %v, want %v", when, all[0].CoversClips, one.CoversClips, want)
		}
	}
	covers("after the analysis", true)
	made := get(w.DuplicateClip(p.UserUUID, list[1].UUID))(t)
	covers("with a duplicate", true)
	for range 2 {
		w.undo(p, false)
		covers("after undo", true)
		w.undo(p, true)
		covers("after redo", true)
	}
	var segments []ClipSegment
	for _, c := range []Clip{list[0], made, list[1], list[2]} {
		segments = append(segments,
			ClipSegment{c.UUID, media.Span{StartMS: 5_000, EndMS: 9_000}},
			ClipSegment{c.UUID, media.Span{StartMS: 0, EndMS: 6_000}})
	}
	get(w.ArrangeClips(p.UserUUID, p.UUID, segments))(t)
	covers("with parts that repeat", true)
	added := w.ready(p, 10_000)
	covers("with a new recording", false)
	get(w.DuplicateClip(p.UserUUID, added.UUID))(t)
	covers("with a duplicate of the new recording", false)
	w.undo(p, false)
	must(t, w.DeleteClip(p.UserUUID, added.UUID))
	covers("without the new recording", true)
	must(t, w.DeleteClip(p.UserUUID, list[0].UUID))
	w.ready(p, 10_000)
	covers("with a recording replaced by one of the same length", false)
}

// The files of a recording stay until the last clip that shares them is permanently deleted.
func TestSharedFilesOutliveTheirFirstClip(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.ready(p, 10_000)
	used := get(w.User(u.UUID))(t)
	copied := get(w.DuplicateClip(u.UUID, c.UUID))(t)
	third := get(w.DuplicateClip(u.UUID, copied.UUID))(t)
	if !slices.Equal(third.CopyOf, []string{c.UUID, copied.UUID}) {
		t.Errorf("the copy of a copy is a copy of %v", third.CopyOf)
	}
	original := w.FilePath(clipKey(c.ClipFileID, fileOriginal))
	storage := func(want int64) {
		t.Helper()
		w.clean()
		now := get(w.User(u.UUID))(t)
		if now.StorageUsedBytes != want {
			t.Errorf("%d bytes used, want %d", now.StorageUsedBytes, want)
		}
		if _, err := os.Stat(original); (err == nil) != (want > 0) {
			t.Errorf("the recording: %v", err)
		}
	}
	must(t, w.DeleteClip(u.UUID, c.UUID))
	if trash := w.trash(u.UUID, p.UUID); len(trash) != 1 || trash[0].SizeBytes != 0 {
		t.Errorf("trash %+v", trash)
	}
	must(t, w.DeleteClip(u.UUID, copied.UUID))
	for _, trashed := range w.trash(u.UUID, p.UUID) {
		if trashed.SizeBytes != 0 {
			t.Errorf("the third clip uses the files of %+v", trashed)
		}
	}
	must(t, w.RestoreTrashed(u.UUID, p.UUID, copied.UUID))
	must(t, w.EmptyTrash(u.UUID, p.UUID))
	storage(used.StorageUsedBytes)
	w.reopen()
	storage(used.StorageUsedBytes)
	if got := get(w.Peaks(u.UUID, copied.UUID))(t); len(got) != 3 {
		t.Errorf("peaks %v", got)
	}
	must(t, w.DeleteClip(u.UUID, copied.UUID))
	must(t, w.DeleteClip(u.UUID, third.UUID))
	storage(used.StorageUsedBytes)
	if trash := w.trash(u.UUID, p.UUID); len(trash) != 2 || trash[0].SizeBytes+trash[1].SizeBytes < 1000 {
		t.Errorf("trash %+v", trash)
	}
	must(t, w.EmptyTrash(u.UUID, p.UUID))
	storage(0)
	w.reopen()
	w.clean()
}

// A lost file of a recording is made again for the clips that are left, and all of them know it.
func TestLostSharedFileIsMadeAgain(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.ready(p, 10_000)
	copied := get(w.DuplicateClip(u.UUID, c.UUID))(t)
	must(t, w.DeleteClip(u.UUID, c.UUID))
	must(t, os.Remove(w.FilePath(clipKey(c.ClipFileID, filePeaks))))
	_, err := w.Peaks(u.UUID, copied.UUID)
	wantCode(t, err, Conflict, "conflict")
	j := w.claim()
	if j.ClipUUID() != copied.UUID {
		t.Fatalf("the job is for clip %s, want the duplicate %s", j.ClipUUID(), copied.UUID)
	}
	get(w.FinishClip(j, w.ingested(10_000)))(t)
	w.clean()
	must(t, w.RestoreTrashed(u.UUID, p.UUID, c.UUID))
	for _, id := range []string{c.UUID, copied.UUID} {
		if got := get(w.Peaks(u.UUID, id))(t); len(got) != 3 {
			t.Errorf("peaks %v", got)
		}
	}
	must(t, w.DeleteProject(u.UUID, p.UUID))
	w.clean()
}

// An imported transcript that two clips share stays while one of them has it, and a linked file
// that moved is found by both.
func TestDuplicatesShareWhatBelongsToTheirFile(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	u := w.user("ada")
	p := w.project(u)
	path := w.recording("talk.mp4", 3000)
	get(w.LinkClip(u.UUID, p.UUID, path))(t)
	result, screen := w.ingested(10_000), true
	result.Ingested.Screen = &screen
	c := get(w.FinishClip(w.claim(), result))(t)
	spoken := media.ImportedTranscript{Words: []media.ImportedWord{{Word: media.Word{Text: "hello", EndMS: 400}}}}
	get(w.ImportTranscript(u.UUID, c.UUID, "talk.srt", spoken))(t)
	copied := get(w.DuplicateClip(u.UUID, c.UUID))(t)
	must(t, w.RemoveTranscript(u.UUID, c.UUID))
	w.clean()
	kept := get(w.Clip(u.UUID, copied.UUID))(t)
	if kept.Screen == nil || !*kept.Screen {
		t.Error("the duplicate is not known to show a screen")
	}
	if _, err := os.Stat(w.FilePath(clipKey(c.ClipFileID, kept.Transcript.File))); err != nil {
		t.Error(err)
	}
	moved := filepath.Join(filepath.Dir(path), "moved.mp4")
	must(t, os.Rename(path, moved))
	get(w.RelinkClip(u.UUID, copied.UUID, moved))(t)
	if got := get(w.Clip(u.UUID, c.UUID))(t); got.LinkedFile.Path != moved {
		t.Errorf("the other clip is at %s", got.LinkedFile.Path)
	}
	before := get(w.Clip(u.UUID, copied.UUID))(t).UpdatedAt
	w.clock.Advance(time.Minute)
	must(t, w.SetFaces(c.UUID, []media.Face{{MS: 5}}))
	if got := get(w.Clip(u.UUID, copied.UUID))(t); !got.FacesKnown || len(got.Faces) != 1 ||
		!got.UpdatedAt.Equal(before) {
		t.Errorf("faces %+v, updated at %v instead of %v", got.Faces, got.UpdatedAt, before)
	}
	must(t, w.RemoveTranscript(u.UUID, copied.UUID))
	w.clean()
	if _, err := os.Stat(w.FilePath(clipKey(c.ClipFileID, kept.Transcript.File))); err == nil {
		t.Error("nobody has the transcript, but its file stays")
	}
}

// Clips that are not ready cannot be duplicated, and a recording has a limit of duplicates.
func TestDuplicateRefuses(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	u, other := w.user("ada"), w.user("bob")
	p := w.project(u)
	waiting := w.uploaded(p, 10)
	_, err := w.DuplicateClip(u.UUID, waiting.UUID)
	wantCode(t, err, Conflict, "clips_processing")
	must(t, w.DeleteClip(u.UUID, waiting.UUID))
	c := w.ready(p, 10_000)
	_, err = w.DuplicateClip(other.UUID, c.UUID)
	wantCode(t, err, Forbidden, "forbidden")
	for range maxSharers - 1 {
		get(w.DuplicateClip(u.UUID, c.UUID))(t)
	}
	_, err = w.DuplicateClip(u.UUID, c.UUID)
	wantCode(t, err, Unprocessable, "unprocessable")
	get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t)
	_, err = w.DuplicateClip(u.UUID, c.UUID)
	wantCode(t, err, Conflict, "conflict")
}

// A backup holds the recording of several clips once, and a restore has all of them.
func TestBackupOfDuplicates(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	c := w.ready(p, 10_000)
	copied := get(w.DuplicateClip(u.UUID, c.UUID))(t)
	dir := filepath.Join(t.TempDir(), "data")
	get(restoreInto(dir, w.backup(false)))(t)
	restored := open(t, func(o *Options) { o.Dir = dir })
	restored.clean()
	for _, id := range []string{c.UUID, copied.UUID} {
		if got := get(restored.Peaks(u.UUID, id))(t); len(got) != 3 {
			t.Errorf("peaks %v", got)
		}
	}
}

func played(clipUUID string, startMS, endMS int64) ClipSegment {
	return ClipSegment{clipUUID, media.Span{StartMS: startMS, EndMS: endMS}}
}

// An arrangement plays parts of a recording in another order. Edits, chapters and drafts move with
// their footage, nothing plays twice, and the history undoes all of it as one step.
func TestArrangementPlaysRecordingsOutOfOrder(t *testing.T) {
	t.Parallel()
	w, p, list := crowded(t)
	before := w.everything(p)
	a, b, c := list[0].UUID, list[1].UUID, list[2].UUID
	order := []ClipSegment{
		played(a, 0, 2_000), played(b, 0, 10_000), played(a, 6_000, 10_000), played(c, 0, 10_000),
		played(a, 2_000, 6_000),
	}
	want := w.plays(p, order...)
	change := Change{UUID: w.NewID(), Label: "take over the timeline"}
	get(w.ArrangeClips(p.UserUUID, p.UUID, order, change))(t)
	w.clean()
	after := w.everything(p)
	clips := get(w.Clips(p.UserUUID, p.UUID))(t)
	if len(clips) != 5 || clips[2].UUID != a || clips[0].CopyOf[0] != a || clips[4].CopyOf[0] != a {
		t.Fatalf("clips %+v", clips)
	}
	if got := w.plays(p); !slices.Equal(got, want) {
		t.Errorf("plays %v\nwant  %v", got, want)
	}
	for range 2 {
		w.undo(p, false)
		w.clean()
		if got := w.everything(p); got != before {
			t.Errorf("after undo\n%s\nwant\n%s", got, before)
		}
		w.undo(p, true)
		w.clean()
		if got := w.everything(p); got != after {
			t.Errorf("after redo\n%s\nwant\n%s", got, after)
		}
	}
	w.undo(p, false)
	must(t, w.EmptyTrash(p.UserUUID, p.UUID))
	w.clean()
	if got := w.everything(p); got != before {
		t.Errorf("after the trash was emptied\n%s\nwant\n%s", got, before)
	}
}

// plays returns the footage that a project plays, in order: the file and its spans without the
// cuts. Of segments in clip time it plays only those, in their order.
func (w *world) plays(p Project, segments ...ClipSegment) (out []string) {
	w.t.Helper()
	var cuts []media.Span
	for _, e := range get(w.Edits(p.UserUUID, p.UUID, true))(w.t) {
		if media.IsCut(e.Type) && e.Action == ActionCut {
			cuts = append(cuts, media.Span{StartMS: e.StartMS, EndMS: e.EndMS})
		}
	}
	var at int64
	list := get(w.Clips(p.UserUUID, p.UUID))(w.t)
	starts := map[string]int64{}
	for _, c := range list {
		starts[c.UUID] = at
		at += *c.DurationMS
	}
	if segments == nil {
		for _, c := range list {
			segments = append(segments, ClipSegment{c.UUID, media.Span{EndMS: *c.DurationMS}})
		}
	}
	files := map[string]string{}
	for _, c := range list {
		files[c.UUID] = c.ClipFileID
	}
	kept := media.KeptSpans(at, cuts)
	lastFile, lastEnd := "", int64(0)
	for _, s := range segments {
		start := starts[s.ClipUUID]
		for _, k := range kept {
			k = k.Intersect(media.Span{StartMS: start + s.StartMS, EndMS: start + s.EndMS})
			if k.Duration() <= 0 {
				continue
			}
			from, to := k.StartMS-start, k.EndMS-start
			if lastFile == files[s.ClipUUID] && lastEnd == from {
				out[len(out)-1] = out[len(out)-1][:strings.LastIndex(out[len(out)-1], "-")+1] + fmt.Sprint(to)
			} else {
				out = append(out, fmt.Sprintf("%s %d-%d", files[s.ClipUUID], from, to))
			}
			lastFile, lastEnd = files[s.ClipUUID], to
		}
	}
	return out
}

// A duplicate gets its copies in one analysis after the other, so that no transaction grows with
// the number of analyses. After a kill in between, the next start completes it.
func TestDuplicateInSmallTransactions(t *testing.T) {
	t.Parallel()
	begin := func() {}
	w := open(t, ownerMode, func(o *Options) {
		now := o.Now
		o.Now = func() time.Time { begin(); return now() }
	})
	p := w.project(w.user("ada"))
	c := w.ready(p, 2_000_000)
	found := AnalysisResult{Transcripts: []ClipTranscript{speech(c.UUID, "one", "two")}}
	for i := range int64(erasedAtOnce) {
		found.Edits = append(found.Edits, silence(c.UUID, i*2_000, i*2_000+1_000))
	}
	found.CaptionLines = []ClipCaption{{ClipUUID: c.UUID, TimedText: media.TimedText{Text: "one", EndMS: 900}}}
	old := w.analyzed(p, found)
	for range 4 {
		w.analyzed(p, found)
	}
	w.settled()
	w.index.Close()
	var pages []int64
	var copied string
	before := w.db.Stats().TxStats
	var look func()
	look = func() {
		begin = func() {}
		defer func() { begin = look }()
		now := w.db.Stats().TxStats
		pages, before = append(pages, now.GetWrite()-before.GetWrite()), now
		if len(pages) == 4 {
			copied = w.copied()
		}
	}
	begin = look
	get(w.DuplicateClip(p.UserUUID, c.UUID))(t)
	begin = func() {}
	t.Logf("the transactions write %v pages", pages)
	if most := slices.Max(pages); len(pages) < 5 || most > 800 {
		t.Errorf("the largest of %d transactions wrote %d pages", len(pages), most)
	}
	must(t, w.Close())
	for _, dir := range []string{w.opts.Dir, copied} {
		again := open(t, ownerMode, func(o *Options) { o.Dir = dir })
		again.clean()
		get(again.ActivateRun(p.UserUUID, p.UUID, old.UUID))(t)
		_, words, err := again.Run(p.UserUUID, p.UUID, old.UUID)
		must(t, err)
		_, lines, err := again.CaptionLines(p.UserUUID, p.UUID, Page{})
		must(t, err)
		list := get(again.Edits(p.UserUUID, p.UUID, false))(t)
		if len(list) != 2*len(found.Edits) || len(words.Words) != 4 || lines != 2 {
			t.Errorf("%d edits, %d words and %d captions", len(list), len(words.Words), lines)
		}
	}
}
