package store

import (
	"fmt"
	"testing"

	"roughcut/store/table"
)

// TestPagesOfACountedList creates and deletes projects, and compares every page and total with a
// scan.
func TestPagesOfACountedList(t *testing.T) {
	t.Parallel()
	w := open(t, ownerMode)
	u, other := w.user("ada"), w.user("eve")
	w.project(other)
	var names []string // newest first
	var ids []string
	for i := range 7 {
		name := fmt.Sprintf("Talk %d", i)
		p := get(w.CreateProject(u.UUID, name, nil))(t)
		names, ids = append([]string{name}, names...), append([]string{p.UUID}, ids...)
	}
	for len(ids) > 0 {
		for size := range 9 {
			for number := 1; number <= 4; number++ {
				page := Page{Number: number, Size: size}
				list, total, err := w.Projects(u.UUID, ProjectFilter{}, page)
				must(t, err)
				var got []string
				for _, p := range list {
					got = append(got, p.Name)
				}
				equal(t, fmt.Sprintf("page %+v of %d", page, len(names)), got, table.Cut(names, page))
				if total != len(names) {
					t.Fatalf("the total is %d, want %d", total, len(names))
				}
			}
		}
		gone := len(ids) / 2
		must(t, w.DeleteProject(u.UUID, ids[gone]))
		ids, names = append(ids[:gone:gone], ids[gone+1:]...), append(names[:gone:gone], names[gone+1:]...)
		w.clean()
	}
	must(t, w.view(func(tx *txn) error {
		if kept := tx.Bucket([]byte(table.CountsBucket)).Get(table.Key(projectsByUser.Name, u.UUID)); kept != nil {
			t.Errorf("the count of an empty list is %x", kept)
		}
		return nil
	}))
}
