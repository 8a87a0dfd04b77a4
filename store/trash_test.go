package store

import (
	"os"
	"testing"
	"time"

	"roughcut/media"
)

// A deleted export stays in the trash for 30 days, uses storage and can be restored. Then, or when
// the trash is emptied, its file is deleted.
func TestDeletedExportsCanBeRestored(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	u := w.user("ada")
	p := w.project(u)
	w.ready(p, 10_000)
	render := func() Export {
		get(w.CreateExport(u.UUID, p.UUID, NewExport{Name: "Talk"}))(t)
		j := w.claim()
		must(t, w.StartExport(j))
		return get(w.FinishExport(j, w.temp(70), media.RenderResult{DurationMS: 10_000}))(t)
	}
	exists := func(e Export) bool {
		_, err := os.Stat(w.FilePath(e.StorageKey))
		return err == nil
	}
	first, second, third := render(), render(), render()
	for _, e := range []Export{first, second} {
		must(t, w.DeleteExport(u.UUID, e.UUID))
		w.clock.Advance(24 * time.Hour)
	}
	wantCode(t, w.DeleteExport(u.UUID, first.UUID), NotFound, "not_found")
	if list, n, err := w.Exports(u.UUID, p.UUID, Page{}); err != nil || n != 1 || list[0].UUID != third.UUID {
		t.Errorf("exports %+v, %v", list, err)
	}
	trash := w.trash(u.UUID, p.UUID)
	if len(trash) != 2 || trash[0].UUID != second.UUID || trash[0].SizeBytes != 70 {
		t.Fatalf("trash %+v", trash)
	}
	if space, _, err := w.UserStorage(u.UUID, Page{}); err != nil || space.ExportBytes != 3*70 {
		t.Errorf("the exports use %d bytes, %v", space.ExportBytes, err)
	}
	must(t, w.RestoreTrashed(u.UUID, p.UUID, first.UUID))
	wantCode(t, w.RestoreTrashed(u.UUID, p.UUID, first.UUID), NotFound, "not_found")
	if got := get(w.Export(u.UUID, first.UUID))(t); got.Status != StatusCompleted || !exists(first) {
		t.Errorf("export %+v", got)
	}
	w.clock.Advance(trashKept - 25*time.Hour)
	get(w.SweepExpired())(t)
	if !exists(second) {
		t.Error("the trash was emptied before its time")
	}
	w.clock.Advance(2 * time.Hour)
	get(w.SweepExpired())(t)
	if exists(second) || len(w.trash(u.UUID, p.UUID)) != 0 {
		t.Error("the trash was not emptied after 30 days")
	}
	must(t, w.DeleteExport(u.UUID, first.UUID))
	must(t, w.EmptyTrash(u.UUID, p.UUID))
	if exists(first) {
		t.Error("the emptied trash leaves a file")
	}
	must(t, w.DeleteExport(u.UUID, third.UUID))
	w.clean()
	must(t, w.DeleteProject(u.UUID, p.UUID))
	if exists(third) {
		t.Error("a deleted project leaves a file in the trash")
	}
	w.clean()
}

// trash returns everything in the trash of a project.
func (w *world) trash(userUUID, projectUUID string) []TrashItem {
	w.t.Helper()
	list, _, err := w.Trash(userUUID, projectUUID, Page{})
	must(w.t, err)
	return list
}
