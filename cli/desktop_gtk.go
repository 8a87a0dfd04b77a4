//go:build desktop && !windows

package cli

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"roughcut/desktop"
)

// arguments returns the arguments of the command line.
func arguments() []string {
	given, _ := windowArguments()
	return given
}

// alert shows in a dialog why the window did not open, unless a terminal shows standard error.
func alert(err error) {
	var failed windowError
	if errors.As(err, &failed) && !term.IsTerminal(int(os.Stderr.Fd())) {
		_ = desktop.Alert(alertText(err)) // fails without a display
	}
}

// Environment variables of WebKit. With DMA buffers, the window stays blank with several graphics
// drivers. sharedMemory makes WebKit draw without them. noDMABuf does too, but also turns off
// compositing, without which WebKit reports no video frames and the preview freezes before cuts.
const (
	sharedMemory = "WEBKIT_DMABUF_RENDERER_FORCE_SHM"
	noDMABuf     = "WEBKIT_DISABLE_DMABUF_RENDERER"
)

// prepareWindow returns an error if this machine cannot open a window.
func prepareWindow() error {
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return errors.New("no display found, run roughcut serve --owner to use a browser")
	}
	// Wails sets this one itself, but while other threads read the environment, which can crash.
	if session := os.Getenv("XDG_SESSION_TYPE"); os.Getenv("GDK_BACKEND") == "" &&
		(session == "" || session == "unspecified" || session == "x11") {
		if err := os.Setenv("GDK_BACKEND", "x11"); err != nil {
			return err
		}
	}

	for _, name := range []string{sharedMemory, noDMABuf} {
		if _, chosen := os.LookupEnv(name); chosen {
			return nil
		}
	}

	return os.Setenv(sharedMemory, "1")
}

// checkWindow looks for the parts of GStreamer that play recordings.
func checkWindow(context.Context, settings) []finding {
	lacks, ok := desktop.Lacks()
	if !ok {
		return warning("window", "GStreamer does not start, so the desktop window cannot play recordings.",
			windowAdvice("gstreamer1.0-plugins-base", "gstreamer1.0-plugins-good", "gstreamer1.0-libav"))
	}

	if len(lacks) == 0 {
		return passed("window", "WebKitGTK %s and GStreamer have all parts to play recordings", desktop.WebKitVersion())
	}
	var parts, packages []string
	for _, lack := range lacks {
		parts, packages = append(parts, lack.Part), append(packages, lack.Package)
	}

	slices.Sort(packages)
	return warning("window",
		"GStreamer lacks parts that the desktop window needs to play recordings: "+strings.Join(parts, ", ")+".",
		windowAdvice(slices.Compact(packages)...))
}

// windowAdvice names packages that complete the window.
func windowAdvice(packages ...string) string {
	return "Install " + strings.Join(packages, ", ") +
		" (Debian and Ubuntu), or run roughcut serve --owner to use a browser."
}
