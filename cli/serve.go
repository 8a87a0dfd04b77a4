package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"roughcut/media/libav"
	"roughcut/pipeline"
	"roughcut/pipeline/fetch"
	"roughcut/pipeline/rank"
	"roughcut/server"
	"roughcut/server/mail"
	"roughcut/server/operator"
	"roughcut/server/payments"
	"roughcut/store"
	"roughcut/web"
)

// shutdownGrace is how long requests under way may take to end.
const shutdownGrace = 10 * time.Second

func serveCommand(build Build) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the server: API, media and web UI on one address",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := loadSettings(cmd.Flags())
			if err != nil {
				return err
			}
			if owner, _ := cmd.Flags().GetBool("owner"); owner {
				settings.PlanMode = planOwner
			}
			return runServer(cmd.Context(), build, settings, front{
				listen: listenAt,
				opened: func(*store.Store) {},
				announce: func(address string, service *server.Server) error {
					return announce(settings, address, service)
				},
			})
		},
	}
	cmd.Flags().Bool("owner", false, "for one person on this machine: no sign-in, nothing metered (PLAN_MODE=owner)")
	cmd.Flags().String("listen", "", "address to listen on (LISTEN_ADDR)")
	cmd.Flags().String("base-url", "", "public address, used in mails and signed links (BASE_URL)")
	return cmd
}

// front is what a command puts before the server.
type front struct {
	window   server.DesktopWindow // nil without a desktop window
	raise    func(files []string) // brings the window before the others with files; nil without one
	listen   func(address string) (net.Listener, error)
	opened   func(*store.Store)                                 // is called with the data once that is open
	announce func(address string, service *server.Server) error // is called once requests are answered at an address
}

// listenAt listens at an address and nowhere else.
func listenAt(address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with --listen", err)
	}
	return listener, nil
}

// runServer serves until ctx ends, then lets requests end and gives jobs back to the queue.
func runServer(ctx context.Context, build Build, settings settings, front front) (err error) {
	log := newLogger(settings.LogLevel)
	data, err := store.Open(ctx, settings.storeOptions(log))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, data.Close()) }()
	front.opened(data)
	events, engine, billing := pipeline.NewEvents(data), newEngine(settings, data), newPayments(settings, data, log)
	metrics := server.NewMetrics(data, build.Version)
	library := openModels(settings, build.Models)
	defer library.Close()
	model := Speech{Choice: settings.SpeechModel, Chosen: data.SpeechModel, Dir: settings.modelsDir()}
	imports := fetch.New(fetch.Options{
		AllowPrivate:    settings.ImportAllowPrivate,
		MetadataTimeout: seconds(settings.ImportMetadataTimeoutSeconds),
		MaxDuration:     seconds(settings.MaxImportDurationSeconds),
		YtDlp:           settings.YtDlp,
		TempPath:        data.TempPath,
		Probe:           engine.Probe,
		Log:             log,
	})
	pool := pipeline.NewPool(pipeline.Options{
		Store:         data,
		Engine:        engine,
		Speech:        model,
		Importer:      imports,
		Ranker:        newRanker(settings),
		Events:        events,
		Workers:       settings.Workers,
		Log:           log,
		SweepInterval: seconds(settings.SweepIntervalSeconds),
		JobEnded:      metrics.JobEnded,
		Billing:       billing.ProcessDue,
	})
	service, err := newService(settings, server.Options{
		Store:        data,
		Events:       events,
		LookUpImport: imports.LookUp,
		Payments:     billing,
		Metrics:      metrics,
		Log:          log,
		Models:       library,
		ActiveModel:  model.path,
		ModelPinned:  settings.SpeechModel != "",
		Components:   components(build),
		Workers:      settings.Workers,
		Window:       front.window,
	})
	if err != nil {
		return err
	}
	listener, err := front.listen(settings.ListenAddr)
	if err != nil {
		return err
	}
	options, err := operatorOptions(build, data, front.raise, log)
	if err != nil {
		return err
	}
	local, err := operator.Listen(settings.DataDir, options)
	if err != nil { // as on a disk that has no sockets
		log.Warn("roughcut backup and admin work only while this server is stopped", "error", err)
	}
	var measured net.Listener
	if settings.MetricsAddr != "" {
		if measured, err = net.Listen("tcp", settings.MetricsAddr); err != nil {
			return errors.Join(fmt.Errorf("METRICS_ADDR: %w", err), listener.Close())
		}
		log.Info("metrics are served", "address", "http://"+measured.Addr().String()+"/metrics")
	}
	billing.BaseURL = settings.address(listener.Addr().String())
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error { return pool.Run(ctx) })
	work.Go(func() error { return service.Run(ctx) })
	work.Go(func() error { return listen(ctx, listener, server.NewHTTPServer(service), service.Close) })
	if measured != nil {
		work.Go(func() error { return listen(ctx, measured, server.NewHTTPServer(metrics.Handler()), noStreams) })
	}
	if local != nil {
		work.Go(func() error { return local.Run(ctx, serveOperator) })
	}
	if err := front.announce(billing.BaseURL, service); err != nil {
		return err
	}
	return work.Wait()
}

