package cli

import "github.com/spf13/cobra"

func desktopCommand(build Build) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "desktop [FILE...]",
		Short: "Open Roughcut in a desktop window",
		Long: `Open Roughcut in a desktop window, in single-user mode.

Recordings named on the command line, dropped on the window or chosen in its dialogs are linked files:
Roughcut reads them where they are and never copies, changes or deletes them. If a window is already
open on the same data directory, the command passes the files to that window and brings it to the front.
Without a command, the desktop build opens the window, too.

Each data directory has its own loopback address such as 127.20.30.40:8420, so the page keeps its storage.
--listen and LISTEN_ADDR choose another address.

Only the desktop build has a window. "make desktop" makes that build.`,
		Example: `  roughcut-desktop
  roughcut-desktop desktop ~/Videos/talk.mp4`,
		RunE: func(cmd *cobra.Command, given []string) error { return openDesktop(cmd, build, given) },
	}
	cmd.Flags().String("listen", "", "loopback address to listen on (LISTEN_ADDR)")
	return cmd
}
