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
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/pipeline/fetch"
	"roughcut/pipeline/models"
	"roughcut/pipeline/rank"
	"roughcut/server"
	"roughcut/server/mail"
	"roughcut/server/operator"
	"roughcut/server/payments"
	"roughcut/store"
	"roughcut/store/account"
	"roughcut/web"
)

// shutdownGrace is how long a shutdown waits for open requests.
const shutdownGrace = 4 * time.Second

func serveCommand(build Build) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		Long: `Run the server: API, media and web UI on one address.

With --owner, Roughcut runs in single-user mode: one local account, no password. The command
prints a link that signs the owner in and opens it in the browser. "roughcut open" makes another link.
Otherwise people sign up with an email address. The printed link creates the first account, an admin, and
needs no mail. With SIGNUP=invite or SIGNUP=closed, nothing else creates it.

On SIGINT, SIGTERM or SIGHUP the server closes its event streams, finishes requests for up to 4
seconds and returns its jobs to the queue. A second signal kills it.`,
		Example: `  roughcut serve --owner
  roughcut serve --config /etc/roughcut/roughcut.toml --listen 0.0.0.0:8420 --base-url https://cut.example.org`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := loadSettings(cmd.Flags())
			if err != nil {
				return err
			}
			if owner, _ := cmd.Flags().GetBool("owner"); owner {
				settings.PlanMode = planOwner
			}
			return runServer(cmd.Context(), build, settings, hooks{
				listen: listenAt,
				opened: func(*store.Store) {},
				announce: func(addresses []string, service *server.Server) error {
					return announce(settings, addresses, service)
				},
			})
		},
	}
	cmd.Flags().Bool("owner", false, "single-user mode without password and limits (PLAN_MODE=owner)")
	cmd.Flags().String("listen", "", "address and port to listen on (LISTEN_ADDR)")
	cmd.Flags().String("encoder", "", "video encoder: "+media.OrList(encoderNames())+" (ENCODER)")
	cmd.Flags().String("base-url", "", "public address, used in mail and signed links (BASE_URL)")
	return cmd
}

// hooks adapt the server to a command. window and raise are nil without a desktop window.
type hooks struct {
	window server.DesktopWindow
	raise  func(files []string)                       // brings the window to the front and opens files
	listen func(address string) (net.Listener, error) // opens the listener of the server
	opened func(*store.Store)                         // is called with the open store
	// announce is called when the server answers at addresses, which are not empty.
	announce func(addresses []string, service *server.Server) error
}

// listenAt listens at an address.
func listenAt(address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w, choose another address with --listen", err)
	}
	return listener, nil
}

// runServer serves until ctx ends. It then finishes open requests and returns jobs to the queue.
func runServer(ctx context.Context, build Build, settings settings, hooks hooks) (err error) {
	log := newLogger(settings.LogLevel)
	defer logEnd(log, &err)
	data, err := store.Open(ctx, settings.storeOptions(log))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, data.Close()) }()
	hooks.opened(data)
	events, billing := pipeline.NewEvents(data), newPayments(settings, data, log)
	metrics, library := server.NewMetrics(data, build.Version), openModels(settings, build.Models)
	defer library.Close()
	model := Speech{
		Choice: settings.SpeechModel, Chosen: data.SpeechModel, Dir: settings.modelsDir(), Intact: library.CheckIntact,
		Device: newSpeechDevice(settings.isolated()),
	}
	engines := newEngines(settings, data, model)
	imports := fetch.New(fetch.Options{
		AllowPrivate:    settings.ImportAllowPrivate,
		MetadataTimeout: seconds(settings.ImportMetadataTimeoutSeconds),
		MaxDuration:     seconds(settings.MaxImportDurationSeconds),
		YtDlp:           settings.YtDlp,
		TempPath:        data.TempPath,
		Probe:           engines.media.Probe,
		Log:             log,
	})
	pool := pipeline.NewPool(pipeline.Options{
		Store:         data,
		Engine:        engines.media,
		Ears:          engines.ears,
		Speech:        engines.speech,
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
		Store:          data,
		Events:         events,
		EstimateExport: pool.EstimateExport,
		Still:          pool.Still,
		Faces:          pool.Faces,
		LookUpImport:   imports.LookUp,
		RoomTone:       engines.media.RoomTone,
		Payments:       billing,
		Metrics:        metrics,
		Log:            log,
		Models:         library,
		ActiveModel:    model.path,
		ModelSpeed:     modelSpeed,
		ProposedModel:  func() string { return proposedModel(build.Models) },
		ModelPinned:    settings.SpeechModel != "",
		Components:     components(build),
		Encoder:        engines.encoder,
		Workers:        settings.Workers,
		Window:         hooks.window,
	})
	if err != nil {
		return err
	}
	listener, err := hooks.listen(settings.ListenAddr)
	if err != nil {
		return err
	}
	addresses := settings.addresses(listener.Addr())
	billing.BaseURL = addresses[len(addresses)-1] // for mails, which people read on other computers
	options, err := operatorOptions(build, data, hooks.raise, log)
	if err != nil {
		return err
	}
	options.Launch = func() (string, error) { return service.LaunchAddress(addresses[0]) }
	local, err := operator.Listen(settings.DataDir, options)
	if err != nil { // for example a file system without sockets
		log.Warn("cannot open the local socket, backup and admin need this server to be stopped", "error", err)
	}
	var measured net.Listener
	if settings.MetricsAddr != "" {
		if measured, err = net.Listen("tcp", settings.MetricsAddr); err != nil {
			return errors.Join(fmt.Errorf("METRICS_ADDR: %w", err), listener.Close())
		}
		log.Info("serving metrics", "address", "http://"+measured.Addr().String()+"/metrics")
	}

	log.Info("started", "version", build.Version, "addresses", addresses, "settings", settings.changed())
	go logProcessors(log, engines, model, build.Models) // a driver that hangs takes a minute
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error { return untilDamaged(ctx, data) })
	work.Go(func() error { return pool.Run(ctx) })
	work.Go(func() error { return service.Run(ctx) })
	work.Go(func() error { return serveHTTP(ctx, listener, server.NewHTTPServer(service), service.Close) })
	if measured != nil {
		work.Go(func() error { return serveHTTP(ctx, measured, server.NewHTTPServer(metrics.Handler()), noStreams) })
	}
	if local != nil {
		work.Go(func() error { return local.Run(ctx, serveOperator) })
	}
	if err := hooks.announce(addresses, service); err != nil {
		return err
	}
	return work.Wait()
}

