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
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"roughcut/desktop"
	"roughcut/media"
	"roughcut/server"
	"roughcut/server/operator"
	"roughcut/server/problem"
	"roughcut/store"
)

// placeFile is the name of the file with the window position, in the data directory.
const placeFile = "window.json"

// openDesktop opens the window with files, or gives them to the window that is already open.
func openDesktop(cmd *cobra.Command, build Build, given []string) error {
	settings, err := loadSettings(cmd.Flags())
	if err != nil {
		return err
	}
	if err := prepareWindow(); err != nil {
		return err
	}
	files, err := absolutePaths(given)
	if err != nil {
		return err
	}
	if handed, err := handOver(cmd.Context(), settings, files); handed || err != nil {
		return err
	}
	return runDesktop(cmd.Context(), build, settings, files)
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
		return false, errors.Join(problem.Read(response), store.ErrInUse)
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
	window := &desktop.Window{
		PlaceFile:  filepath.Join(settings.DataDir, placeFile),
		Recordings: media.RecordingTypes().Extensions(),
		Log:        log,
	}
	window.Hand(files)
	ready, ended := make(chan string, 1), make(chan error, 1)
	hooks := hooks{window: window, raise: window.Raise, listen: listenAnywhere(log), opened: func(data *store.Store) {
		window.Busy = func() string { return activeJobs(data, log) }
	}, announce: func(addresses []string, service *server.Server) error {
		token, err := service.LaunchToken()
		ready <- addresses[0] + "/?launch=" + token + "&window=desktop"
		return err
	}}
	go func() {
		ended <- runServer(ctx, build, settings, hooks)
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

// listenAnywhere listens at an address, or on a free port of the same host if the port is taken. No
// one needs to know the port of the window.
func listenAnywhere(log *slog.Logger) func(string) (net.Listener, error) {
	return func(address string) (net.Listener, error) {
		listener, err := net.Listen("tcp", address)
		if err == nil {
			return listener, nil
		}
		log.Info("port is taken, using a free one", "error", err)
		host, _, _ := net.SplitHostPort(address)
		return net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
}

// activeJobs describes the running and queued jobs, as a sentence without a full stop. Without jobs
// it is empty.
func activeJobs(data *store.Store, log *slog.Logger) string {
	measures, err := data.Metrics()
	if err != nil {
		log.Warn("cannot count the jobs", "error", err)
		return ""
	}

	var activities []string
	for _, activity := range []struct {
		kinds []store.JobKind
		text  string
	}{
		{[]store.JobKind{store.JobExport}, "an export is being rendered"},
		{[]store.JobKind{store.JobAnalysis}, "a recording is being analyzed"},
		{
			[]store.JobKind{
				store.JobClip, store.JobImport, store.JobAsset, store.JobAssetImport, store.JobConstantRate,
			},
			"files are being processed",
		},
	} {
		for _, kind := range activity.kinds {
			if n := measures.Jobs[kind]; n.Running+n.Queued > 0 {
				activities = append(activities, activity.text)
				break
			}
		}
	}

	text := strings.Join(activities, ", and ")
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}
