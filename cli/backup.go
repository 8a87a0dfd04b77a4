package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"roughcut/server/operator"
	"roughcut/server/problem"
	"roughcut/store"
)

func backupCommand(build Build) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write a consistent copy of all data into one file, also while the server runs",
		Long: "Write a consistent copy of all data into one file (a tar archive), also while the server runs.\n\n" +
			"The file holds accounts with their password hashes and everybody's recordings: keep it where only you can read it.\n" +
			"Not in it are the search index, which is built anew, the folder outbox, and speech models unless --models is given.",
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			settings, err := loadSettings(cmd.Flags())
			if err != nil {
				return err
			}
			models, _ := cmd.Flags().GetBool("models")
			force, _ := cmd.Flags().GetBool("force")
			if _, err := os.Stat(given[0]); err == nil && !force {
				return fmt.Errorf("%s exists already; give another name, or --force to replace it", given[0])
			}
			if _, err := os.Stat(settings.DataDir); err != nil {
				return fmt.Errorf("there is no data directory to back up: %w", err)
			}
			var size int64
			var apart int
			err = operate(cmd.Context(), build, settings, func(client *http.Client) error {
				return store.WriteFileAtomic(given[0], func(w io.Writer) (err error) {
					size, apart, err = fetchBackup(cmd.Context(), client, models, w)
					return err
				})
			})
			if err != nil {
				return err
			}
			if apart > 0 {
				_, err = fmt.Fprintf(
					cmd.OutOrStdout(),
					"%s holds everything (%d bytes) but %d recordings that stay where they are; keep a copy of those yourself\n",
					given[0],
					size,
					apart,
				)
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s holds everything (%d bytes)\n", given[0], size)
			return err
		},
	}
	cmd.Flags().Bool("models", false, "put the speech models into it too")
	cmd.Flags().Bool("force", false, "replace an existing file")
	return cmd
}

// fetchBackup copies the archive that the operator's service sends, and returns its size and how
// many recordings are not in it.
func fetchBackup(
	ctx context.Context,
	client *http.Client,
	models bool,
	w io.Writer,
) (size int64, apart int, err error) {
	request, err := http.NewRequestWithContext(
		ctx,
		http.MethodGet,
		operator.URL+"/backup?models="+strconv.FormatBool(models),
		nil,
	)
	if err != nil {
		return 0, 0, err
	}
	answer, err := client.Do(request)
	if err != nil {
		return 0, 0, fmt.Errorf("asking for the backup: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return 0, 0, problem.Read(answer)
	}
	total, err := strconv.ParseInt(answer.Header.Get(operator.BackupBytesHeader), 10, 64)
	if err != nil {
		return 0, 0, fmt.Errorf("reading the backup: %w", err)
	}
	if apart, err = strconv.Atoi(answer.Header.Get(operator.BackupLinkedFilesHeader)); err != nil {
		return 0, 0, fmt.Errorf("reading the backup: %w", err)
	}
	bar := byteBar(total, "backup")
	size, err = io.Copy(io.MultiWriter(w, bar), answer.Body)
	if err != nil {
		return 0, 0, fmt.Errorf("receiving the backup: %w", err)
	}
	return size, apart, nil
}

// byteBar is a progress bar on a terminal, and silent elsewhere. What is written to it counts, up
// to total.
func byteBar(total int64, what string) *progress {
	bar := progressbar.DefaultBytesSilent(total, what)
	if term.IsTerminal(int(os.Stderr.Fd())) {
		bar = progressbar.DefaultBytes(total, what)
	}
	return &progress{bar: bar, total: total}
}

type progress struct {
	bar         *progressbar.ProgressBar
	done, total int64
}

// Write advances the bar by as many bytes.
func (p *progress) Write(b []byte) (int, error) {
	p.set(p.done + int64(len(b)))
	return len(b), nil
}

func (p *progress) set(done int64) {
	p.done = done
	_ = p.bar.Set64(min(done, p.total)) // only drawn
}
