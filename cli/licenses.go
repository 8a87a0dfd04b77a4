package cli

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

func licensesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "licenses",
		Short: "Print the licenses of the software in Roughcut",
		Long: `Print the copyright notices and licenses of the software of third parties in this build. The text
comes from the file that every package of Roughcut installs with the program.`,
		Example: "  roughcut licenses | less",
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			executable, err := os.Executable()
			if err != nil {
				return err
			}
			if executable, err = filepath.EvalSymlinks(executable); err != nil {
				return err
			}
			return writeNotices(cmd.OutOrStdout(), executable)
		},
	}
}

// writeNotices writes the notices that a package installed with an executable: next to it on
// Windows, in the folder of the archive, or in /usr/share/doc.
func writeNotices(w io.Writer, executable string) error {
	folder := filepath.Dir(executable)
	name := strings.TrimSuffix(filepath.Base(executable), ".exe")
	for _, path := range []string{
		filepath.Join(folder, "THIRD-PARTY-LICENSES.txt"),
		filepath.Join(folder, "..", "THIRD-PARTY-LICENSES.txt"),
		filepath.Join(folder, "..", "share", "doc", name, "third-party-notices.gz"),
	} {
		file, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		defer file.Close()
		text := io.Reader(file)
		if filepath.Ext(path) == ".gz" {
			if text, err = gzip.NewReader(file); err != nil {
				return fmt.Errorf("reading %s: %w", path, err)
			}
		}

		_, err = io.Copy(w, text)
		return err
	}

	return fmt.Errorf("no licenses are installed with %s: install a package of Roughcut, "+
		"or put THIRD-PARTY-LICENSES.txt of the release next to the program", executable)
}
