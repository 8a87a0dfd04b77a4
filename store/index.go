package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2"
	indexapi "github.com/blevesearch/bleve_index_api"
)

// How long the index may take for one call before it is given up and built anew, and how long the
// pauses between attempts grow.
const (
	indexPatience   = 2 * time.Minute
	indexRetryFirst = time.Second
	indexRetryMax   = time.Minute
	indexBatch      = 1000 // documents written at once
)

// Keys in the index's own store.
var (
	// number of the last change that it has, eight bytes; absent until it is complete
	indexSequence = []byte("sequence")
	indexInstance = []byte("instance") // id of the database that it was built from
)

// errIndexStopped ends the index without a fault.
var errIndexStopped = errors.New("the index was stopped")

// searchIndex is the Bleve index of transcripts and assets. It is a cache: one goroutine opens it,
// follows the changes in the database, and builds it anew whenever it is damaged, behind, or of
// another database.
type searchIndex struct {
	wake   chan struct{} // a change was committed
	broken chan struct{} // a search failed
	stop   chan struct{}
	done   chan struct{}

	mu    sync.RWMutex // held for reading while the index is searched
	ready bleve.Index  // nil while it cannot be searched
}

func newSearchIndex() *searchIndex {
	return &searchIndex{
		wake:   make(chan struct{}, 1),
		broken: make(chan struct{}, 1),
		stop:   make(chan struct{}),
		done:   make(chan struct{}),
	}
}

func (s *Store) startIndex() { go s.runIndex() }

// stopIndex ends the index's goroutine and waits for it.
func (s *Store) stopIndex() {
	close(s.index.stop)
	<-s.index.done
}

// runIndex keeps an index open until the store closes.
func (s *Store) runIndex() {
	defer close(s.index.done)
	pause := time.Duration(0)
	for {
		began := time.Now()
		err := s.serveIndex()
		if errors.Is(err, errIndexStopped) {
			return
		}
		s.o.Log.Warn("the search index is built anew", "error", err)
		if err := s.moveIndexAside(); err != nil {
			s.o.Log.Warn("the damaged search index could not be moved aside", "error", err)
		}
		if time.Since(began) > indexRetryMax {
			pause = 0
		}
		select {
		case <-s.index.stop:
			return
		case <-time.After(pause):
		}
		pause = min(max(2*pause, indexRetryFirst), indexRetryMax)
	}
}

func (s *Store) indexPath() string { return filepath.Join(s.o.Dir, "index", "transcripts") }

// moveIndexAside takes a damaged index out of the way, then removes it.
func (s *Store) moveIndexAside() error {
	aside := filepath.Join(s.o.Dir, "index", "broken-"+s.NewID())
	if err := os.Rename(s.indexPath(), aside); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	old, err := filepath.Glob(filepath.Join(s.o.Dir, "index", "broken-*"))
	for _, dir := range old {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// serveIndex opens the index, brings it up to date, and follows the changes. It returns
// errIndexStopped when the store closes, and any other error when the index is of no use any more.
func (s *Store) serveIndex() error {
	var ix bleve.Index
	err := s.guard(func() (err error) { ix, err = openIndex(s.indexPath()); return err })
	if err != nil {
		return err
	}
	defer func() {
		s.publish(nil)
		if err := s.guard(ix.Close); err != nil {
			s.o.Log.Warn("closing the search index", "error", err)
		}
	}()
	work, err := s.pendingChanges(ix)
	if err != nil {
		return err
	}
	if !work.all {
		s.publish(ix) // it answers while it catches up
	}
	if err := s.catchUp(ix); err != nil {
		return err
	}
	s.publish(ix)
	for {
		select {
		case <-s.index.stop:
			return errIndexStopped
		case <-s.index.broken:
			return errors.New("a search failed")
		case <-s.index.wake:
			if err := s.catchUp(ix); err != nil {
				return err
			}
		}
	}
}

func (s *Store) publish(ix bleve.Index) {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	s.index.ready = ix
}

// guard calls into Bleve, which may panic on damaged files, fault where one was cut off, or wait
// forever for a goroutine of its own that did. In the last case the call is left behind.
func (s *Store) guard(fn func() error) error {
	result := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				result <- fmt.Errorf("the index panicked: %v", r)
			}
		}()
		debug.SetPanicOnFault(true)
		result <- fn()
	}()
	patience := time.NewTimer(indexPatience)
	defer patience.Stop()
	select {
	case err := <-result:
		return err
	case <-patience.C:
		return errors.New("the index does not answer")
	}
}

