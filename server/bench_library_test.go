//go:build unix

package server

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/mediatest"
	"roughcut/pipeline"
	"roughcut/server/auth"
	"roughcut/store"
	"roughcut/store/account"
	"roughcut/store/billing"
)

// Size of the large account.
const (
	scaleVersion  = "4" // of the generator
	scaleProjects = 10_000
	scaleHours    = 1_000 // of speech; each hour is a project with one recording
	scaleEdits    = 100   // in each of those
	scaleAssets   = 1_000
	wordsAnHour   = 9_000
)

// scaleDir returns a data directory with a copy of the large account. It creates the account in the
// cache if it is missing.
func scaleDir(b *testing.B) string {
	b.Helper()
	kept := filepath.Join(
		mediatest.CacheDir(b),
		fmt.Sprintf("account-%s-%d-%d-%d", scaleVersion, scaleProjects, scaleHours, scaleEdits),
	)
	if _, err := os.Stat(kept); err != nil {
		making := kept + ".making"
		if err := os.RemoveAll(making); err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		makeAccount(b, making)
		b.Logf("created the large account in %v", time.Since(start))
		if err := os.Rename(making, kept); err != nil {
			b.Fatal(err)
		}
	}
	dir := filepath.Join(b.TempDir(), "data")
	if err := os.CopyFS(dir, os.DirFS(kept)); err != nil {
		b.Fatal(err)
	}
	syscall.Sync() // otherwise the first flush of the benchmark pays for the copy
	return dir
}

