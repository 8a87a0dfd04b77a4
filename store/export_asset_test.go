package store

import (
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/store/account"
)

// there reports whether the current file of an asset is on the disk and has a row.
func (w *world) there(a Asset) bool {
	w.t.Helper()
	_, err := os.Stat(w.FilePath(a.FileKey()))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatal(err)
	}
	var row *fileRow
	must(w.t, w.view(func(t *txn) (err error) { row, err = files.Find(t, a.FileKey()); return err }))
	if (err == nil) != (row != nil) {
		w.t.Errorf("the file of %s: %v on the disk, %v in the database", a.UUID, err == nil, row != nil)
	}
	return row != nil
}

// An export shows the placements at the time of its request: active ones, with overrides, later
// ones above earlier ones.
func TestExportFreezesPlacements(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 10_000)
	below, above := w.asset(u, AssetResult{Asset: movie(8000)}), w.asset(u, AssetResult{Asset: sound(9000)})
	low := w.place(
		p,
		5000,
		9000,
		PlacementChange{AssetFileID: &below.AssetFileID, SizePercent: ptr(30), OffsetMS: ptr(int64(500))},
	)
	w.clock.Advance(time.Second)
	high := w.place(p, 1000, 2000, PlacementChange{AssetFileID: &above.AssetFileID, DuckMain: ptr(true)})
	off := w.place(p, 0, 1000, PlacementChange{AssetFileID: &above.AssetFileID})
	get(w.UpdateEdit(u.UUID, off.UUID, EditChange{Active: ptr(false)}))(t)
	get(
		w.CreateExport(u.UUID, p.UUID, NewExport{Overrides: map[string]Override{high.UUID: {EndMS: ptr(int64(3000))}}}),
	)(t)
	get(w.UpdateEdit(u.UUID, low.UUID, EditChange{Placement: PlacementChange{SizePercent: ptr(99)}}))(t)
	in := get(w.ExportInput(w.claim()))(t)
	if len(in.Assets) != 2 {
		t.Fatalf("%+v", in.Assets)
	}
	a, b := in.Assets[0], in.Assets[1]
	if a.Path != w.FilePath(below.FileKey()) || a.ID != below.FileKey() ||
		a.Span != (media.Span{StartMS: 5000, EndMS: 9000}) ||
		a.SizePercent != 30 ||
		a.OffsetMS != 500 ||
		a.VisualMode != media.VisualOverlay ||
		a.Info.DurationMS != 8000 ||
		a.Name != below.DisplayName {
		t.Errorf("%+v", a)
	}
	if b.ID != above.FileKey() || b.Span != (media.Span{StartMS: 1000, EndMS: 3000}) ||
		b.AudioMode != media.AudioMix ||
		!b.DuckMain ||
		b.VolumePercent != 100 {
		t.Errorf("%+v", b)
	}
	if a.ID == b.ID {
		t.Error("two files have one name")
	}
	w.clean()
}

