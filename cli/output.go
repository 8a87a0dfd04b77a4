package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"roughcut/server/operator"
	"roughcut/store"
	"roughcut/store/outfile"
)

// printJSON prints a value on standard output.
func printJSON(cmd *cobra.Command, value any) error {
	out := json.NewEncoder(cmd.OutOrStdout())
	out.SetIndent("", "  ")
	return out.Encode(value)
}

// claimOutput reserves a file that a command writes. It replaces an existing file only with force.
func claimOutput(path string, o outfile.Options) (*outfile.File, error) {
	file, err := outfile.Claim(path, o)
	return file, outputError(path, err)
}

// outputError says why a file cannot be written.
func outputError(path string, err error) error {
	var fault syscall.Errno
	switch {
	case errors.Is(err, outfile.ErrExists):
		return fmt.Errorf("%s already exists, choose another name or use --force", path)
	case errors.Is(err, outfile.ErrBusy):
		return fmt.Errorf("another Roughcut process is writing %s, wait for it or choose another name", path)
	case errors.Is(err, outfile.ErrNotRegular):
		return usageError{fmt.Errorf("%s is not a regular file, choose another name", path)}
	case errors.As(err, &fault):
		return fmt.Errorf("cannot write to the folder %s: %w", filepath.Dir(path), fault)
	}

	return err
}

// linkedPaths returns the paths of the linked files of a data directory, from the server that has
// it open or from the database. It does not open the directory, which a server can therefore do.
func linkedPaths(ctx context.Context, dir string) (paths []string, err error) {
	client, closeClient, err := operator.Connect(ctx, dir)
	if errors.Is(err, operator.ErrNotListening) {
		return store.ReadLinkedPaths(dir)
	}
	if err != nil {
		return nil, err
	}
	defer closeClient()
	err = requestJSON(ctx, client, http.MethodGet, "/linked-paths", nil, &paths)
	return paths, err
}

// checkReplaced returns an error if path exists and is a linked file or a file of the data
// directory. It says so if the directory belongs to another user, whose files it cannot know.
func checkReplaced(ctx context.Context, dir, path string, warn io.Writer) error {
	if _, err := os.Lstat(path); err != nil {
		return nil //nolint:nilerr // nothing is replaced
	}
	linked, err := linkedPaths(ctx, dir)
	if errors.Is(err, fs.ErrPermission) {
		fmt.Fprintf(warn, "The data directory %s cannot be read, so its recordings are not protected.\n", dir)
		err = nil
	}

	if err != nil {
		return fmt.Errorf("cannot check whether a project uses %s: %w", path, err)
	}
	return store.CheckOutput(dir, linked, path)
}
