package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

// healthPatience is how long a server may take to say how it is.
const healthPatience = 5 * time.Second

func healthcheckCommand() *cobra.Command {
	var live bool
	cmd := &cobra.Command{
		Use:   "healthcheck",
		Short: "Ask the server at LISTEN_ADDR whether it is ready",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := loadSettings(cmd.Flags())
			if err != nil {
				return err
			}
			path := "/readyz"
			if live {
				path = "/healthz"
			}
			return checkHealth(cmd.Context(), settings.ListenAddr, path)
		},
	}
	cmd.Flags().BoolVar(&live, "live", false, "ask only whether the process is alive")
	cmd.Flags().String("listen", "", "address of the server (LISTEN_ADDR)")
	return cmd
}

func checkHealth(ctx context.Context, listen, path string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil || port == "0" {
		return usageError{fmt.Errorf("LISTEN_ADDR is %q; it must name a host and a port", listen)}
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // who listens everywhere listens there too
	}
	ctx, cancel := context.WithTimeoutCause(ctx, healthPatience, errors.New("no answer in time"))
	defer cancel()
	address := "http://" + net.JoinHostPort(host, port) + path
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return usageError{err}
	}
	answer, err := (&http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}).Do(request)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusNoContent {
		return fmt.Errorf("the server at %s answers %s", address, answer.Status)
	}
	return nil
}
