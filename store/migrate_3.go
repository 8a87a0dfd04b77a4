package store

// bucketsOf3 makes schema 3 of schema 2, which had none of the buckets that came later.
func bucketsOf3(t *txn) error { return createBuckets(t) }
