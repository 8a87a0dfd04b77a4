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

func checkIsolation(context.Context, settings) []finding {
	return ok("engines", "jobs run in the server process")
}
