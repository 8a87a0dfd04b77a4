package table

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	bolt "go.etcd.io/bbolt"
)

// fillPercent is the share of a page that stays filled when bbolt splits the page. It is high
// because most keys grow with time, so that new keys come last.
const fillPercent = 0.9

// Table is a bucket of rows of type T.
type Table[T any] struct {
	Name string // of the bucket
	Noun string // what messages call a row: "project"
	// Key returns the primary key of a row.
	Key     func(*T) []byte
	Indexes []*Index[T]
	// Owner returns the account that the bytes of a row count for, see Bytes. It never changes for
	// a row. Nil: the bytes are not summed.
	Owner func(*T) string

	// Subject returns what Tx.Changed receives after a row is written or deleted. Nil: no call.
	Subject func(*T) string
	// SameEntries reports that both versions of a row have the same index entries, where that is
	// cheaper to find out than to derive the keys. Nil: the keys are derived.
	SameEntries func(before, after *T) bool

	// Stale reports that a row is of no more use at a time, see Expired. Nil: none is.
	Stale func(row *T, now time.Time) bool

	// Undoable makes Tx.Wrote receive each write and deletion of a row.
	Undoable bool

	// CachedRows is the number of decoded rows that the cache keeps for this table, an even number.
	// 0 turns the cache off.
	CachedRows int
	// Clone copies what a cached row points to, because the caller may change the row that it gets.
	// Nil: the row points to nothing.
	Clone func(T) T
}

// NotFoundError says that a table has no row under a key.
type NotFoundError struct {
	Noun string // of the table
}

func (e *NotFoundError) Error() string { return "no such " + e.Noun }

// Get returns the row under a primary key. Errors: *NotFoundError.
func (t *Table[T]) Get(tx AnyTx, key string) (*T, error) {
	row, err := t.Find(tx, key)
	if err == nil && row == nil {
		return nil, &NotFoundError{t.Noun}
	}
	return row, err
}

// Find returns the row under a primary key, or nil if it does not exist.
func (t *Table[T]) Find(tx AnyTx, key string) (*T, error) {
	k := []byte(key)
	return t.decode(tx, k, tx.base().Bucket([]byte(t.Name)).Get(k))
}

// Lookup returns the row under a key of a unique index, or nil if it does not exist.
func (t *Table[T]) Lookup(tx AnyTx, ix *Index[T], key string) (*T, error) {
	primary := tx.base().Bucket([]byte(ix.Name)).Get([]byte(key))
	if primary == nil {
		return nil, nil
	}
	return t.Find(tx, string(primary))
}

// decode returns the row of a stored value, or nil for a nil value. The row belongs to the caller.
func (t *Table[T]) decode(tx AnyTx, key, value []byte) (*T, error) {
	row, err := t.peek(tx, key, value)
	if row == nil {
		return nil, err
	}
	return t.copyOf(row), nil
}

// peek is decode without the copy: the cache may share the row, so the caller must not change it.
func (t *Table[T]) peek(tx AnyTx, key, value []byte) (*T, error) {
	if value == nil {
		return nil, nil
	}
	cached := tx.base().Cache.rowsOf(t.Name)
	if row, ok := cached.get(key, value).(*T); ok {
		return row, nil
	}
	row := new(T)
	if err := json.Unmarshal(value, row); err != nil {
		return nil, fmt.Errorf("reading a row of %s: %w", t.Name, err)
	}
	if cached != nil {
		cached.put(bytes.Clone(key), bytes.Clone(value), row)
	}
	return row, nil
}

func (t *Table[T]) copyOf(row *T) *T {
	copied := *row
	if t.Clone != nil {
		copied = t.Clone(copied)
	}
	return &copied
}

// Put writes a row and its index entries.
func (t *Table[T]) Put(tx AnyTx, row *T) error {
	value, err := json.Marshal(row)
	if err != nil {
		return fmt.Errorf("writing a row of %s: %w", t.Name, err)
	}
	b, key := tx.base().Bucket([]byte(t.Name)), t.Key(row)
	old := b.Get(key)
	if err := t.updateIndexes(tx, old, value, row, key); err != nil {
		return err
	}
	if t.Undoable {
		tx.base().Wrote(t.Name, key, old, value)
	}
	if cached := tx.base().Cache.rowsOf(t.Name); cached != nil {
		cached.put(key, value, t.copyOf(row))
	}
	b.FillPercent = fillPercent
	return b.Put(key, value)
}

