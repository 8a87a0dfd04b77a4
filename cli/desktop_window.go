//go:build desktop

package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"roughcut/desktop"
	"roughcut/media"
	"roughcut/server"
	"roughcut/server/api"
	"roughcut/server/operator"
	"roughcut/server/problem"
	"roughcut/store"
)

// placeFile is the name of the file with the window position, in the data directory.
const placeFile = "window.json"

// windowArguments returns the arguments of the command line. Without arguments, or with the
// absolute paths that file managers pass, they open the window.
func windowArguments() (given []string, opens bool) {
	given = os.Args[1:]
	if len(given) == 0 || filepath.IsAbs(given[0]) {
		return append([]string{"desktop"}, given...), true
	}
	return given, false
}

// windowError says why the window did not open on a data directory.
type windowError struct {
	error
	dataDir string
}

func (e windowError) Unwrap() error { return e.error }

// sentence returns the text of an error as a sentence.
func sentence(err error) string {
	text := strings.TrimSuffix(err.Error(), ".")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// alertText returns the text of a dialog about an error.
func alertText(err error) string {
	text := sentence(err)
	var failed windowError
	if errors.As(err, &failed) && failed.dataDir != "" {
		text += "\n\nThe data directory is " + failed.dataDir + "."
	}
	return text
}

// noWindowError is the answer of a server without a window on the data directory.
type noWindowError struct{ error }

func (noWindowError) Is(target error) bool { return target == store.ErrInUse }

// openDesktop opens the window with files, or gives them to the window that is already open.
func openDesktop(cmd *cobra.Command, build Build, given []string) error {
	settings, sources, err := readSettings(cmd.Flags())
	if err != nil {
		return windowError{error: err}
	}
	if sources["listen_addr"] == "" && (runtime.GOOS == "linux" || runtime.GOOS == "windows") {
		settings.ListenAddr = windowAddress(settings.DataDir)
	}
	if err := startDesktop(cmd.Context(), build, settings, given); err != nil {
		return windowError{err, settings.DataDir}
	}
	return nil
}

func startDesktop(ctx context.Context, build Build, settings settings, given []string) error {
	if err := prepareWindow(); err != nil {
		return err
	}
	files, err := absolutePaths(given)
	if err != nil {
		return err
	}
	if handed, err := handOver(ctx, settings, files); handed || err != nil {
		return err
	}
	return runDesktop(ctx, build, settings, files)
}

// absolutePaths returns the absolute paths of files.
func absolutePaths(given []string) ([]string, error) {
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

// handOver passes files to the window that is already open on the data directory and raises it. It
// reports whether such a window exists.
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
	response, err := client.Do(request)
	if err != nil {
		return false, fmt.Errorf("calling the open window: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return false, noWindowError{problem.Read(response)}
	}
	return true, nil
}

// runDesktop serves on loopback and shows the UI in a window, until the window is closed or ctx
// ends. Unfinished jobs return to the queue and resume at the next start.
func runDesktop(ctx context.Context, build Build, settings settings, files []string) error {
	settings.PlanMode, settings.BaseURL = planOwner, ""
	if host, _, err := net.SplitHostPort(settings.ListenAddr); err != nil ||
		(host != "localhost" && !net.ParseIP(host).IsLoopback()) {
		return usageError{
			fmt.Errorf(
				"LISTEN_ADDR must be a loopback address such as 127.0.0.1:8420 for the desktop window, not %s",
				settings.ListenAddr,
			),
		}
	}

	ctx, stop := context.WithCancel(ctx)
	defer stop()
	log := newLogger(settings.LogLevel)
	var running atomic.Pointer[server.Server]
	window := &desktop.Window{
		PlaceFile:      filepath.Join(settings.DataDir, placeFile),
		Recordings:     media.RecordingTypes().Extensions(),
		RecentProjects: server.RecentProjects,
		Warning:        func() string { return windowWarning(ctx, settings) },
		Saving: func() bool {
			service := running.Load()
			return service != nil && service.Saving()
		},
		Log: log,
	}
	window.Hand(files)
	var data *store.Store
	opened, ended := make(chan struct{}), make(chan error, 1)
	address := make(chan string, 1)
	hooks := hooks{
		window: pageWindow{window},
		raise:  window.Raise,
		listen: listenAnywhere(log),
		opened: func(store *store.Store) {
			data = store
			close(opened) // few starts fail after this
		},
		announce: func(addresses []string, service *server.Server) error {
			token, err := service.LaunchToken()
			running.Store(service)
			address <- addresses[0] + "/?launch=" + token + "&window=desktop"
			return err
		},
	}
	go func() {
		ended <- runServer(ctx, build, settings, hooks)
		stop()
	}()
	select {
	case <-opened:
	case err := <-ended:
		return err
	}

	var watching sync.WaitGroup
	watching.Go(func() { watchExports(ctx, data, window, log) })
	err := window.Run(ctx, sync.OnceValue(func() string {
		select {
		case found := <-address:
			return found
		case <-ctx.Done():
			return ""
		}
	}))
	stop()
	watching.Wait()
	return errors.Join(err, <-ended)
}

// windowWarning says what the window lacks on this machine; "" if nothing.
func windowWarning(ctx context.Context, settings settings) string {
	for _, f := range checkWindow(ctx, settings) {
		if f.State == stateWarning {
			return f.Message + " " + f.Advice
		}
	}

	return ""
}

// windowAddress returns the usual address of the window on a data directory: a loopback address
// that no other program uses, with a fixed port. The page then keeps its origin and so its storage
// in the browser. Linux and Windows have all addresses from 127.0.0.0 to 127.255.255.255, other
// systems only 127.0.0.1.
func windowAddress(dataDir string) string {
	if path, err := filepath.Abs(dataDir); err == nil {
		dataDir = path
	}
	sum := sha256.Sum256([]byte(dataDir))
	// The first part avoids 127.0.0.0/16, where other programs have their addresses.
	return fmt.Sprintf("127.%d.%d.%d:8420", 1+int(sum[0])%254, sum[1], 1+int(sum[2])%254)
}

// pageWindow is the window for the server.
type pageWindow struct{ *desktop.Window }

// ShowPage makes the window follow the page.
func (w pageWindow) ShowPage(page api.PageState, recent []store.Project) {
	shown := desktop.Page{Title: page.Title, Unsaved: page.Unsaved}
	if page.Theme != nil {
		shown.Theme = string(*page.Theme)
	}
	for _, c := range page.Commands {
		shown.Commands = append(shown.Commands, desktop.Command{Name: c.Name, Keys: c.Keys, Enabled: c.Enabled})
	}
	for _, p := range recent {
		shown.Recent = append(shown.Recent, desktop.Project{UUID: p.UUID, Name: p.Name})
	}

	w.Show(shown)
}

// watchInterval is the time between two looks at the exports.
const watchInterval = time.Second

// watchExports shows the progress of the exports in the window, and notifies the person when one
// ends, until ctx ends.
func watchExports(ctx context.Context, data *store.Store, window *desktop.Window, log *slog.Logger) {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	active := map[string]store.Export{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}

		exports, err := data.ActiveExports()
		if err != nil {
			log.Warn("cannot read the progress of the exports", "error", err)
			continue
		}

		before, done := active, 0.0
		active = map[string]store.Export{}
		for _, e := range exports {
			active[e.UUID] = e
			delete(before, e.UUID)
			done += float64(e.Progress) / 100
		}

		for _, e := range before {
			notifyOfExport(data, window, e)
		}
		if len(exports) == 0 {
			window.ShowProgress(-1)
		} else {
			window.ShowProgress(done / float64(len(exports)))
		}
	}
}

// notifyOfExport shows how an export has ended. A canceled or deleted one needs no notification.
func notifyOfExport(data *store.Store, window *desktop.Window, e store.Export) {
	e, err := data.Export(e.UserUUID, e.UUID)
	switch {
	case err != nil:
	case e.Status == store.StatusCompleted:
		window.Notify(e.UUID, "Export finished", e.Name)
	case e.Status == store.StatusFailed:
		window.Notify(e.UUID, "Export failed", e.Name+": "+e.Error)
	}
}

// listenAnywhere listens at an address, or on a free port of the same host if the port is taken, or
// on a free port of 127.0.0.1 if the machine lacks the host. The page then has another origin.
func listenAnywhere(log *slog.Logger) func(string) (net.Listener, error) {
	return func(address string) (net.Listener, error) {
		listener, err := net.Listen("tcp", address)
		if err == nil {
			return listener, nil
		}
		log.Info("address is taken, using a free port", "error", err)
		host, _, _ := net.SplitHostPort(address)
		if listener, err = net.Listen("tcp", net.JoinHostPort(host, "0")); err == nil {
			return listener, nil
		}
		return net.Listen("tcp", "127.0.0.1:0")
	}
}
