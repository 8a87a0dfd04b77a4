//go:build desktop

package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/sys/windows"

	"roughcut/desktop"
)

// arguments returns the arguments of the command line. All commands but the window print to the
// console.
func arguments() []string {
	cobra.MousetrapHelpText = "" // with it, cobra refuses to start from Explorer
	given, opens := windowArguments()
	if !opens {
		joinConsole()
	}
	return given
}

// joinConsole connects standard output and standard error to the console that started the program.
// Windows gives the executable with the window no console, but passes it redirected streams.
func joinConsole() {
	if hasReader(os.Stdout) && hasReader(os.Stderr) {
		return
	}
	const ofParent = ^uintptr(0)
	attach := windows.NewLazySystemDLL("kernel32.dll").NewProc("AttachConsole")
	if joined, _, _ := attach.Call(ofParent); joined == 0 {
		return // the parent has no console
	}
	console, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return
	}
	for _, stream := range []**os.File{&os.Stdout, &os.Stderr} {
		if !hasReader(*stream) {
			*stream = console
		}
	}
}

// hasReader reports whether someone can read what the program writes to a stream.
func hasReader(stream *os.File) bool {
	kind, err := windows.GetFileType(windows.Handle(stream.Fd()))
	return err == nil && kind != windows.FILE_TYPE_UNKNOWN
}

// alert shows an error in a dialog if no one can read standard error. The executable with the
// window belongs to no console.
func alert(err error) {
	if !hasReader(os.Stderr) {
		_ = desktop.Alert(alertText(err)) // nothing else can report it
	}
}

// prepareWindow returns an error if this machine cannot open a window.
func prepareWindow() error {
	_, err := desktop.WebViewVersion()
	return err
}

// checkWindow looks for WebView2.
func checkWindow(context.Context, settings) []finding {
	version, err := desktop.WebViewVersion()
	if err != nil {
		return warning("window", "The desktop window does not open.", sentence(err))
	}
	return passed("window", "WebView2 %s", version)
}
