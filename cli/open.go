package cli

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"roughcut/server/operator"
)

func openCommand() *cobra.Command {
	var printOnly bool
	cmd := &cobra.Command{
		Use:   "open",
		Short: "Open the running server in the browser",
		Long: `Print a link to the server that runs on the data directory, and open it in the browser. In single-user
mode the link signs the owner in. It stays valid until the server stops.`,
		Example: `  roughcut open
  roughcut open --print`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := operatorSettings(cmd)
			if err != nil {
				return err
			}
			client, closeClient, err := operator.Connect(cmd.Context(), settings.DataDir)
			if errors.Is(err, operator.ErrNotListening) {
				return fmt.Errorf("no server runs on %s, start one with roughcut serve --owner", settings.DataDir)
			}
			if err != nil {
				return err
			}
			defer closeClient()
			link, err := askLaunch(cmd, client)
			if err != nil {
				return err
			}
			if _, err := fmt.Println(link); err != nil || printOnly {
				return err
			}
			if err := openBrowser(link); err != nil {
				newLogger(settings.LogLevel).Debug("cannot open the browser", "error", err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&printOnly, "print", false, "print the link only")
	return cmd
}

// askLaunch asks the server for a new link.
func askLaunch(cmd *cobra.Command, client *http.Client) (string, error) {
	var launch operator.LaunchAddress
	err := requestJSON(cmd.Context(), client, http.MethodPost, "/launch", nil, &launch)
	return launch.Address, err
}
