package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/mapping"
)

// Transcripts are indexed in windows of so many words, of which so many are shared with the window before.
const (
	windowWords   = 40
	windowOverlap = 10
)

// How long the index may take for one call before it is given up and built anew, and how long the pauses between attempts grow.
const (
	indexPatience   = 2 * time.Minute
	indexRetryFirst = time.Second
	indexRetryMax   = time.Minute
	indexBatch      = 1000 // documents written at once
)

// Keys in the index's own store.
var (
	indexSequence = []byte("sequence") // number of the last change that it has, eight bytes; absent until it is complete
	indexInstance = []byte("instance") // id of the database that it was built from
)

// errIndexStopped ends the index without a fault.
var errIndexStopped = errors.New("the index was stopped")

// searchIndex is the Bleve index of transcripts. It is a cache: one goroutine opens it, follows the changes in the database, and
// builds it anew whenever it is damaged, behind, or of another database.
type searchIndex struct {
	wake   chan struct{} // a change was committed
	broken chan struct{} // a search failed
	stop   chan struct{}
	done   chan struct{}

	mu    sync.RWMutex // held for reading while the index is searched
	ready bleve.Index  // nil while it cannot be searched
}

func newSearchIndex() *searchIndex {
	return &searchIndex{wake: make(chan struct{}, 1), broken: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
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

// serveIndex opens the index, brings it up to date, and follows the changes. It returns errIndexStopped when the store closes, and
// any other error when the index is of no use any more.
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
	if err := s.guard(func() error { return s.catchUp(ix) }); err != nil {
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
			if err := s.guard(func() error { return s.catchUp(ix) }); err != nil {
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

// guard calls into Bleve, which may panic on damaged files, fault where one was cut off, or wait forever for a goroutine of its
// own that did. In the last case the call is left behind.
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
		m, err := indexMapping()
		if err != nil {
			return nil, err
		}
		return bleve.New(path, m)
	}
	return bleve.OpenUsing(path, map[string]any{"bolt_timeout": "1s"})
}

// indexMapping indexes a window's text by its lower-cased words, and its user and project as they are. Nothing is stored: what a
// search shows is read from the database.
func indexMapping() (mapping.IndexMapping, error) {
	m := bleve.NewIndexMapping()
	err := m.AddCustomAnalyzer("words", map[string]any{"type": custom.Name, "tokenizer": unicode.Name, "token_filters": []string{lowercase.Name}})
	if err != nil {
		return nil, fmt.Errorf("making the index: %w", err)
	}
	text := bleve.NewTextFieldMapping()
	text.Analyzer, text.Store, text.IncludeInAll, text.IncludeTermVectors, text.DocValues = "words", false, false, true, false
	name := bleve.NewKeywordFieldMapping()
	name.Store, name.IncludeInAll, name.DocValues = false, false, false
	doc := bleve.NewDocumentStaticMapping()
	doc.AddFieldMappingsAt("text", text)
	doc.AddFieldMappingsAt("user", name)
	doc.AddFieldMappingsAt("project", name)
	m.DefaultMapping = doc
	m.DefaultAnalyzer = "words"
	return m, nil
}

// changed notes in the transaction that what a search finds in a project is different now.
func (t *txn) changed(projectUUID string) error {
	b := t.Bucket([]byte(bucketChanges))
	seq, err := b.NextSequence()
	if err != nil {
		return err
	}
	t.wakeIndex = true
	return b.Put(key(seq), []byte(projectUUID))
}

// pending is what an index has to do to be up to date.
type pending struct {
	projects []string
	all      bool   // it must be filled from nothing
	upTo     uint64 // the number of the last change
	instance []byte
}

// catchUp brings the index to the state of the database.
func (s *Store) catchUp(ix bleve.Index) error {
	work, err := s.pendingChanges(ix)
	if err != nil {
		return err
	}
	if work.all {
		if n, err := ix.DocCount(); err != nil {
			return err
		} else if n > 0 {
			return errors.New("the index is of another state of the data")
		}
	}
	for _, project := range work.projects {
		select {
		case <-s.index.stop:
			return errIndexStopped
		default:
		}
		if err := s.indexProject(ix, project, !work.all); err != nil {
			return err
		}
	}
	if len(work.projects) == 0 && !work.all {
		return nil
	}
	batch := ix.NewBatch()
	batch.SetInternal(indexSequence, binary.BigEndian.AppendUint64(nil, work.upTo))
	batch.SetInternal(indexInstance, work.instance)
	if err := ix.Batch(batch); err != nil {
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

// pendingChanges compares the index's sequence number with the database's.
func (s *Store) pendingChanges(ix bleve.Index) (pending, error) {
	has, err := ix.GetInternal(indexSequence)
	if err != nil {
		return pending{}, err
	}
	instance, err := ix.GetInternal(indexInstance)
	if err != nil {
		return pending{}, err
	}
	var work pending
	err = s.view(func(t *txn) error {
		b := t.Bucket([]byte(bucketChanges))
		work.upTo = b.Sequence()
		work.instance = append([]byte(nil), t.Bucket([]byte(bucketMeta)).Get([]byte(metaInstance))...)
		at := uint64(0)
		if len(has) == 8 {
			at = binary.BigEndian.Uint64(has)
		}
		first, _ := b.Cursor().First()
		gap := at < work.upTo && (first == nil || binary.BigEndian.Uint64(first) > at+1)
		if len(has) != 8 || string(instance) != string(work.instance) || at > work.upTo || gap {
			work.all = true
			return projects.all(t, func(p *projectRow) error { work.projects = append(work.projects, p.UUID); return nil })
		}
		seen := map[string]bool{}
		c := b.Cursor()
		for k, project := c.Seek(key(at + 1)); k != nil; k, project = c.Next() {
			if !seen[string(project)] {
				seen[string(project)] = true
				work.projects = append(work.projects, string(project))
			}
		}
		return nil
	})
	return work, err
}

// indexDoc is what the index knows of one window.
type indexDoc struct {
	Text    string `json:"text"`
	User    string `json:"user"`
	Project string `json:"project"`
}

// Type is what Bleve asks for to choose a mapping; all windows have the same.
func (indexDoc) Type() string { return "window" }

// indexProject replaces the windows of a project; of a fresh index there are none to replace.
func (s *Store) indexProject(ix bleve.Index, project string, replace bool) error {
	batch := ix.NewBatch()
	if replace {
		old, err := indexedWindows(ix, project)
		if err != nil {
			return err
		}
		for _, id := range old {
			batch.Delete(id)
		}
	}
	docs := map[string]indexDoc{}
	if err := s.view(func(t *txn) error { return t.windows(project, docs) }); err != nil {
		return err
	}
	for id, doc := range docs {
		if err := batch.Index(id, doc); err != nil {
			return err
		}
		if batch.Size() >= indexBatch {
			if err := ix.Batch(batch); err != nil {
				return err
			}
			batch = ix.NewBatch()
		}
	}
	return ix.Batch(batch)
}

// indexedWindows returns the ids of what the index holds of a project.
func indexedWindows(ix bleve.Index, project string) ([]string, error) {
	q := bleve.NewTermQuery(project)
	q.SetField("project")
	count, err := ix.Search(bleve.NewSearchRequestOptions(q, 0, 0, false))
	if err != nil || count.Total == 0 {
		return nil, err
	}
	found, err := ix.Search(bleve.NewSearchRequestOptions(q, int(count.Total), 0, false))
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(found.Hits))
	for _, hit := range found.Hits {
		ids = append(ids, hit.ID)
	}
	return ids, nil
}

// windows adds the windows of a project's active run to docs, by id.
func (t *txn) windows(projectUUID string, docs map[string]indexDoc) error {
	project, err := projects.find(t, projectUUID)
	if err != nil || project == nil || project.ActiveRunUUID == "" {
		return err
	}
	line, err := t.timeline(projectUUID)
	if err != nil {
		return err
	}
	for _, p := range line.places {
		m, _, err := t.spoken(project.ActiveRunUUID, p.row.UUID)
		if err != nil {
			return err
		}
		for from := 0; from < len(m.Words); from += chunkWords {
			id := windowID{projectUUID, project.ActiveRunUUID, p.row.UUID, from}
			text, _ := windowText(m.Words[from:min(from+windowWords, len(m.Words))])
			docs[id.String()] = indexDoc{Text: text, User: project.UserUUID, Project: projectUUID}
			if from+windowWords >= len(m.Words) {
				break
			}
		}
	}
	return nil
}

// windowID names a window: words from number From of what a run heard in a clip.
type windowID struct {
	Project, Run, Clip string
	From               int
}

// String returns the id as the index has it.
func (w windowID) String() string {
	return strings.Join([]string{w.Project, w.Run, w.Clip, strconv.Itoa(w.From)}, "/")
}

func parseWindowID(id string) (w windowID, err error) {
	parts := strings.Split(id, "/")
	if len(parts) != 4 {
		return w, fmt.Errorf("the index holds an unknown document %q", id)
	}
	from, err := strconv.Atoi(parts[3])
	return windowID{parts[0], parts[1], parts[2], from}, err
}

// checkIndex compares the windows in the index with those in the database; an index that is being built is not looked at.
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
	if work.all || len(work.projects) > 0 {
		return nil
	}
	docs := map[string]indexDoc{}
	err = s.view(func(t *txn) error {
		return projects.all(t, func(p *projectRow) error { return t.windows(p.UUID, docs) })
	})
	if err != nil {
		return []Finding{{"index", fmt.Sprintf("The transcripts cannot be read: %v.", err)}}
	}
	n, err := s.index.ready.DocCount()
	if err != nil || n != uint64(len(docs)) {
		return []Finding{{"index", fmt.Sprintf("The search index holds %d windows instead of %d (%v).", n, len(docs), err)}}
	}
	for id := range docs {
		if doc, err := s.index.ready.Document(id); err != nil || doc == nil {
			return []Finding{{"index", fmt.Sprintf("The search index misses the window %s (%v).", id, err)}}
		}
	}
	return nil
}
