package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"roughcut/media/libav"
	"roughcut/media/whisper"
	"roughcut/server"
)

func versionCommand(build Build) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of Roughcut and of its media engines",
		Long: `Print the version of Roughcut, of the linked FFmpeg libraries, of whisper.cpp and of Go, and the platform
of this build.`,
		Example: "  roughcut version",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "roughcut %s\n%s\nwhisper.cpp %s\n%s %s/%s\n",
				build.Version, libav.New().Version(), whisper.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// components returns the versions that admins see on the server page.
func components(build Build) []server.Component {
	return []server.Component{
		{Name: "roughcut", Version: build.Version},
		{Name: "engine", Version: libav.New().Version()},
		{Name: "whisper.cpp", Version: whisper.Version()},
		{Name: "go", Version: fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)},
	}
}
