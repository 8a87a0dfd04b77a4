package store

import (
	"slices"
	"sync"
	"time"
)

// progressAhead is how many ids one stored event reserves for progress events.
const progressAhead = 100

// progressLog holds progress events in memory only: writing one report a second for hours would
// flush the database each time. Progress events share the ids of stored events, and clients receive
// both in the order of the ids.
//
// The database always knows a last id that is at least as high as the ids in use. After a crash, no
// id is therefore used twice, and a client that asks for the events after a lost id learns that
// some are lost.
type progressLog struct {
	mu       sync.Mutex
	projects map[string]*projectProgress // with progress events since the start
}

type projectProgress struct {
	last     uint64  // highest used id, perhaps of a transaction that is not committed yet
	settled  uint64  // highest id of an event that can be read
	reserved uint64  // highest id that the database knows to be used or reserved
	kept     []Event // sorted by id
}

// AppendProgress is AppendEvent for an event that reports progress. The event is replayed like any
// other until the store closes, but the database does not store it. Callers must append the events
// of one project one at a time. Errors: NotFound for a deleted project.
func (s *Store) AppendProgress(projectUUID, typ string, payload any) (Event, error) {
	if id := s.progress.takeID(projectUUID); id != 0 {
		e, err := newEvent(id, projectUUID, typ, payload, s.Now())
		if err == nil {
			s.progress.keep(e)
		}
		return e, err
	}

	return s.writeEvent(projectUUID, typ, payload, progressAhead)
}

// takeID returns an id for a progress event that is not stored. It returns 0 when no id is
// reserved, so that the next event must be stored.
func (n *progressLog) takeID(project string) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := n.projects[project]
	if p == nil || p.last >= p.reserved {
		return 0
	}
	p.last++
	return p.last
}

// next returns the id for an event that a transaction stores. The id last is the highest that the
// database knows. With begin, the project has progress events from now on.
func (n *progressLog) next(project string, last uint64, begin bool) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := n.projects[project]
	if p == nil && begin {
		p = &projectProgress{last: last, settled: last}
		n.projects[project] = p
	}

	if p == nil {
		return last + 1
	}
	p.last++
	return p.last
}

// settle records that an event was committed, and that it reserved the next ids, as many as ahead.
func (n *progressLog) settle(project string, id, ahead uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if p := n.projects[project]; p != nil {
		p.settled = max(p.settled, id)
		if ahead > 0 {
			p.reserved = max(p.reserved, id+ahead)
		}
	}
}

// keep adds an event, unless the project was deleted.
func (n *progressLog) keep(e Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if p := n.projects[e.ProjectUUID]; p != nil {
		p.settled = max(p.settled, e.ID)
		p.kept = append(p.kept, e)
		p.prune(e.At)
	}
}

// prune deletes events that exceed the limits of the log.
func (p *projectProgress) prune(now time.Time) {
	old := slices.IndexFunc(
		p.kept,
		func(e Event) bool { return e.ID+eventsKept > p.last && now.Sub(e.At) <= eventsMaxAge },
	)
	if old < 0 {
		old = len(p.kept)
	}
	p.kept = slices.Delete(p.kept, 0, old)
}

// prune deletes events that exceed the limits of their logs.
func (n *progressLog) prune(now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.projects {
		p.prune(now)
	}
}

// since returns the progress events after an id, and the highest id that can be read. It returns 0
// for a project without progress events.
func (n *progressLog) since(project string, after uint64) (last uint64, list []Event) {
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

// drop deletes the events of a project.
func (n *progressLog) drop(project string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.projects, project)
}
