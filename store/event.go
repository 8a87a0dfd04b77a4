package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"roughcut/store/table"
)

// Event is an entry of a project's event log. IDs grow by one for each event of a project.
type Event struct {
	ID          uint64
	ProjectUUID string
	Type        string
	Data        json.RawMessage // JSON object: the payload with "timestamp"
	At          time.Time
}

// Limits of a project's event log.
const (
	eventsKept   = 500
	eventsMaxAge = 10 * time.Minute
)

// TimeFormat is the format of times in events: ISO 8601 in UTC with milliseconds and offset.
const TimeFormat = "2006-01-02T15:04:05.000-07:00"

// AppendEvent stores an event in a project's log. The payload must encode as a JSON object.
// AppendEvent adds the time to it as "timestamp". Errors: NotFound for a deleted project.
func (s *Store) AppendEvent(projectUUID, typ string, payload any) (Event, error) {
	return s.writeEvent(projectUUID, typ, payload, 0)
}

// writeEvent stores an event and reserves the next ids, as many as ahead, for progress events.
func (s *Store) writeEvent(projectUUID, typ string, payload any, ahead uint64) (Event, error) {
	var e Event
	err := s.batch(func(t *txn) error {
		if _, err := projects.Get(t, projectUUID); err != nil {
			return err
		}
		id := e.ID // of an earlier attempt of this transaction
		if id == 0 {
			id = t.nextEvent(projectUUID, ahead > 0)
		}
		written, err := t.writeEvent(id, ahead, projectUUID, typ, payload)
		e = written
		e.ID = id
		return err
	})
	if err != nil {
		return Event{}, err
	}
	s.progress.settle(projectUUID, e.ID, ahead)
	return e, nil
}

func (t *txn) appendEvent(projectUUID, typ string, payload any) error {
	_, err := t.writeEvent(t.nextEvent(projectUUID, false), 0, projectUUID, typ, payload)
	return err
}

// nextEvent returns the next id of a project. With progress, progress events may use ids from now
// on.
func (t *txn) nextEvent(projectUUID string, news bool) uint64 {
	return t.s.progress.next(projectUUID, t.lastEvent(projectUUID), news)
}

func newEvent(id uint64, projectUUID, typ string, payload any, at time.Time) (Event, error) {
	data, err := stamped(payload, at)
	if err != nil {
		return Event{}, fmt.Errorf("writing an event %s: %w", typ, err)
	}
	return Event{ID: id, ProjectUUID: projectUUID, Type: typ, Data: data, At: at}, nil
}

func (t *txn) writeEvent(id, ahead uint64, projectUUID, typ string, payload any) (Event, error) {
	e, err := newEvent(id, projectUUID, typ, payload, t.Now)
	if err != nil {
		return Event{}, err
	}
	value, err := json.Marshal(e)
	if err != nil {
		return Event{}, fmt.Errorf("writing an event %s: %w", typ, err)
	}
	last := binary.BigEndian.AppendUint64(nil, max(t.lastEvent(projectUUID), e.ID+ahead))
	if err := t.Bucket([]byte(bucketEventIDs)).Put([]byte(projectUUID), last); err != nil {
		return Event{}, err
	}
	if err := t.Bucket([]byte(bucketEvents)).Put(table.Key(projectUUID, e.ID), value); err != nil {
		return Event{}, err
	}
	return e, t.pruneEvents(projectUUID, e.ID)
}

// stamped encodes a payload with its time.
func stamped(payload any, at time.Time) (json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if payload != nil {
		raw, err := json.Marshal(payload)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(raw, &fields); err != nil {
			return nil, err
		}
	}

	if fields == nil {
		fields = map[string]json.RawMessage{}
	}
	stamp, err := json.Marshal(at.Format(TimeFormat))
	if err != nil {
		return nil, err
	}
	fields["timestamp"] = stamp
	return json.Marshal(fields)
}

// lastEvent returns the highest id that the database knows to be used or reserved, 0 before the
// first event.
func (t *txn) lastEvent(projectUUID string) uint64 {
	if value := t.Bucket([]byte(bucketEventIDs)).Get([]byte(projectUUID)); len(value) == 8 {
		return binary.BigEndian.Uint64(value)
	}
	return 0
}

// pruneEvents deletes events that exceed the limits of the log.
func (t *txn) pruneEvents(projectUUID string, last uint64) error {
	prefix := table.Prefix(projectUUID)
	b := t.Bucket([]byte(bucketEvents))
	var stale [][]byte
	c := b.Cursor()
	for k, value := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, value = c.Next() {
		id := binary.BigEndian.Uint64(k[len(prefix):])
		if id+eventsKept > last {
			var e Event
			if err := json.Unmarshal(value, &e); err != nil {
				return fmt.Errorf("reading an event: %w", err)
			}
			if t.Now.Sub(e.At) <= eventsMaxAge {
				break
			}
		}

		stale = append(stale, bytes.Clone(k))
	}

	for _, k := range stale {
		if err := b.Delete(k); err != nil {
			return err
		}
	}

	return nil
}

// EventsSince returns a project's events after the one with an id. The result lost is true when
// some of them are deleted, or when the log never had that id: the client must then load everything
// again.
func (s *Store) EventsSince(projectUUID string, after uint64) (events []Event, lost bool, err error) {
	last, news := s.progress.since(projectUUID, after)
	err = s.view(func(t *txn) error {
		if last == 0 {
			last = t.lastEvent(projectUUID)
		}
		if after > last {
			lost = true
			return nil
		}

		events = news
		prefix := table.Prefix(projectUUID)
		c := t.Bucket([]byte(bucketEvents)).Cursor()
		k, value := c.Seek(table.Key(projectUUID, after+1))
		for ; k != nil && bytes.HasPrefix(k, prefix); k, value = c.Next() {
			if binary.BigEndian.Uint64(k[len(prefix):]) > last {
				break // newer than the snapshot of the progress events
			}
			var e Event
			if err := json.Unmarshal(value, &e); err != nil {
				return fmt.Errorf("reading an event: %w", err)
			}
			events = append(events, e)
		}

		slices.SortFunc(events, func(a, b Event) int { return cmp.Compare(a.ID, b.ID) })
		lost = uint64(len(events)) != last-after
		return nil
	})
	return events, lost, err
}

// dropEvents deletes a project's log.
func (t *txn) dropEvents(projectUUID string) error {
	t.s.progress.drop(projectUUID)
	if err := t.dropPrefix(bucketEvents, table.Prefix(projectUUID)); err != nil {
		return err
	}
	return t.Bucket([]byte(bucketEventIDs)).Delete([]byte(projectUUID))
}

// pruneAllEvents prunes the logs of all projects, including those without new events.
func (t *txn) pruneAllEvents() error {
	t.s.progress.prune(t.Now)
	type log struct {
		project string
		last    uint64
	}
	var logs []log
	err := t.Bucket([]byte(bucketEventIDs)).ForEach(func(k, v []byte) error {
		if first, _ := t.Bucket([]byte(bucketEvents)).Cursor().Seek(
			table.Prefix(string(k)),
		); bytes.HasPrefix(first, table.Prefix(string(k))) {
			logs = append(logs, log{string(k), binary.BigEndian.Uint64(v)})
		}

		return nil
	})
	if err != nil {
		return err
	}
	for _, l := range logs {
		if err := t.pruneEvents(l.project, l.last); err != nil {
			return err
		}
	}

	return nil
}
