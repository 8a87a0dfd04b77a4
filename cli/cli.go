// Roughcut makes the first cut of a talking recording: it transcribes, finds silences, false starts
// and retakes, proposes every cut with its reason, and renders the result. One executable, one data
// directory, no cloud.
//
// This package is the composition root: it reads the settings, opens store and engines, and hands
// them to pool and server.
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

	"roughcut/store"
)

// version is set when the executable is linked.
var version = "dev"

// Exit codes, as the documentation of the command line promises them.
const (
	exitFailed  = 1
	exitUsage   = 2
	exitDamaged = 3
	exitInUse   = 4
)

func main() {
	ctx := untilSignal()
	if err := rootCommand().ExecuteContext(ctx); err != nil {
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			err = errStopped
		}
		fmt.Fprintln(os.Stderr, "roughcut:", err)
		os.Exit(exitCode(err))
	}
}

// errStopped is told to whoever asked the program to stop, in place of what was interrupted.
var errStopped = errors.New("stopped before it was done")

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

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "roughcut",
		Short:         "Make the first cut of a talking recording",
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
		serveCommand(),
		desktopCommand(),
		cutCommand(),
		modelsCommand(knownModels()),
		backupCommand(),
		restoreCommand(),
		adminCommand(),
		configCommand(),
		doctorCommand(),
		healthcheckCommand(),
		versionCommand(),
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
