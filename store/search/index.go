package search

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2"
	indexapi "github.com/blevesearch/bleve_index_api"
)

const (
	callTimeout   = 2 * time.Minute  // of one call into Bleve; the index is then rebuilt
	searchTimeout = 10 * time.Second // of one search

	// The pause before a rebuild doubles from minRetryPause to maxRetryPause.
	minRetryPause = time.Second
	maxRetryPause = time.Minute

	pollPause = 20 * time.Millisecond // between two looks at the state in WaitFor
)

var (
	// ErrBuilding says that the index cannot answer yet because it is being built.
	ErrBuilding = errors.New("the search index is being built")

	errClosed = errors.New("the search index was closed")
)

// States of an index.
const (
	Ready    = "ready"    // has every change
	Behind   = "behind"   // answers, but lacks the latest changes
	Building = "building" // does not answer yet
)

// Source is the data that an index covers. Its methods may be called from any goroutine.
type Source interface {
	// Changes returns the changes after the one with a number.
	Changes(after uint64) (Changes, error)
	// Subjects returns the uuids of all projects and assets.
	Subjects() ([]string, error)
	// Documents returns what can be found of a subject: nothing for one that does not exist.
	Documents(subject string) ([]Document, error)
	// Forget deletes the changes up to a number, which the index now has.
	Forget(upTo uint64) error
}

// Changes is a part of the numbered list of changes of a source.
type Changes struct {
	Instance string   // identifies the database
	First    uint64   // number of the oldest change that the source still has, 0 for none
	Last     uint64   // number of the latest change
	List     []Change // oldest first, one for each subject
}

// Change is a change of a subject.
type Change struct {
	Subject string // uuid
	Number  uint64 // from 1
}

// Index is a search index in a directory. Its methods may be called from any goroutine.
type Index struct {
	dir     string
	source  Source
	log     *slog.Logger
	lexicon *lexicon

	wake   chan struct{} // a change was committed
	broken chan struct{} // a search failed
	stop   chan struct{}
	done   chan struct{} // closed when the goroutine has ended
	start  sync.Once
	close  sync.Once

	mu    sync.RWMutex // held for reading during a search
	ready bleve.Index  // nil while the index cannot be searched
}

// New returns an index that is kept in the folder transcripts of dir. It answers nothing before
// Start. Close releases it.
func New(dir string, source Source, log *slog.Logger) (*Index, error) {
	l, err := newLexicon()
	if err != nil {
		return nil, err
	}
	return &Index{
		dir:     dir,
		source:  source,
		log:     log,
		lexicon: l,
		wake:    make(chan struct{}, 1),
		broken:  make(chan struct{}, 1),
		stop:    make(chan struct{}),
		done:    make(chan struct{}),
	}, nil
}

// Start opens the index in the background and follows the changes of the source.
func (x *Index) Start() {
	x.start.Do(func() { go x.run() })
}

// Close stops the index and waits for its goroutine. It does not fail: a damaged index is rebuilt
// at the next start.
func (x *Index) Close() {
	x.start.Do(func() { close(x.done) }) // never started
	x.close.Do(func() { close(x.stop) })
	<-x.done
}

// Wake makes the index look for changes. The source calls it after each commit that has some.
func (x *Index) Wake() { signal(x.wake) }

// signal leaves one token in a channel of capacity one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run keeps an index open until Close.
func (x *Index) run() {
	defer close(x.done)
	pause := time.Duration(0)
	for {
		began := time.Now()
		err := x.serve()
		if errors.Is(err, errClosed) {
			return
		}
		x.log.Warn("rebuilding the search index", "error", err)
		if err := x.moveAside(); err != nil {
			x.log.Warn("cannot move the damaged search index aside", "error", err)
		}
		if time.Since(began) > maxRetryPause {
			pause = 0
		}
		select {
		case <-x.stop:
			return
		case <-time.After(pause):
		}

		pause = min(max(2*pause, minRetryPause), maxRetryPause)
	}
}

func (x *Index) path() string { return filepath.Join(x.dir, "transcripts") }