// newEngine keeps encoded pieces of exports where the settings give room for them.
func newEngine(settings settings, data *store.Store) *libav.Engine {
	if settings.ChunkCacheMB == 0 {
		return libav.New()
	}
	return libav.New(libav.WithChunkCache(libav.NewChunkCache(data.ChunkDir(), settings.ChunkCacheMB<<20)))
}

// newRanker returns the language model that the settings name, nil for none.
func newRanker(settings settings) *rank.Client {
	if settings.DirectorLLMURL == "" {
		return nil
	}
	return rank.New(settings.DirectorLLMURL, settings.DirectorLLMModel)
}

// newService adds to the options of a server what the settings say.
func newService(settings settings, o server.Options) (*server.Server, error) {
	proxies, err := parseNetworks(settings.TrustedProxies)
	if err != nil {
		return nil, err
	}
	providers, err := settings.oauthProviders()
	if err != nil {
		return nil, err
	}
	sender, err := mail.New(settings.SMTPURL, settings.MailFrom, filepath.Join(settings.DataDir, "outbox"))
	if err != nil {
		return nil, err
	}
	o.Replan = pipeline.Replan
	o.CaptionLines = pipeline.CaptionLines
	o.Ready = o.Store.Ready
	o.Mail = sender
	o.Settings = server.Settings{
		BaseURL:             strings.TrimRight(settings.BaseURL, "/"),
		Owner:               settings.owner(),
		TrustedProxies:      proxies,
		AllowedHosts:        fields(settings.AllowedHosts),
		SupportEmail:        cmp.Or(settings.SupportEmail, settings.MailFrom),
		SessionTTL:          seconds(settings.SessionTTLSeconds),
		VerifyTokenTTL:      seconds(settings.VerifyTokenTTLSeconds),
		ResetTokenTTL:       seconds(settings.ResetTokenTTLSeconds),
		EmailChangeTokenTTL: seconds(settings.EmailChangeTokenTTLSeconds),
		UploadURLTTL:        seconds(settings.UploadURLTTLSeconds),
		MediaTokenTTL:       seconds(settings.MediaTokenTTLSeconds),
		DownloadURLTTL:      seconds(settings.DownloadURLTTLSeconds),
		AssetURLTTL:         seconds(settings.AssetURLTTLSeconds),
		EventsKeepalive:     seconds(settings.EventsKeepaliveSeconds),
		OAuthProviders:      providers,
		Lockout: store.Lockout{
			MaxAttempts: settings.LoginMaxAttempts, Window: seconds(settings.LoginAttemptWindowSeconds),
			Base: seconds(settings.LoginLockoutBaseSeconds), Max: seconds(settings.LoginLockoutMaxSeconds),
		},
	}
	o.UI = web.Handler(o.Settings.BasePath())
	return server.New(o)
}

