package table

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// CountsBucket holds the number of entries of counted indexes: index name and first part of a key
// lead to a uint64. It also holds the bytes of rows by table name and owner.
const CountsBucket = "counts"

// Index is a secondary index of a table, in its own bucket.
type Index[T any] struct {
	Name   string // of the bucket
	Unique bool   // a key belongs to at most one row
	// Counted keeps the number of entries for each first part of a key, so that a page of a long
	// list does not count the whole list.
	Counted bool
	// Keys returns the keys of a row. A row without keys is not in the index.
	Keys func(*T) [][]byte
}

// entries turns the keys of a row into keys of the bucket.
func (ix *Index[T]) entries(keys [][]byte, primary []byte) [][]byte {
	if ix.Unique {
		return keys
	}
	for i, k := range keys {
		keys[i] = append(append(k[:len(k):len(k)], 0), primary...)
	}
	return keys
}

// replace removes the entries of before and writes the entries of after. Either may be nil.
func (ix *Index[T]) replace(tx AnyTx, before, after *T, primary []byte) error {
	var stale, fresh [][]byte
	if before != nil {
		stale = ix.Keys(before)
	}
	if after != nil {
		fresh = ix.Keys(after)
	}
	if slices.EqualFunc(stale, fresh, bytes.Equal) {
		return nil
	}
	stale, fresh = ix.entries(stale, primary), ix.entries(fresh, primary)
	b := tx.base().Bucket([]byte(ix.Name))
	for _, k := range stale {
		if !contains(fresh, k) {
			if err := b.Delete(k); err != nil {
				return err
			}
			if err := ix.recount(tx, k, -1); err != nil {
				return err
			}
		}
	}

	for _, k := range fresh {
		if !contains(stale, k) {
			if err := b.Put(k, primary); err != nil {
				return err
			}
			if err := ix.recount(tx, k, 1); err != nil {
				return err
			}
		}
	}

	return nil
}

func contains(keys [][]byte, k []byte) bool {
	return slices.ContainsFunc(keys, func(other []byte) bool { return bytes.Equal(other, k) })
}

// recount adds change to the stored number of entries with the first part of entry: 1 after an
// entry was added, -1 after it was deleted.
func (ix *Index[T]) recount(tx AnyTx, entry []byte, change int) error {
	if !ix.Counted {
		return nil
	}
	return addCount(tx, ix.countKey(entry), change)
}

// addCount adds change to a number in CountsBucket.
func addCount(tx AnyTx, k []byte, change int) error {
	if change == 0 {
		return nil
	}
	b, n := tx.base().Bucket([]byte(CountsBucket)), change
	if kept := b.Get(k); kept != nil {
		n += int(binary.BigEndian.Uint64(kept))
	}
	if n == 0 {
		return b.Delete(k)
	}
	return b.Put(k, Key(uint64(n)))
}

// countKey returns the key in CountsBucket that counts an entry.
func (ix *Index[T]) countKey(entry []byte) []byte {
	first, _, _ := bytes.Cut(entry, []byte{0})
	return Key(ix.Name, string(first))
}

// storedCount returns a number in CountsBucket.
func storedCount(tx AnyTx, k []byte) int {
	kept := tx.base().Bucket([]byte(CountsBucket)).Get(k)
	if kept == nil {
		return 0
	}
	return int(binary.BigEndian.Uint64(kept))
}

// Any is a Table of any row type.
type Any interface {
	// Buckets returns the names of the table's bucket and of the buckets of its indexes.
	Buckets() []string
	// Verify compares the indexes and the counts with the rows. It reports each difference with the
	// code index_entry, index_count or row_bytes; an error means that the comparison itself failed.
	Verify(tx AnyTx, report func(code, message string)) error
	// Expired returns the primary keys of the rows that are stale now.
	Expired(tx AnyTx) ([]string, error)
	// DeleteExpired deletes the rows under primary keys that are still stale.
	DeleteExpired(tx AnyTx, keys []string) error
	inner
}

// inner is what this package needs of a table of any row type.
type inner interface {
	rebuild(tx AnyTx) error
	cache() (name string, rows int)
}

// Buckets returns the names of the table's bucket and of the buckets of its indexes.
func (t *Table[T]) Buckets() []string {
	names := []string{t.Name}
	for _, ix := range t.Indexes {
		names = append(names, ix.Name)
	}
	return names
}

// Rebuild deletes the indexes of tables and the counts, and writes them from the rows. A migration
// calls it when it adds or changes an index or an owner.
func Rebuild(tx AnyTx, tables ...Any) error {
	if err := tx.base().DeleteBucket([]byte(CountsBucket)); err != nil {
		return err
	}
	if _, err := tx.base().CreateBucket([]byte(CountsBucket)); err != nil {
		return err
	}
	for _, t := range tables {
		if err := t.rebuild(tx); err != nil {
			return err
		}
	}

	return nil
}

// eachSize calls fn with the owner and the size of each row.
func (t *Table[T]) eachSize(tx AnyTx, fn func(owner string, size int) error) error {
	return tx.base().Bucket([]byte(t.Name)).ForEach(func(key, value []byte) error {
		row, err := t.peek(tx, key, value)
		if err != nil {
			return err
		}
		return fn(t.Owner(row), len(value))
	})
}

func (t *Table[T]) rebuild(tx AnyTx) error {
	if t.Owner != nil {
		err := t.eachSize(tx, func(owner string, size int) error { return addCount(tx, Key(t.Name, owner), size) })
		if err != nil {
			return fmt.Errorf("summing the bytes of %s: %w", t.Name, err)
		}
	}

	for _, ix := range t.Indexes {
		if err := tx.base().DeleteBucket([]byte(ix.Name)); err != nil {
			return err
		}
		b, err := tx.base().CreateBucket([]byte(ix.Name))
		if err != nil {
			return err
		}
		err = t.Each(tx, func(row *T) error {
			for _, entry := range ix.entries(ix.Keys(row), t.Key(row)) {
				if err := b.Put(entry, t.Key(row)); err != nil {
					return err
				}
				if err := ix.recount(tx, entry, 1); err != nil {
					return err
				}
			}

			return nil
		})
		if err != nil {
			return fmt.Errorf("indexing %s: %w", ix.Name, err)
		}
	}

	return nil
}
