package store

import (
	"bytes"
	"hash/maphash"
	"sync/atomic"
)

// recent keeps rows as they were read last, so that lists and the rows that every request reads are not decoded each time: decoding
// is most of what a list costs. A row is found by its stored value, so what is kept can be missing but never wrong, whatever was
// written meanwhile or taken back. The zero recent keeps nothing.
type recent[T any] struct {
	seed  maphash.Seed
	slots []atomic.Pointer[recentRow[T]]
	clone func(T) T // copies what the row points to, since who gets a row may change it; nil where it points to nothing
}

type recentRow[T any] struct {
	value []byte
	row   T
}

// newRecent keeps up to so many rows.
func newRecent[T any](rows int, clone func(T) T) recent[T] {
	return recent[T]{maphash.MakeSeed(), make([]atomic.Pointer[recentRow[T]], rows), clone}
}

func (c *recent[T]) slot(value []byte) *atomic.Pointer[recentRow[T]] {
	return &c.slots[maphash.Bytes(c.seed, value)%uint64(len(c.slots))]
}

// get returns the row that a value was decoded to, or nil.
func (c *recent[T]) get(value []byte) *T {
	if len(c.slots) == 0 {
		return nil
	}
	kept := c.slot(value).Load()
	if kept == nil || !bytes.Equal(kept.value, value) {
		return nil
	}
	return c.copied(kept.row)
}

// put keeps the row that a value was decoded to.
func (c *recent[T]) put(value []byte, row *T) {
	if len(c.slots) > 0 {
		c.slot(value).Store(&recentRow[T]{bytes.Clone(value), *c.copied(*row)})
	}
}

func (c *recent[T]) copied(row T) *T {
	if c.clone != nil {
		row = c.clone(row)
	}
	return &row
}

// cloned returns a pointer to a copy of what p points to.
func cloned[T any](p *T) *T {
	if p == nil {
		return nil
	}
	copied := *p
	return &copied
}
