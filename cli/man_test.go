package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"roughcut/media/mediatest"
)

// manualPages returns the folder with the pages that "roughcut man" writes, and the root command.
func manualPages(t *testing.T) (string, *cobra.Command) {
	t.Helper()
	folder, root := t.TempDir(), rootCommand(Build{Version: "1.2-3"})
	root.SetArgs([]string{"man", folder})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	return folder, root
}

func TestManualPagesNameEveryCommandAndFlag(t *testing.T) {
	folder, root := manualPages(t)
	commands := 0
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		commands++
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
		page, err := os.ReadFile(filepath.Join(folder, name+".1"))
		text := strings.ReplaceAll(string(page), `\-`, "-")
		if err != nil || !strings.Contains(text, ".SH NAME\n"+name+" - "+cmd.Short) {
			t.Errorf("%s has no manual page with its name: %v", cmd.CommandPath(), err)
		}
		for _, flags := range []*pflag.FlagSet{cmd.LocalNonPersistentFlags(), root.PersistentFlags()} {
			flags.VisitAll(func(f *pflag.Flag) {
				if !f.Hidden && !strings.Contains(text, `\fB--`+f.Name+`\fP`) {
					t.Errorf("the manual page of %s lacks --%s", cmd.CommandPath(), f.Name)
				}
			})
		}
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				check(sub)
			}
		}
	}
	check(root)
	if pages, err := os.ReadDir(folder); commands < 20 || len(pages) != commands {
		t.Errorf("%d manual pages for %d commands: %v", len(pages), commands, err)
	}
}

func TestManualPagesFormatWithoutWarnings(t *testing.T) {
	folder, _ := manualPages(t)
	pages, err := filepath.Glob(filepath.Join(folder, "*.1"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, page := range pages {
		cmd := mediatest.Command(t, "groff", "-t", "-man", "-ww", "-k", "-Tutf8", "-z", page)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", page, err, out)
		}
	}
}
