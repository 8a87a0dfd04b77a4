package pipeline

import (
	"hash/maphash"
	"sync"

	"roughcut/store"
)

// Types of the events on a project's stream.
const (
	ClipProcessing       = "CLIP_PROCESSING"
	ClipReady            = "CLIP_READY"
	ClipFailed           = "CLIP_FAILED"
	ClipTilesReady       = "CLIP_TILES_READY"
	ClipTilesFailed      = "CLIP_TILES_FAILED"
	ConstantRateProgress = "CONSTANT_RATE_PROGRESS"
	ConstantRateReady    = "CONSTANT_RATE_READY"
	ConstantRateFailed   = "CONSTANT_RATE_FAILED"
	AnalysisStarted      = "ANALYSIS_STARTED"
	AnalysisProgress     = "ANALYSIS_PROGRESS"
	AnalysisComplete     = "ANALYSIS_COMPLETE"
	AnalysisFailed       = "ANALYSIS_FAILED"
	ExportStarted        = "EXPORT_STARTED"
	ExportProgress       = "EXPORT_PROGRESS"
	ExportComplete       = "EXPORT_COMPLETE"
	ExportFailed         = "EXPORT_FAILED"
	HistoryChanged       = "HISTORY_CHANGED"
)

// historyChanged says that a change was made, undone or redone.
type historyChanged struct {
	EntryUUID string `json:"entry_uuid"`
	Kind      string `json:"kind"`
	Undone    bool   `json:"undone"`
}

// subscriberBuffer is how many events a subscriber can lag behind before it is disconnected.
const subscriberBuffer = 16

// Events appends events to the store's log and delivers them to the subscribers of the project, in
// the order of their ids.
type Events struct {
	store *store.Store
	seed  maphash.Seed
	order [64]sync.Mutex // by hash of the project: held while an event is written and delivered
	mu    sync.Mutex     // of subs
	subs  map[string]map[chan store.Event]struct{}
}

// NewEvents returns a hub over the store's event log. The hub reports the changes of the history of
// projects.
func NewEvents(s *store.Store) *Events {
	e := &Events{store: s, seed: maphash.MakeSeed(), subs: map[string]map[chan store.Event]struct{}{}}
	s.OnHistory(func(entry store.HistoryEntry) {
		changed := historyChanged{entry.UUID, entry.Kind, entry.Undone}
		// Without the event, pages show the change when they load the history again.
		_ = e.Report(entry.ProjectUUID, HistoryChanged, changed)
	})
	return e
}

// Subscribe returns a channel of the project's future events. cancel closes the channel and may be
// called more than once. The channel also closes if the subscriber lags more than subscriberBuffer
// events behind; the subscriber then reads the missed events from the store's log.
func (e *Events) Subscribe(projectUUID string) (<-chan store.Event, func()) {
	ch := make(chan store.Event, subscriberBuffer)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.subs[projectUUID] == nil {
		e.subs[projectUUID] = map[chan store.Event]struct{}{}
	}
	e.subs[projectUUID][ch] = struct{}{}
	return ch, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.drop(projectUUID, ch)
	}
}

// Publish appends an event to the project's log and delivers it to the subscribers. The payload is
// marshaled as a JSON object, and the log adds the time to it.
func (e *Events) Publish(projectUUID, kind string, payload any) error {
	return e.publish(projectUUID, kind, payload, e.store.AppendEvent)
}

// Report is Publish for progress events. It does not wait for the disk: progress events can be
// replayed only until the process ends.
func (e *Events) Report(projectUUID, kind string, payload any) error {
	return e.publish(projectUUID, kind, payload, e.store.AppendProgress)
}

func (e *Events) publish(
	projectUUID, kind string,
	payload any,
	write func(project, kind string, payload any) (store.Event, error),
) error {
	order := &e.order[maphash.String(e.seed, projectUUID)%uint64(len(e.order))]
	order.Lock()
	defer order.Unlock()
	event, err := write(projectUUID, kind, payload)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for ch := range e.subs[projectUUID] {
		select {
		case ch <- event:
		default:
			e.drop(projectUUID, ch)
		}
	}

	return nil
}

// drop ends a subscription. The caller holds e.mu.
func (e *Events) drop(projectUUID string, ch chan store.Event) {
	if _, ok := e.subs[projectUUID][ch]; !ok {
		return
	}
	delete(e.subs[projectUUID], ch)
	if len(e.subs[projectUUID]) == 0 {
		delete(e.subs, projectUUID)
	}
	close(ch)
}
