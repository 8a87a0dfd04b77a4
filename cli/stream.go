package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// stdio is the name that stands for standard input or standard output, and never for a file.
const stdio = "-"

// survivePipe makes a write fail when the reader of standard output has left, so that the command
// can remove its files. The write would kill the process otherwise.
func survivePipe() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// checkPiped returns an error if standard output is a terminal, which shows no files.
func checkPiped(out io.Writer) error {
	if isTerminal(out) {
		return usageError{errors.New("standard output is a terminal, redirect it to a file or a program")}
	}
	return nil
}

func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// cancelable returns a reader of standard input that fails when ctx ends. A read that waits for
// the sender cannot be cancelled, so its goroutine ends with the process.
func cancelable(ctx context.Context, in io.Reader) io.Reader {
	r, w := io.Pipe()
	context.AfterFunc(ctx, func() { _ = w.CloseWithError(context.Cause(ctx)) })
	go func() {
		_, err := io.Copy(w, in)
		_ = w.CloseWithError(err)
	}()
	return r
}
