package store

import "roughcut/store/table"

// ledgerOfCredits migrates schema 1 to schema 2: credits are sums of movements, some indexes are
// counted, and there are more buckets.
func ledgerOfCredits(t *txn) error {
	if err := createBuckets(t); err != nil {
		return err
	}
	if err := t.books().OpenLedgers(ErrDamaged); err != nil {
		return err
	}
	return table.Rebuild(t, tables()...)
}
