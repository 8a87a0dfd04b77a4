//go:build !desktop

package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
)

func openDesktop(*cobra.Command, Build, []string) error {
	return errors.New("this build has no desktop window, run roughcut serve --owner to use a browser")
}

func checkWindow(context.Context, settings) []finding { return nil }
