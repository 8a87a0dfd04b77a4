package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"roughcut/store"
)

func restoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restore FILE",
		Short: "Restore a backup into an empty data directory",
		Long: `Restore a backup into an empty or missing data directory. The command verifies all checksums and runs the
data checks of "roughcut doctor" before it puts the data in place. With - as FILE, it reads standard
input.

After a restore, everyone has to sign in again. Passwords and access tokens are those of the backup.`,
		Example: `  roughcut restore roughcut-backup.tar --data-dir /var/lib/roughcut
  ssh backup.example.org 'cat roughcut.tar' | roughcut restore -`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			archive, size, err := openArchive(cmd, given[0])
			if err != nil {
				return err
			}
			defer archive.Close()
			settings, err := operatorSettings(cmd)
			if err != nil {
				return err
			}
			line := showProgress(os.Stderr, "Restoring")
			options := settings.storeOptions(newLogger(settings.LogLevel))
			label, err := store.Restore(cmd.Context(), archive, size, options, func(done int64) {
				line.set(float64(done) / float64(size))
			})
			line.end()
			if err != nil {
				return err
			}
			if given[0] == stdio { // the sender must not fail at the padding of the archive
				_, _ = io.Copy(io.Discard, archive)
			}
			return reportRestored(cmd, settings.DataDir, label)
		},
	}
}

// openArchive opens a backup and returns its size in bytes, which is unlimited on standard input.
func openArchive(cmd *cobra.Command, path string) (archive io.ReadCloser, size int64, err error) {
	if path == stdio {
		return io.NopCloser(cancelable(cmd.Context(), cmd.InOrStdin())), math.MaxInt64, nil
	}
	file, err := os.Open(path) // root may read what the user of a service may not
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = usageError{fmt.Errorf("%s is not a file", path)}
	}
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

// reportRestored prints the age of the backup and the files that it does not contain.
func reportRestored(cmd *cobra.Command, dir string, label store.Manifest) error {
	out := cmd.OutOrStdout()
	made := label.CreatedAt.Format("2006-01-02 15:04:05 MST")
	if _, err := fmt.Fprintf(out,
		"restored %s from a backup of %s (roughcut %s)\n", dir, made, label.Version,
	); err != nil {
		return err
	}

	for _, file := range label.References {
		if _, err := fmt.Fprintf(out,
			"linked file %s is not in the backup, restore it or choose its new path in the editor\n", file.Path,
		); err != nil {
			return err
		}
	}

	for _, model := range label.Models {
		if _, err := os.Stat(filepath.Join(dir, model.Path)); err == nil {
			continue
		}
		name := strings.TrimPrefix(model.Path, "models/")
		if _, err := fmt.Fprintf(out, "speech model %s is not in the backup, put it into %s\n", name,
			filepath.Join(dir, "models")); err != nil {
			return err
		}
	}

	return nil
}
