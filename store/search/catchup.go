package search

import (
	"encoding/binary"
	"errors"

	"github.com/blevesearch/bleve/v2"
	indexapi "github.com/blevesearch/bleve_index_api"
)

const maxBatch = 1000 // documents in one write

// Keys in Bleve's internal storage.
var (
	// keySequence holds the number of the latest change that the index has, in eight bytes. It is
	// absent until the index is complete.
	keySequence = []byte("sequence")
	// keyInstance holds the database that the index was built from, followed by indexFormat.
	keyInstance = []byte("instance")
)

// pending is the work that brings an index up to date.
type pending struct {
	changes  []Change
	rebuild  bool   // the index must be filled from nothing
	upTo     uint64 // number of the latest change
	instance string
}

func (p pending) any() bool { return p.rebuild || len(p.changes) > 0 }

// pending compares the sequence number of an index with the source's.
func (x *Index) pending(ix bleve.Index) (pending, error) {
	var has, instance []byte
	err := callBleve(func() (err error) {
		if has, err = ix.GetInternal(keySequence); err == nil {
			instance, err = ix.GetInternal(keyInstance)
		}
		return err
	})
	if err != nil {
		return pending{}, err
	}
	at := uint64(0)
	if len(has) == 8 {
		at = binary.BigEndian.Uint64(has)
	}
	changes, err := x.source.Changes(at)
	if err != nil {
		return pending{}, err
	}
	work := pending{changes: changes.List, upTo: changes.Last, instance: changes.Instance + indexFormat}
	gap := at < work.upTo && (changes.First == 0 || changes.First > at+1)
	if len(has) != 8 || string(instance) != work.instance || at > work.upTo || gap {
		work.rebuild, work.changes = true, nil
	}
	return work, nil
}

// catchUp applies the changes that an index lacks. Errors: errClosed after Close.
func (x *Index) catchUp(ix bleve.Index) error {
	work, err := x.pending(ix)
	if err != nil || !work.any() {
		return err
	}
	if work.rebuild {
		if work.changes, err = x.everything(ix); err != nil {
			return err
		}
	}

	w := &writer{x: x, ix: ix, batch: ix.NewBatch()}
	for _, change := range work.changes {
		select {
		case <-x.stop:
			return errClosed
		default:
		}

		if !work.rebuild {
			w.seen(change.Number - 1) // the next batch completes all changes before this one
		}
		if err := w.subject(change.Subject, !work.rebuild); err != nil {
			return err
		}
	}

	w.seen(work.upTo)
	w.batch.SetInternal(keyInstance, []byte(work.instance))
	if err := w.flush(); err != nil {
		return err
	}
	return x.source.Forget(work.upTo)
}

// everything returns all subjects of the source, for an index that must be empty.
func (x *Index) everything(ix bleve.Index) ([]Change, error) {
	if n, err := countDocs(ix); err != nil {
		return nil, err
	} else if n > 0 {
		return nil, errors.New("the index belongs to another state of the data")
	}

	subjects, err := x.source.Subjects()
	changes := make([]Change, 0, len(subjects))
	for _, subject := range subjects {
		changes = append(changes, Change{Subject: subject})
	}
	return changes, err
}

func countDocs(ix bleve.Index) (n uint64, err error) {
	err = callBleve(func() (err error) { n, err = ix.DocCount(); return err })
	return n, err
}

// writer writes documents in batches.
type writer struct {
	x     *Index
	ix    bleve.Index
	batch *bleve.Batch
}

// subject writes the documents of a subject. With replace it deletes the former ones first.
func (w *writer) subject(uuid string, replace bool) error {
	if replace {
		old, err := indexedUnder(w.ix, uuid)
		if err != nil {
			return err
		}
		for _, id := range old {
			w.batch.Delete(id)
		}
	}

	list, err := w.x.source.Documents(uuid)
	if err != nil {
		return err
	}
	for _, d := range list {
		if err := w.batch.IndexAdvanced(w.x.lexicon.document(d)); err != nil {
			return err
		}
		if w.batch.Size() >= maxBatch {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}

	return nil
}

// seen records the number of the latest change that the index has once the batch is written.
func (w *writer) seen(change uint64) {
	w.batch.SetInternal(keySequence, binary.BigEndian.AppendUint64(nil, change))
}

func (w *writer) flush() error {
	batch := w.batch
	w.batch = w.ix.NewBatch()
	return callBleve(func() error { return w.ix.Batch(batch) })
}

// fieldID is the field that Bleve keeps document ids in.
const fieldID = "_id"

// indexedUnder returns the ids of the documents that the index has, or had, of a subject.
func indexedUnder(ix bleve.Index, uuid string) (ids []string, err error) {
	err = withReader(ix, func(r indexapi.IndexReader) error {
		dict, err := r.FieldDictPrefix(fieldID, uuidBytes(uuid))
		if err != nil {
			return err
		}
		defer func() { _ = dict.Close() }() // it only read
		for {
			entry, err := dict.Next()
			if err != nil || entry == nil {
				return err
			}
			ids = append(ids, entry.Term)
		}
	})
	return ids, err
}
