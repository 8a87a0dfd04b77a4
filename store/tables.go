package store

import (
	"fmt"
	"slices"

	"roughcut/store/account"
	"roughcut/store/billing"
	"roughcut/store/table"
)

// Buckets that are not tables. The counts of indexes are in table.CountsBucket.
const (
	bucketMeta       = "meta"
	bucketTombstones = "tombstones"
	bucketEvents     = "events"
	bucketEventIDs   = "event_ids"
	bucketWords      = "transcripts"
	bucketSpeakers   = "speakers"
	bucketEvidence   = "evidence"
	bucketChanges    = "index_changes"
)

// Keys in the meta bucket.
const (
	metaSchema   = "schema"   // eight bytes
	metaSecret   = "secret"   // 32 random bytes
	metaInstance = "instance" // id of this database, which its search index also has
	metaOwner    = "owner"    // uuid of the local account in owner mode
	metaSpeech   = "speech"   // file name of the speech model that an admin selected
	metaSpeed    = "speed"    // JSON of renderSpeed, measured in finished exports
)

// tables returns all tables.
func tables() []table.Any {
	return slices.Concat(account.Tables(), billing.Tables(), []table.Any{
		mails,
		projects,
		deletions,
		duplications,
		clips,
		files,
		uploadParts,
		jobs,
		runs,
		edits,
		history,
		historyStepsTable,
		takeGroups,
		captions,
		drafts,
		draftContents,
		markers,
		shorts,
		exports,
		exportInputs,
		presets,
		previewPresets,
		wordLists,
		accountSettings,
		assets,
		groups,
		memberships,
		responses,
	})
}

// createBuckets creates the missing buckets.
func createBuckets(t *txn) error {
	names := []string{
		bucketMeta,
		bucketTombstones,
		bucketEvents,
		bucketEventIDs,
		bucketWords,
		bucketSpeakers,
		bucketEvidence,
		bucketChanges,
		table.CountsBucket,
	}
	for _, tab := range tables() {
		names = append(names, tab.Buckets()...)
	}
	for _, name := range names {
		if _, err := t.CreateBucketIfNotExists([]byte(name)); err != nil {
			return fmt.Errorf("creating the bucket %s: %w", name, err)
		}
	}

	return nil
}

// cloned returns a pointer to a copy of what p points to, nil for nil.
func cloned[T any](p *T) *T {
	if p == nil {
		return nil
	}
	copied := *p
	return &copied
}
