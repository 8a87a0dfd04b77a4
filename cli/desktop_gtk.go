//go:build desktop && !windows

package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

// noDMABuf is the environment variable that turns off a WebKit renderer that stays blank with many
// graphics drivers.
const noDMABuf = "WEBKIT_DISABLE_DMABUF_RENDERER"

// prepareWindow returns an error if this machine cannot open a window.
func prepareWindow() error {
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return errors.New("no display found, run roughcut serve --owner to use a browser")
	}
	if _, set := os.LookupEnv(noDMABuf); !set {
		return os.Setenv(noDMABuf, "1")
	}
	return nil
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
				return ok("window", "GStreamer plays H.264 with %s", plugin)
			}
		}
	}
	return warning("window", "GStreamer has no H.264 decoder, so the desktop window shows no video.",
		"Install gstreamer1.0-libav (Debian and Ubuntu), or run roughcut serve --owner to use a browser.")
}
