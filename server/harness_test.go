package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/pipeline/models"
	"roughcut/server/auth"
	"roughcut/server/mail"
	"roughcut/store"
	"roughcut/store/account"
	"roughcut/store/storetest"
)

// world is a server with a real store behind a real listener.
type world struct {
	t      *testing.T
	clock  *storetest.Clock
	store  *store.Store
	server *Server
	http   *httptest.Server
	client *http.Client
	events *pipeline.Events
	outbox string
	logs   *lockedBuffer
	faulty bool // the test expects an internal error
	o      Options
	so     store.Options

	speaker string // of all words that finishAnalysis finds
	doubt   string // about the language that finishAnalysis finds

	secrets secrets
}

// lockedBuffer collects log lines.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// cheapHash is the password cost of tests about other things: a millisecond instead of a tenth of a
// second.
var cheapHash = auth.HashCost{MemoryKiB: 1024, Passes: 1, Threads: 1}

func newWorld(t *testing.T, change ...func(*Options, *store.Options)) *world {
	t.Helper()
	w := &world{t: t, clock: storetest.NewClock(), logs: &lockedBuffer{}}
	log := slog.New(slog.NewTextHandler(w.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	dir := t.TempDir()
	so := store.Options{Dir: dir, Now: w.clock.Now, MinFreeBytes: 1, Log: log}
	o := Options{
		Log:            log,
		Replan:         replanTwo,
		EstimateExport: pipeline.NewPool(pipeline.Options{Engine: noCounts{}, Log: log}).EstimateExport,
		Still:          stillOf,
		Faces:          func(context.Context, store.Clip) ([]media.Face, error) { return nil, nil },
		CaptionLines:   oneLineEach,
		LookUpImport:   lookUpTalk,
		Settings:       Settings{HashConcurrency: 2, HashCost: cheapHash},
	}
	for _, c := range change {
		c(&o, &so)
	}
	w.outbox = filepath.Join(dir, "outbox")
	w.start(o, so)
	t.Cleanup(w.close)
	return w
}

// start opens the store and the server.
func (w *world) start(o Options, so store.Options) {
	t := w.t
	t.Helper()
	w.o, w.so = o, so
	var err error
	if w.store, err = store.Open(t.Context(), so); err != nil {
		t.Fatal(err)
	}
	w.events = pipeline.NewEvents(w.store)
	o.Store, o.Events = w.store, w.events
	if o.Models == nil {
		o.Models = models.New(models.Options{
			Dir: filepath.Join(so.Dir, "models"), Check: func(string) (bool, error) { return true, nil },
		})
	}
	if o.ActiveModel == nil {
		o.ActiveModel = func() (string, error) { return "", nil }
	}
	if o.ModelSpeed == nil {
		o.ModelSpeed = func(string) (time.Duration, string) { return 0, "fast" }
		o.ProposedModel = func() string { return "" }
	}
	if o.Mail == nil {
		o.Mail = mail.Outbox{Dir: w.outbox, From: "roughcut@localhost"}
	}
	o.Metrics = NewMetrics(w.store, "test")
	if w.server, err = New(o); err != nil {
		t.Fatal(err)
	}
	w.http = httptest.NewUnstartedServer(nil)
	w.http.Config = NewHTTPServer(w.server)
	w.http.Start()
	w.client = &http.Client{
		Transport: &contractChecker{
			t:        t,
			contract: w.server.contract,
			next:     &http.Transport{DisableCompression: true},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// restart closes the store and the server and opens them again on another port.
func (w *world) restart(change func(*store.Options)) {
	w.t.Helper()
	w.close()
	change(&w.so)
	w.start(w.o, w.so)
}

func (w *world) close() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	w.server.Models.Close()
	if err := w.server.Close(ctx); err != nil {
		w.t.Error(err)
	}
	w.http.Close()
	w.secrets.check(w.t, "log", w.logs.String())
	w.secrets.check(w.t, "metrics", w.metrics())
	if err := w.store.Close(); err != nil {
		w.t.Error(err)
	}
	if logs := w.logs.String(); strings.Contains(logs, "level=ERROR") && !w.faulty {
		w.t.Errorf("the server logged an internal error:\n%s", logs)
	}
}

// replanTwo replaces the rules of the pipeline: one silence whose length follows the pacing.
func replanTwo(in store.ReplanInput) (store.Proposal, error) {
	return store.Proposal{Edits: []store.DetectedEdit{
		{
			ClipUUID:   string(in.Evidence),
			Type:       store.EditSilence,
			Span:       media.Span{StartMS: 1000, EndMS: 2000 + int64(in.Run.PacingLevel)},
			Active:     true,
			Reason:     "pause",
			Confidence: 0.9,
		},
	}}, nil
}

func oneLineEach(transcripts []store.ClipTranscript, maxWords int) []store.ClipCaption {
	var lines []store.ClipCaption
	for _, t := range transcripts {
		for start := 0; start < len(t.Words); start += maxWords {
			words := t.Words[start:min(start+maxWords, len(t.Words))]
			line := store.ClipCaption{
				ClipUUID:  t.ClipUUID,
				TimedText: media.TimedText{StartMS: words[0].StartMS, EndMS: words[len(words)-1].EndMS},
			}
			for _, word := range words {
				line.TimedText.Text = strings.TrimSpace(line.TimedText.Text + " " + word.Text)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// person is a signed-in account, or an anonymous caller if user is empty.
type person struct {
	w      *world
	user   account.User
	cookie string
	csrf   string
	bearer string // sent as Authorization: Bearer
}

// person creates an account with a session, without hashing a password.
func (w *world) person(name string) *person {
	w.t.Helper()
	user, err := w.store.CreateUser(account.User{Name: name, Username: name, Email: name + "@example.com"})
	if err == nil {
		err = w.store.VerifyEmail(w.store.NewID(), user.UUID, w.store.Now().Add(time.Hour))
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return w.signIn(user)
}

func (w *world) signIn(user account.User) *person {
	w.t.Helper()
	session, value, err := auth.NewSession(user.UUID, w.store.Now(), w.server.Settings.SessionTTL)
	if err == nil {
		user, err = w.store.User(user.UUID)
	}
	if err == nil {
		err = w.store.CreateSession(session, user.Epoch)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return &person{w: w, user: user, cookie: value, csrf: session.CSRF}
}

// launched returns the owner of owner mode, signed in with a launch token.
func (w *world) launched() *person {
	w.t.Helper()
	token, err := w.server.LaunchToken()
	if err != nil {
		w.t.Fatal(err)
	}
	in := w.anonymous().do("POST", "/api/v1/auth/launch", map[string]any{"token": token}).want(200, "")
	p := &person{w: w, cookie: sessionOf(w.t, in).Value, csrf: in.text("csrf_token")}
	if p.user, err = w.store.User(w.server.ownerUUID); err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (w *world) anonymous() *person { return &person{w: w} }

// reply is a complete response.
type reply struct {
	t      *testing.T
	what   string
	status int
	header http.Header
	body   []byte
}

// do sends a request. The body may be nil, url.Values for a form, raw []byte, or a value to encode
// as JSON.
func (p *person) do(method, path string, body any) *reply {
	p.w.t.Helper()
	r := p.request(method, path, body)
	return p.w.send(r)
}

func (p *person) request(method, path string, body any) *http.Request {
	p.w.t.Helper()
	var reader io.Reader
	contentType := "application/json"
	switch b := body.(type) {
	case nil:
		contentType = ""
	case url.Values:
		reader, contentType = strings.NewReader(b.Encode()), "application/x-www-form-urlencoded"
	case []byte:
		reader = bytes.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			p.w.t.Fatal(err)
		}
		reader = bytes.NewReader(text)
	}
	if !strings.HasPrefix(path, "http") {
		path = p.w.http.URL + path
	}
	r, err := http.NewRequestWithContext(p.w.t.Context(), method, path, reader)
	if err != nil {
		p.w.t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if p.cookie != "" {
		r.AddCookie(&http.Cookie{Name: sessionCookie, Value: p.cookie})
		r.Header.Set(csrfHeader, p.csrf)
	}
	if p.bearer != "" {
		r.Header.Set("Authorization", "Bearer "+p.bearer)
	}
	return r
}

func (w *world) send(r *http.Request) *reply {
	w.t.Helper()
	response, err := w.client.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	w.secrets.learn(r, body)
	return &reply{
		t:      w.t,
		what:   r.Method + " " + r.URL.Path,
		status: response.StatusCode,
		header: response.Header,
		body:   body,
	}
}

// want checks the status and, unless code is empty, the code of the problem.
func (r *reply) want(status int, code string) *reply {
	r.t.Helper()
	if r.status != status || (code != "" && r.text("code") != code) {
		r.t.Fatalf("%s: got %d %s, want %d %s", r.what, r.status, r.body, status, code)
	}
	return r
}

// value follows keys and list indices through the JSON of the body.
func (r *reply) value(path ...any) any {
	r.t.Helper()
	var at any
	if err := json.Unmarshal(r.body, &at); err != nil {
		r.t.Fatalf("%s: %v in %q", r.what, err, r.body)
	}
	for _, step := range path {
		switch s := step.(type) {
		case string:
			object, ok := at.(map[string]any)
			if !ok {
				r.t.Fatalf("%s: no object at %v of %s", r.what, path, r.body)
			}
			at = object[s]
		case int:
			list, ok := at.([]any)
			if !ok || s >= len(list) {
				r.t.Fatalf("%s: no item at %v of %s", r.what, path, r.body)
			}
			at = list[s]
		}
	}
	return at
}

func (r *reply) text(path ...any) string {
	r.t.Helper()
	value := r.value(path...)
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// project creates a project over HTTP.
func (p *person) project(name string) string {
	p.w.t.Helper()
	return p.do("POST", "/api/v1/projects/", map[string]any{"name": name}).want(201, "").text("uuid")
}

// upload presigns a clip and sends its bytes. The clip then waits for its confirm.
func (p *person) upload(project string, data []byte) (clip, address string) {
	p.w.t.Helper()
	r := p.do(
		"POST",
		"/api/v1/projects/"+project+"/clips/presign",
		map[string]any{"filename": "talk.mp4", "content_type": "video/mp4", "size_bytes": len(data)},
	).want(201, "")
	clip, address = r.text("clip_uuid"), r.text("upload_url")
	p.w.anonymous().do("PUT", address, data).want(200, "")
	return clip, address
}

const (
	clipMS    = 10_000
	proxyText = "0123456789 this is the proxy"
)

// readyClip creates a processed clip.
func (p *person) readyClip(project string) string {
	p.w.t.Helper()
	clip, _ := p.upload(project, []byte("bytes of a recording"))
	p.do("POST", "/api/v1/projects/"+project+"/clips/"+clip+"/confirm", nil).want(202, "")
	p.w.finishClip()
	return clip
}

func (w *world) claim(kind store.JobKind) store.Job {
	w.t.Helper()
	job, ok, err := w.store.ClaimJob(w.t.Context())
	if err != nil || !ok || job.Kind != kind {
		w.t.Fatalf("claim a job of kind %s: %+v %v %v", kind, job, ok, err)
	}
	return job
}

func (w *world) temp(text string) string {
	w.t.Helper()
	path, err := w.store.TempPath(".tmp")
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *world) finishClip() {
	w.t.Helper()
	w.finishClipOf(clipMS)
}

// finishClipOf does the pipeline's work for an uploaded recording of the given length.
func (w *world) finishClipOf(durationMS int64) {
	w.t.Helper()
	w.finishClipWith(durationMS, func(*media.Info) {})
}

// finishClipWith is finishClipOf for a recording whose properties change adapts.
func (w *world) finishClipWith(durationMS int64, change func(*media.Info)) {
	w.t.Helper()
	job := w.claim(store.JobClip)
	info := media.Info{
		Format:      "mov",
		ContentType: "video/mp4",
		DurationMS:  durationMS,
		Video: &media.VideoInfo{
			Codec:  "h264",
			Width:  1280,
			Height: 720,
			Rate:   media.Rate{Num: 30000, Den: 1001},
		},
		Audio: &media.AudioInfo{Codec: "aac", SampleRate: 48000, Channels: 2},
	}
	change(&info)
	_, err := w.store.FinishClip(job, store.ClipResult{
		Ingested: media.IngestResult{
			Info:   info,
			Sprite: media.Sprite{TileWidth: 160, TileHeight: 90, TilesPerRow: 10, TotalTiles: 10, SecondsPerTile: 1},
			Peaks:  bytes.Repeat([]byte{0, 10, 255, 3}, clipMS/media.PeaksPerSecond*media.PeaksPerSecond/40),
		},
		ProxyTemp: w.temp(proxyText), SpriteTemp: w.temp("sprite"), SpeechTemp: w.temp("speech"),
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// analyze runs an analysis of a project with one clip, without the pipeline.
func (p *person) analyze(project, clip string) (run string) {
	p.w.t.Helper()
	run = p.do("POST", "/api/v1/projects/"+project+"/analyze", map[string]any{}).want(202, "").text("run_uuid")
	p.w.finishAnalysis(clip)
	return run
}

func (w *world) finishAnalysis(clip string) {
	w.t.Helper()
	job := w.claim(store.JobAnalysis)
	if _, err := w.store.StartRun(job); err != nil {
		w.t.Fatal(err)
	}
	words := []media.Word{
		{Text: "hello", StartMS: 100, EndMS: 500, Probability: 0.9},
		{Text: "brave", StartMS: 600, EndMS: 900, Probability: 0.8},
		{Text: "world", StartMS: 3000, EndMS: 3400, Probability: 1},
	}
	for i := range words {
		words[i].Speaker = w.speaker
	}
	transcripts := []store.ClipTranscript{
		{
			ClipUUID: clip,
			Transcript: media.Transcript{
				Language: "en",
				Words:    words,
				Segments: []media.TimedText{{Text: "Hello brave world", StartMS: 100, EndMS: 3400}},
			},
		},
	}
	found, _ := replanTwo(
		store.ReplanInput{
			Evidence: []byte(clip),
			Run:      store.Run{AnalysisSettings: store.AnalysisSettings{CutOptions: media.DefaultCutOptions()}},
		},
	)
	_, err := w.store.FinishAnalysis(job, store.AnalysisResult{
		Model: "tiny", Language: "en", Doubt: w.doubt,
		Transcripts: transcripts, Evidence: []byte(clip), Edits: found.Edits,
		CaptionLines: oneLineEach(transcripts, 7), Timings: map[string]int64{"transcribe": 12},
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

const videoText = "this is a rendered video"

// export creates a completed export.
func (p *person) export(project string) string {
	p.w.t.Helper()
	export := p.do(
		"POST",
		"/api/v1/projects/"+project+"/exports/",
		map[string]any{"name": "Schnitt für \"alle\""},
	).want(202, "").text("uuid")
	p.w.finishExport()
	return export
}

// finishExport completes the next queued export.
func (w *world) finishExport() {
	w.t.Helper()
	job := w.claim(store.JobExport)
	if err := w.store.StartExport(job); err != nil {
		w.t.Fatal(err)
	}
	_, err := w.store.FinishExport(
		job,
		w.temp(videoText),
		media.RenderResult{
			Frames: 300, DurationMS: clipMS, Width: 1920, Height: 1080, SizeBytes: int64(len(videoText)),
		},
	)
	if err != nil {
		w.t.Fatal(err)
	}
}

// patience is the timeout of waits in tests. It is long because slow machines must pass too.
const patience = 2 * time.Minute

// eventually waits until a background condition is true.
func (w *world) eventually(what string, so func() bool) {
	w.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-deadline.C:
			w.t.Fatalf("timed out waiting until %s", what)
		}
	}
}

func cidrs(t *testing.T, list ...string) []*net.IPNet {
	t.Helper()
	var out []*net.IPNet
	for _, text := range list {
		_, n, err := net.ParseCIDR(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

// sendAsset presigns an asset and sends its bytes. The asset then waits for its confirm.
func (p *person) sendAsset(contentType string, more map[string]any) (asset, fileID string) {
	p.w.t.Helper()
	body := map[string]any{"filename": "city", "content_type": contentType, "size_bytes": 20}
	for name, value := range more {
		body[name] = value
	}
	r := p.do("POST", "/api/v1/assets/presign", body).want(201, "")
	p.w.anonymous().do("PUT", r.text("upload_url"), []byte("bytes of some asset.")).want(200, "")
	return r.text("user_asset_id"), r.text("asset_file_id")
}

// readyAsset creates a processed asset.
func (p *person) readyAsset(contentType string) string {
	p.w.t.Helper()
	asset, _ := p.sendAsset(contentType, nil)
	p.do("POST", "/api/v1/assets/"+asset+"/confirm", nil).want(202, "")
	p.w.finishAsset(contentType)
	return asset
}

const (
	assetMS       = 8000
	assetChannels = 2
)

// finishAsset does the pipeline's work for an uploaded asset.
func (w *world) finishAsset(contentType string) {
	w.t.Helper()
	kind, _, _ := strings.Cut(contentType, "/")
	found := media.Asset{
		Kind:        kind,
		ContentType: contentType,
		Info: media.Info{
			Format:      kind,
			ContentType: contentType,
			DurationMS:  assetMS,
			Video: &media.VideoInfo{
				Codec:  "h264",
				Width:  1280,
				Height: 720,
			},
			Audio: &media.AudioInfo{Codec: "aac", SampleRate: 48000, Channels: assetChannels},
		},
	}
	result := store.AssetResult{Asset: found, PosterTemp: w.temp("poster")}
	switch kind {
	case media.KindImage:
		result.Asset.Info.Audio, result.Asset.Info.DurationMS = nil, 0
	case media.KindAudio:
		result.Asset.Info.Video, result.PosterTemp, result.Asset.Outline = nil, "", bytes.Repeat(
			[]byte{0, 255},
			media.OutlineBars/2,
		)
	}
	if _, err := w.store.FinishAsset(w.claim(store.JobAsset), result); err != nil {
		w.t.Fatal(err)
	}
}

// noCounts is an engine that cannot count frames.
type noCounts struct{ pipeline.Engine }

func (noCounts) CountFrames(context.Context, media.CountRequest) (media.FrameCounts, error) {
	return media.FrameCounts{}, errors.New("the recordings are not real")
}
