package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"roughcut/media/libav"
	"roughcut/media/whisper"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of Roughcut and of its engines",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "roughcut %s\n%s\nwhisper.cpp %s\n%s %s/%s\n",
				version, libav.New().Version(), whisper.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
