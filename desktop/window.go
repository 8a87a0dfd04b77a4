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
	"sync"
	"sync/atomic"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/logger"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"
)

//go:embed icon.png
var icon []byte

// recordings is what the dialog for recordings shows; the server knows exactly what can be read.
const recordings = "*.mp4;*.mov;*.m4v;*.webm;*.mkv;*.avi;*.mpg;*.mpeg;*.ts;*.mts;*.m2ts;*.MP4;*.MOV;*.M4V;*.MKV;*.AVI;*.MTS;*.M2TS"

// These tell the page that files were handed to the window, or dropped on it; it then asks the
// server for them.
const (
	handedEvent  = "roughcut-files"
	droppedEvent = "roughcut-dropped"
)

// Window is the one window of the program.
type Window struct {
	// PlaceFile is where the place of the window is kept.
	PlaceFile string
	// Busy says what is under way, as a sentence without its full stop, or nothing; it is asked
	// before the window closes.
	Busy func() string
	Log  *slog.Logger

	mu      sync.Mutex
	frame   context.Context // of the open window, for its functions; nil without one
	files   []string
	folder  string     // where the last file lies that was handed over, chosen or saved; empty before
	closing sync.Mutex // held while the person is asked whether to close
}

// Run opens the window with the page at an address and blocks until it is closed or ctx ends. Call
// it on the goroutine of main.
func (w *Window) Run(ctx context.Context, address string) (err error) {
	defer func() {
		if fault := recover(); fault != nil { // as where there is no screen
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
		AssetServer:        &assetserver.Options{Handler: forward(address)},
		Logger:             quiet{w.Log},
		LogLevelProduction: logger.ERROR,
		Linux: &linux.Options{
			Icon:             icon,
			ProgramName:      "roughcut",
			WebviewGpuPolicy: linux.WebviewGpuPolicyOnDemand,
		},
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
				return true // a signal asks to close from two sides; GTK cannot end twice
			}
			w.keepPlace(frame, place)
			return false
		},
		OnShutdown: func(context.Context) { w.setFrame(nil) },
	})
}

// forward answers everything with a page that goes to an address, and leaves itself out of the
// history.
func forward(address string) http.Handler {
	page := template.Must(
		template.New("").Parse(
			`<!doctype html><html><head><title>Roughcut</title></head><body style="background:#12161b"><script>location.replace({{.}})</script></body></html>`,
		),
	)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = page.Execute(w, address) // the reader is the window itself
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

// onScreen fits a place into the screen that the window is on.
func (w *Window) onScreen(frame context.Context, place Place) Place {
	screens, err := runtime.ScreenGetAll(frame)
	if err != nil {
		w.Log.Debug("asking for the screens", "error", err)
		return place
	}
	for _, s := range screens {
		if s.IsCurrent {
			return place.Within(s.Size.Width, s.Size.Height)
		}
	}
	return place
}

// mayClose asks whether to close while something is under way.
func (w *Window) mayClose(frame context.Context) bool {
	busy := w.Busy()
	if busy == "" {
		return true
	}
	if !w.closing.TryLock() {
		return false // the question is on the screen already
	}
	defer w.closing.Unlock()
	answer, err := runtime.MessageDialog(frame, runtime.MessageDialogOptions{
		Type:          runtime.QuestionDialog,
		Title:         "Close Roughcut?",
		DefaultButton: "No",
		Message:       busy + ". It stops now and goes on by itself when Roughcut is opened again; nothing is lost. Close anyway?",
	})
	if err != nil {
		w.Log.Warn("asking whether to close", "error", err)
	}
	return err != nil || answer == "Yes"
}

// keepPlace remembers where the window is; while it is maximised, where it was before.
func (w *Window) keepPlace(frame context.Context, before Place) {
	place := before
	if place.Maximised = runtime.WindowIsMaximised(frame); !place.Maximised {
		place.Width, place.Height = runtime.WindowGetSize(frame)
		place.X, place.Y = runtime.WindowGetPosition(frame)
		place.Moved = true
	}
	if err := place.Write(w.PlaceFile); err != nil {
		w.Log.Warn("the window opens where it was before", "error", err)
	}
}

// Hand gives files to the page, which takes them as soon as it shows something that takes files.
func (w *Window) Hand(paths []string) { w.give(paths, handedEvent) }

// drop gives files to the page as it is.
func (w *Window) drop(paths []string) { w.give(paths, droppedEvent) }

func (w *Window) give(paths []string, event string) {
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
	// of a drop that brings no file of this machine the page says so
	if frame != nil && (waiting || event == droppedEvent) {
		runtime.WindowExecJS(frame, "window.dispatchEvent(new Event('"+event+"'))")
	}
}

// Raise brings the window before the others and gives it files.
func (w *Window) Raise(paths []string) {
	w.mu.Lock()
	frame := w.frame
	w.mu.Unlock()
	if frame != nil {
		runtime.WindowUnminimise(frame)
		runtime.WindowShow(frame)
		runtime.WindowSetAlwaysOnTop(frame, true) // the window managers that ignore the rest follow this
		runtime.WindowSetAlwaysOnTop(frame, false)
	}
	w.Hand(paths)
}

// TakeFiles returns the files that were handed over since the last call.
func (w *Window) TakeFiles() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	files := w.files
	w.files = nil
	return files
}

// errClosed is what dialogs of a window that is not open end with.
var errClosed = errors.New("the window is closed")

// dialog returns what opens a dialog, and the folder that it begins in.
func (w *Window) dialog() (frame context.Context, folder string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.frame == nil {
		return nil, "", errClosed
	}
	return w.frame, w.folder, nil
}

// goOnAt has the next dialog begin where a file lies that the person chose.
func (w *Window) goOnAt(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.folder = filepath.Dir(path)
}

// ChooseFiles lets the person choose recordings.
func (w *Window) ChooseFiles() ([]string, error) {
	frame, folder, err := w.dialog()
	if err != nil {
		return nil, err
	}
	chosen, err := runtime.OpenMultipleFilesDialog(frame, runtime.OpenDialogOptions{
		Title:            "Choose recordings",
		DefaultDirectory: folder,
		Filters: []runtime.FileFilter{
			{DisplayName: "Recordings", Pattern: recordings},
			{DisplayName: "All files", Pattern: "*"},
		},
	})
	if len(chosen) > 0 {
		w.goOnAt(chosen[0])
	}
	return chosen, err
}

// ChooseSavePath lets the person choose where to save a file.
func (w *Window) ChooseSavePath(name string) (string, error) {
	frame, folder, err := w.dialog()
	if err != nil {
		return "", err
	}
	target, err := runtime.SaveFileDialog(frame, runtime.SaveDialogOptions{
		Title: "Save the video", DefaultFilename: name, DefaultDirectory: folder, CanCreateDirectories: true,
	})
	if target != "" {
		w.goOnAt(target)
	}
	return target, err
}

// quiet lets only what went wrong in the window into the log.
type quiet struct{ log *slog.Logger }

func (quiet) Print(string)             {}
func (quiet) Trace(string)             {}
func (quiet) Debug(string)             {}
func (quiet) Info(string)              {}
func (q quiet) Warning(message string) { q.log.Debug("window", "says", message) }
func (q quiet) Error(message string)   { q.log.Warn("window", "says", message) }
func (q quiet) Fatal(message string)   { q.log.Error("window", "says", message) }
