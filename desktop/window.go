//go:build desktop

package desktop

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/options/windows"
	"github.com/wailsapp/wails/v2/pkg/runtime"
)

//go:embed icon.png
var icon []byte

// Events that tell the page about files that were opened with the window or dropped on it. The page
// then asks the server for the files.
const (
	handedEvent  = "roughcut-files"
	droppedEvent = "roughcut-dropped"
)

// Window is the window of the process.
type Window struct {
	// PlaceFile is the file with the position of the window.
	PlaceFile string
	// Recordings are the extensions of the files that the dialog offers, in lower case.
	Recordings []string
	// Busy returns what the program is doing, as a sentence without a full stop, or an empty
	// string. The window asks before it closes while Busy returns text.
	Busy func() string
	Log  *slog.Logger

	mu      sync.Mutex
	frame   context.Context // context of the open window for Wails calls; nil while it is closed
	files   []string
	folder  string     // folder of the last file that was opened, chosen or saved; may be empty
	closing sync.Mutex // held while the question whether to close is open
}

// Run opens the window with the page at an address and blocks until the window is closed or ctx
// ends. It has to run on the main goroutine.
func (w *Window) Run(ctx context.Context, address string) (err error) {
	defer func() {
		if fault := recover(); fault != nil { // Wails panics without a display
			err = fmt.Errorf("opening the window: %v", fault)
		}
	}()
	done := make(chan struct{})
	var watching sync.WaitGroup
	defer watching.Wait()
	defer close(done)
	var leaving atomic.Bool
	place := ReadPlace(w.PlaceFile)
	started := options.Normal
	if place.Maximised {
		started = options.Maximised
	}
	return wails.Run(&options.App{
		Title:              "Roughcut",
		Width:              place.Width,
		Height:             place.Height,
		MinWidth:           minWidth,
		MinHeight:          minHeight,
		WindowStartState:   started,
		BackgroundColour:   options.NewRGB(0x12, 0x16, 0x1b),
		AssetServer:        &assetserver.Options{Handler: redirectTo(address)},
		Logger:             quiet{w.Log},
		LogLevelProduction: logger.ERROR,
		Linux: &linux.Options{
			Icon:             icon,
			ProgramName:      "roughcut",
			WebviewGpuPolicy: linux.WebviewGpuPolicyOnDemand,
		},
		Windows: &windows.Options{WebviewUserDataPath: filepath.Join(filepath.Dir(w.PlaceFile), "webview2")},
		OnStartup: func(frame context.Context) {
			w.open(frame, place)
			watching.Go(func() {
				select {
				case <-ctx.Done():
					runtime.Quit(frame)
					cancelDialogs()
				case <-done:
				}
			})
		},
		OnBeforeClose: func(frame context.Context) (prevent bool) {
			if ctx.Err() == nil && !w.mayClose(frame) {
				return true
			}
			if leaving.Swap(true) {
				return true // a signal closes the window twice, but GTK cannot quit twice
			}
			w.keepPlace(frame, place)
			return false
		},
		OnShutdown: func(context.Context) { w.setFrame(nil) },
	})
}

// redirectTo serves a page that replaces itself with an address, without an entry in the history.
func redirectTo(address string) http.Handler {
	page := template.Must(
		template.New("").Parse(`<!doctype html><html><head><title>Roughcut</title></head>` +
			`<body style="background:#12161b"><script>location.replace({{.}})</script></body></html>`),
	)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = page.Execute(w, address) // only fails if the window is closed
	})
}

func (w *Window) setFrame(frame context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.frame = frame
}

func (w *Window) open(frame context.Context, place Place) {
	w.setFrame(frame)
	watchDrops(w.drop)
	if place = w.onScreen(frame, place); place.Moved && !place.Maximised {
		runtime.WindowSetPosition(frame, place.X, place.Y)
	}
}

// onScreen fits the place to the current screen.
func (w *Window) onScreen(frame context.Context, place Place) Place {
	screens, err := runtime.ScreenGetAll(frame)
	if err != nil {
		w.Log.Debug("cannot list the screens", "error", err)
		return place
	}

	for _, s := range screens {
		if s.IsCurrent {
			return place.Within(s.Size.Width, s.Size.Height)
		}
	}

	return place
}

// mayClose reports whether the window may close. It asks the person while the program is busy.
func (w *Window) mayClose(frame context.Context) bool {
	busy := w.Busy()
	if busy == "" {
		return true
	}
	if !w.closing.TryLock() {
		return false // the question is already open
	}
	defer w.closing.Unlock()
	answer, err := runtime.MessageDialog(frame, runtime.MessageDialogOptions{
		Type:          runtime.QuestionDialog,
		Title:         "Close Roughcut?",
		DefaultButton: "No",
		Message: busy + ". This stops now and resumes when you open Roughcut again. Nothing is lost. " +
			"Close anyway?",
	})
	if err != nil {
		w.Log.Warn("cannot ask whether to close", "error", err)
	}
	return err != nil || answer == "Yes"
}

