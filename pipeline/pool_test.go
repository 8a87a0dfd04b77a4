package pipeline_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/store"
	"roughcut/store/account"
	"roughcut/store/billing"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/blevesearch/bleve_index_api.AnalysisWorker"))
}

// engine is an Engine whose behavior the test sets.
type engine struct {
	look    func(ctx context.Context, r media.AssetRequest) (media.Asset, error)
	trim    func(ctx context.Context, r media.TrimRequest) error
	ingest  func(ctx context.Context, r media.IngestRequest, progress func(float64)) (media.IngestResult, error)
	render  func(ctx context.Context, path string, progress func(float64)) (media.RenderResult, error)
	tiles   func(ctx context.Context, r media.TilesRequest) (media.TilesResult, error)
	prepare func(ctx context.Context, plan media.RenderPlan) error
	faces   func() ([]media.Face, error)
	plan    func(plan media.RenderPlan) // receives the plans of renders; may be nil
}

func (e *engine) Probe(context.Context, string) (media.Info, error) { return info, nil }

func (e *engine) Ingest(
	ctx context.Context,
	r media.IngestRequest,
	progress func(float64),
) (media.IngestResult, error) {
	return e.ingest(ctx, r, progress)
}

func (e *engine) Tiles(ctx context.Context, r media.TilesRequest, _ func(float64)) (media.TilesResult, error) {
	return e.tiles(ctx, r)
}

func (e *engine) Render(
	ctx context.Context,
	plan media.RenderPlan,
	path string,
	progress func(float64),
) (media.RenderResult, error) {
	if e.plan != nil {
		e.plan(plan)
	}
	return e.render(ctx, path, progress)
}

func (e *engine) Still(context.Context, media.RenderPlan, int64, media.StillKind) ([]byte, error) {
	return nil, media.ErrNothingLeft
}

func (e *engine) Faces(context.Context, media.FacesRequest) ([]media.Face, error) { return e.faces() }

func (e *engine) Prerender(ctx context.Context, plan media.RenderPlan) error {
	return e.prepare(ctx, plan)
}

func (e *engine) CountFrames(context.Context, media.CountRequest) (media.FrameCounts, error) {
	return media.FrameCounts{}, errors.New("nothing to count")
}

func (e *engine) Asset(ctx context.Context, r media.AssetRequest, _ func(float64)) (media.Asset, error) {
	return e.look(ctx, r)
}

func (e *engine) Trim(ctx context.Context, r media.TrimRequest, _ func(float64)) (media.Asset, error) {
	return media.Asset{}, e.trim(ctx, r)
}

var info = media.Info{
	Format:      "mov",
	ContentType: "video/mp4",
	DurationMS:  5000,
	Video: &media.VideoInfo{
		Codec:  "h264",
		Width:  640,
		Height: 360,
		Rate:   media.Rate{Num: 30, Den: 1},
	},
	Audio: &media.AudioInfo{Codec: "aac", SampleRate: 48000, Channels: 2},
}

// ingestWell writes the files of a real ingest: speech audio with two seconds of tone, then
// silence.
func ingestWell(_ context.Context, r media.IngestRequest, progress func(float64)) (media.IngestResult, error) {
	sound := make([]byte, 2*media.SpeechSampleRate*5)
	for i := range media.SpeechSampleRate * 2 {
		sound[2*i+1] = byte(32 * (i / 20 % 2))
	}
	for path, content := range map[string][]byte{
		r.ProxyPath:  []byte("proxy"),
		r.SpritePath: []byte("sprite"),
		r.SpeechPath: sound,
	} {
		if path == "" {
			continue
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return media.IngestResult{}, err
		}
	}
	progress(0.5)
	progress(1)
	return media.IngestResult{Info: info, Peaks: []byte{1, 2, 3}}, nil
}