// The cover of clips without video is frozen like a placed asset: it stays for the export after it
// was deleted. A cover of someone else or a deleted one has no effect, and only images are covers.
func TestExportFreezesItsCover(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, stranger := w.user("ada"), w.user("eve")
	p := w.project(u)
	clip := w.ready(p, 10_000)
	image := AssetResult{Asset: media.Asset{
		Kind: media.KindImage, ContentType: "image/png", Info: media.Info{Format: "png"},
	}}
	cover, video := w.asset(u, image), w.asset(u, AssetResult{Asset: movie(8000)})
	theirs := w.asset(stranger, image)
	create := func(file string) (Export, error) {
		return w.CreateExport(u.UUID, p.UUID, NewExport{
			Name: "out", Settings: json.RawMessage(`{"audio_clips":{"cover_asset_file_id":"` + file + `"}}`),
		})
	}
	get(create(cover.AssetFileID))(t)
	job := w.claim()
	in := get(w.ExportInput(job))(t)
	if in.Cover == nil || in.Cover.ID != cover.FileKey() || len(in.Assets) > 0 {
		t.Errorf("the cover is %+v, the assets are %+v", in.Cover, in.Assets)
	}
	if want := w.FilePath(clipKey(clip.ClipFileID, filePeaks)); in.Clips[0].PeaksPath != want {
		t.Errorf("the waveform is at %q, want %q", in.Clips[0].PeaksPath, want)
	}
	must(t, w.DeleteAsset(u.UUID, cover.UUID))
	if _, err := os.Stat(in.Cover.Path); err != nil {
		t.Error("the file of the cover is gone:", err)
	}
	get(w.FinishExport(job, w.temp(10), media.RenderResult{}))(t)
	for _, file := range []string{cover.AssetFileID, theirs.AssetFileID} {
		get(create(file))(t)
		job := w.claim()
		if in := get(w.ExportInput(job))(t); in.Cover != nil {
			t.Errorf("the cover is %+v", in.Cover)
		}
		get(w.FinishExport(job, w.temp(10), media.RenderResult{}))(t)
	}
	_, err := create(video.AssetFileID)
	wantCode(t, err, Unprocessable, "unprocessable")
	w.clean()
}

// The file of a deleted or replaced asset stays for the running exports that need it, also after a
// restart, and counts for no user. The last of these exports removes it, whatever its outcome.
func TestAssetFileStaysForRunningExports(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*world, account.User, Job){
		"finished": func(w *world, _ account.User, j Job) {
			get(w.FinishExport(j, w.temp(10), media.RenderResult{}))(w.t)
		},
		"failed":    func(w *world, _ account.User, j Job) { must(w.t, w.FailExport(j, "no")) },
		"cancelled": func(w *world, u account.User, j Job) { get(w.CancelExport(u.UUID, j.Subject))(w.t) },
		"deleted":   func(w *world, u account.User, j Job) { must(w.t, w.DeleteExport(u.UUID, j.Subject)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			u := w.user("ada")
			p := w.project(u)
			w.ready(p, 10_000)
			gone, cut := w.asset(u, AssetResult{Asset: movie(8000)}), w.asset(u, AssetResult{Asset: movie(8000)})
			for _, a := range []Asset{gone, gone, cut} {
				w.place(p, 0, 1000, PlacementChange{AssetFileID: &a.AssetFileID})
			}
			get(w.CreateExport(u.UUID, p.UUID, NewExport{}))(t)
			get(w.CreateExport(u.UUID, p.UUID, NewExport{}))(t)
			first := w.claim()
			w.claim() // the job of the second export, which the restart requeued
			before := w.used(u)
			must(t, w.DeleteAsset(u.UUID, gone.UUID))
			if used := w.used(u); used != before-gone.SizeBytes {
				t.Errorf("%d bytes are used, %d were", used, before)
			}
			get(w.EditAsset(u.UUID, cut.UUID, AssetEdit{EndMS: ptr(int64(3000)), Replace: true}))(t)
			now := get(w.edited(cut.UUID, 10, 3000))(t)
			if used := w.used(u); used != before-gone.SizeBytes-cut.SizeBytes+now.SizeBytes ||
				now.FileKey() == cut.FileKey() {
				t.Errorf("%d bytes are used, %d were", used, before)
			}
			both := func(want bool) {
				t.Helper()
				if w.there(gone) != want || w.there(cut) != want || !w.there(now) {
					t.Errorf("deleted: %v, replaced: %v, new: %v", w.there(gone), w.there(cut), w.there(now))
				}
				w.clean()
			}
			both(true)
			end(w, u, first)
			both(true)
			w.reopen()
			both(true)
			second := w.claim()
			for ; second.Kind != JobExport; second = w.claim() {
				continue
			}
			if in := get(w.ExportInput(second))(t); len(in.Assets) != 3 {
				t.Errorf("%+v", in.Assets)
			}
			end(w, u, second)
			both(false)
			must(t, w.DeleteProject(u.UUID, p.UUID))
			w.clean()
		})
	}
}