// logEnd tells that the server has stopped, or why it did not start or failed.
func logEnd(log *slog.Logger, failed *error) {
	if *failed != nil {
		log.Error("stopped", "error", *failed)
	} else {
		log.Info("stopped")
	}
}

// logProcessors tells what encodes video and what transcribes.
func logProcessors(log *slog.Logger, e engines, model Speech, known []models.Model) {
	logEncoder(log, e.encoder())
	model.Device.logTo(log, known)
}

// logTo tells what transcribes, and how fast.
func (d *speechDevice) logTo(log *slog.Logger, known []models.Model) {
	if _, err := d.graphics(); err != nil {
		log.Warn("the driver of the graphics processor failed, so the CPU transcribes", "error", err)
	}
	log.Info(d.speedText(known))
}

// logEncoder tells which video encoder the server uses.
func logEncoder(log *slog.Logger, choice media.EncoderChoice) {
	for _, test := range choice.Tests {
		if test.Fault != "" {
			log.Debug("a hardware encoder failed its self-test", "encoder", test.Name, "fault", test.Fault)
		}
	}

	if fault := choice.Fault(); fault != "" {
		log.Warn("ENCODER failed its self-test, x264 encodes instead", "encoder", choice.Wanted, "fault", fault)
	}
	if choice.Hardware() {
		log.Info("a hardware encoder passed its self-test", "encoder", choice.Name)
	}
}

// damagedGrace is the time that the server has to end when its database is damaged.
const damagedGrace = shutdownGrace + 5*time.Second

// untilDamaged returns the damage of the database when it shows, and nil if ctx ends first. A
// goroutine that was inside the database can be stuck there, so the process then ends after
// damagedGrace at the latest. The next start treats that as a crash.
func untilDamaged(ctx context.Context, data *store.Store) error {
	select {
	case <-ctx.Done():
		return nil
	case <-data.Damaged():
	}

	err := data.Damage()
	time.AfterFunc(damagedGrace, func() {
		fmt.Fprintln(os.Stderr, "roughcut:", err)
		os.Exit(exitCode(err))
	})
	return err
}

// newRanker returns a client for the language model of the AI Director, nil if none is configured.
func newRanker(settings settings) *rank.Client {
	if settings.DirectorLLMURL == "" {
		return nil
	}
	return rank.New(settings.DirectorLLMURL, settings.DirectorLLMModel)
}

// newService returns the server with o and the settings.
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
	if server, ok := sender.(mail.SMTP); ok && server.Foreign() {
		o.Log.Warn(foreignSender(settings.MailFrom))
	}
	o.Replan = pipeline.Replan
	o.CaptionLines = pipeline.CaptionLines
	o.Ready = o.Store.Ready
	o.Mail = sender
	o.Settings = server.Settings{
		BaseURL:             strings.TrimRight(settings.BaseURL, "/"),
		Owner:               settings.owner(),
		TrustedProxies:      proxies,
		CORSOrigins:         splitList(settings.CORSOrigins),
		AllowedHosts:        splitList(settings.AllowedHosts),
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
		Lockout: account.Lockout{
			MaxAttempts: settings.LoginMaxAttempts, Window: seconds(settings.LoginAttemptWindowSeconds),
			Base: seconds(settings.LoginLockoutBaseSeconds), Max: seconds(settings.LoginLockoutMaxSeconds),
		},
	}
	o.UI = web.Handler(o.Settings.BasePath())
	o.UIFont = web.Font()
	return server.New(o)
}