func renderWell(_ context.Context, path string, progress func(float64)) (media.RenderResult, error) {
	progress(1)
	return media.RenderResult{
		Frames:     30,
		DurationMS: 1000,
		Width:      1280,
		Height:     720,
		SizeBytes:  5,
	}, os.WriteFile(path, []byte("video"), 0o600)
}

func prepareNothing(context.Context, media.RenderPlan) error { return nil }

// noModel is a Speech without an installed model.
type noModel struct{}

func (noModel) Open() (pipeline.Model, error) { return nil, nil }

// world is a store with one project, and a pool.
type world struct {
	t        *testing.T
	store    *store.Store
	engine   *engine
	speech   pipeline.Speech
	ears     pipeline.Ears // nil for the default of the pool
	importer *importer
	events   *pipeline.Events
	user     account.User
	project  store.Project
	stop     context.CancelFunc
	done     chan error
	ended    chan struct{} // receives a value when a job has ended
}

func newWorld(t *testing.T) *world {
	t.Helper()
	plans := billing.DefaultTierTable()
	plans.Unlimited = true
	data, err := store.Open(
		context.Background(),
		store.Options{Dir: t.TempDir(), TierTable: plans, MinFreeBytes: 1, Log: slog.New(slog.DiscardHandler)},
	)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t:     t,
		store: data,
		engine: &engine{
			ingest:  ingestWell,
			render:  renderWell,
			look:    lookWell,
			trim:    trimWell,
			prepare: prepareNothing,
		},
		speech:   noModel{},
		importer: &importer{fetch: fetchWell},
		events:   pipeline.NewEvents(data),
		ended:    make(chan struct{}, 1),
	}
	t.Cleanup(func() {
		w.shutdown()
		if findings, err := data.Check(context.Background()); err != nil || len(findings) > 0 {
			t.Errorf("after the test: %v %v", findings, err)
		}
		if err := data.Close(); err != nil {
			t.Error(err)
		}
	})
	if w.user, err = data.Owner(func() account.User {
		return account.User{Name: "O", Username: "owner", Email: "o@localhost", EmailVerified: true}
	}); err != nil {
		t.Fatal(err)
	}
	if w.project, err = data.CreateProject(w.user.UUID, "A talk", nil); err != nil {
		t.Fatal(err)
	}
	return w
}

// run starts a pool.
func (w *world) run() { w.runPrerendering(0) }

// runPrerendering starts a pool that pre-renders exports after the given idle time.
func (w *world) runPrerendering(after time.Duration) {
	ctx, stop := context.WithCancel(context.Background())
	w.stop, w.done = stop, make(chan error, 1)
	pool := pipeline.NewPool(
		pipeline.Options{
			Store:          w.store,
			Engine:         w.engine,
			Speech:         w.speech,
			Ears:           w.ears,
			Importer:       w.importer,
			Events:         w.events,
			Workers:        2,
			PrerenderAfter: after,
			Log:            slog.New(slog.DiscardHandler),
			JobEnded: func(store.JobKind, string, time.Duration) {
				select {
				case w.ended <- struct{}{}:
				default:
				}
			},
		},
	)
	go func() { w.done <- pool.Run(ctx) }()
}

// shutdown stops the pool and waits for it.
func (w *world) shutdown() {
	if w.stop == nil {
		return
	}
	w.stop()
	if err := <-w.done; err != nil {
		w.t.Error(err)
	}
	w.stop = nil
}

// upload adds a confirmed clip to the project.
func (w *world) upload() store.Clip {
	w.t.Helper()
	clip, err := w.store.PresignClip(w.user.UUID, w.project.UUID, "talk.mp4", "video/mp4", 9)
	if err != nil {
		w.t.Fatal(err)
	}
	up, err := w.store.OpenUpload(clip.ClipFileID)
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := up.Write([]byte("recording")); err != nil {
		w.t.Fatal(err)
	}
	if err := up.Commit(); err != nil {
		w.t.Fatal(err)
	}
	if clip, _, err = w.store.ConfirmClip(w.user.UUID, w.project.UUID, clip.UUID); err != nil {
		w.t.Fatal(err)
	}
	return clip
}

