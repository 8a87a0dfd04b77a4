package store

// createSchema3Buckets migrates schema 2 to schema 3, which has more buckets.
func createSchema3Buckets(t *txn) error { return createBuckets(t) }
