package store

import "roughcut/store/table"

// deletion is a deleted project, clip or account that still has rows. No user sees it after the
// transaction that wrote the deletion. Later transactions of a bounded size delete the rows.
type deletion struct {
	UUID    string
	Account bool   `json:",omitempty"`
	ClipOf  string `json:",omitempty"` // uuid of the project of a clip; empty for others
}

var deletions = &table.Table[deletion]{
	Name: "deletions",
	Noun: "deletion",
	Key:  func(r *deletion) []byte { return []byte(r.UUID) },
}

// erasedAtOnce is the maximum number of rows and of KiB that one transaction of a deletion deletes.
const erasedAtOnce = 1000

// erase runs fn, which writes a deletion with a uuid, and then deletes the rows that are left.
// After a crash, the next start deletes them.
func (s *Store) erase(uuid string, fn func(*txn) error) error {
	s.erasing.RLock()
	defer s.erasing.RUnlock()
	if err := s.updateOnReserve(fn); err != nil {
		return err
	}
	return s.eraseRest(uuid)
}

// eraseLeft deletes the rows that are left of all deletions.
func (s *Store) eraseLeft() error {
	var list []string
	err := s.view(func(t *txn) error {
		return deletions.Each(t, func(d *deletion) error { list = append(list, d.UUID); return nil })
	})
	return joinEach(err, list, s.eraseRest)
}

// eraseRest deletes the rows that are left of a deletion, then the deletion.
func (s *Store) eraseRest(uuid string) error {
	for done := false; !done; {
		err := s.updateOnReserve(func(t *txn) error {
			d, err := deletions.Find(t, uuid)
			if done = d == nil; done {
				return err
			}
			drop := t.dropProject
			switch {
			case d.Account:
				drop = t.dropUser
			case d.ClipOf != "":
				drop = func(uuid string) error { return t.dropClipRows(uuid, d.ClipOf) }
			}

			t.Room = erasedAtOnce
			if err := drop(uuid); err != nil || t.Room <= 0 {
				return err
			}
			done = true
			return deletions.Delete(t, uuid)
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// dropAll calls functions that delete rows, while the transaction has room.
func (t *txn) dropAll(uuid string, drops ...func(uuid string) error) error {
	for _, drop := range drops {
		if err := drop(uuid); err != nil || t.Room <= 0 {
			return err
		}
	}

	return nil
}

// dropEach calls drop with the first row of each index until no row is left or the transaction has
// no more room. The function drop deletes its row.
func dropEach[T any](
	t *txn, tab *table.Table[T], uuid string, drop func(*T) error, indexes ...*table.Index[T],
) error {
	for _, ix := range indexes {
		for t.Room > 0 {
			row, err := tab.First(t, ix, uuid)
			if err == nil && row == nil {
				break
			}
			if err == nil {
				err = drop(row)
			}
			if err != nil {
				return err
			}
			t.Spend(0)
		}
	}

	return nil
}
