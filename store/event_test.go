package store

import (
	"encoding/json"
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
	w.clock.add(eventsMaxAge + time.Second)
	last := get(w.AppendEvent(p.UUID, "ANALYSIS_COMPLETE", nil))(t)
	since(last.ID-1, 1, false)
	since(last.ID-2, 1, true)
	w.clock.add(eventsMaxAge + time.Second)
	get(w.ExpireExports())(t)
	since(last.ID, 0, false)
	since(last.ID-1, 0, true)
	if next := get(w.AppendEvent(p.UUID, "CLIP_READY", nil))(t); next.ID != last.ID+1 {
		t.Errorf("id %d after the log ran empty", next.ID)
	}
	must(t, w.DeleteProject(u.UUID, p.UUID))
	_, err := w.AppendEvent(p.UUID, "CLIP_READY", nil)
	wantCode(t, err, NotFound, "not_found")
	if _, err := w.AppendEvent(other.UUID, "X", []int{1}); err == nil {
		t.Error("a payload that is no object was taken")
	}
}