// Delete removes the row under a primary key and its index entries. It does nothing when there is
// no such row.
func (t *Table[T]) Delete(tx AnyTx, key string) error {
	b := tx.base().Bucket([]byte(t.Name))
	old := b.Get([]byte(key))
	if err := t.updateIndexes(tx, old, nil, nil, []byte(key)); err != nil {
		return err
	}
	if t.Undoable {
		tx.base().Wrote(t.Name, []byte(key), old, nil)
	}
	return b.Delete([]byte(key))
}

// updateIndexes replaces the index entries and the bytes of the stored value old by the entries and
// bytes of row, whose value is fresh. Both row and fresh are nil for a deletion.
func (t *Table[T]) updateIndexes(tx AnyTx, old, fresh []byte, row *T, primary []byte) error {
	if len(t.Indexes) == 0 && t.Owner == nil && t.Subject == nil {
		return nil
	}
	before, err := t.peek(tx, primary, old)
	if err != nil {
		return err
	}
	if t.SameEntries == nil || before == nil || row == nil || !t.SameEntries(before, row) {
		for _, ix := range t.Indexes {
			if err := ix.replace(tx, before, row, primary); err != nil {
				return fmt.Errorf("indexing %s: %w", ix.Name, err)
			}
		}
	}

	some := cmp.Or(row, before)
	if t.Owner != nil && some != nil {
		if err := addCount(tx, Key(t.Name, t.Owner(some)), len(fresh)-len(old)); err != nil {
			return err
		}
	}

	if t.Subject != nil && some != nil {
		return tx.base().Changed(t.Subject(some))
	}
	return nil
}

// Expired returns the primary keys of the rows that are stale now.
func (t *Table[T]) Expired(tx AnyTx) (keys []string, err error) {
	if t.Stale == nil {
		return nil, nil
	}
	err = t.Each(tx, func(row *T) error {
		if t.Stale(row, tx.base().Now) {
			keys = append(keys, string(t.Key(row)))
		}
		return nil
	})
	return keys, err
}

// DeleteExpired deletes the rows under primary keys that are still stale.
func (t *Table[T]) DeleteExpired(tx AnyTx, keys []string) error {
	for _, key := range keys {
		row, err := t.Find(tx, key)
		if err == nil && row != nil && t.Stale(row, tx.base().Now) {
			err = t.Delete(tx, key)
		}
		if err != nil {
			return err
		}
	}

	return nil
}

// DeleteAll deletes the rows that an index lists under the given parts, until the transaction has
// no room left.
func (t *Table[T]) DeleteAll(tx AnyTx, ix *Index[T], parts ...any) error {
	base := tx.base()
	for _, key := range t.Keys(tx, base.Room, ix, parts...) {
		size := len(base.Bucket([]byte(t.Name)).Get([]byte(key)))
		if err := t.Delete(tx, key); err != nil || !base.Spend(size) {
			return err
		}
	}

	return nil
}

// Bytes returns the sum of the sizes of an owner's rows. The table must have an Owner.
func (t *Table[T]) Bytes(tx AnyTx, owner string) int { return storedCount(tx, Key(t.Name, owner)) }

// List returns the rows whose keys in an index begin with the given parts, in index order.
func (t *Table[T]) List(tx AnyTx, ix *Index[T], parts ...any) ([]*T, error) {
	var rows []*T
	prefix := Prefix(parts...)
	c := tx.base().Bucket([]byte(ix.Name)).Cursor()
	for k, primary := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, primary = c.Next() {
		row, err := t.Find(tx, string(primary))
		if err != nil {
			return nil, err
		}
		if row != nil {
			rows = append(rows, row)
		}
	}

	return rows, nil
}

// Keys returns the primary keys of the first rows that List returns, at most as many as most.
func (t *Table[T]) Keys(tx AnyTx, most int, ix *Index[T], parts ...any) (keys []string) {
	prefix := Prefix(parts...)
	c := tx.base().Bucket([]byte(ix.Name)).Cursor()
	for k, primary := c.Seek(prefix); bytes.HasPrefix(k, prefix) && len(keys) < most; k, primary = c.Next() {
		keys = append(keys, string(primary))
	}
	return keys
}

// Entries returns what follows the given parts in the keys of an index, in index order: the other
// parts, and the primary key. It reads no rows.
func (t *Table[T]) Entries(tx AnyTx, ix *Index[T], parts ...any) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		prefix := Prefix(parts...)
		c := tx.base().Bucket([]byte(ix.Name)).Cursor()
		for k, _ := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, _ = c.Next() {
			if !yield(k[len(prefix):]) {
				return
			}
		}
	}
}