func openIndex(path string) (bleve.Index, error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return bleve.New(path, bleve.NewIndexMapping()) // the mapping is not used: documents come as terms
	}
	return bleve.OpenUsing(path, map[string]any{"bolt_timeout": "1s"})
}

// changed notes in the transaction that what a search finds of a project or an asset is different
// now.
func (t *txn) changed(uuid string) error {
	b := t.Bucket([]byte(bucketChanges))
	seq, err := b.NextSequence()
	if err != nil {
		return err
	}
	t.wakeIndex = true
	return b.Put(key(seq), []byte(uuid))
}

// pending is what an index has to do to be up to date.
type pending struct {
	subjects []changedSubject
	all      bool   // it must be filled from nothing
	upTo     uint64 // the number of the last change
	instance []byte
}

// changedSubject is a project or an asset of which the index has not seen the change of a number.
type changedSubject struct {
	uuid   string
	change uint64
}

// catchUp brings the index to the state of the database.
func (s *Store) catchUp(ix bleve.Index) error {
	work, err := s.pendingChanges(ix)
	if err != nil || len(work.subjects) == 0 && !work.all {
		return err
	}
	if work.all {
		if n, err := s.countDocs(ix); err != nil {
			return err
		} else if n > 0 {
			return errors.New("the index is of another state of the data")
		}
	}
	w := &indexWriter{s: s, ix: ix, batch: ix.NewBatch()}
	for _, subject := range work.subjects {
		select {
		case <-s.index.stop:
			return errIndexStopped
		default:
		}
		if !work.all {
			w.seen(subject.change - 1) // what comes with the next batch is all of what changed before
		}
		if err := w.subject(subject.uuid, !work.all); err != nil {
			return err
		}
	}
	w.seen(work.upTo)
	w.batch.SetInternal(indexInstance, work.instance)
	if err := w.flush(); err != nil {
		return err
	}
	return s.update(func(t *txn) error {
		b := t.Bucket([]byte(bucketChanges))
		c := b.Cursor()
		for k, _ := c.First(); k != nil && binary.BigEndian.Uint64(k) <= work.upTo; k, _ = c.First() {
			if err := b.Delete(k); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) countDocs(ix bleve.Index) (n uint64, err error) {
	err = s.guard(func() (err error) { n, err = ix.DocCount(); return err })
	return n, err
}

// pendingChanges compares the index's sequence number with the database's.
func (s *Store) pendingChanges(ix bleve.Index) (pending, error) {
	var has, instance []byte
	err := s.guard(func() (err error) {
		if has, err = ix.GetInternal(indexSequence); err == nil {
			instance, err = ix.GetInternal(indexInstance)
		}
		return err
	})
	if err != nil {
		return pending{}, err
	}
	var work pending
	err = s.view(func(t *txn) error {
		b := t.Bucket([]byte(bucketChanges))
		work.upTo = b.Sequence()
		work.instance = append(bytes.Clone(t.Bucket([]byte(bucketMeta)).Get([]byte(metaInstance))), indexFormat...)
		at := uint64(0)
		if len(has) == 8 {
			at = binary.BigEndian.Uint64(has)
		}
		first, _ := b.Cursor().First()
		gap := at < work.upTo && (first == nil || binary.BigEndian.Uint64(first) > at+1)
		if len(has) != 8 || string(instance) != string(work.instance) || at > work.upTo || gap {
			work.all = true
			subjects, err := t.searched()
			for _, subject := range subjects {
				work.subjects = append(work.subjects, changedSubject{uuid: subject})
			}
			return err
		}
		seen := map[string]bool{}
		c := b.Cursor()
		for k, subject := c.Seek(key(at + 1)); k != nil; k, subject = c.Next() {
			if !seen[string(subject)] {
				seen[string(subject)] = true
				work.subjects = append(work.subjects, changedSubject{string(subject), binary.BigEndian.Uint64(k)})
			}
		}
		return nil
	})
	return work, err
}

// searched returns the uuids of everything that a search may find something of.
func (t *txn) searched() (list []string, err error) {
	err = projects.all(t, func(p *projectRow) error { list = append(list, p.UUID); return nil })
	return list, errors.Join(err, assets.all(t, func(a *assetRow) error { list = append(list, a.UUID); return nil }))
}

// indexWriter writes documents in batches.
type indexWriter struct {
	s     *Store
	ix    bleve.Index
	batch *bleve.Batch
}

// subject replaces the documents of a project or an asset; of a fresh index there are none to
// replace.
func (w *indexWriter) subject(uuid string, replace bool) error {
	if replace {
		old, err := w.s.indexedUnder(w.ix, uuid)
		if err != nil {
			return err
		}
		for _, id := range old {
			w.batch.Delete(id)
		}
	}
	var list []passage
	err := w.s.view(func(t *txn) (err error) { list, err = t.passages(uuid); return err })
	if err != nil {
		return err
	}
	for _, p := range list {
		if err := w.batch.IndexAdvanced(w.s.lexicon.document(p)); err != nil {
			return err
		}
		if w.batch.Size() >= indexBatch {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// seen notes the number of the last change that the index has once the batch is written.
func (w *indexWriter) seen(change uint64) {
	w.batch.SetInternal(indexSequence, binary.BigEndian.AppendUint64(nil, change))
}

func (w *indexWriter) flush() error {
	batch := w.batch
	w.batch = w.ix.NewBatch()
	return w.s.guard(func() error { return w.ix.Batch(batch) })
}

// indexedUnder returns the ids of what the index holds, or held, of a project or an asset.
func (s *Store) indexedUnder(ix bleve.Index, uuid string) (ids []string, err error) {
	err = s.withReader(ix, func(r indexapi.IndexReader) error {
		dict, err := r.FieldDictPrefix(fieldID, idKey(uuid))
		if err != nil {
			return err
		}
		for {
			entry, err := dict.Next()
			if err != nil || entry == nil {
				return errors.Join(err, dict.Close())
			}
			ids = append(ids, entry.Term)
		}
	})
	return ids, err
}

// fieldID is where Bleve keeps the ids of documents.
const fieldID = "_id"

// withReader calls fn with a state of the index that does not change meanwhile.
func (s *Store) withReader(ix bleve.Index, fn func(indexapi.IndexReader) error) error {
	return s.guard(func() error {
		inner, err := ix.Advanced()
		if err != nil {
			return err
		}
		r, err := inner.Reader()
		if err != nil {
			return err
		}
		return errors.Join(fn(r), r.Close())
	})
}

// checkIndex compares the documents in the index with the database; an index that is being built is
// not looked at.
func (s *Store) checkIndex() []Finding {
	s.index.mu.RLock()
	defer s.index.mu.RUnlock()
	if s.index.ready == nil {
		return nil
	}
	work, err := s.pendingChanges(s.index.ready)
	if err != nil {
		return []Finding{{"index", fmt.Sprintf("The search index cannot be read: %v.", err)}}
	}
	if work.all || len(work.subjects) > 0 {
		return nil
	}
	var ids []string
	err = s.view(func(t *txn) error {
		subjects, err := t.searched()
		for _, subject := range subjects {
			list, failed := t.passages(subject)
			err = errors.Join(err, failed)
			for _, p := range list {
				ids = append(ids, p.id)
			}
		}
		return err
	})
	if err != nil {
		return []Finding{{"index", fmt.Sprintf("What is searched cannot be read: %v.", err)}}
	}
	n, err := s.countDocs(s.index.ready)
	if err != nil || n != uint64(len(ids)) {
		return []Finding{
			{"index", fmt.Sprintf("The search index holds %d documents instead of %d (%v).", n, len(ids), err)},
		}
	}
	missing := ""
	err = s.withReader(s.index.ready, func(r indexapi.IndexReader) error {
		for _, id := range ids {
			if found, err := r.InternalID(id); err != nil || found == nil {
				missing = id
				return err
			}
		}
		return nil
	})
	if err != nil || missing != "" {
		return []Finding{{"index", fmt.Sprintf("The search index misses the document %x (%v).", missing, err)}}
	}
	return nil
}