// patience is how long tests wait before they fail. It is long because it costs nothing when tests
// pass.
const patience = 2 * time.Minute

// until returns the events up to the first one of a type.
func (w *world) until(events <-chan store.Event, kind string) []store.Event {
	w.t.Helper()
	timeout := time.After(patience)
	var seen []store.Event
	for {
		select {
		case e, ok := <-events:
			if !ok {
				w.t.Fatalf("the subscription ended before %s; seen %v", kind, kinds(seen))
			}
			if seen = append(seen, e); e.Type == kind {
				return seen
			}
		case <-timeout:
			w.t.Fatalf("no %s within %v; seen %v", kind, patience, kinds(seen))
		}
	}
}

// kinds returns the types of events, without repetitions.
func kinds(events []store.Event) string {
	var out []string
	for _, e := range events {
		if len(out) == 0 || out[len(out)-1] != e.Type {
			out = append(out, e.Type)
		}
	}
	return strings.Join(out, " ")
}

func (w *world) clip(uuid string) store.Clip {
	w.t.Helper()
	clip, err := w.store.Clip(w.user.UUID, uuid)
	if err != nil {
		w.t.Fatal(err)
	}
	return clip
}

// Ingest, analysis and export run one after the other and publish their events.
func TestClipAnalysisAndExportPublishEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.run()
	clip := w.upload()
	if got := kinds(w.until(events, pipeline.ClipReady)); got != "CLIP_PROCESSING CLIP_READY" {
		t.Errorf("ingest: %s", got)
	}
	if c := w.clip(clip.UUID); c.Status != "ready" || *c.DurationMS != 5000 || !c.HasPeaks {
		t.Errorf("clip: %+v", c)
	}
	run, err := w.store.StartAnalysis(
		w.user.UUID,
		w.project.UUID,
		store.AnalysisSettings{CutOptions: media.CutOptions{PacingLevel: 50, FalseStartSensitivity: 50}},
	)
	if err != nil {
		t.Fatal(err)
	}
	analysis := w.until(events, pipeline.AnalysisComplete)
	if got := kinds(analysis); got != "ANALYSIS_STARTED ANALYSIS_PROGRESS ANALYSIS_COMPLETE" {
		t.Errorf("analysis: %s", got)
	}
	for _, step := range []string{
		"extract_audio", "detect_silences", "detect_false_starts", "generate_captions", "place_assets",
	} {
		found := false
		for _, e := range analysis {
			found = found || strings.Contains(string(e.Data), `"step":"`+step+`"`)
		}
		if !found {
			t.Errorf("the step %s was not reported", step)
		}
	}
	edits, err := w.store.Edits(w.user.UUID, w.project.UUID, true)
	if err != nil || len(edits) != 1 || edits[0].Type != "silence" || edits[0].StartMS < 2000 ||
		edits[0].EndMS != 5000 {
		t.Fatalf("edits: %+v, %v", edits, err)
	}
	in, err := w.store.ReplanInput(w.user.UUID, w.project.UUID, run.UUID)
	if err != nil {
		t.Fatal(err)
	}
	again, err := pipeline.Replan(in)
	if err != nil || len(again.Edits) != 1 || again.Edits[0].Span.StartMS != edits[0].StartMS {
		t.Errorf("a replan with the same settings gives %+v, %v", again, err)
	}
	if fewer, err := pipeline.Replan(store.ReplanInput{Evidence: []byte("garbage")}); err == nil {
		t.Errorf("invalid evidence gives %v", fewer)
	}
	export, err := w.store.CreateExport(w.user.UUID, w.project.UUID, store.NewExport{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if got := kinds(w.until(events, pipeline.ExportComplete)); got != "EXPORT_STARTED EXPORT_PROGRESS EXPORT_COMPLETE" {
		t.Errorf("export: %s", got)
	}
	if export, err = w.store.Export(w.user.UUID, export.UUID); err != nil || export.Status != "completed" ||
		export.SizeBytes != 5 {
		t.Errorf("export: %+v, %v", export, err)
	}
}

// fileFault is the error of a bad recording.
type fileFault struct{}

func (fileFault) Error() string     { return "moov atom not found" }
func (fileFault) FileFault() string { return "this recording is cut off" }

// After any error or panic in a job, the clip has a reason for the user and the pool continues.
func TestErrorsBecomeReasons(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func() error
		says string
	}{
		{
			"a bad file", func() error { return errors.Join(errors.New("ingest"), fileFault{}) },
			"This recording is cut off.",
		},
		{
			"a full disk",
			func() error { return &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC} },
			"disk is full",
		},
		{
			"too many open files",
			func() error { return &os.PathError{Op: "open", Path: "x", Err: syscall.EMFILE} },
			"too many files open",
		},
		{
			"an internal error", func() error { return errors.New("secret detail") },
			"Something went wrong inside Roughcut",
		},
		{"a panic", func() error { panic("index out of range") }, "Something went wrong inside Roughcut"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.engine.ingest = func(
				_ context.Context,
				r media.IngestRequest,
				_ func(float64),
			) (media.IngestResult, error) {
				if err := os.WriteFile(r.ProxyPath, []byte("half"), 0o600); err != nil {
					t.Error(err)
				}
				return media.IngestResult{}, c.do()
			}
			events, cancel := w.events.Subscribe(w.project.UUID)
			defer cancel()
			w.run()
			clip := w.upload()
			w.until(events, pipeline.ClipFailed)
			got := w.clip(clip.UUID)
			if got.Status != "failed" || !strings.Contains(got.Error, c.says) || strings.Contains(got.Error, "secret") {
				t.Errorf("status %s, error %q", got.Status, got.Error)
			}
			w.engine.ingest = ingestWell
			w.upload()
			w.until(events, pipeline.ClipReady)
		})
	}
}

