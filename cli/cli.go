// Package cli is the command line of Roughcut and its composition root. It reads the settings, opens
// the store and the media engines, and passes them to the worker pool and the server. It is the only
// package that reads the environment.
//
// Each command has a file of its own. settings.go and settings_*.go hold the settings.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"roughcut/pipeline/models"
	"roughcut/store"
)

// Build describes the executable.
type Build struct {
	Version string
	Models  []models.Model // that can be downloaded; models.Known() if nil
}

// Exit codes, as the documentation of the command line promises them.
const (
	exitFailed  = 1
	exitUsage   = 2
	exitDamaged = 3
	exitInUse   = 4
)

// Main runs the command that os.Args name, reports its error on standard error and returns the exit
// code. SIGINT or SIGTERM cancels the command; a second signal kills the process.
func Main(build Build) int {
	ctx := untilSignal()
	err := rootCommand(build).ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errInterrupted
	}
	fmt.Fprintln(os.Stderr, "roughcut:", err)
	return exitCode(err)
}

// errInterrupted replaces the error of a command that a signal cancelled.
var errInterrupted = errors.New("interrupted")

// untilSignal ends with the first signal that asks the program to end, and no sooner than a second
// one ends the program at once: nobody who sees that it is ending has to wait for it. (A context of
// signal.NotifyContext ends while signals are still caught.)
func untilSignal() context.Context {
	ctx, end := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		signal.Stop(signals)
		end()
	}()
	return ctx
}

// usageError is a call that makes no sense as it was written.
type usageError struct{ error }

func exitCode(err error) int {
	var usage usageError
	switch {
	case errors.As(err, &usage):
		return exitUsage
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
silences, false starts and retakes, and renders what is left.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, given []string) error {
			what := errors.New("say what to do")
			if len(given) > 0 {
				what = fmt.Errorf("there is no command %q", given[0])
			}
			return usageError{errors.Join(what, cmd.Help())}
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{flagError(err)} })
	root.PersistentFlags().String("config", "", "file with settings (TOML)")
	root.PersistentFlags().String("data-dir", "", "where everything is kept (DATA_DIR)")
	root.PersistentFlags().String("log-level", "", "debug, info, warn or error (LOG_LEVEL)")
	root.AddCommand(
		serveCommand(build),
		desktopCommand(build),
		cutCommand(),
		modelsCommand(build),
		backupCommand(build),
		restoreCommand(),
		adminCommand(build),
		configCommand(),
		doctorCommand(),
		healthcheckCommand(),
		versionCommand(build),
		docsCommand(),
	)
	return root
}

// flagError says which value of a flag makes no sense, without how it was read.
func flagError(err error) error {
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

// flagKinds are the types of flags in words.
var flagKinds = map[string]string{"int": "a whole number", "bool": "true or false", "string": "text"}

// args wraps a check of arguments so that a wrong number of them counts as wrong usage, and is
// answered with the right one.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if err := check(cmd, given); err != nil {
			return usageError{fmt.Errorf("it is called as %s", cmd.UseLine())}
		}
		return nil
	}
}
