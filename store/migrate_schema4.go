package store

// createSchema4Buckets migrates schema 3 to schema 4, which has more buckets.
func createSchema4Buckets(t *txn) error { return createBuckets(t) }
