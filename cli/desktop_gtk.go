//go:build desktop && !windows

package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

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
	for _, name := range []string{sharedMemory, noDMABuf} {
		if _, chosen := os.LookupEnv(name); chosen {
			return nil
		}
	}

	return os.Setenv(sharedMemory, "1")
}

// checkWindow looks for a GStreamer plugin that decodes H.264.
func checkWindow(context.Context, settings) []finding {
	folders := append(
		filepath.SplitList(os.Getenv("GST_PLUGIN_PATH")),
		filepath.SplitList(os.Getenv("GST_PLUGIN_SYSTEM_PATH"))...)
	for _, pattern := range []string{
		"/usr/lib/*/gstreamer-1.0", "/usr/lib*/gstreamer-1.0", "/usr/local/lib/*/gstreamer-1.0",
	} {
		found, _ := filepath.Glob(pattern)
		folders = append(folders, found...)
	}

	for _, folder := range folders {
		for _, plugin := range []string{"libgstlibav.so", "libgstopenh264.so", "libgstva.so"} {
			if _, err := os.Stat(filepath.Join(folder, plugin)); err == nil {
				return passed("window", "GStreamer plays H.264 with %s", plugin)
			}
		}
	}

	return warning("window", "GStreamer has no H.264 decoder, so the desktop window shows no video.",
		"Install gstreamer1.0-libav (Debian and Ubuntu), or run roughcut serve --owner to use a browser.")
}
