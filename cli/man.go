package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manCommand writes the manual pages that the packages install.
func manCommand(build Build) *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual page of each command into a folder",
		Hidden: true,
		Args:   args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			for name, page := range manualPages(cmd.Root(), build.Version) {
				if err := os.WriteFile(filepath.Join(given[0], name), page, 0o644); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// manualPages returns the manual pages of a command and of all its visible subcommands by file
// name, in the format of man(7).
func manualPages(cmd *cobra.Command, version string) map[string][]byte {
	pages := map[string][]byte{manualName(cmd) + ".1": manualPage(cmd, version)}
	for _, sub := range documented(cmd) {
		for name, page := range manualPages(sub, version) {
			pages[name] = page
		}
	}
	return pages
}

// documented returns the subcommands that have a page.
func documented(cmd *cobra.Command) []*cobra.Command {
	var subs []*cobra.Command
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" && sub.Name() != "completion" {
			subs = append(subs, sub)
		}
	}
	return subs
}

func manualName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func manualPage(cmd *cobra.Command, version string) []byte {
	var page bytes.Buffer
	root, subs := cmd.Root(), documented(cmd)
	fmt.Fprintf(&page, ".TH %s 1 \"\" \"Roughcut %s\" \"Roughcut\"\n.nh\n.ad l\n",
		roff(strings.ToUpper(manualName(cmd))), roff(version))
	fmt.Fprintf(&page, ".SH NAME\n%s \\- %s\n", roff(manualName(cmd)), roff(cmd.Short))
	fmt.Fprintf(&page, ".SH SYNOPSIS\n.nf\n%s\n.fi\n", roff(synopsis(cmd)))
	if cmd.Long != "" {
		fmt.Fprintf(&page, ".SH DESCRIPTION\n%s", paragraphs(cmd.Long))
	}
	if len(subs) > 0 {
		page.WriteString(".SH COMMANDS\n")
		for _, sub := range subs {
			name, short, target := roff(sub.Name()), roff(sub.Short), roff(manualName(sub))
			fmt.Fprintf(&page, ".TP\n.B %s\n%s. See\n.BR %s (1).\n", name, short, target)
		}
	}
	writeOptions(&page, "OPTIONS", cmd.LocalNonPersistentFlags())
	writeOptions(&page, "GLOBAL OPTIONS", root.PersistentFlags())
	if cmd.Example != "" {
		fmt.Fprintf(&page, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(cmd.Example))
	}
	if cmd == root {
		page.WriteString(".SH EXIT STATUS\n")
		for _, row := range strings.Split(strings.TrimSpace(exitCodes), "\n") {
			if cells := strings.Split(row, "|"); len(cells) == 4 && strings.ContainsAny(cells[1], "0123456789") {
				fmt.Fprintf(&page, ".TP\n.B %s\n%s\n", strings.TrimSpace(cells[1]), roff(strings.TrimSpace(cells[2])))
			}
		}
		page.WriteString(".SH ENVIRONMENT\nEach setting can be an environment variable. " +
			"\\fBroughcut config print\\fP shows the effective settings.\n")
	} else {
		fmt.Fprintf(&page, ".SH SEE ALSO\n.BR %s (1)\n", roff(manualName(cmd.Parent())))
	}
	return page.Bytes()
}

// synopsis returns the usage line, or for a group of commands a line with a placeholder.
func synopsis(cmd *cobra.Command) string {
	if len(documented(cmd)) > 0 {
		return cmd.CommandPath() + " COMMAND [flags]"
	}
	return cmd.UseLine()
}

func writeOptions(page *bytes.Buffer, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(page, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		name := "\\fB" + roff("--"+f.Name) + "\\fP"
		if f.Shorthand != "" {
			name = "\\fB" + roff("-"+f.Shorthand) + "\\fP, " + name
		}
		if kind != "" {
			name += " \\fI" + roff(kind) + "\\fP"
		}
		fmt.Fprintf(page, ".TP\n%s\n%s", name, roff(usage))
		switch f.DefValue {
		case "", "0", "0s", "false", "[]":
		default:
			fmt.Fprintf(page, " (default %s)", roff(f.DefValue))
		}
		page.WriteString("\n")
	})
}

// paragraphs returns a help text as roff. Lines that are indented keep their line breaks.
func paragraphs(help string) string {
	var out strings.Builder
	for i, paragraph := range strings.Split(help, "\n\n") {
		if i > 0 {
			out.WriteString(".PP\n")
		}
		if strings.HasPrefix(paragraph, " ") || strings.Contains(paragraph, "\n ") {
			fmt.Fprintf(&out, ".nf\n%s\n.fi\n", roff(paragraph))
		} else {
			out.WriteString(roff(paragraph) + "\n")
		}
	}
	return out.String()
}

// roff escapes text for a roff document: backslashes, hyphens that must stay ASCII, and points
// and apostrophes that would start a request.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(strings.Trim(text, "\n")), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