// keepPlace saves the position of the window. For a maximised window that is the position before.
func (w *Window) keepPlace(frame context.Context, before Place) {
	place := before
	if place.Maximised = runtime.WindowIsMaximised(frame); !place.Maximised {
		place.Width, place.Height = runtime.WindowGetSize(frame)
		place.X, place.Y = runtime.WindowGetPosition(frame)
		place.Moved = true
	}

	if err := place.Write(w.PlaceFile); err != nil {
		w.Log.Warn("cannot save the window position", "error", err)
	}
}

// Hand gives files to the page, which uses them as soon as it shows a view that accepts files.
func (w *Window) Hand(paths []string) { w.addFiles(paths, handedEvent) }

// drop gives files to the view that the page shows now.
func (w *Window) drop(paths []string) { w.addFiles(paths, droppedEvent) }

func (w *Window) addFiles(paths []string, event string) {
	w.mu.Lock()
	for _, path := range paths {
		if path != "" && !slices.Contains(w.files, path) {
			w.files = append(w.files, path)
		}
		if path != "" {
			w.folder = filepath.Dir(path)
		}
	}

	frame, waiting := w.frame, len(w.files) > 0
	w.mu.Unlock()
	// the page reports a drop without local files
	if frame != nil && (waiting || event == droppedEvent) {
		runtime.WindowExecJS(frame, "window.dispatchEvent(new Event('"+event+"'))")
	}
}

// Raise brings the window to the front and gives it files.
func (w *Window) Raise(paths []string) {
	w.mu.Lock()
	frame := w.frame
	w.mu.Unlock()
	if frame != nil {
		runtime.WindowUnminimise(frame)
		runtime.WindowShow(frame)
		runtime.WindowSetAlwaysOnTop(frame, true) // for window managers that ignore the calls above
		runtime.WindowSetAlwaysOnTop(frame, false)
	}

	w.Hand(paths)
}

// TakeFiles returns the files that the window received since the last call.
func (w *Window) TakeFiles() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	files := w.files
	w.files = nil
	return files
}

// errClosed is the error of a dialog while the window is closed.
var errClosed = errors.New("the window is closed")

// dialog returns the context for a dialog and its initial folder.
func (w *Window) dialog() (frame context.Context, folder string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.frame == nil {
		return nil, "", errClosed
	}
	return w.frame, w.folder, nil
}

// startAt makes the next dialog start in the folder of a file that the person chose.
func (w *Window) startAt(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.folder = filepath.Dir(path)
}

// ChooseFiles asks the person for recordings. It returns no files if the person cancels.
func (w *Window) ChooseFiles() ([]string, error) {
	frame, folder, err := w.dialog()
	if err != nil {
		return nil, err
	}
	chosen, err := runtime.OpenMultipleFilesDialog(frame, runtime.OpenDialogOptions{
		Title:            "Choose recordings",
		DefaultDirectory: folder,
		Filters: []runtime.FileFilter{
			{DisplayName: "Recordings", Pattern: globOf(w.Recordings)},
			{DisplayName: "All files", Pattern: "*"},
		},
	})
	if len(chosen) > 0 {
		w.startAt(chosen[0])
	}
	return chosen, err
}

// globOf returns a pattern of file names with the extensions. On Linux the dialog minds the case.
func globOf(extensions []string) string {
	var names []string
	for _, extension := range extensions {
		names = append(names, "*"+extension, "*"+strings.ToUpper(extension))
	}
	return strings.Join(names, ";")
}

// ChooseSavePath asks the person where to save a file. It returns an empty path if the person
// cancels.
func (w *Window) ChooseSavePath(name string) (string, error) {
	frame, folder, err := w.dialog()
	if err != nil {
		return "", err
	}
	title := "Save the video"
	if kind := filepath.Ext(name); kind == ".png" || kind == ".jpg" {
		title = "Save the frame"
	}
	target, err := runtime.SaveFileDialog(frame, runtime.SaveDialogOptions{
		Title: title, DefaultFilename: name, DefaultDirectory: folder, CanCreateDirectories: true,
	})
	if target != "" {
		w.startAt(target)
	}
	return target, err
}

// ShowFile shows a file in the file manager.
func (w *Window) ShowFile(path string) error { return showFile(path) }

// quiet logs the warnings and errors of Wails only.
type quiet struct{ log *slog.Logger }

func (quiet) Print(string)             {}
func (quiet) Trace(string)             {}
func (quiet) Debug(string)             {}
func (quiet) Info(string)              {}
func (q quiet) Warning(message string) { q.log.Debug("window", "says", message) }
func (q quiet) Error(message string)   { q.log.Warn("window", "says", message) }
func (q quiet) Fatal(message string)   { q.log.Error("window", "says", message) }
