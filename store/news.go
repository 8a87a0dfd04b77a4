package store

import (
	"slices"
	"sync"
	"time"
)

// newsAhead is how many ids of events a project's news may use before one of them is written.
const newsAhead = 100

// news are events that are kept in memory only, because they tell of progress and not of state: a
// report a second of work that takes hours is no reason to flush the database. They have their ids
// from the same row as the events that are written, and are replayed between them.
//
// What the database has as the last id of a project is one that news will reach later. So a process
// that ends without a word never leaves an id that the next one gives out again: whoever asks the
// next one for what came after such an id is told that some of it is lost.
type news struct {
	mu       sync.Mutex
	projects map[string]*projectNews // those that had news since the start
}

type projectNews struct {
	last     uint64  // the newest id that was taken, maybe by a transaction that is not committed yet
	settled  uint64  // the newest one of an event that is there to be read
	reserved uint64  // up to which the database knows that ids are taken
	kept     []Event // by id
}

// AppendNews is AppendEvent for an event that tells of progress: it is replayed like any other
// until the store closes. Publish a project's events one after the other. Errors: NotFound when the
// project is gone.
func (s *Store) AppendProgress(projectUUID, typ string, payload any) (Event, error) {
	if id := s.news.take(projectUUID); id != 0 {
		e, err := newEvent(id, projectUUID, typ, payload, s.Now())
		if err == nil {
			s.news.keep(e)
		}
		return e, err
	}
	return s.writeEvent(projectUUID, typ, payload, newsAhead)
}

// take returns an id for an event that is not written, or 0 where one must be.
func (n *news) take(project string) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := n.projects[project]
	if p == nil || p.last >= p.reserved {
		return 0
	}
	p.last++
	return p.last
}

// next returns an id for an event that is written, in a transaction in which the database has this
// last one. begin says that the project has news from now on.
func (n *news) next(project string, last uint64, begin bool) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := n.projects[project]
	if p == nil && begin {
		p = &projectNews{last: last, settled: last}
		n.projects[project] = p
	}
	if p == nil {
		return last + 1
	}
	p.last++
	return p.last
}

// settle notes that an event was committed, and with it that so many ids after it are taken.
func (n *news) settle(project string, id, ahead uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if p := n.projects[project]; p != nil {
		p.settled = max(p.settled, id)
		if ahead > 0 {
			p.reserved = max(p.reserved, id+ahead)
		}
	}
}

// keep adds an event, unless the project was deleted meanwhile.
func (n *news) keep(e Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if p := n.projects[e.ProjectUUID]; p != nil {
		p.settled = max(p.settled, e.ID)
		p.kept = append(p.kept, e)
		p.prune(e.At)
	}
}

// prune drops what a log keeps no longer.
func (p *projectNews) prune(now time.Time) {
	old := slices.IndexFunc(
		p.kept,
		func(e Event) bool { return e.ID+eventsKept > p.last && now.Sub(e.At) <= eventsMaxAge },
	)
	if old < 0 {
		old = len(p.kept)
	}
	p.kept = slices.Delete(p.kept, 0, old)
}

// prune drops what logs keep no longer.
func (n *news) prune(now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.projects {
		p.prune(now)
	}
}

// since returns the news after an id, and the newest id of what can be read; 0 for a project that
// had none.
func (n *news) since(project string, after uint64) (last uint64, list []Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := n.projects[project]
	if p == nil {
		return 0, nil
	}
	for _, e := range p.kept {
		if e.ID > after {
			list = append(list, e)
		}
	}
	return p.settled, list
}

// drop forgets a project.
func (n *news) drop(project string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.projects, project)
}