func openAccount(tb testing.TB, dir string) *store.Store {
	tb.Helper()
	plans := billing.DefaultTierTable()
	plans.Unlimited = true
	s, err := store.Open(
		context.Background(),
		store.Options{Dir: dir, TierTable: plans, MinFreeBytes: 1, Log: slog.New(slog.DiscardHandler)},
	)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// makeAccount fills a data directory through the store and waits until the search index is
// complete.
func makeAccount(b *testing.B, dir string) {
	s := openAccount(b, dir)
	user, err := s.CreateUser(account.User{Name: "Ada", Username: "ada", Email: "ada@example.org"})
	if err != nil {
		b.Fatal(err)
	}
	voice := newVoice(7)
	fromClients(b, 16, scaleProjects-scaleHours, func(i int) error {
		_, err := s.CreateProject(user.UUID, fmt.Sprintf("Talk %d", i), nil)
		return err
	})
	for i := range scaleHours {
		if err := addHour(s, dir, user.UUID, i, voice); err != nil {
			b.Fatal(err)
		}
	}
	fromClients(b, 4, scaleAssets, func(i int) error { return addAsset(s, user.UUID, i) })
	for poll := time.Tick(10 * time.Millisecond); ; <-poll {
		if state, err := s.IndexState(); err != nil {
			b.Fatal(err)
		} else if state == store.IndexReady {
			break
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}

// fromClients calls fn with 0 to n-1 from the given number of goroutines.
func fromClients(tb testing.TB, goroutines, n int, fn func(i int) error) {
	tb.Helper()
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			for i := g; i < n; i += goroutines {
				if err := fn(i); err != nil {
					tb.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	if tb.Failed() {
		tb.FailNow()
	}
}

// addHour creates a project with an analyzed recording of one hour.
func addHour(s *store.Store, dir, user string, i int, v *voice) error {
	project, err := s.CreateProject(user, fmt.Sprintf("Lecture %d", i), nil)
	if err != nil {
		return err
	}
	clip, err := s.PresignClip(user, project.UUID, "lecture.mp4", "video/mp4", 1)
	if err != nil {
		return err
	}
	up, err := s.OpenUpload(clip.ClipFileID)
	if err != nil {
		return err
	}
	if _, err := up.Write([]byte("x")); err != nil {
		return err
	}
	if err := up.Commit(); err != nil {
		return err
	}
	if _, _, err := s.ConfirmClip(user, project.UUID, clip.UUID); err != nil {
		return err
	}
	job, _, err := s.ClaimJob(context.Background())
	if err != nil {
		return err
	}
	result := store.ClipResult{
		Ingested: media.IngestResult{Info: media.Info{
			Format:      "mov",
			ContentType: "video/mp4",
			DurationMS:  3_600_000,
			Video: &media.VideoInfo{
				Codec:  "h264",
				Width:  1920,
				Height: 1080,
				Rate:   media.Rate{Num: 30, Den: 1},
			},
			Audio: &media.AudioInfo{Codec: "aac", SampleRate: 48000, Channels: 2},
		}},
	}
	for _, temp := range []*string{&result.ProxyTemp, &result.SpriteTemp, &result.SpeechTemp} {
		*temp = filepath.Join(dir, "tmp", s.NewID())
		if err := os.WriteFile(*temp, []byte("x"), 0o600); err != nil {
			return err
		}
	}
	if _, err := s.FinishClip(job, result); err != nil {
		return err
	}
	if _, err := s.StartAnalysis(
		user,
		project.UUID,
		store.AnalysisSettings{CutOptions: media.DefaultCutOptions()},
	); err != nil {
		return err
	}
	if job, _, err = s.ClaimJob(context.Background()); err != nil {
		return err
	}
	_, err = s.FinishAnalysis(job, v.analysis(clip.UUID, lastWord(i)))
	return err
}

// addAsset creates an asset that waits for processing.
func addAsset(s *store.Store, user string, i int) error {
	asset, err := s.PresignAsset(
		user,
		store.NewAsset{
			FileName:    "a.png",
			ContentType: "image/png",
			SizeBytes:   1,
			DisplayName: fmt.Sprintf("Picture %d of the series", i),
			Tags:        []string{"series", "blue"},
		},
	)
	if err != nil {
		return err
	}
	up, err := s.OpenUpload(asset.AssetFileID)
	if err != nil {
		return err
	}
	if _, err := up.Write([]byte("x")); err != nil {
		return err
	}
	if err := up.Commit(); err != nil {
		return err
	}
	_, _, err = s.ConfirmAsset(user, asset.UUID)
	return err
}

// lastWord returns a word that occurs only at the end of an hour.
func lastWord(hour int) string { return fmt.Sprintf("thatwas%d", hour) }

// voice generates words with a natural frequency distribution.
type voice struct {
	random *rand.Rand
	zipf   *rand.Zipf
	words  []string
}

func newVoice(seed uint64) *voice {
	r := rand.New(rand.NewPCG(seed, seed))
	v := &voice{random: r, zipf: rand.NewZipf(r, 1.08, 4, 59_999)}
	syllables := strings.Fields(
		"ta re mi con der al so pla ver in ing est tion ble pro gra sto lu ne chi om per qua fi an ed er ly",
	)
	seen := map[string]bool{}
	for len(v.words) < 60_000 {
		var word string
		for range 1 + min(len(v.words)/200, 1) + r.IntN(3) {
			word += syllables[r.IntN(len(syllables))]
		}
		if !seen[word] {
			seen[word] = true
			v.words = append(v.words, word)
		}
	}
	return v
}

func (v *voice) word() string { return v.words[v.zipf.Uint64()] }

// analysis returns the analysis result of one hour.
func (v *voice) analysis(clip, last string) store.AnalysisResult {
	words := make([]media.Word, wordsAnHour)
	for i := range words {
		words[i] = media.Word{Text: v.word(), StartMS: int64(i) * 400, EndMS: int64(i)*400 + 350, Probability: 0.9}
	}
	words[len(words)-1].Text = last
	r := store.AnalysisResult{
		Model:    "base",
		Language: "en",
		Transcripts: []store.ClipTranscript{
			{ClipUUID: clip, Transcript: media.Transcript{Language: "en", Words: words}},
		},
	}
	for i := range int64(scaleEdits) {
		r.Edits = append(
			r.Edits,
			store.DetectedEdit{
				ClipUUID:   clip,
				Type:       store.EditSilence,
				Span:       media.Span{StartMS: i * 36_000, EndMS: i*36_000 + 900},
				Active:     true,
				Reason:     "Pause of 0.9 s",
				Confidence: 0.9,
			},
		)
	}
	return r
}

// waitForIndex returns when the search finds a word.
func waitForIndex(tb testing.TB, s *store.Store, user, word string, patience time.Duration) {
	tb.Helper()
	poll := time.NewTicker(2 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(patience); ; <-poll.C {
		hits, _, err := s.Search(user, `"`+word+`"`, "", store.Page{Number: 1, Size: 1})
		switch {
		case len(hits) > 0:
			return
		case err != nil && !store.IsKind(err, store.Unavailable):
			tb.Fatal(err)
		case time.Now().After(deadline):
			tb.Fatalf("%s is not found (%v)", word, err)
		}
	}
}

// site is the large account behind a real listener.
type site struct {
	store   *store.Store
	server  *Server
	http    *httptest.Server
	events  *pipeline.Events
	user    account.User
	session *http.Cookie
	csrf    string
	opened  time.Duration // time until the server answered requests
}

// newSite opens a data directory and signs in its first account.
func newSite(tb testing.TB, dir string) *site {
	tb.Helper()
	start := time.Now()
	w := &site{store: openAccount(tb, dir)}
	w.events = pipeline.NewEvents(w.store)
	var err error
	w.server, err = New(
		Options{
			Store:        w.store,
			Events:       w.events,
			Replan:       replanTwo,
			CaptionLines: oneLineEach,
			Log:          slog.New(slog.DiscardHandler),
		},
	)
	if err != nil {
		tb.Fatal(err)
	}
	w.http = httptest.NewUnstartedServer(nil)
	w.http.Config = NewHTTPServer(w.server)
	w.http.Start()
	w.opened = time.Since(start)
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := w.server.Close(ctx); err != nil {
			tb.Error(err)
		}
		w.http.Close()
		if err := w.store.Close(); err != nil {
			tb.Error(err)
		}
	})
	if w.user, err = w.store.UserByEmail("ada@example.org"); err != nil {
		tb.Fatal(err)
	}
	session, value, err := auth.NewSession(w.user.UUID, w.store.Now(), time.Hour)
	if err == nil {
		err = w.store.CreateSession(session, w.user.Epoch)
	}
	if err != nil {
		tb.Fatal(err)
	}
	w.session, w.csrf = &http.Cookie{Name: sessionCookie, Value: value}, session.CSRF
	return w
}

// times are request durations, shortest first.
type times []time.Duration

func (t times) at(share float64) time.Duration { return t[min(int(share*float64(len(t))), len(t)-1)] }

// run is the result of many requests. Processor time is meaningful even on a shared machine; it
// includes both sides of a request.
type run struct {
	times
	processors time.Duration // per request
}

// timed calls fn n times in total from the given number of clients.
func timed(tb testing.TB, clients, n int, fn func(i int) error) run {
	tb.Helper()
	took := make(times, n)
	before := mediatest.CPUTime(tb)
	fromClients(tb, clients, n, func(i int) error {
		began := time.Now()
		err := fn(i)
		took[i] = time.Since(began)
		return err
	})
	used := mediatest.CPUTime(tb) - before
	slices.Sort(took)
	return run{took, used / time.Duration(n)}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
