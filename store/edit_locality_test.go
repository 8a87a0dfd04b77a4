package store

import "testing"

// Changing all edits of one project among many projects must write few pages. The time of a request
// with many edits depends on the number of pages.
func TestManyEditsWriteFewPages(t *testing.T) {
	t.Parallel()
	const talks, each = 8, 100
	w := open(t, ownerMode)
	u := w.user("ada")
	var first string
	var list []NamedEditChange
	for i := range talks {
		p := w.project(u)
		w.ready(p, 600_000)
		must(t, w.update(func(tx *txn) error {
			for n := range int64(each) {
				e, err := tx.addEdit(p.UUID, EditManual, manual(n*1000, n*1000+500), nil, Change{})
				must(t, err)
				if i == 0 {
					first, list = p.UUID, append(list, NamedEditChange{e.UUID, EditChange{Active: ptr(false)}})
				}
			}
			return nil
		}))
	}
	before := w.db.Stats()
	_, _, err := w.UpdateEdits(u.UUID, first, list)
	must(t, err)
	after := w.db.Stats()
	pages := after.TxStats.GetWrite() - before.TxStats.GetWrite()
	t.Logf("%d edits are written in %d pages", each, pages)
	if limit := int64(each * 9 / 20); pages > limit {
		t.Errorf("changing %d edits wrote %d pages, want at most %d", each, pages, limit)
	}
}
