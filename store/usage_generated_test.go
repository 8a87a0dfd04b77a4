package store

import (
	"os"
	"testing"

	"roughcut/media"
	"roughcut/store/account"
)

// Bytes of the files that world.ingested and the tests of exports make.
const (
	ingestedBytes = 50 + 20 + 30 + 3 + 3*4 + 2
	exportBytes   = 10
)

func (w *world) generated(u account.User) int64 {
	w.t.Helper()
	return get(w.User(u.UUID))(w.t).GeneratedBytes
}

func TestGeneratedFilesAreCounted(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	want := func(what string, bytes int64) {
		t.Helper()
		space, _, err := w.UserStorage(u.UUID, Page{})
		must(t, err)
		if got := w.generated(u); got != bytes || space.GeneratedBytes != bytes ||
			space.DerivedBytes+space.ExportBytes != bytes {
			t.Errorf("%s: %d bytes are counted and %+v shown, want %d", what, got, space, bytes)
		}
		w.clean()
	}
	c := w.uploaded(p, 1000)
	want("an unconfirmed upload", 0)
	w.put(c, 500)
	w.reopen()
	want("an unconfirmed upload after a restart", 0)
	get(w.ConfirmClip(u.UUID, p.UUID, c.UUID))(t)
	want("a confirmed upload", 0)
	w.ingest(60_000)
	want("a recording", ingestedBytes)
	get(w.CreateExport(u.UUID, p.UUID, NewExport{}))(t)
	e := get(w.FinishExport(w.claim(), w.temp(exportBytes), media.RenderResult{}))(t)
	want("an export", ingestedBytes+exportBytes)
	must(t, w.DeleteExport(u.UUID, e.UUID))
	want("an export in the trash", ingestedBytes+exportBytes)
	must(t, w.EmptyTrash(u.UUID, p.UUID))
	want("a purged export", ingestedBytes)
	must(t, os.Remove(w.FilePath(clipKey(c.ClipFileID, fileSprite))))
	w.reopen() // queues the job that makes the file again
	get(w.FinishClip(w.claim(), w.ingested(60_000)))(t)
	want("derived files that were made again", ingestedBytes)
	must(t, w.DeleteClip(u.UUID, c.UUID))
	want("a recording in the trash", ingestedBytes)
	must(t, w.EmptyTrash(u.UUID, p.UUID))
	want("nothing", 0)
}

// The file that fills the quota is kept. Later work that makes files is refused until the user
// deletes some, but an upload is not lost.
func TestGeneratedQuota(t *testing.T) {
	t.Parallel()
	w := open(t, smallQuota(4000), func(o *Options) { o.GeneratedPercent = 3 }) // 120 bytes
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 60_000)
	waiting := w.uploaded(p, 1000)
	get(w.CreateExport(u.UUID, p.UUID, NewExport{}))(t)
	get(w.CreateExport(u.UUID, p.UUID, NewExport{Name: "second"}))(t)
	first, second := w.claim(), w.claim()
	kept := get(w.FinishExport(first, w.temp(exportBytes), media.RenderResult{}))(t)
	_, err := w.FinishExport(second, w.temp(exportBytes), media.RenderResult{})
	wantCode(t, err, Unprocessable, "quota_exceeded")
	must(t, w.FailExport(second, err.Error()))
	refused := func(_ any, err error) {
		t.Helper()
		wantCode(t, err, Unprocessable, "quota_exceeded")
	}
	refused(w.CreateExport(u.UUID, p.UUID, NewExport{}))
	refused(w.PresignClip(u.UUID, p.UUID, "talk.mp4", "video/mp4", 10))
	refused(w.ImportClip(u.UUID, p.UUID, NewImport{Address: "https://example.org/talk.mp4"}))
	refused(w.ConfirmClip(u.UUID, p.UUID, waiting.UUID))
	get(w.StartAnalysis(u.UUID, p.UUID, AnalysisSettings{}))(t) // makes no files
	must(t, w.FailAnalysis(w.claim(), "enough"))
	must(t, w.DeleteExport(u.UUID, kept.UUID))
	refused(w.CreateExport(u.UUID, p.UUID, NewExport{})) // the trash counts
	must(t, w.EmptyTrash(u.UUID, p.UUID))
	get(w.ConfirmClip(u.UUID, p.UUID, waiting.UUID))(t)
	w.ingest(60_000)
	w.clean()
}
