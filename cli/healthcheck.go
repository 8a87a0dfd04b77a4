package cli

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"roughcut/store/fault"
)

// healthTimeout is how long a server may take to respond.
const healthTimeout = 5 * time.Second

func healthcheckCommand() *cobra.Command {
	var live bool
	cmd := &cobra.Command{
		Use:   "healthcheck",
		Short: "Check whether the server is ready",
		Long: `Ask the server at LISTEN_ADDR whether it is ready to answer requests. The command fails if the server
does not answer within 5 seconds or is not ready. Container and service managers can use it as a health
check.`,
		Example: `  roughcut healthcheck
  roughcut healthcheck --listen 127.0.0.1:8420 --live`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := operatorSettings(cmd)
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
	cmd.Flags().BoolVar(&live, "live", false, "check only whether the process is alive")
	cmd.Flags().String("listen", "", "address of the server (LISTEN_ADDR)")
	return cmd
}

func checkHealth(ctx context.Context, listen, path string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil || port == "0" {
		return usageError{fmt.Errorf("LISTEN_ADDR must be a host and a port, not %q", listen)}
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "127.0.0.1" // an unspecified address includes loopback
	}
	ctx, cancel := context.WithTimeoutCause(ctx, healthTimeout, fmt.Errorf("no response within %v", healthTimeout))
	defer cancel()
	address := "http://" + net.JoinHostPort(host, port) + path
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return usageError{err}
	}
	response, err := (&http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}).Do(request)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", fault.Network(net.JoinHostPort(host, port), err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		return fmt.Errorf("the server at %s is not ready: %s", address, response.Status)
	}
	return nil
}
