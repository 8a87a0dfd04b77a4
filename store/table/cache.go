package table

import (
	"bytes"
	"hash/maphash"
	"sync/atomic"
)

// Cache keeps rows that were read or written recently in decoded form, because decoding is most of
// the cost of a list. Several goroutines may use it at once.
//
// An entry counts only for the exact value that it was decoded from. It may be missing, but it is
// never stale, even when a transaction that wrote the row was rolled back.
type Cache struct {
	tables map[string]*cachedRows
}

// NewCache returns an empty cache with room for the rows that tables ask for in CachedRows.
func NewCache(tables ...Any) *Cache {
	c := &Cache{tables: map[string]*cachedRows{}}
	for _, t := range tables {
		if name, rows := t.cache(); rows > 0 {
			c.tables[name] = &cachedRows{maphash.MakeSeed(), make([]atomic.Pointer[cachedRow], rows)}
		}
	}

	return c
}

func (t *Table[T]) cache() (name string, rows int) { return t.Name, t.CachedRows }

// rowsOf returns the cached rows of a table, or nil when the cache keeps none for it.
func (c *Cache) rowsOf(table string) *cachedRows { return c.tables[table] }

// cachedRows holds the decoded rows of one table. Each key has two slots, so that two keys with the
// same hash do not evict each other.
type cachedRows struct {
	seed  maphash.Seed
	slots []atomic.Pointer[cachedRow]
}

type cachedRow struct {
	key, value []byte
	row        any // a pointer to a row that must not change
}

// pair returns the two slots of a key.
func (c *cachedRows) pair(key []byte) []atomic.Pointer[cachedRow] {
	first := maphash.Bytes(c.seed, key) % uint64(len(c.slots)/2) * 2
	return c.slots[first : first+2]
}

// get returns the row that was decoded from a value under a key, or nil.
func (c *cachedRows) get(key, value []byte) any {
	if c == nil {
		return nil
	}
	pair := c.pair(key)
	for i := range pair {
		if kept := pair[i].Load(); kept != nil && bytes.Equal(kept.value, value) && bytes.Equal(kept.key, key) {
			return kept.row
		}
	}

	return nil
}

// put keeps a decoded row. It replaces the entry of the same key, or else the older of the pair.
// The cache keeps its arguments, so the caller must not change them afterwards.
func (c *cachedRows) put(key, value []byte, row any) {
	pair := c.pair(key)
	if newer := pair[0].Load(); newer != nil && !bytes.Equal(newer.key, key) {
		pair[1].Store(newer)
	}
	pair[0].Store(&cachedRow{key, value, row})
}
