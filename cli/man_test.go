package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"roughcut/media/mediatest"
)

func TestManualPagesNameEveryCommandAndFlag(t *testing.T) {
	root := rootCommand(Build{Version: "test"})
	pages := manualPages(root, "test")
	commands := 0
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		commands++
		page := string(pages[manualName(cmd)+".1"])
		if !strings.Contains(page, ".SH NAME\n"+roff(manualName(cmd))+` \- `) {
			t.Errorf("%s has no manual page with its name", cmd.CommandPath())
		}
		for _, flags := range []*pflag.FlagSet{cmd.LocalNonPersistentFlags(), root.PersistentFlags()} {
			flags.VisitAll(func(f *pflag.Flag) {
				if !f.Hidden && !strings.Contains(page, roff("--"+f.Name)+`\fP`) {
					t.Errorf("the manual page of %s lacks --%s", cmd.CommandPath(), f.Name)
				}
			})
		}
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() && sub.Name() != "help" && sub.Name() != "completion" {
				check(sub)
			}
		}
	}
	check(root)
	if commands < 20 || len(pages) != commands {
		t.Errorf("%d manual pages for %d commands", len(pages), commands)
	}
}

func TestManualPagesFormatWithoutWarnings(t *testing.T) {
	for name, page := range manualPages(rootCommand(Build{Version: "1.2-3"}), "1.2-3") {
		cmd := mediatest.Command(t, "groff", "-man", "-ww", "-k", "-Tutf8", "-z")
		cmd.Stdin = bytes.NewReader(page)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

func TestRoffEscapes(t *testing.T) {
	if got := roff("a\\b --c\n.d\n'e"); got != "a\\eb \\-\\-c\n\\&.d\n\\&'e" {
		t.Errorf("got %q", got)
	}
}
