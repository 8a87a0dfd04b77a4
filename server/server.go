// Package server serves Roughcut over HTTP: the operations of openapi.yaml, signed addresses for
// uploads and media, the event stream of a project, and the web UI.
//
// Requests pass these stages in order. server.go holds both chains, so the order is visible in one
// place:
//
//   - all requests: request info and ID, access log, deadlines, panic recovery, host check of owner
//     mode, security headers, split between service and web UI, trailing slashes, HEAD as GET;
//   - operations of the contract: compression, body limit, session (401), CSRF (403), replay of a
//     kept response (409, 422), resources in the path (404, 403), host of mailed links (421), rate
//     limits (429), gate of costly operations (429), contract (422), the response is kept, the
//     operation itself (400, 402, 409).
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"roughcut/media"
	"roughcut/media/estimate"
	"roughcut/media/interchange"
	"roughcut/pipeline/models"
	"roughcut/server/api"
	"roughcut/server/apidocs"
	"roughcut/server/auth"
	"roughcut/server/contract"
	"roughcut/server/gate"
	"roughcut/server/mail"
	"roughcut/server/payments"
	"roughcut/store"
	"roughcut/store/account"
)

// EventSource delivers the future events of a project. The returned function closes the channel. A
// reader that falls too far behind also finds its channel closed; the store's log then has the
// missed events.
type EventSource interface {
	Subscribe(projectUUID string) (<-chan store.Event, func())
}

// DesktopWindow is the desktop window that shows the web UI. Its dialogs block until the user has
// decided.
type DesktopWindow interface {
	// ChooseFiles asks for recordings and returns their paths; none if the user cancels.
	ChooseFiles() ([]string, error)
	// ChooseSavePath asks where to save a file with a proposed name. The dialog starts in folder,
	// unless that is empty. It returns "" if the user cancels.
	ChooseSavePath(folder, name string) (string, error)
	// TakeFiles returns the files that the window received since the last call.
	TakeFiles() []string
	// ShowFile shows a file in the file manager.
	ShowFile(path string) error
	// ShowPage makes title, menu and theme follow the page. Recent are the RecentProjects that
	// changed last.
	ShowPage(page api.PageState, recent []store.Project)
}

// RecentProjects is the number of projects that a desktop window can list.
const RecentProjects = 8

// Component is a part of the program with its version.
type Component struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Options configures a Server. Operations that call EstimateExport, Still, Faces or RoomTone have
// x-cost in the contract. Ready, UI, Metrics and Window may be nil.
type Options struct {
	Store    *store.Store
	Settings Settings
	Events   EventSource
	// Replan derives the edits and take groups of a run from its stored evidence.
	Replan func(in store.ReplanInput) (store.Proposal, error)
	// EstimateExport predicts an export.
	EstimateExport func(ctx context.Context, in store.EstimateInput) (estimate.Result, error)
	// Still returns a frame at a time of a project. A fault of the recording or the settings is a
	// pipeline.FileFault.
	Still func(ctx context.Context, in store.ExportInput, atMS int64, kind media.StillKind) ([]byte, error)
	// Faces returns the main face of a ready clip. A fault of the recording is a
	// pipeline.FileFault.
	Faces func(ctx context.Context, clip store.Clip) ([]media.Face, error)
	// CaptionLines splits transcripts into lines of at most maxWords words.
	CaptionLines func(transcripts []store.ClipTranscript, maxWords int) []store.ClipCaption
	// LookUpImport looks up the media at a URL. It has its own time limit.
	LookUpImport func(ctx context.Context, address string) (store.NewImport, error)
	// RoomTone returns a loop of room tone as 16-bit interleaved stereo at media.SampleRate, empty
	// without any. A fault of the recording is a pipeline.FileFault.
	RoomTone    func(ctx context.Context, request media.RoomToneRequest) ([]int16, error)
	Ready       func() error // an additional readiness check
	Mail        mail.Sender
	Payments    *payments.Service // default: the ledger, where no money moves
	Models      *models.Library
	ActiveModel func() (path string, err error) // of the active speech model, or ""
	// ModelPerHour returns about how long an hour of speech takes with a model on this machine, or
	// 0 if that is unknown.
	ModelSpeed func(name string) (perHour time.Duration, word string)
	// ProposedModel returns the name of the model that suits this machine, "" if that is unknown.
	ProposedModel func() string
	ModelPinned   bool                       // SPEECH_MODEL fixes the model; admins cannot choose another one
	Components    []Component                // shown to admins
	Encoder       func() media.EncoderChoice // shown to admins; nil stands for software
	Workers       int
	UI            http.Handler  // the web UI
	UIFont        string        // the path of the font of the UI below its base, or ""
	Metrics       *Metrics      // nil disables metrics
	Window        DesktopWindow // nil without a desktop window
	Log           *slog.Logger
}

