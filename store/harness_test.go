package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/store/account"
	"roughcut/store/storetest"
)

// world is a store in a temporary directory with its own clock.
type world struct {
	*Store
	t     testing.TB
	clock *storetest.Clock
	opts  Options
}

func open(t testing.TB, change ...func(*Options)) *world {
	t.Helper()
	w := &world{t: t, clock: storetest.NewClock()}
	w.opts = Options{Dir: t.TempDir(), Now: w.clock.Now, MinFreeBytes: 1, Log: slog.New(slog.DiscardHandler)}
	for _, fn := range change {
		fn(&w.opts)
	}
	w.start()
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func ownerMode(o *Options) { o.TierTable.Unlimited = true }

func (w *world) start() {
	w.t.Helper()
	s, err := Open(context.Background(), w.opts)
	if err != nil {
		w.t.Fatalf("opening: %v", err)
	}
	w.Store = s
}

// reopen restarts the store.
func (w *world) reopen() {
	w.t.Helper()
	must(w.t, w.Close())
	w.start()
}

// clean fails the test when an invariant is broken.
func (w *world) clean() {
	w.t.Helper()
	found, err := w.Check(context.Background())
	must(w.t, err)
	for _, f := range found {
		w.t.Errorf("%s: %s", f.Code, f.Message)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func get[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		must(t, err)
		return v
	}
}

// wantCode fails the test unless err is an *Error with a kind and code.
func wantCode(t testing.TB, err error, kind Kind, code string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want %s", err, code)
	}
	if e.Kind != kind || e.Code != code || e.Message == "" {
		t.Fatalf("got %d %s %q, want %d %s", e.Kind, e.Code, e.Message, kind, code)
	}
}

// user creates a verified account with a trial.
func (w *world) user(name string) account.User {
	w.t.Helper()
	u := account.User{Name: name, Username: name, Email: name + "@example.org", PasswordHash: "hash"}
	u = get(w.CreateUser(u))(w.t)
	must(w.t, w.VerifyEmail("verify-"+u.UUID, u.UUID, w.Now().Add(time.Hour)))
	return u
}

func (w *world) project(u account.User) Project {
	w.t.Helper()
	return get(w.CreateProject(u.UUID, "Talk", nil))(w.t)
}

// uploaded presigns a clip and uploads its bytes.
func (w *world) uploaded(p Project, size int) Clip {
	w.t.Helper()
	c := get(w.PresignClip(p.UserUUID, p.UUID, "talk.mp4", "video/mp4", int64(max(size, 1))))(w.t)
	w.put(c, size)
	return c
}

func (w *world) put(c Clip, size int) {
	w.t.Helper()
	up := get(w.OpenUpload(c.ClipFileID))(w.t)
	if _, err := up.Write(make([]byte, size)); err != nil {
		w.t.Fatal(err)
	}
	must(w.t, up.Commit())
}

// recording creates a file outside the data directory.
func (w *world) recording(name string, size int) string {
	w.t.Helper()
	dir, err := filepath.EvalSymlinks(w.t.TempDir())
	must(w.t, err)
	path := filepath.Join(dir, name)
	must(w.t, os.WriteFile(path, bytes.Repeat([]byte{'a'}, size), 0o600))
	return path
}

// claim claims the next job and fails the test if no job is queued.
func (w *world) claim() Job {
	w.t.Helper()
	j, ok, err := w.ClaimJob(context.Background())
	must(w.t, err)
	if !ok {
		w.t.Fatal("no job is queued")
	}
	return j
}

// temp creates a temporary file of a size.
func (w *world) temp(size int) string {
	w.t.Helper()
	path := get(w.TempPath(".bin"))(w.t)
	must(w.t, os.WriteFile(path, make([]byte, size), 0o600))
	return path
}

// ConfirmClip is Store.ConfirmClip without the result fresh.
func (w *world) ConfirmClip(userUUID, projectUUID, clipUUID string) (Clip, error) {
	c, _, err := w.Store.ConfirmClip(userUUID, projectUUID, clipUUID)
	return c, err
}

// ready uploads a clip and finishes its job.
func (w *world) ready(p Project, durationMS int64) Clip {
	w.t.Helper()
	c := w.uploaded(p, 1000)
	get(w.ConfirmClip(p.UserUUID, p.UUID, c.UUID))(w.t)
	return w.ingest(durationMS)
}

// ingest finishes the next job, which must be a clip job.
func (w *world) ingest(durationMS int64) Clip {
	w.t.Helper()
	return get(w.FinishClip(w.claim(), w.ingested(durationMS)))(w.t)
}

func (w *world) ingested(durationMS int64) ClipResult {
	return ClipResult{
		ProxyTemp: w.temp(50), SpriteTemp: w.temp(20), SpeechTemp: w.temp(30),
		Ingested: media.IngestResult{
			Info: media.Info{Format: "mov", ContentType: "video/mp4", DurationMS: durationMS,
				Video: &media.VideoInfo{Codec: "h264", Width: 1280, Height: 720, Rate: media.Rate{Num: 30, Den: 1}},
				Audio: &media.AudioInfo{Codec: "aac", SampleRate: 48000, Channels: 2}},
			Sprite: media.Sprite{TileWidth: 160, TileHeight: 90, TilesPerRow: 10, TotalTiles: 1, SecondsPerTile: 1},
			Peaks:  []byte{1, 2, 3}, Keyframes: []int64{0, 1000, 66_733}, Motion: []byte{0, 90},
		},
	}
}

// analyzed runs an analysis of a project with a given result.
func (w *world) analyzed(p Project, r AnalysisResult) Run {
	w.t.Helper()
	get(w.StartAnalysis(p.UserUUID, p.UUID, AnalysisSettings{CutOptions: media.DefaultCutOptions()}))(w.t)
	j := w.claim()
	get(w.StartRun(j))(w.t)
	return get(w.FinishAnalysis(j, r))(w.t)
}

// speech is a transcript with one word each half second.
func speech(clipUUID string, words ...string) ClipTranscript {
	t := ClipTranscript{ClipUUID: clipUUID, Transcript: media.Transcript{Language: "en"}}
	for i, text := range words {
		t.Words = append(
			t.Words,
			media.Word{Text: text, StartMS: int64(i) * 500, EndMS: int64(i)*500 + 400, Probability: 1},
		)
	}
	return t
}

func silence(clipUUID string, start, end int64) DetectedEdit {
	return DetectedEdit{
		ClipUUID:   clipUUID,
		Type:       EditSilence,
		Span:       media.Span{StartMS: start, EndMS: end},
		Active:     true,
		Reason:     fmt.Sprintf("Silence of %d ms", end-start),
		Confidence: 0.9,
	}
}

func ptr[T any](v T) *T { return &v }

// filesUnder returns the files below a part of the data directory.
func (w *world) filesUnder(part string) []string {
	w.t.Helper()
	var found []string
	must(w.t, filepath.WalkDir(filepath.Join(w.opts.Dir, part), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found = append(found, path)
		}
		return err
	}))
	return found
}