// fields splits a list at commas and spaces.
func fields(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// newPayments returns what settles payments: through Stripe where there is a key, else in the ledger.
func newPayments(settings settings, data *store.Store, log *slog.Logger) *payments.Service {
	billing := &payments.Service{Store: data, Provider: payments.Ledger{}, Log: log}
	if settings.StripeSecretKey != "" {
		billing.Provider = payments.NewStripe(
			settings.StripeSecretKey,
			settings.StripeAPIURL,
			settings.StripeWebhookSecret,
		)
	}
	return billing
}

// parseNetworks reads a comma-separated CIDR list.
func parseNetworks(list string) (out []*net.IPNet, err error) {
	for _, text := range fields(list) {
		_, network, err := net.ParseCIDR(text)
		if err != nil {
			return nil, usageError{fmt.Errorf("TRUSTED_PROXIES holds %q; write networks as 10.0.0.0/8", text)}
		}
		out = append(out, network)
	}
	return out, nil
}

// operatorOptions returns the options of the operator API. raise brings the desktop window to the
// front; it is nil without a window.
func operatorOptions(
	build Build,
	data *store.Store,
	raise func(files []string),
	log *slog.Logger,
) (operator.Options, error) {
	contract, err := server.Contract()
	return operator.Options{Store: data, Contract: contract, Version: build.Version, RaiseWindow: raise, Log: log}, err
}

// serveOperator answers requests of the operator API until ctx ends.
func serveOperator(ctx context.Context, listener net.Listener, handler http.Handler) error {
	return listen(ctx, listener, server.NewHTTPServer(handler), noStreams)
}

// operate calls do with a client of the operator API: of the server that has the data directory open,
// or of a temporary one.
func operate(ctx context.Context, build Build, settings settings, do func(*http.Client) error) error {
	open := func() (operator.Options, error) {
		log := newLogger(settings.LogLevel)
		data, err := store.Open(ctx, settings.storeOptions(log))
		if err != nil {
			return operator.Options{}, err
		}
		return operatorOptions(build, data, nil, log)
	}
	return operator.Do(ctx, settings.DataDir, open, serveOperator, do)
}

// noStreams is for servers whose answers end by themselves.
func noStreams(context.Context) error { return nil }

// listen answers requests until ctx ends. Then it accepts nothing more, calls closeStreams, and
// gives what is under way shutdownGrace.
func listen(
	ctx context.Context,
	listener net.Listener,
	front *http.Server,
	closeStreams func(context.Context) error,
) error {
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.Background(), shutdownGrace)
		defer cancel()
		streams := make(chan error, 1)
		go func() { streams <- closeStreams(grace) }()
		err := front.Shutdown(grace)
		stopped <- errors.Join(err, <-streams)
	}()
	if err := front.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	if err := <-stopped; errors.Is(err, context.DeadlineExceeded) {
		return front.Close() // who is still talking after the grace is cut off
	} else if err != nil {
		return err
	}
	return nil
}

// announce prints where the server is; in owner mode with the launch token, and opened where there
// is a desktop.
func announce(settings settings, address string, service *server.Server) error {
	if !settings.owner() {
		_, err := fmt.Println("Roughcut is ready:", address)
		return err
	}
	token, err := service.LaunchToken()
	if err != nil {
		return err
	}
	address += "/?launch=" + token
	if _, err := fmt.Println("Roughcut is ready:", address); err != nil {
		return err
	}
	if err := openBrowser(address); err != nil {
		newLogger(settings.LogLevel).Debug("opening the browser", "error", err)
	}
	return nil
}

// address returns the public address without trailing slash: where nobody gave one, that of the
// listener.
func (s settings) address(listener string) string {
	if s.BaseURL == "" {
		return "http://" + listener
	}
	return strings.TrimRight(s.BaseURL, "/")
}

// openBrowser opens an address in the person's browser where there is a desktop.
func openBrowser(address string) error {
	var cmd *exec.Cmd
	switch {
	case runtime.GOOS == "darwin":
		cmd = exec.Command("open", address)
	case runtime.GOOS == "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	case os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "":
		cmd = exec.Command("xdg-open", address)
	default:
		return errors.New("there is no desktop")
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
