package table

import (
	"time"

	bolt "go.etcd.io/bbolt"
)

// Tx is a transaction of the database that holds the tables. Who opens it sets its fields, and
// calls Committed after the commit.
type Tx struct {
	*bolt.Tx
	Cache *Cache        // of decoded rows, shared by all transactions of the database
	Now   time.Time     // UTC, whole milliseconds: one time for the whole transaction
	NewID func() string // returns a new unique id
	Room  int           // rows and KiB that the transaction may still delete or copy, see Spend
	// Changed takes note that a row with this subject was written or deleted.
	Changed func(subject string) error
	// Wrote takes note of the stored values of a row of a table with Undoable before and after a
	// write; nil stands for no row. The transaction may change before once Wrote has returned.
	Wrote func(table string, key, before, after []byte)

	onCommit []func()
	read     map[string]*bolt.Bucket // buckets that a read transaction has opened
}

// AnyTx is a Tx, or a type that embeds one.
type AnyTx interface{ base() *Tx }

func (tx *Tx) base() *Tx { return tx }

// Bucket returns a bucket, or nil when it does not exist. bbolt does not cache buckets in read
// transactions, so Bucket does.
func (tx *Tx) Bucket(name []byte) *bolt.Bucket {
	if tx.Writable() {
		return tx.Tx.Bucket(name)
	}
	b, ok := tx.read[string(name)]
	if !ok {
		if b = tx.Tx.Bucket(name); tx.read == nil {
			tx.read = map[string]*bolt.Bucket{}
		}
		tx.read[string(name)] = b
	}

	return b
}

// OnCommit makes Committed call fn. The method of bbolt with this name calls functions before the
// caller knows whether the commit took effect.
func (tx *Tx) OnCommit(fn func()) { tx.onCommit = append(tx.onCommit, fn) }

// Committed calls the functions that OnCommit received, in their order.
func (tx *Tx) Committed() {
	for _, fn := range tx.onCommit {
		fn()
	}
}

// Spend counts a deleted or copied row of a size, and reports whether the transaction has room for
// another.
func (tx *Tx) Spend(bytes int) bool {
	tx.Room -= 1 + bytes>>10
	return tx.Room > 0
}
