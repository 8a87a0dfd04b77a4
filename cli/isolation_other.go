//go:build !linux

package cli

import (
	"context"

	"github.com/spf13/cobra"

	"roughcut/store"
)

// addEngineCommand adds nothing: only Linux has isolated engines.
func addEngineCommand(*cobra.Command) {}

// isolatedEngines returns the engines of this process. refuseIsolation refuses others.
func isolatedEngines(s settings, data *store.Store, speech Speech) engines {
	return localEngines(s, data, speech)
}

// childGraphics returns nil: only Linux has child processes.
func childGraphics() func() (string, error) { return nil }

func checkIsolation(_ context.Context, s settings) []finding {
	return checkInProcess(s, "Only Linux confines jobs. Use it for a server with accounts.")
}
