package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"roughcut/store"
)

func restoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restore FILE",
		Short: "Bring a backup back into an empty data directory",
		Long: "Bring a backup back into an empty or missing data directory. Every checksum and all that `roughcut doctor` checks is checked\n" +
			"before anything of it counts. Everybody has to sign in again; passwords and personal access tokens are those of the backup.",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) (err error) {
			settings, err := loadSettings(cmd.Flags())
			if err != nil {
				return err
			}
			archive, err := os.Open(given[0])
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, archive.Close()) }()
			info, err := archive.Stat()
			if err != nil {
				return err
			}
			if !info.Mode().IsRegular() {
				return usageError{fmt.Errorf("%s is no file", given[0])}
			}
			bar := byteBar(info.Size(), "restore")
			options := settings.storeOptions(newLogger(settings.LogLevel))
			label, err := store.Restore(cmd.Context(), archive, info.Size(), options, bar.set)
			if err != nil {
				return err
			}
			return reportRestored(cmd, settings.DataDir, label)
		},
	}
}

func reportRestored(cmd *cobra.Command, dir string, label store.Manifest) error {
	out := cmd.OutOrStdout()
	if _, err := fmt.Fprintf(
		out,
		"%s is restored and sound: the data of %s, made by roughcut %s\n",
		dir,
		label.CreatedAt.Format("2006-01-02 15:04:05 MST"),
		label.Version,
	); err != nil {
		return err
	}
	for _, r := range label.References {
		if _, err := fmt.Fprintf(
			out,
			"this recording is not in the backup; put it back, or say in the editor where it is now: %s\n",
			r.Path,
		); err != nil {
			return err
		}
	}
	var missing []string
	for _, m := range label.Models {
		if _, err := os.Stat(dir + "/" + m.Path); err != nil {
			missing = append(missing, strings.TrimPrefix(m.Path, "models/"))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(
		out,
		"these speech models are not in the backup; put them into %s/models: %s\n",
		dir,
		strings.Join(missing, ", "),
	)
	return err
}
