// Package cli is the command line of Roughcut and its composition root. It reads the settings,
// opens the store and the media engines, and passes them to the worker pool and the server. It is
// the only package that reads the environment.
//
// Each command has its own file. settings.go and settings_*.go hold the settings.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"roughcut/media"
	"roughcut/pipeline/models"
	"roughcut/store"
)

// Build describes the executable.
type Build struct {
	Version string
	Models  []models.Model // speech models that can be downloaded; nil stands for models.Known()
}

// Exit codes. docs/cli.md promises them.
const (
	exitFailed  = 1
	exitUsage   = 2
	exitDamaged = 3
	exitInUse   = 4
	exitSignal  = 128 // plus the number of the signal
)

// Main runs the command that os.Args name, reports its error on standard error and returns the exit
// code. SIGINT, SIGTERM or SIGHUP cancels the command; a second signal kills the process.
func Main(build Build) int {
	given := arguments()
	if err := checkProcessor(); err != nil {
		reportError(err)
		return exitFailed
	}

	ctx := untilSignal()
	root := rootCommand(build)
	root.SetArgs(given)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = context.Cause(ctx)
	}
	reportError(err)
	return exitCode(err)
}

// reportError shows why the program failed.
func reportError(err error) {
	fmt.Fprintln(os.Stderr, "roughcut:", err)
	alert(err)
}

// interruption is the error of a command that a signal cancelled, and the cause of its context.
type interruption struct{ signal syscall.Signal }

func (interruption) Error() string { return "interrupted" }

// Is makes the cause of a cancelled context a cancellation.
func (interruption) Is(target error) bool { return target == context.Canceled }

// untilSignal returns a context that SIGINT, SIGTERM or, when a terminal is closed, SIGHUP cancels.
// It then restores the default handling of signals, so a second signal kills the process. The
// context of signal.NotifyContext still catches signals after it is cancelled. A SIGHUP that is
// ignored, as under nohup, stays ignored.
func untilSignal() context.Context {
	ctx, end := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		received, _ := (<-signals).(syscall.Signal) // all signals of a system have this type
		signal.Stop(signals)
		end(interruption{received})
	}()
	return ctx
}

// usageError is an error in the command line or in a setting.
type usageError struct{ error }

// exitCode returns the exit code for the error of a command.
func exitCode(err error) int {
	var usage usageError
	var interrupted interruption
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &interrupted):
		return exitSignal + int(interrupted.signal)
	case errors.Is(err, store.ErrDamaged), errors.Is(err, store.ErrNewer):
		return exitDamaged
	case errors.Is(err, store.ErrInUse):
		return exitInUse
	}

	return exitFailed
}

func rootCommand(build Build) *cobra.Command {
	if build.Models == nil {
		build.Models = models.Known()
	}
	root := &cobra.Command{
		Use:   "roughcut",
		Short: "Make the first cut of a recorded talk",
		Long: `Roughcut makes the first cut of a recorded talk. It transcribes the recording on this machine, finds
silences, false starts and retakes, and renders what remains.

"roughcut serve --owner" starts the editor in a browser. "roughcut cut" cuts a recording without it.`,
		Example: `  roughcut serve --owner
  roughcut cut talk.mp4 -o talk-cut.mp4`,
		Version:       build.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE:          needCommand,
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n") // the first line of roughcut version
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError{flagError(cmd, err)} })
	root.PersistentFlags().String("config", "", "settings file (TOML)")
	root.PersistentFlags().String("data-dir", "", "data directory (DATA_DIR)")
	root.PersistentFlags().String("log-level", "", "lowest level to log: debug, info, warn or error (LOG_LEVEL)")
	addGroup(root, "Editing:", serveCommand(build), openCommand(), desktopCommand(build), cutCommand(),
		modelsCommand(build))
	addGroup(root, "Maintenance:", adminCommand(build), backupCommand(build), restoreCommand(), configCommand(),
		doctorCommand(), healthcheckCommand())
	root.AddCommand(versionCommand(build), licensesCommand(), docsCommand(), manCommand(build))
	addEngineCommand(root)
	return root
}