// moveAside renames a damaged index, then removes it.
func (x *Index) moveAside() error {
	aside := filepath.Join(x.dir, "broken-"+rand.Text())
	if err := os.Rename(x.path(), aside); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	old, err := filepath.Glob(filepath.Join(x.dir, "broken-*"))
	for _, dir := range old {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// serve opens the index, applies the changes that it lacks, and follows new ones. It returns
// errClosed after Close, and any other error when the index must be rebuilt.
func (x *Index) serve() error {
	var ix bleve.Index
	err := callBleve(func() (err error) { ix, err = openBleve(x.path()); return err })
	if err != nil {
		return err
	}
	defer func() {
		x.publish(nil)
		if err := callBleve(ix.Close); err != nil {
			x.log.Warn("cannot close the search index", "error", err)
		}
	}()
	work, err := x.pending(ix)
	if err != nil {
		return err
	}
	if !work.rebuild {
		x.publish(ix) // it answers while it catches up
	}
	if err := x.catchUp(ix); err != nil {
		return err
	}
	x.publish(ix)
	for {
		select {
		case <-x.stop:
			return errClosed
		case <-x.broken:
			return errors.New("a search failed")
		case <-x.wake:
			if err := x.catchUp(ix); err != nil {
				return err
			}
		}
	}
}

func (x *Index) publish(ix bleve.Index) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ready = ix
}

// callBleve calls into Bleve and turns panics and page faults into errors: damaged or truncated
// files cause both. After callTimeout it returns and leaves the call behind, because Bleve can wait
// forever for a goroutine that died.
func callBleve(fn func() error) error {
	result := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				result <- fmt.Errorf("the search index panicked: %v", r)
			}
		}()
		debug.SetPanicOnFault(true)
		result <- fn()
	}()
	timeout := time.NewTimer(callTimeout)
	defer timeout.Stop()
	select {
	case err := <-result:
		return err
	case <-timeout.C:
		return errors.New("the search index does not answer")
	}
}

func openBleve(path string) (bleve.Index, error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return bleve.New(path, bleve.NewIndexMapping()) // unused: documents arrive as terms
	}
	return bleve.OpenUsing(path, map[string]any{"bolt_timeout": "1s"})
}

// withReader calls fn with a snapshot of the index.
func withReader(ix bleve.Index, fn func(indexapi.IndexReader) error) error {
	return callBleve(func() error {
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

// read calls fn with a snapshot of the index, for at most searchTimeout. A failure makes the index
// rebuild itself. Errors: ErrBuilding.
func (x *Index) read(ctx context.Context, fn func(context.Context, indexapi.IndexReader) error) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.ready == nil {
		return ErrBuilding
	}
	ctx, cancel := context.WithTimeout(ctx, searchTimeout)
	defer cancel()
	err := withReader(x.ready, func(r indexapi.IndexReader) error { return fn(ctx, r) })
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		signal(x.broken)
	}
	if err != nil {
		return fmt.Errorf("searching the index: %w", err)
	}
	return nil
}

// State returns Ready, Behind or Building.
func (x *Index) State() (string, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.ready == nil {
		return Building, nil
	}
	work, err := x.pending(x.ready)
	if err != nil {
		return "", fmt.Errorf("reading the state of the search index: %w", err)
	}
	if work.any() {
		return Behind, nil
	}
	return Ready, nil
}

// WaitFor returns when the index has the change with a number. Errors: the cause of ctx when it
// ends first.
func (x *Index) WaitFor(ctx context.Context, change uint64) error {
	for {
		if seen, err := x.lastChange(); err == nil && seen >= change {
			return nil
		}
		pause := time.NewTimer(pollPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return context.Cause(ctx)
		}
	}
}

// lastChange returns the number of the latest change that the index has. Errors: ErrBuilding.
func (x *Index) lastChange() (uint64, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.ready == nil {
		return 0, ErrBuilding
	}
	var has []byte
	err := callBleve(func() (err error) { has, err = x.ready.GetInternal(keySequence); return err })
	if err != nil || len(has) != 8 {
		return 0, fmt.Errorf("reading the state of the search index: %w", err)
	}
	return binary.BigEndian.Uint64(has), nil
}

// Verify compares the documents in the index with the documents of the source, and returns the
// differences. It returns nothing while the index is being built or lacks changes.
func (x *Index) Verify() []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.ready == nil {
		return nil
	}
	work, err := x.pending(x.ready)
	if err != nil {
		return []string{fmt.Sprintf("The search index cannot be read: %v.", err)}
	}
	if work.any() {
		return nil
	}
	ids, err := x.sourceIDs()
	if err != nil {
		return []string{fmt.Sprintf("The transcripts and assets for the search index cannot be read: %v.", err)}
	}
	n, err := countDocs(x.ready)
	if err != nil {
		return []string{fmt.Sprintf("The search index cannot be read: %v.", err)}
	}
	if n != uint64(len(ids)) {
		return []string{fmt.Sprintf("The search index has %d documents instead of %d.", n, len(ids))}
	}
	missing := ""
	err = withReader(x.ready, func(r indexapi.IndexReader) error {
		for _, id := range ids {
			if found, err := r.InternalID(id); err != nil || found == nil {
				missing = id
				return err
			}
		}

		return nil
	})
	switch {
	case err != nil:
		return []string{fmt.Sprintf("The search index cannot be read: %v.", err)}
	case missing != "":
		return []string{fmt.Sprintf("The search index lacks the document %x.", missing)}
	}

	return nil
}

// sourceIDs returns the ids of all documents of the source.
func (x *Index) sourceIDs() (ids []string, err error) {
	subjects, err := x.source.Subjects()
	if err != nil {
		return nil, err
	}
	for _, subject := range subjects {
		list, err := x.source.Documents(subject)
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			ids = append(ids, d.ID.Key())
		}
	}

	return ids, nil
}
