package store

import (
	"bytes"
	"hash/maphash"
	"sync/atomic"
)

// recent keeps rows as they were read or written last, so that lists and the rows that every
// request reads are not decoded each time: decoding is most of what a list costs. A row is found by
// its key and counts only for the value that it was kept with, so what is kept can be missing but
// never wrong, whatever was written meanwhile or taken back. The zero recent keeps nothing.
type recent[T any] struct {
	seed  maphash.Seed
	slots []atomic.Pointer[recentRow[T]]
	// copies what the row points to, since who gets a row may change it; nil where it points to
	// nothing
	clone func(T) T
}

type recentRow[T any] struct {
	key, value []byte
	row        *T // nobody's to change
}

// newRecent keeps up to so many rows, an even number.
func newRecent[T any](rows int, clone func(T) T) recent[T] {
	return recent[T]{maphash.MakeSeed(), make([]atomic.Pointer[recentRow[T]], rows), clone}
}

// slot returns the two places where the row of a key can be, so that two keys can share them.
func (c *recent[T]) slot(key []byte) []atomic.Pointer[recentRow[T]] {
	first := maphash.Bytes(c.seed, key) % uint64(len(c.slots)/2) * 2
	return c.slots[first : first+2]
}

// get returns the row that the value under a key was decoded to, or nil.
func (c *recent[T]) get(key, value []byte) *T {
	if len(c.slots) == 0 {
		return nil
	}
	slot := c.slot(key)
	for i := range slot {
		if kept := slot[i].Load(); kept != nil && bytes.Equal(kept.value, value) && bytes.Equal(kept.key, key) {
			return kept.row
		}
	}
	return nil
}

// put keeps the row that the value under a key was decoded to, in place of the one before or else
// of the older one of its slot. All that it is given belongs to it then.
func (c *recent[T]) put(key, value []byte, row *T) {
	if len(c.slots) == 0 {
		return
	}
	slot := c.slot(key)
	if newer := slot[0].Load(); newer != nil && !bytes.Equal(newer.key, key) {
		slot[1].Store(newer)
	}
	slot[0].Store(&recentRow[T]{key, value, row})
}

func (c *recent[T]) copied(row *T) *T {
	copied := *row
	if c.clone != nil {
		copied = c.clone(copied)
	}
	return &copied
}

// cloned returns a pointer to a copy of what p points to.
func cloned[T any](p *T) *T {
	if p == nil {
		return nil
	}
	copied := *p
	return &copied
}