// A cancelled render stops immediately and leaves no file.
func TestCancelStopsARender(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rendering := make(chan string, 1)
	w.engine.render = func(ctx context.Context, path string, _ func(float64)) (media.RenderResult, error) {
		if err := os.WriteFile(path, []byte("half a video"), 0o600); err != nil {
			t.Error(err)
		}
		rendering <- path
		<-ctx.Done()
		return media.RenderResult{}, ctx.Err()
	}
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.run()
	w.upload()
	w.until(events, pipeline.ClipReady)
	export, err := w.store.CreateExport(w.user.UUID, w.project.UUID, store.NewExport{})
	if err != nil {
		t.Fatal(err)
	}
	path := <-rendering
	if _, err := w.store.CancelExport(w.user.UUID, export.UUID); err != nil {
		t.Fatal(err)
	}
	w.until(events, pipeline.ExportFailed)
	if export, err = w.store.Export(w.user.UUID, export.UUID); err != nil || export.Status != "cancelled" {
		t.Errorf("export: %+v, %v", export, err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the partial video remains")
	}
}

// A shutdown returns jobs to the queue without counting the attempt, and the next start finishes
// them.
func TestShutdownReturnsJobsToTheQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	started := make(chan struct{}, 1)
	w.engine.ingest = func(ctx context.Context, _ media.IngestRequest, _ func(float64)) (media.IngestResult, error) {
		started <- struct{}{}
		<-ctx.Done()
		return media.IngestResult{}, ctx.Err()
	}
	clip := w.upload()
	for range 5 {
		w.run()
		<-started
		w.shutdown()
		if got := w.clip(clip.UUID); got.Status != "processing" {
			t.Fatalf("the clip has the status %s after a shutdown: %s", got.Status, got.Error)
		}
	}
	w.engine.ingest = ingestWell
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	w.run()
	w.until(events, pipeline.ClipReady)
}

