package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
)

// The service of the Debian package and of .deploy/roughcut.service.
const (
	serviceFile = "/etc/roughcut/roughcut.toml"
	serviceData = "/var/lib/roughcut" // if the file names no data directory
)

// operatorSettings are loadSettings of a command that maintains a server. The command concerns the
// installed service, unless a flag or the environment names other data. It tells the person so, and
// root acts as the user of the service, so that no file of the service belongs to root.
func operatorSettings(cmd *cobra.Command) (settings, error) {
	s, _, err := readOperatorSettings(cmd, serviceFile)
	return s, err
}

// readOperatorSettings is operatorSettings for a settings file of a service. It also returns the
// sources, see readSettings.
func readOperatorSettings(cmd *cobra.Command, service string) (s settings, sources map[string]string, err error) {
	flags := cmd.Flags()
	if flags.Changed("config") || flags.Changed("data-dir") || os.Getenv("DATA_DIR") != "" {
		return readSettings(flags)
	}
	file, err := os.Open(service)
	if errors.Is(err, fs.ErrNotExist) {
		return readSettings(flags)
	}
	if err != nil {
		s, sources, err = readSettings(flags)
		if _, missing := os.Stat(s.DataDir); err == nil && missing != nil {
			cmd.PrintErrf("Roughcut is installed as a service. For its data, run: sudo %s\n", cmd.CommandPath())
		}
		return s, sources, err
	}

	if err := errors.Join(file.Close(), flags.Set("config", service)); err != nil {
		return s, nil, err
	}
	if s, sources, err = readSettings(flags); err != nil {
		return s, nil, err
	}
	cmd.PrintErrf("Using the settings of the service, %s, and its data in %s.\n", service, s.DataDir)
	if _, err := os.Stat(s.DataDir); errors.Is(err, fs.ErrNotExist) {
		return s, nil, fmt.Errorf("%s is missing: create it with: systemd-tmpfiles --create roughcut.conf", s.DataDir)
	}
	if err := actAsOwner(s.DataDir); err != nil {
		return s, nil, fmt.Errorf("acting as the user of the service: %w", err)
	}
	return s, sources, nil
}