// Server answers HTTP requests. Run sends the queued mails.
type Server struct {
	Options
	contract  *contract.Contract
	docs      func() (apidocs.Page, error) // rendered at the first request
	passwords *auth.Passwords
	signer    *auth.Signer
	launches  auth.LaunchTokens // of owner mode
	setups    auth.LaunchTokens // of the links for the first account
	oauth     *auth.OAuth
	started   time.Time
	ownerUUID string // of the local account in owner mode
	// instanceCookie is the name of the copy of the session cookie that other servers of the host
	// do not use.
	instanceCookie string
	gate           *gate.Gate // of operations that cost much
	lookUps        *gate.Gate // of addresses
	bundleSums     *interchange.BundleSums
	transfers      transferSet
	transferTime   time.Duration // for one chunk of a file
	streams        *eventStreams
	dialog         sync.Mutex   // held while a desktop dialog is open
	saving         atomic.Int32 // number of files that saveAs is writing
	saved          sync.Map     // of export UUIDs: the path that saveExport wrote last
	savedTo        sync.Map     // of project UUIDs: the folder of the last saved file
	tus            *tusRequests
	keysInUse      sync.Map // of running requests: the account and the Idempotency-Key
	clientIP       echo.IPExtractor
	origins        *http.CrossOriginProtection // for unsafe operations without a session, which have no CSRF token
	handler        http.Handler
}

// New returns a Server. In owner mode it creates the local account if it does not exist.
func New(o Options) (*Server, error) {
	o.Settings = o.Settings.withDefaults()
	o.Log = cmp.Or(o.Log, slog.Default())
	if o.Payments == nil {
		o.Payments = &payments.Service{
			Store:    o.Store,
			Provider: payments.Ledger{},
			BaseURL:  o.Settings.BaseURL,
			Log:      o.Log,
		}
	}

	s := &Server{
		Options:      o,
		transferTime: transferTime,
		started:      o.Store.Now(),
		signer:       auth.NewSigner(o.Store, o.Store.Now),
		clientIP:     ipExtractor(o.Settings.TrustedProxies),
		gate:         newGate(o.Workers + 1),
		lookUps:      newGate(maxLookUps),
		bundleSums:   interchange.NewBundleSums(),
	}
	s.guardEngines()
	var err error
	if s.instanceCookie, err = newInstanceCookie(o.Store); err != nil {
		return nil, err
	}
	if s.origins, err = trustedOrigins(o.Settings.BaseURL); err != nil {
		return nil, err
	}
	if s.oauth, err = auth.NewOAuth(o.Settings.OAuthProviders, o.Store.Now); err != nil {
		return nil, fmt.Errorf("OAUTH_PROVIDERS%w", err)
	}
	if s.contract, err = parseContract(); err != nil {
		return nil, err
	}
	s.docs = sync.OnceValues(func() (apidocs.Page, error) {
		return apidocs.Render(s.contract, o.Settings.BasePath(), o.UIFont)
	})
	if s.passwords, err = auth.NewPasswords(o.Settings.HashConcurrency, o.Settings.HashCost); err != nil {
		return nil, err
	}
	if o.Settings.Owner {
		owner, err := o.Store.Owner(func() account.User {
			return account.User{Name: "Owner", Username: "owner", Email: "owner@localhost", EmailVerified: true}
		})
		if err != nil {
			return nil, fmt.Errorf("create the local account: %w", err)
		}
		s.ownerUUID = owner.UUID
	}

	if s.tus, err = newTus(o.Store.MaxUploadBytes()); err != nil {
		return nil, fmt.Errorf("set up resumable uploads: %w", err)
	}
	if o.Metrics != nil {
		o.Metrics.transfers.Store(&s.transfers)
	}
	s.streams = newEventStreams(s)
	s.handler = s.withMiddleware(s.routes())
	return s, nil
}

// withMiddleware adds the middleware for all requests.
func (s *Server) withMiddleware(service http.Handler) http.Handler {
	handler := headAsGet(service)
	handler = trimSlash(handler)
	handler = s.splitUI(handler)
	handler = securityHeaders(handler)
	handler = s.allowHosts(handler)
	handler = s.recoverPanics(handler)
	handler = deadlines(handler)
	handler = s.accessLog(handler)
	return s.requestFacts(handler)
}