// Page selects a part of a list: Number counts from 1, Size is in rows. The zero Page selects the
// whole list.
type Page struct{ Number, Size int }

// Cut returns the rows of a list that a page selects.
func Cut[T any](list []T, p Page) []T {
	if p.Size <= 0 {
		return list
	}
	first := min((max(p.Number, 1)-1)*p.Size, len(list))
	return list[first:min(first+p.Size, len(list))]
}

// Page returns one page of what List returns, in reverse order, and the number of rows in all. It
// reads the rows of the page only. With a counted index it also reads no index entry past the page.
func (t *Table[T]) Page(tx AnyTx, p Page, ix *Index[T], parts ...any) ([]*T, int, error) {
	var keys []string
	total, first := 0, 0
	if p.Size > 0 {
		first = (max(p.Number, 1) - 1) * p.Size
	}
	prefix := Prefix(parts...)
	c := tx.base().Bucket([]byte(ix.Name)).Cursor()
	for k, primary := seekLast(c, prefix); k != nil && bytes.HasPrefix(k, prefix); k, primary = c.Prev() {
		if p.Size > 0 && total == first+p.Size && ix.Counted {
			break
		}
		if total >= first && (p.Size <= 0 || total < first+p.Size) {
			keys = append(keys, string(primary))
		}
		total++
	}

	if ix.Counted {
		total = t.Count(tx, ix, parts...)
	}
	rows := make([]*T, 0, len(keys))
	for _, key := range keys {
		row, err := t.Get(tx, key)
		if err != nil {
			return nil, 0, err
		}
		rows = append(rows, row)
	}

	return rows, total, nil
}

// seekLast moves a cursor to the last key with a prefix that ends in a zero byte.
func seekLast(c *bolt.Cursor, prefix []byte) (k, v []byte) {
	end := bytes.Clone(prefix)
	end[len(end)-1] = 1
	if k, _ := c.Seek(end); k == nil {
		return c.Last()
	}
	return c.Prev()
}

// Count returns the number of index entries that begin with the given parts. For a counted index it
// takes the first part only, and reads the stored number.
func (t *Table[T]) Count(tx AnyTx, ix *Index[T], parts ...any) int {
	if ix.Counted {
		return storedCount(tx, Key(ix.Name, parts[0]))
	}
	n := 0
	prefix := Prefix(parts...)
	c := tx.base().Bucket([]byte(ix.Name)).Cursor()
	for k, _ := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		n++
	}
	return n
}

// Len returns the number of rows. It visits every key.
func (t *Table[T]) Len(tx AnyTx) int {
	n := 0
	c := tx.base().Bucket([]byte(t.Name)).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		n++
	}
	return n
}

// Each calls fn with every row in the order of the primary keys. fn must not write to the table.
func (t *Table[T]) Each(tx AnyTx, fn func(*T) error) error {
	return tx.base().Bucket([]byte(t.Name)).ForEach(func(key, value []byte) error {
		row, err := t.decode(tx, key, value)
		if err != nil {
			return err
		}
		return fn(row)
	})
}

// NextSeq returns a number that grows with every call, for rows that are listed by age.
func (t *Table[T]) NextSeq(tx AnyTx) (uint64, error) {
	return tx.base().Bucket([]byte(t.Name)).NextSequence()
}

// LastSeq returns the last number that NextSeq returned, 0 before the first call.
func (t *Table[T]) LastSeq(tx AnyTx) uint64 { return tx.base().Bucket([]byte(t.Name)).Sequence() }

// First returns the first row of what List returns, or nil if it does not exist.
func (t *Table[T]) First(tx AnyTx, ix *Index[T], parts ...any) (*T, error) {
	prefix := Prefix(parts...)
	k, primary := tx.base().Bucket([]byte(ix.Name)).Cursor().Seek(prefix)
	if k == nil || !bytes.HasPrefix(k, prefix) {
		return nil, nil
	}
	return t.Get(tx, string(primary))
}

// Due returns the rows whose key in an index by time is not after now, the earliest first.
func (t *Table[T]) Due(tx AnyTx, ix *Index[T], now time.Time) ([]*T, error) {
	var due []*T
	end := append(Key(now), 0xff)
	c := tx.base().Bucket([]byte(ix.Name)).Cursor()
	for k, primary := c.First(); k != nil && bytes.Compare(k, end) < 0; k, primary = c.Next() {
		row, err := t.Get(tx, string(primary))
		if err != nil {
			return nil, err
		}
		due = append(due, row)
	}

	return due, nil
}
