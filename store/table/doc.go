// Package table keeps typed rows in bbolt buckets.
//
// # Nouns
//
//   - A Table is a bucket of rows of one Go type. A row is stored as JSON under its primary key.
//   - An Index is a bucket that leads from other keys to the primary keys of a table's rows. Put
//     and Delete update the indexes of their table in the same transaction.
//   - A Tx is the transaction that every call runs in, with its time, new ids and the work after
//     its commit. The caller opens and commits it.
//   - A Cache holds rows that were decoded recently, so that lists do not decode them again.
//
// A Table is a description: it holds no data and no state, so a package-level variable can hold it.
//
// # Keys
//
// A key with several parts has a zero byte between them. A string part is stored as is, a uint64 as
// eight bytes big endian, and a time.Time as its Unix milliseconds in eight bytes big endian. Keys
// therefore sort by their parts.
//
// The key of an index entry is the key that the index derives from the row. Unless the index is
// unique, a zero byte and the primary key follow. The value of the entry is the primary key.
//
// The bucket [CountsBucket] holds, for each counted index and each first part of its keys, the
// number of entries that begin with that part. For each table with an Owner and each owner, it
// holds the bytes of the owner's rows.
package table
