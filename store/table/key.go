package table

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"
)

// Key joins parts with zero bytes. A part is a string, a uint64 or a time.Time; Key panics on any
// other type.
func Key(parts ...any) []byte {
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
			panic(fmt.Sprintf("table: no key encoding for %T", part))
		}
	}

	return k
}

// Prefix returns the bytes that all keys with these first parts, and at least one more part, begin
// with. It is empty without parts.
func Prefix(parts ...any) []byte {
	if len(parts) == 0 {
		return nil
	}
	return append(Key(parts...), 0)
}

// Fold returns a name in lower case without outer spaces, so that names that differ only in case
// are equal.
func Fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// Entry returns the keys of a row that has exactly one entry in an index.
func Entry(parts ...any) [][]byte { return [][]byte{Key(parts...)} }
