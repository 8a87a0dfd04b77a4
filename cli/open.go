package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"roughcut/server/operator"
	"roughcut/server/problem"
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
	request, err := http.NewRequestWithContext(cmd.Context(), http.MethodPost, operator.URL+"/launch", http.NoBody)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("calling the server: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", problem.Read(response)
	}
	var launch operator.LaunchAddress
	return launch.Address, json.NewDecoder(response.Body).Decode(&launch)
}
