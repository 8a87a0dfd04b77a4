package main

import (
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
	"roughcut/server"
	"roughcut/server/mail"
	"roughcut/store"
	"roughcut/web"
)

// shutdownGrace is how long requests under way may take to end.
const shutdownGrace = 10 * time.Second

func serveCommand() *cobra.Command {
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
			return runServer(cmd.Context(), settings)
		},
	}
	cmd.Flags().Bool("owner", false, "for one person on this machine: no sign-in, nothing metered (PLAN_MODE=owner)")
	cmd.Flags().String("listen", "", "address to listen on (LISTEN_ADDR)")
	cmd.Flags().String("base-url", "", "public address, used in mails and signed links (BASE_URL)")
	return cmd
}

// runServer serves until ctx ends, then lets requests end and gives jobs back to the queue.
func runServer(ctx context.Context, settings settings) (err error) {
	log := newLogger(settings.LogLevel)
	data, err := store.Open(ctx, settings.storeOptions(log))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, data.Close()) }()
	events := pipeline.NewEvents(data)
	pool := pipeline.NewPool(pipeline.Options{
		Store: data, Engine: libav.New(), Speech: speech{choice: settings.SpeechModel, dir: filepath.Join(settings.DataDir, "models")},
		Events: events, Workers: settings.Workers, Log: log, SweepInterval: seconds(settings.SweepIntervalSeconds),
	})
	service, err := newService(settings, data, events, log)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", settings.ListenAddr)
	if err != nil {
		return fmt.Errorf("%w; choose another address with --listen", err)
	}
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error { return pool.Run(ctx) })
	work.Go(func() error { return service.Run(ctx) })
	work.Go(func() error { return listen(ctx, listener, service) })
	if err := announce(settings, listener.Addr(), service, log); err != nil {
		return err
	}
	return work.Wait()
}

func newService(settings settings, data *store.Store, events *pipeline.Events, log *slog.Logger) (*server.Server, error) {
	proxies, err := parseNetworks(settings.TrustedProxies)
	if err != nil {
		return nil, err
	}
	sender, err := mail.New(settings.SMTPURL, settings.MailFrom, filepath.Join(settings.DataDir, "outbox"))
	if err != nil {
		return nil, err
	}
	return server.New(server.Options{
		Store: data, Events: events, Replan: pipeline.Replan, CaptionLines: pipeline.CaptionLines, Ready: data.Ready,
		Mail: sender, UI: web.Handler(), Log: log,
		Settings: server.Settings{
			BaseURL: strings.TrimRight(settings.BaseURL, "/"), Owner: settings.owner(), TrustedProxies: proxies,
			SessionTTL: seconds(settings.SessionTTLSeconds), VerifyTokenTTL: seconds(settings.VerifyTokenTTLSeconds),
			ResetTokenTTL: seconds(settings.ResetTokenTTLSeconds), EmailChangeTokenTTL: seconds(settings.EmailChangeTokenTTLSeconds), UploadURLTTL: seconds(settings.UploadURLTTLSeconds),
			MediaTokenTTL: seconds(settings.MediaTokenTTLSeconds), DownloadURLTTL: seconds(settings.DownloadURLTTLSeconds),
			AssetURLTTL:     seconds(settings.AssetURLTTLSeconds),
			EventsKeepalive: seconds(settings.EventsKeepaliveSeconds),
			Lockout: store.Lockout{
				MaxAttempts: settings.LoginMaxAttempts, Window: seconds(settings.LoginAttemptWindowSeconds),
				Base: seconds(settings.LoginLockoutBaseSeconds), Max: seconds(settings.LoginLockoutMaxSeconds),
			},
		},
	})
}

// parseNetworks reads a comma-separated CIDR list.
func parseNetworks(list string) (out []*net.IPNet, err error) {
	for _, text := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		_, network, err := net.ParseCIDR(text)
		if err != nil {
			return nil, usageError{fmt.Errorf("TRUSTED_PROXIES holds %q; write networks as 10.0.0.0/8", text)}
		}
		out = append(out, network)
	}
	return out, nil
}

// listen answers requests until ctx ends, then gives those under way shutdownGrace.
func listen(ctx context.Context, listener net.Listener, service *server.Server) error {
	front := server.HTTP(service)
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.Background(), shutdownGrace)
		defer cancel()
		err := service.Close(grace)
		stopped <- errors.Join(err, front.Shutdown(grace))
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

// announce prints where the server is; in owner mode with the launch token, and opened where there is a desktop.
func announce(settings settings, addr net.Addr, service *server.Server, log *slog.Logger) error {
	address := settings.BaseURL
	if address == "" {
		address = "http://" + addr.String()
	}
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
		log.Debug("opening the browser", "err", err)
	}
	return nil
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