// splitList splits a list at commas and spaces.
func splitList(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// newPayments returns the payment service. It charges through Stripe if there is a key, and
// otherwise only writes the ledger.
func newPayments(settings settings, data *store.Store, log *slog.Logger) *payments.Service {
	billing := &payments.Service{Store: data, Provider: payments.Ledger{}, Log: log}
	if settings.StripeSecretKey != "" {
		billing.Provider = payments.NewStripe(
			settings.StripeSecretKey, settings.StripeAPIURL, settings.StripeWebhookSecret,
		)
	}

	return billing
}

// parseNetworks reads a comma-separated CIDR list.
func parseNetworks(list string) (out []*net.IPNet, err error) {
	for _, text := range splitList(list) {
		_, network, err := net.ParseCIDR(text)
		if err != nil {
			return nil, usageError{fmt.Errorf("TRUSTED_PROXIES must list networks such as 10.0.0.0/8, not %q", text)}
		}
		out = append(out, network)
	}

	return out, nil
}

// noStreams is the closeStreams of servers without event streams.
func noStreams(context.Context) error { return nil }

// serveHTTP answers requests until ctx ends. It then accepts no more connections, calls
// closeStreams, and gives open requests shutdownGrace to end.
func serveHTTP(
	ctx context.Context,
	listener net.Listener,
	httpServer *http.Server,
	closeStreams func(context.Context) error,
) error {
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.Background(), shutdownGrace)
		defer cancel()
		streams := make(chan error, 1)
		go func() { streams <- closeStreams(grace) }()
		err := httpServer.Shutdown(grace)
		stopped <- errors.Join(err, <-streams)
	}()
	if err := httpServer.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	if err := <-stopped; errors.Is(err, context.DeadlineExceeded) {
		return httpServer.Close() // closes the connections that are still open
	} else if err != nil {
		return err
	}

	return nil
}

// announce prints links to the server. In owner mode it also opens the first one in the browser.
func announce(settings settings, addresses []string, service *server.Server) error {
	link, err := service.LaunchAddress(addresses[0])
	if err != nil {
		return err
	}
	open := settings.signup() == account.SignupOpen
	switch first := link != addresses[0] && !settings.owner(); {
	case first && open:
		fmt.Println("Create the first account, an admin, with this link.")
	case first:
		fmt.Println("Only this link creates the first account, an admin.")
	}

	if _, err := fmt.Println("Roughcut is ready:", link); err != nil {
		return err
	}
	for _, other := range addresses[1:] {
		fmt.Println("From other computers:", other+strings.TrimPrefix(link, addresses[0]))
	}
	if open {
		fmt.Println("Everyone who can reach this server can create an account. " +
			"To prevent that, set SIGNUP to invite or closed.")
	}

	if !settings.owner() {
		return nil
	}
	if err := openBrowser(link); err != nil {
		newLogger(settings.LogLevel).Debug("cannot open the browser", "error", err)
	}
	return nil
}

// addresses returns the addresses of the server without trailing slashes: BASE_URL, or else the
// address of the listener. For a listener on all interfaces, addresses returns the address for this
// machine, then the addresses for other machines.
func (s settings) addresses(listener net.Addr) []string {
	if s.BaseURL != "" {
		return []string{strings.TrimRight(s.BaseURL, "/")}
	}
	tcp, ok := listener.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return []string{"http://" + listener.String()}
	}
	port := strconv.Itoa(tcp.Port)
	list := []string{"http://localhost:" + port}
	for _, ip := range networkIPs() {
		list = append(list, "http://"+net.JoinHostPort(ip.String(), port))
	}
	return list
}

// networkIPs returns the IPv4 addresses that other computers can use to reach this computer, or the
// IPv6 addresses if it has no IPv4 address.
func networkIPs() (found []net.IP) {
	var six []net.IP
	all, _ := net.Interfaces() // localhost is left
	for _, i := range all {
		if i.Flags&net.FlagRunning == 0 { // such as the bridge of an idle container engine
			continue
		}
		list, _ := i.Addrs()
		for _, address := range list {
			network, ok := address.(*net.IPNet)
			switch {
			case !ok || !network.IP.IsGlobalUnicast():
			case network.IP.To4() != nil:
				found = append(found, network.IP)
			default:
				six = append(six, network.IP)
			}
		}
	}

	if len(found) == 0 {
		return six
	}
	return found
}

// openBrowser opens an address in the default browser. It fails without a desktop session.
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
		return errors.New("no desktop session")
	}

	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