// A job whose engine the system killed runs again, and fails if that happens again.
func TestJobRunsAgainAfterTheSystemKilledItsEngine(t *testing.T) {
	t.Parallel()
	for _, kills := range []int{1, 2} {
		w := newWorld(t)
		left := kills
		w.engine.ingest = func(
			ctx context.Context, r media.IngestRequest, progress func(float64),
		) (media.IngestResult, error) {
			if left--; left >= 0 {
				return media.IngestResult{}, errors.Join(errors.New("no memory"), pipeline.ErrKilled)
			}
			return ingestWell(ctx, r, progress)
		}
		clip := w.upload()
		events, cancel := w.events.Subscribe(w.project.UUID)
		w.run()
		want, status := pipeline.ClipReady, store.ClipReady
		if kills > 1 {
			want, status = pipeline.ClipFailed, store.ClipFailed
		}
		w.until(events, want)
		cancel()
		if got := w.clip(clip.UUID); got.Status != status {
			t.Errorf("after %d kills the clip is %s: %s", kills, got.Status, got.Error)
		}
	}
}

// All jobs run, but never more at a time than there are workers. While both workers are busy, the
// store serves the test many times; a third worker would have taken its job in between.
func TestPoolRunsAtMostAsManyJobsAsWorkers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	started, release := make(chan struct{}, 4), make(chan struct{})
	w.engine.ingest = func(
		ctx context.Context,
		r media.IngestRequest,
		progress func(float64),
	) (media.IngestResult, error) {
		started <- struct{}{}
		<-release
		return ingestWell(ctx, r, progress)
	}
	events, cancel := w.events.Subscribe(w.project.UUID)
	defer cancel()
	for range 4 {
		w.upload()
	}
	w.run()
	for range 2 {
		select {
		case <-started:
		case <-time.After(patience):
			t.Fatal("the two workers did not take two jobs")
		}
	}
	for range 50 {
		if _, err := w.store.CreateProject(w.user.UUID, "Another talk", nil); err != nil {
			t.Fatal(err)
		}
	}
	third := len(started)
	close(release)
	for range 4 {
		w.until(events, pipeline.ClipReady)
	}
	if third > 0 {
		t.Errorf("%d jobs ran at a time with 2 workers", 2+third)
	}
}

// A subscriber that does not read is disconnected; the others get all events.
func TestSlowSubscriberIsDisconnected(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	slow, cancelSlow := w.events.Subscribe(w.project.UUID)
	defer cancelSlow()
	quick, cancelQuick := w.events.Subscribe(w.project.UUID)
	defer cancelQuick()
	const n = 200
	for i := range n {
		if err := w.events.Publish(w.project.UUID, "TEST", map[string]int{"n": i}); err != nil {
			t.Fatal(err)
		}
		if e := <-quick; !strings.Contains(string(e.Data), `"n":`) {
			t.Fatalf("event %s", e.Data)
		}
	}
	got := 0
	for range slow {
		got++
	}
	if got >= n {
		t.Errorf("a subscriber that does not read got all %d events", got)
	}
	if after, lost, err := w.store.EventsSince(w.project.UUID, 0); err != nil || lost || len(after) != n {
		t.Errorf("the log has %d events, lost %v, %v", len(after), lost, err)
	}
	cancelSlow()
}

func TestSweepRenewsSubscriptionsRepeatedly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	moved := make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	w.stop, w.done = stop, make(chan error, 1)
	pool := pipeline.NewPool(
		pipeline.Options{
			Store:         w.store,
			Engine:        w.engine,
			Speech:        noModel{},
			Events:        w.events,
			Log:           slog.New(slog.DiscardHandler),
			SweepInterval: time.Millisecond,
			Billing: func(ctx context.Context) error {
				select {
				case moved <- struct{}{}:
				case <-ctx.Done():
				}
				return errors.New("an error that must not end the sweep")
			},
		},
	)
	go func() { w.done <- pool.Run(ctx) }()
	for range 3 {
		<-moved
	}
}
