package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"roughcut/server/operator"
	"roughcut/server/problem"
	"roughcut/store"
	"roughcut/store/outfile"
)

func backupCommand(build Build) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Back up all data into one file",
		Long: `Write a consistent copy of all data into a tar archive. The command works whether or not the server is
running. With - as FILE, it writes to standard output.

The archive contains password hashes and all recordings, so keep it private. It does not contain linked
files, the search index (restore rebuilds it), the outbox or, without --models, speech models.`,
		Example: `  roughcut backup roughcut-backup.tar
  roughcut backup --models --force /mnt/backups/roughcut.tar
  roughcut backup - | ssh backup.example.org 'cat >roughcut.tar'`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			settings, err := operatorSettings(cmd)
			if err != nil {
				return err
			}
			models, _ := cmd.Flags().GetBool("models")
			force, _ := cmd.Flags().GetBool("force")
			if err := needDataDir(settings); err != nil {
				return err
			}
			var size int64
			var linked int
			fetch := func(client *http.Client, w io.Writer) (err error) {
				size, linked, err = fetchBackup(cmd.Context(), client, models, w)
				return err
			}
			if given[0] == stdio {
				survivePipe()
				if err := checkPiped(cmd.OutOrStdout()); err != nil {
					return err
				}
				err = withOperator(cmd.Context(), build, settings, func(client *http.Client) error {
					return fetch(client, cmd.OutOrStdout())
				})
			} else {
				err = backupTo(cmd.Context(), build, settings, given[0], force, fetch)
			}

			if err != nil {
				return err
			}
			if linked > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "linked files left out: %d (back them up separately)\n", linked)
			}
			if given[0] == stdio {
				return nil
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "wrote %s (%d bytes)\n", given[0], size)
			return err
		},
	}
	cmd.Flags().Bool("models", false, "include the speech models")
	cmd.Flags().Bool("force", false, "replace an existing file")
	return cmd
}

// backupTo writes the archive into a file.
func backupTo(
	ctx context.Context,
	build Build,
	settings settings,
	path string,
	force bool,
	fetch func(*http.Client, io.Writer) error,
) error {
	// the archive contains password hashes
	file, err := claimOutput(path, outfile.Options{Replace: force, Mode: 0o600})
	if err != nil {
		return err
	}
	defer file.Close()
	return withOperator(ctx, build, settings, func(client *http.Client) error {
		if err := checkBackup(ctx, client, settings.DataDir, path); err != nil {
			return err
		}
		return outputError(path, file.Write(func(w io.Writer) error { return fetch(client, w) }))
	})
}

// checkBackup refuses to replace a linked file or a file of the data directory.
func checkBackup(ctx context.Context, client *http.Client, dir, path string) error {
	var linked []string
	if err := requestJSON(ctx, client, http.MethodGet, "/linked-paths", nil, &linked); err != nil {
		return err
	}
	return store.CheckOutput(dir, linked, path)
}

// fetchBackup copies the archive from the operator API to w. It returns the size of the archive in
// bytes and the number of linked files, which the archive leaves out.
func fetchBackup(
	ctx context.Context,
	client *http.Client,
	models bool,
	w io.Writer,
) (size int64, linked int, err error) {
	request, err := http.NewRequestWithContext(
		ctx, http.MethodGet, operator.URL+"/backup?models="+strconv.FormatBool(models), nil,
	)
	if err != nil {
		return 0, 0, err
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, 0, fmt.Errorf("requesting the backup: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return 0, 0, problem.Read(response)
	}
	total, err := strconv.ParseInt(response.Header.Get(operator.BackupBytesHeader), 10, 64)
	if err != nil {
		return 0, 0, fmt.Errorf("reading the backup: %w", err)
	}
	if linked, err = strconv.Atoi(response.Header.Get(operator.BackupLinkedFilesHeader)); err != nil {
		return 0, 0, fmt.Errorf("reading the backup: %w", err)
	}
	line := showProgress(os.Stderr, "Backing up")
	defer line.end()
	size, err = io.Copy(io.MultiWriter(w, &countedBytes{line: line, total: total}), response.Body)
	if err != nil {
		return 0, 0, fmt.Errorf("receiving the backup: %w", err)
	}
	return size, linked, nil
}

// countedBytes advances a progress line by the bytes that are written to it.
type countedBytes struct {
	line        *progressLine
	done, total int64
}

// Write advances the line by the length of b.
func (c *countedBytes) Write(b []byte) (int, error) {
	c.done += int64(len(b))
	c.line.set(float64(c.done) / float64(c.total))
	return len(b), nil
}
