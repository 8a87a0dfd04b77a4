//go:build !desktop

package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
)

func desktopCommand(Build) *cobra.Command {
	return &cobra.Command{
		Use:   "desktop [FILE...]",
		Short: "Open Roughcut in a window of its own (in the desktop build)",
		RunE: func(*cobra.Command, []string) error {
			return errors.New(
				"this build has no window: build one with make desktop, or start Roughcut in the browser with roughcut serve --owner",
			)
		},
	}
}

// checkWindow has nothing to look at: there is no window.
func checkWindow(context.Context, settings) []finding { return nil }