// addGroup adds commands that the help lists under a title.
func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, cmd := range commands {
		cmd.GroupID = title
		root.AddCommand(cmd)
	}
}

// flagGroup is the annotation of a flag that holds the title of its group.
const flagGroup = "group"

// groupFlags has the help of a command list flags under a title. Other flags come last.
func groupFlags(cmd *cobra.Command, title string, flags ...string) {
	cmd.AddGroup(&cobra.Group{Title: title}) // keeps the order
	for _, name := range flags {
		cmd.Flags().Lookup(name).Annotations = map[string][]string{flagGroup: {title}}
	}
	cmd.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := fmt.Fprintf(
			cmd.OutOrStderr(), "Usage:\n  %s\n\nExamples:\n%s\n\n%s\nGlobal Flags:\n%s",
			cmd.UseLine(), cmd.Example, flagUsages(cmd), cmd.InheritedFlags().FlagUsages(),
		)
		return err
	})
}

// flagUsages describes the flags of a command by group.
func flagUsages(cmd *cobra.Command) string {
	var groups []string
	for _, group := range append(cmd.Groups(), &cobra.Group{Title: "Flags:"}) {
		flags := pflag.NewFlagSet(group.Title, pflag.ContinueOnError)
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if title := append(f.Annotations[flagGroup], "Flags:")[0]; title == group.Title {
				flags.AddFlag(f)
			}
		})
		if flags.HasAvailableFlags() {
			groups = append(groups, group.Title+"\n"+flags.FlagUsages())
		}
	}

	return strings.Join(groups, "\n")
}

// needCommand runs a command that only has subcommands: it prints the help and fails.
func needCommand(cmd *cobra.Command, given []string) error {
	if len(given) > 0 {
		cmd.SuggestionsMinimumDistance = 2 // without it, cobra suggests only names that begin alike
		if similar := cmd.SuggestionsFor(given[0]); len(similar) > 0 {
			return usageError{fmt.Errorf(
				"unknown command %q, did you mean %s? See %s -h", given[0], media.OrList(similar), cmd.CommandPath(),
			)}
		}

		return usageError{fmt.Errorf("unknown command %q, see %s -h", given[0], cmd.CommandPath())}
	}

	if err := cmd.Help(); err != nil {
		return err
	}
	return usageError{errors.New("no command given")}
}

// flagError returns an error that names the flag, the type of its value and the wrong value. For an
// unknown flag it names the most similar one.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		if similar := similarFlag(cmd, unknown.GetSpecifiedName()); similar != "" {
			return fmt.Errorf("%w, did you mean --%s? See %s -h", err, similar, cmd.CommandPath())
		}
		return fmt.Errorf("%w, see %s -h", err, cmd.CommandPath())
	}

	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	kind := invalid.GetFlag().Value.Type()
	if words, ok := flagKinds[kind]; ok {
		kind = words
	}
	return fmt.Errorf("--%s must be %s, not %q", invalid.GetFlag().Name, kind, invalid.GetValue())
}

// similarFlag returns the flag of a command whose name differs least from a name: in at most two
// letters, or in letters that are missing at the end. It returns "" without such a flag.
func similarFlag(cmd *cobra.Command, name string) string {
	if len(name) < 3 {
		return ""
	}
	best, least := "", 3
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		distance := editDistance(name, f.Name)
		if strings.HasPrefix(f.Name, name) {
			distance = 1
		}
		if !f.Hidden && distance < least {
			best, least = f.Name, distance
		}
	})
	return best
}

// editDistance returns how many letters must be added, removed or replaced to turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}

	return row[len(b)]
}

// flagKinds describes the types of flags.
var flagKinds = map[string]string{"int": "a whole number", "bool": "true or false", "string": "text",
	timeFlag: "a time such as 90.5 or 1:30"}

// usageArgs makes a wrong number of arguments a usage error that shows the right usage.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if err := check(cmd, given); err != nil {
			return usageError{fmt.Errorf("wrong number of arguments, usage: %s", cmd.UseLine())}
		}
		return nil
	}
}
