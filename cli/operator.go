package cli

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"roughcut/server"
	"roughcut/server/operator"
	"roughcut/store"
)

// operatorOptions returns the options of the operator API. raise is nil without a desktop window.
func operatorOptions(
	build Build,
	data *store.Store,
	raise func(files []string),
	log *slog.Logger,
) (operator.Options, error) {
	contract, err := server.Contract()
	return operator.Options{Store: data, Contract: contract, Version: build.Version, RaiseWindow: raise, Log: log}, err
}

// serveOperator answers requests to the operator API until ctx ends.
func serveOperator(ctx context.Context, listener net.Listener, handler http.Handler) error {
	return serveHTTP(ctx, listener, server.NewHTTPServer(handler), noStreams)
}

// withOperator calls do with a client for the operator API of the data directory. If no server has
// the directory open, withOperator opens it itself.
func withOperator(ctx context.Context, build Build, settings settings, do func(*http.Client) error) error {
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
