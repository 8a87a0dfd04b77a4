package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
)

// table is a typed bucket: rows of T as JSON under a primary key, with secondary indexes that put
// and delete keep in step.
type table[T any] struct {
	name    string
	what    string // the noun in messages: "project"
	key     func(*T) []byte
	indexes []*index[T]
	recent  recent[T]
	// uuid of what a search finds by a row: the search index follows every change; nil for none
	found func(*T) string

	// whether no index entry differs, where that is cheaper to see than to make the keys; nil: they
	// are made
	indexedAlike func(before, after *T) bool
}

// filled is how full a page is left where it is split: new keys come last, since they grow with
// time.
const filled = 0.9

// index is a secondary index of a table, a bucket of its own. An entry's key is what keys returned,
// followed by a zero byte and the primary key unless the index is unique; its value is the primary
// key.
type index[T any] struct {
	name    string
	unique  bool
	counted bool              // how many entries have the same first part is kept, for lists that are long
	keys    func(*T) [][]byte // none leaves the row out
}

// schema is what store needs to know of a table without its type.
type schema interface {
	buckets() []string
	verify(*check) error
	renewIndexes(*txn) error
}

func (t *table[T]) buckets() []string {
	names := []string{t.name}
	for _, ix := range t.indexes {
		names = append(names, ix.name)
	}
	return names
}

// get returns the row under a primary key, or a NotFound error.
func (t *table[T]) get(tx *txn, key string) (*T, error) {
	row, err := t.find(tx, key)
	if err == nil && row == nil {
		return nil, notFound(t.what)
	}
	return row, err
}

// find returns the row under a primary key, or nil.
func (t *table[T]) find(tx *txn, key string) (*T, error) {
	k := []byte(key)
	return t.decode(k, tx.Bucket([]byte(t.name)).Get(k))
}

// lookup returns the row that a unique index names, or nil.
func (t *table[T]) lookup(tx *txn, ix *index[T], key string) (*T, error) {
	primary := tx.Bucket([]byte(ix.name)).Get([]byte(key))
	if primary == nil {
		return nil, nil
	}
	return t.find(tx, string(primary))
}

// decode returns the row of a value, or nil where that is nil.
func (t *table[T]) decode(key, value []byte) (*T, error) {
	row, err := t.peek(key, value)
	if row == nil {
		return nil, err
	}
	return t.recent.copied(row), nil
}

// peek is decode without a copy: nobody may change the row.
func (t *table[T]) peek(key, value []byte) (*T, error) {
	if value == nil {
		return nil, nil
	}
	if row := t.recent.get(key, value); row != nil {
		return row, nil
	}
	row := new(T)
	if err := json.Unmarshal(value, row); err != nil {
		return nil, fmt.Errorf("reading a row of %s: %w", t.name, err)
	}
	t.recent.put(bytes.Clone(key), bytes.Clone(value), row)
	return row, nil
}

// put writes a row and its index entries.
func (t *table[T]) put(tx *txn, row *T) error {
	value, err := json.Marshal(row)
	if err != nil {
		return fmt.Errorf("writing a row of %s: %w", t.name, err)
	}
	b, key := tx.Bucket([]byte(t.name)), t.key(row)
	if err := t.reindex(tx, b.Get(key), row, key); err != nil {
		return err
	}
	t.recent.put(key, value, t.recent.copied(row))
	b.FillPercent = filled
	return b.Put(key, value)
}

// delete removes a row and its index entries; a row that is absent is no error.
func (t *table[T]) delete(tx *txn, key string) error {
	b := tx.Bucket([]byte(t.name))
	if err := t.reindex(tx, b.Get([]byte(key)), nil, []byte(key)); err != nil {
		return err
	}
	return b.Delete([]byte(key))
}

// reindex replaces the index entries of the stored value old by those of row, which is nil for a
// deletion.
func (t *table[T]) reindex(tx *txn, old []byte, row *T, primary []byte) error {
	if len(t.indexes) == 0 {
		return nil
	}
	before, err := t.peek(primary, old)
	if err != nil {
		return err
	}
	if t.indexedAlike == nil || before == nil || row == nil || !t.indexedAlike(before, row) {
		for _, ix := range t.indexes {
			if err := ix.replace(tx, before, row, primary); err != nil {
				return fmt.Errorf("indexing %s: %w", ix.name, err)
			}
		}
	}
	if some := cmp.Or(row, before); t.found != nil && some != nil {
		return tx.changed(t.found(some))
	}
	return nil
}

func (ix *index[T]) replace(tx *txn, before, after *T, primary []byte) error {
	var stale, fresh [][]byte
	if before != nil {
		stale = ix.keys(before)
	}
	if after != nil {
		fresh = ix.keys(after)
	}
	if slices.EqualFunc(stale, fresh, bytes.Equal) {
		return nil
	}
	stale, fresh = ix.entries(stale, primary), ix.entries(fresh, primary)
	b := tx.Bucket([]byte(ix.name))
	for _, k := range stale {
		if !contains(fresh, k) {
			if err := errors.Join(b.Delete(k), ix.recount(tx, k, -1)); err != nil {
				return err
			}
		}
	}
	for _, k := range fresh {
		if !contains(stale, k) {
			if err := errors.Join(b.Put(k, primary), ix.recount(tx, k, 1)); err != nil {
				return err
			}
		}
	}
	return nil
}

