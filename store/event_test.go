package store

import (
	"encoding/json"
	"errors"
	"testing"
	"time"
)

func TestEventLog(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p, other := w.project(u), w.project(u)
	since := func(after uint64, want int, lost bool) []Event {
		t.Helper()
		events, missing, err := w.EventsSince(p.UUID, after)
		must(t, err)
		if len(events) != want || missing != lost {
			t.Fatalf("since %d: %d events, lost %v; want %d, %v", after, len(events), missing, want, lost)
		}
		return events
	}
	since(0, 0, false)
	since(1, 0, true)
	first := get(w.AppendEvent(p.UUID, "CLIP_READY", map[string]any{"clip_uuid": "c", "duration_ms": 5}))(t)
	get(w.AppendEvent(other.UUID, "CLIP_READY", nil))(t)
	var data map[string]any
	must(t, json.Unmarshal(first.Data, &data))
	if first.ID != 1 || data["clip_uuid"] != "c" || data["timestamp"] != "2026-01-31T12:00:00.000+00:00" {
		t.Errorf("event %+v %s", first, first.Data)
	}
	w.reopen()
	second := get(w.AppendEvent(p.UUID, "CLIP_READY", nil))(t)
	if second.ID != 2 {
		t.Errorf("id %d after a restart", second.ID)
	}
	if events := since(1, 1, false); events[0].ID != 2 || events[0].Type != "CLIP_READY" {
		t.Errorf("events %+v", events)
	}
	since(2, 0, false)
	since(3, 0, true)
	for range eventsKept - 1 {
		get(w.AppendEvent(p.UUID, "ANALYSIS_PROGRESS", nil))(t)
	}
	since(1, eventsKept, false)
	since(0, eventsKept, true)
	w.clock.Advance(eventsMaxAge + time.Second)
	last := get(w.AppendEvent(p.UUID, "ANALYSIS_COMPLETE", nil))(t)
	since(last.ID-1, 1, false)
	since(last.ID-2, 1, true)
	w.clock.Advance(eventsMaxAge + time.Second)
	get(w.SweepExpired())(t)
	since(last.ID, 0, false)
	since(last.ID-1, 0, true)
	if next := get(w.AppendEvent(p.UUID, "CLIP_READY", nil))(t); next.ID != last.ID+1 {
		t.Errorf("id %d after the log was emptied", next.ID)
	}
	must(t, w.DeleteProject(u.UUID, p.UUID))
	_, err := w.AppendEvent(p.UUID, "CLIP_READY", nil)
	wantCode(t, err, NotFound, "not_found")
	if _, err := w.AppendEvent(other.UUID, "X", []int{1}); err == nil {
		t.Error("a payload that is not an object was accepted")
	}
}

// Progress events are replayed in order with stored events, and many of them cost one write.
func TestProgressIsReplayedButNotStored(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	p := w.project(u)
	get(w.AppendEvent(p.UUID, "ANALYSIS_STARTED", nil))(t)
	// starts the progress events
	get(w.AppendProgress(p.UUID, "ANALYSIS_PROGRESS", map[string]any{"progress": 0}))(t)
	w.settled() // the search index writes too
	before := w.db.Stats()
	for i := range progressAhead {
		get(w.AppendProgress(p.UUID, "ANALYSIS_PROGRESS", map[string]any{"progress": i}))(t)
	}
	if after := w.db.Stats(); after.TxStats.GetWrite() != before.TxStats.GetWrite() {
		t.Error("progress was stored")
	}
	get(w.AppendEvent(p.UUID, "ANALYSIS_COMPLETE", nil))(t)
	get(w.AppendProgress(p.UUID, "EXPORT_PROGRESS", nil))(t)
	const last = progressAhead + 4
	for _, after := range []uint64{0, 1, 2, 50, last - 2, last - 1, last} {
		events, lost, err := w.EventsSince(p.UUID, after)
		must(t, err)
		if lost || len(events) != int(last-after) {
			t.Fatalf("after %d: %d events, lost %v", after, len(events), lost)
		}
		for i, e := range events {
			if e.ID != after+1+uint64(i) {
				t.Fatalf("after %d: event %d has id %d", after, i, e.ID)
			}
		}
	}
	for range eventsKept {
		get(w.AppendProgress(p.UUID, "EXPORT_PROGRESS", nil))(t)
	}
	if events, lost, err := w.EventsSince(p.UUID, last); err != nil || lost || len(events) != eventsKept {
		t.Errorf("%d events, lost %v, %v", len(events), lost, err)
	}
	if _, lost, err := w.EventsSince(p.UUID, 0); err != nil || !lost {
		t.Errorf("the log keeps too many events: lost %v, %v", lost, err)
	}
	w.clock.Advance(eventsMaxAge + time.Second)
	get(w.SweepExpired())(t)
	if kept := len(w.progress.projects[p.UUID].kept); kept != 0 {
		t.Errorf("%d old progress events are kept", kept)
	}
	must(t, w.DeleteProject(u.UUID, p.UUID))
	_, err := w.AppendProgress(p.UUID, "EXPORT_PROGRESS", nil)
	wantCode(t, err, NotFound, "not_found")
}

// A crash after progress events that were not stored must not reuse their ids: clients that have
// seen them are told to load everything again.
func TestProgressIDsAreNotReusedAfterACrash(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	get(w.AppendEvent(p.UUID, "EXPORT_STARTED", nil))(t)
	for range 5 {
		get(w.AppendProgress(p.UUID, "EXPORT_PROGRESS", nil))(t)
	}
	for range 2 {
		w.reopen()
		for _, after := range []uint64{1, 3, 6} {
			if _, lost, err := w.EventsSince(p.UUID, after); err != nil || !lost {
				t.Errorf("after %d and a restart: lost %v, %v", after, lost, err)
			}
		}
		e := get(w.AppendEvent(p.UUID, "EXPORT_COMPLETE", nil))(t)
		if e.ID <= 6 {
			t.Errorf("id %d was used before", e.ID)
		}
		news := get(w.AppendProgress(p.UUID, "EXPORT_PROGRESS", nil))(t)
		if news.ID != e.ID+1 {
			t.Errorf("id %d after %d", news.ID, e.ID)
		}
		if events, lost, err := w.EventsSince(p.UUID, e.ID-1); err != nil || lost || len(events) != 2 {
			t.Errorf("%d events, lost %v, %v", len(events), lost, err)
		}
	}
}

// Events share transactions with changes that are refused, so that the transactions run again. No
// event may be lost or repeated.
func TestRefusedNeighborCostsNoEvent(t *testing.T) {
	t.Parallel()
	w := open(t)
	p := w.project(w.user("ada"))
	get(w.AppendProgress(p.UUID, "EXPORT_PROGRESS", nil))(t)
	refused := errors.New("refused")
	for range 20 {
		done := make(chan error, 8)
		for range cap(done) {
			go func() { done <- w.batch(func(*txn) error { return refused }) }()
		}
		get(w.AppendEvent(p.UUID, "EXPORT_COMPLETE", nil))(t)
		for range cap(done) {
			if err := <-done; !errors.Is(err, refused) {
				t.Error(err)
			}
		}
	}
	if events, lost, err := w.EventsSince(p.UUID, 0); err != nil || lost || len(events) != 21 {
		t.Errorf("%d events, lost %v, %v", len(events), lost, err)
	}
}
