//go:build desktop

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"roughcut/desktop"
	"roughcut/server"
	"roughcut/server/operator"
	"roughcut/server/problem"
	"roughcut/store"
)

// placeFile in the data directory says where the window was.
const placeFile = "window.json"

// noDMABuf keeps WebKit from a way of drawing with which many drivers show nothing.
const noDMABuf = "WEBKIT_DISABLE_DMABUF_RENDERER"

// openDesktop opens the window with files, or gives them to the window that is already open.
func openDesktop(cmd *cobra.Command, build Build, given []string) error {
	settings, err := loadSettings(cmd.Flags())
	if err != nil {
		return err
	}
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return errors.New("there is no display; run roughcut serve --owner to use Roughcut in a browser")
	}
	files, err := wholePaths(given)
	if err != nil {
		return err
	}
	if handed, err := handOver(cmd.Context(), settings, files); handed || err != nil {
		return err
	}
	return runDesktop(cmd.Context(), build, settings, files)
}

// wholePaths returns the paths of files from the root on.
func wholePaths(given []string) ([]string, error) {
	var files []string
	for _, name := range given {
		path, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		files = append(files, path)
	}
	return files, nil
}

// handOver gives files to the window that is open over the same data already, and raises it. It
// reports false where there is none.
func handOver(ctx context.Context, settings settings, files []string) (bool, error) {
	client, closeClient, err := operator.Connect(ctx, settings.DataDir)
	if err != nil {
		return false, nil
	}
	defer closeClient()
	body, err := json.Marshal(operator.WindowFiles{Paths: files})
	if err != nil {
		return false, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, operator.URL+"/window", bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	answer, err := client.Do(request)
	if err != nil {
		return false, fmt.Errorf("asking the window that is open: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return false, errors.Join(problem.Read(answer), store.ErrInUse)
	}
	return true, nil
}

// runDesktop serves on loopback and shows the UI in a window, until the window is closed or ctx
// ends. Work that is under way goes back to the queue, and goes on at the next start.
func runDesktop(ctx context.Context, build Build, settings settings, files []string) error {
	settings.PlanMode, settings.BaseURL = planOwner, ""
	if host, _, err := net.SplitHostPort(settings.ListenAddr); err != nil ||
		host != "localhost" && !net.ParseIP(host).IsLoopback() {
		return usageError{
			fmt.Errorf(
				"the window listens on this machine alone: set LISTEN_ADDR to 127.0.0.1:8420, not %s",
				settings.ListenAddr,
			),
		}
	}
	if _, set := os.LookupEnv(noDMABuf); !set {
		if err := os.Setenv(noDMABuf, "1"); err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	log := newLogger(settings.LogLevel)
	window := &desktop.Window{PlaceFile: filepath.Join(settings.DataDir, placeFile), Log: log}
	window.Hand(files)
	ready, ended := make(chan string, 1), make(chan error, 1)
	front := front{window: window, raise: window.Raise, listen: listenAnywhere(log), opened: func(data *store.Store) {
		window.Busy = func() string { return busy(data, log) }
	}, announce: func(address string, service *server.Server) error {
		token, err := service.LaunchToken()
		ready <- address + "/?launch=" + token + "&window=desktop"
		return err
	}}
	go func() {
		ended <- runServer(ctx, build, settings, front)
		stop()
	}()
	var address string
	select {
	case address = <-ready:
	case err := <-ended:
		return err
	}
	err := window.Run(ctx, address)
	stop()
	return errors.Join(err, <-ended)
}

// listenAnywhere listens at an address, or at another port where that one is taken: nobody has to
// know the window's.
func listenAnywhere(log *slog.Logger) func(string) (net.Listener, error) {
	return func(address string) (net.Listener, error) {
		listener, err := net.Listen("tcp", address)
		if err == nil {
			return listener, nil
		}
		log.Info("the window takes another port", "error", err)
		host, _, _ := net.SplitHostPort(address)
		return net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
}

// busy says what is under way.
func busy(data *store.Store, log *slog.Logger) string {
	measures, err := data.Measure()
	if err != nil {
		log.Warn("asking what is under way", "error", err)
		return ""
	}
	var doing []string
	for _, what := range []struct {
		kinds []store.JobKind
		text  string
	}{
		{[]store.JobKind{store.JobExport}, "an export is being rendered"},
		{[]store.JobKind{store.JobAnalysis}, "a recording is being analysed"},
		{[]store.JobKind{store.JobClip, store.JobImport, store.JobAsset, store.JobAssetImport}, "files are being read"},
	} {
		for _, kind := range what.kinds {
			if n := measures.Jobs[kind]; n.Running+n.Queued > 0 {
				doing = append(doing, what.text)
				break
			}
		}
	}
	text := strings.Join(doing, ", and ")
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}

// checkWindow looks for what the window needs besides the libraries that it is linked to: videos
// are H.264.
func checkWindow(context.Context, settings) []finding {
	folders := append(
		filepath.SplitList(os.Getenv("GST_PLUGIN_PATH")),
		filepath.SplitList(os.Getenv("GST_PLUGIN_SYSTEM_PATH"))...)
	for _, pattern := range []string{"/usr/lib/*/gstreamer-1.0", "/usr/lib*/gstreamer-1.0", "/usr/local/lib/*/gstreamer-1.0"} {
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
	return []finding{
		{
			Check:   "window",
			State:   wellWarning,
			Message: "GStreamer has no decoder for H.264, so the desktop window shows no video.",
			Advice:  "Install gstreamer1.0-libav (on Debian and Ubuntu), or use roughcut serve --owner in a browser.",
		},
	}
}