// recount keeps the number of entries that begin with the first part of one that was added (1) or
// deleted (-1).
func (ix *index[T]) recount(tx *txn, entry []byte, change int) error {
	if !ix.counted {
		return nil
	}
	first, _, _ := bytes.Cut(entry, []byte{0})
	b, k := tx.Bucket([]byte(bucketCounts)), key(ix.name, string(first))
	n := change
	if kept := b.Get(k); kept != nil {
		n += int(binary.BigEndian.Uint64(kept))
	}
	if n == 0 {
		return b.Delete(k)
	}
	return b.Put(k, key(uint64(n)))
}

// renewIndexes writes the indexes and their counts anew, as a migration needs that adds some.
func (t *table[T]) renewIndexes(tx *txn) error {
	for _, ix := range t.indexes {
		if err := tx.DeleteBucket([]byte(ix.name)); err != nil {
			return err
		}
		b, err := tx.CreateBucket([]byte(ix.name))
		if err != nil {
			return err
		}
		err = t.all(tx, func(row *T) error {
			for _, entry := range ix.entries(ix.keys(row), t.key(row)) {
				if err := errors.Join(b.Put(entry, t.key(row)), ix.recount(tx, entry, 1)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("indexing %s: %w", ix.name, err)
		}
	}
	return nil
}

// entries turns what keys returned for a row into keys of the bucket.
func (ix *index[T]) entries(keys [][]byte, primary []byte) [][]byte {
	if ix.unique {
		return keys
	}
	for i, k := range keys {
		keys[i] = append(append(k[:len(k):len(k)], 0), primary...)
	}
	return keys
}

// list returns the rows whose index entry begins with the given parts, in the order of the index.
func (t *table[T]) list(tx *txn, ix *index[T], parts ...any) ([]*T, error) {
	var rows []*T
	prefix := keyPrefix(parts...)
	c := tx.Bucket([]byte(ix.name)).Cursor()
	for k, primary := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, primary = c.Next() {
		row, err := t.find(tx, string(primary))
		if err != nil {
			return nil, err
		}
		if row != nil {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// page returns one page of what list returns, last entry first, and how many there are in all. Only
// the page's rows are read, and of an index that is counted only the entries before them.
func (t *table[T]) page(tx *txn, p Page, ix *index[T], parts ...any) ([]*T, int, error) {
	var keys []string
	total, first := 0, 0
	if p.Size > 0 {
		first = (max(p.Number, 1) - 1) * p.Size
	}
	prefix := keyPrefix(parts...)
	c := tx.Bucket([]byte(ix.name)).Cursor()
	for k, primary := seekLast(c, prefix); k != nil && bytes.HasPrefix(k, prefix); k, primary = c.Prev() {
		if p.Size > 0 && total == first+p.Size && ix.counted {
			break
		}
		if total >= first && (p.Size <= 0 || total < first+p.Size) {
			keys = append(keys, string(primary))
		}
		total++
	}
	if ix.counted {
		total = t.count(tx, ix, parts...)
	}
	rows := make([]*T, 0, len(keys))
	for _, key := range keys {
		row, err := t.get(tx, key)
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

// count returns how many index entries begin with the given parts, of a counted index with the
// first one.
func (t *table[T]) count(tx *txn, ix *index[T], parts ...any) int {
	if ix.counted {
		kept := tx.Bucket([]byte(bucketCounts)).Get(key(ix.name, parts[0]))
		if kept == nil {
			return 0
		}
		return int(binary.BigEndian.Uint64(kept))
	}
	n := 0
	prefix := keyPrefix(parts...)
	c := tx.Bucket([]byte(ix.name)).Cursor()
	for k, _ := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		n++
	}
	return n
}

// rows returns how many rows there are.
func (t *table[T]) rows(tx *txn) int {
	n := 0
	c := tx.Bucket([]byte(t.name)).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		n++
	}
	return n
}

// all calls fn with every row in the order of the primary key. fn must not write to the table.
func (t *table[T]) all(tx *txn, fn func(*T) error) error {
	return tx.Bucket([]byte(t.name)).ForEach(func(key, value []byte) error {
		row, err := t.decode(key, value)
		if err != nil {
			return err
		}
		return fn(row)
	})
}

// next returns a number that grows with every call, for rows that are ordered by age.
func (t *table[T]) next(tx *txn) (uint64, error) {
	return tx.Bucket([]byte(t.name)).NextSequence()
}

// key joins parts with zero bytes: strings as they are, numbers and times as eight bytes that sort
// in order.
func key(parts ...any) []byte {
	var k []byte
	for i, part := range parts {
		if i > 0 {
			k = append(k, 0)
		}
		switch v := part.(type) {
		case string:
			k = append(k, v...)
		case uint64:
			k = binary.BigEndian.AppendUint64(k, v)
		case time.Time:
			k = binary.BigEndian.AppendUint64(k, uint64(v.UnixMilli()))
		default:
			panic(fmt.Sprintf("store: no key encoding for %T", part))
		}
	}
	return k
}

// keyPrefix is what all keys that go on after parts begin with. Without parts it is empty.
func keyPrefix(parts ...any) []byte {
	if len(parts) == 0 {
		return nil
	}
	return append(key(parts...), 0)
}

// one is the only index entry of a row.
func one(parts ...any) [][]byte { return [][]byte{key(parts...)} }

func contains(keys [][]byte, k []byte) bool {
	for _, other := range keys {
		if bytes.Equal(other, k) {
			return true
		}
	}
	return false
}
