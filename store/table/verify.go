package table

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Verify compares the indexes with the rows, see [Any].
func (t *Table[T]) Verify(tx AnyTx, report func(code, message string)) error {
	want := map[string]map[string]bool{}
	for _, ix := range t.Indexes {
		want[ix.Name] = map[string]bool{}
		if ix.Counted {
			if err := ix.verifyCounts(tx, report); err != nil {
				return err
			}
		}
	}

	if t.Owner != nil {
		if err := t.verifyBytes(tx, report); err != nil {
			return err
		}
	}

	err := t.Each(tx, func(row *T) error {
		for _, ix := range t.Indexes {
			for _, k := range ix.entries(ix.Keys(row), t.Key(row)) {
				want[ix.Name][string(k)] = true
			}
		}

		return nil
	})
	if err != nil {
		return err
	}
	for name, keys := range want {
		if err := verifyEntries(tx, name, keys, report); err != nil {
			return err
		}
	}

	return nil
}

// verifyEntries compares the entries of an index with the keys that it must hold.
func verifyEntries(tx AnyTx, name string, keys map[string]bool, report func(code, message string)) error {
	n := 0
	err := tx.base().Bucket([]byte(name)).ForEach(func(k, _ []byte) error {
		n++
		if !keys[string(k)] {
			report("index_entry", fmt.Sprintf("The index %s has an entry for a row that does not exist.", name))
		}
		return nil
	})
	if err == nil && n < len(keys) {
		report("index_entry", fmt.Sprintf("The index %s lacks entries for %d rows.", name, len(keys)-n))
	}
	return err
}

// verifyCounts compares the stored numbers of entries with the entries of a counted index.
func (ix *Index[T]) verifyCounts(tx AnyTx, report func(code, message string)) error {
	entries := map[string]uint64{}
	err := tx.base().Bucket([]byte(ix.Name)).ForEach(func(k, _ []byte) error {
		entries[string(ix.countKey(k))]++
		return nil
	})
	if err != nil {
		return err
	}
	compareCounts(tx, ix.Name, entries, func(want, stored uint64) {
		report(
			"index_count",
			fmt.Sprintf("The index %s has %d entries for a list but counts %d.", ix.Name, want, stored),
		)
	})
	return nil
}

// verifyBytes compares the stored bytes of owners with the sizes of their rows.
func (t *Table[T]) verifyBytes(tx AnyTx, report func(code, message string)) error {
	sums := map[string]uint64{}
	err := t.eachSize(tx, func(owner string, size int) error {
		sums[string(Key(t.Name, owner))] += uint64(size)
		return nil
	})
	compareCounts(tx, t.Name, sums, func(want, stored uint64) {
		report("row_bytes", fmt.Sprintf("The rows of an owner in %s have %d bytes but count %d.", t.Name, want, stored))
	})
	return err
}

// compareCounts calls differ for each number of a name in CountsBucket that is not the wanted one.
func compareCounts(tx AnyTx, name string, want map[string]uint64, differ func(want, stored uint64)) {
	prefix := Prefix(name)
	cursor := tx.base().Bucket([]byte(CountsBucket)).Cursor()
	for k, v := cursor.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = cursor.Next() {
		if n := binary.BigEndian.Uint64(v); n != want[string(k)] {
			differ(want[string(k)], n)
		}
		delete(want, string(k))
	}

	for _, n := range want {
		differ(n, 0)
	}
}