// routes returns the router of the service with the middleware for operations.
func (s *Server) routes() http.Handler {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.handleError
	e.IPExtractor = s.clientIP
	e.Pre(allowOrigins(s.Settings.CORSOrigins))
	e.Use(s.noteRoute, middleware.GzipWithConfig(middleware.GzipConfig{Skipper: skipsCompression, MinLength: 1024}),
		limitRequests, s.repeatCookie, s.authenticate, s.checkCSRF, s.replay, s.checkResources,
		checkMailLinks, s.limitRates, s.passGate, validateRequests, s.keepResponse)
	api.RegisterHandlers(e, api.NewStrictHandler(handlers{s}, nil))
	e.GET("/api/v1/projects/:project_uuid/events", s.streamEvents)
	e.GET(oauthCallbackPath+":provider", s.finishOAuth)
	e.PUT("/upload/v1/:token", s.upload)
	e.PUT("/api/v1/models/:model/file", s.addModel)
	for _, method := range []string{http.MethodOptions, http.MethodHead, http.MethodPatch} {
		e.Add(method, "/upload/v1/:token", s.resumeUpload)
	}
	e.POST("/api/v1/payments/webhooks/stripe", s.stripeWebhook)
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		e.Add(method, "/media/v1/:token", s.getMedia)
		e.Add(method, "/download/v1/:token", s.download)
		e.Add(method, "/asset/v1/:token", s.getAssetFile)
	}

	e.GET("/api/v1/assets/:asset_uuid/poster", s.getAssetPoster)
	return e
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// LaunchToken returns a new token that signs the owner in at BASE_URL/?launch=TOKEN until the
// server stops. It returns an error outside owner mode.
func (s *Server) LaunchToken() (string, error) {
	if s.ownerUUID == "" {
		return "", errors.New("launch tokens need owner mode; start with PLAN_MODE=owner")
	}
	return s.launches.New()
}

// LaunchAddress returns a new link to Roughcut at a base URL for the person who runs the server. In
// owner mode it signs the owner in. On a server without accounts it creates the first one without a
// mail. Links are valid until the server stops.
func (s *Server) LaunchAddress(baseURL string) (string, error) {
	if s.ownerUUID != "" {
		token, err := s.LaunchToken()
		return baseURL + "/?launch=" + token, err
	}

	_, first, err := s.Store.Signup()
	if err != nil || !first {
		return baseURL, err
	}
	token, err := s.setups.New()
	return baseURL + "/sign-up?invitation=" + token, err
}

// Close ends all open streams and media transfers, and waits for them and for background work, or
// until ctx ends. Call it together with http.Server.Shutdown, which stops accepting requests but
// does not know about hijacked streams.
func (s *Server) Close(ctx context.Context) error {
	s.transfers.close()
	done := make(chan struct{})
	go func() {
		s.transfers.wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close streams: %w", ctx.Err())
	}
}

// runInBackground runs fn after the request; Close waits for it. While the server closes, fn runs
// immediately. failure is the log message for an error of fn.
func (s *Server) runInBackground(failure string, fn func() error) {
	run := func() {
		if err := fn(); err != nil {
			s.Log.Error(failure, "error", err)
		}
	}
	if !s.transfers.begin() {
		run()
		return
	}

	go func() {
		defer s.transfers.done()
		run()
	}()
}

// NewHTTPServer returns an http.Server with timeouts for untrusted clients. Handlers of uploads and
// media set longer deadlines themselves.
func NewHTTPServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    64 << 10,
	}
}

// trustedOrigins accepts pages from the server's own address even if a proxy changes the Host
// header.
func trustedOrigins(baseURL string) (*http.CrossOriginProtection, error) {
	origins := http.NewCrossOriginProtection()
	if baseURL == "" {
		return origins, nil
	}
	u, err := url.Parse(baseURL)
	if err != nil {
		return nil, fmt.Errorf("BASE_URL: %w", err)
	}
	if err := origins.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
		return nil, fmt.Errorf("BASE_URL is not an address such as https://cut.example.org: %w", err)
	}
	return origins, nil
}

func ipExtractor(trusted []*net.IPNet) echo.IPExtractor {
	if len(trusted) == 0 {
		return echo.ExtractIPDirect()
	}
	options := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, n := range trusted {
		options = append(options, echo.TrustIPRange(n))
	}
	return echo.ExtractIPFromXFFHeader(options...)
}
