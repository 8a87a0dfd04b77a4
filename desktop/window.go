//go:build desktop

package desktop

import (
	"cmp"
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
	"time"

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
	// RecentProjects is the number of projects in the menu.
	RecentProjects int
	// Saving reports whether the program writes a file that the person has chosen.
	Saving func() bool
	// Warning returns a text to show when the window has opened, or "".
	Warning func() string
	Log     *slog.Logger

	native   native
	items    []*item    // of the menu
	choosing sync.Mutex // held while the dialog of the menu is open

	mu       sync.Mutex
	frame    context.Context // context of the open window for Wails calls; nil while it is closed
	page     Page
	told     chan struct{} // is closed when the page changes
	zoom     float64
	progress float64 // of the exports, as a part of 1; negative without any
	files    []string
	folder   string     // folder of the last file that was opened or chosen; may be empty
	closing  sync.Mutex // held while the window finds out whether it may close
}

// Page is what the page shows.
type Page struct {
	Title    string
	Theme    string // dark or light if the person has chosen one
	Unsaved  bool   // closing would lose changes or uploads
	Commands []Command
	Recent   []Project // the projects that changed last
}

// Command is a command that the page can have in the menu.
type Command struct {
	Name, Keys string // Keys are the first shortcut, such as Ctrl+Z
	Enabled    bool
}

// Project is a project in the menu.
type Project struct{ UUID, Name string }

// Run opens the window and blocks until it is closed or ctx ends. It shows the page at the address
// that it waits for, which is empty if ctx ends first. Run has to run on the main goroutine.
func (w *Window) Run(ctx context.Context, address func() string) (err error) {
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
	w.zoom, w.progress, w.told = cmp.Or(place.Zoom, 1), -1, make(chan struct{})
	w.page.Theme = place.Theme
	background := lightCanvas
	if dark, known := systemDark(); place.Theme == "dark" || (place.Theme == "" && (dark || !known)) {
		background = darkCanvas
	}
	bar, items := w.newMenu()
	w.items = items
	return wails.Run(&options.App{
		Title:              "Roughcut",
		Width:              place.Width,
		Height:             place.Height,
		MinWidth:           minWidth,
		MinHeight:          minHeight,
		Menu:               bar,
		BackgroundColour:   options.NewRGB(background[0], background[1], background[2]),
		AssetServer:        &assetserver.Options{Handler: redirectTo(address, background)},
		Logger:             quiet{w.Log},
		LogLevelProduction: logger.ERROR,
		Linux: &linux.Options{
			Icon:             icon,
			ProgramName:      "roughcut",
			WebviewGpuPolicy: linux.WebviewGpuPolicyOnDemand,
		},
		Windows: &windows.Options{
			WebviewUserDataPath:  filepath.Join(filepath.Dir(w.PlaceFile), "webview2"),
			IsZoomControlEnabled: true,
		},
		OnStartup: func(frame context.Context) {
			go func() {
				if target := address(); target != "" {
					w.native.load(target)
				}
			}()
			w.open(frame, place)
			watching.Go(func() {
				select {
				case <-ctx.Done():
					runtime.Quit(frame)
					w.native.cancelDialogs()
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
			w.keepPlace(place)
			return false
		},
		OnShutdown: func(context.Context) {
			w.mu.Lock()
			w.frame = nil
			w.mu.Unlock()
			w.native.close()
		},
	})
}

// Colors of the window before the page draws, as the page has them.
var (
	lightCanvas = [3]uint8{0xee, 0xf0, 0xf3}
	darkCanvas  = [3]uint8{0x0d, 0x0f, 0x12}
)

// redirectTo serves a page that replaces itself with the address, without an entry in the history,
// as soon as the address is known.
func redirectTo(address func() string, background [3]uint8) http.Handler {
	page := template.Must(
		template.New("").Parse(`<!doctype html><html><head><title>Roughcut</title></head>` +
			`<body style="background:{{.Color}}"><script>location.replace({{.Address}})</script></body></html>`),
	)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		target := address()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = page.Execute(w, struct { // only fails if the window is closed
			Address string
			Color   template.CSS
		}{target, template.CSS(fmt.Sprintf("#%x", background[:]))})
	})
}

func (w *Window) openFrame() context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.frame
}

func (w *Window) open(frame context.Context, place Place) {
	w.native.frame, w.native.log = frame, w.Log
	w.native.open(place, w.drop)
	w.native.setTheme(place.Theme)
	w.native.bindKeys(w.items)
	w.native.setZoom(w.zoom)
	w.mu.Lock()
	w.frame = frame
	w.mu.Unlock()
	w.updateMenu()
	if err := runtime.InitializeNotifications(frame); err != nil {
		w.Log.Debug("cannot show notifications", "error", err)
	}
	go w.warn(frame)
	runtime.OnNotificationResponse(frame, func(runtime.NotificationResult) { w.Raise(nil) })
}

// warnTime bounds how long a warning waits for the page, whose start it would slow.
const warnTime = 5 * time.Second

// warn shows the warning, if any, until the person closes it.
func (w *Window) warn(frame context.Context) {
	w.mu.Lock()
	told := w.told
	w.mu.Unlock()
	select {
	case <-told:
	case <-time.After(warnTime): // for example because WebKit does not start
	}

	text := w.Warning()
	if text == "" {
		return
	}
	_, err := runtime.MessageDialog(frame, runtime.MessageDialogOptions{
		Type: runtime.WarningDialog, Title: "Roughcut", Message: text,
	})
	if err != nil {
		w.Log.Warn("cannot show a warning", "error", err)
	}
}

// Show makes the title, the menu and the theme follow the page.
func (w *Window) Show(page Page) {
	w.mu.Lock()
	themed := page.Theme != w.page.Theme
	w.page = page
	close(w.told)
	w.told = make(chan struct{})
	frame := w.frame
	w.mu.Unlock()
	if frame == nil {
		return
	}
	if themed {
		w.native.setTheme(page.Theme)
	}
	w.showTitle()
	w.updateMenu()
}

// ShowProgress shows the progress of the exports, as a part of 1, or nothing if it is negative.
func (w *Window) ShowProgress(part float64) {
	w.mu.Lock()
	changed := part != w.progress && w.frame != nil
	w.progress = part
	w.mu.Unlock()
	if changed {
		w.native.showProgress(part)
		w.showTitle()
	}
}

// showTitle shows the title of the page, with the progress of the exports.
func (w *Window) showTitle() {
	w.mu.Lock()
	frame, title := w.frame, title(w.page.Title, w.progress)
	w.mu.Unlock()
	if frame != nil {
		runtime.WindowSetTitle(frame, title)
	}
}

// Notify shows a notification of the desktop. A click on it raises the window.
func (w *Window) Notify(id, title, text string) {
	frame := w.openFrame()
	if frame == nil {
		return
	}
	err := runtime.SendNotification(frame, runtime.NotificationOptions{ID: id, Title: title, Body: text})
	if err != nil {
		w.Log.Debug("cannot show a notification", "error", err)
	}
}

// settleTime bounds how long the page may save its changes before the window closes.
const settleTime = 3 * time.Second

// settled has the page save the text that the person is typing, and reports whether it has saved
// everything.
func (w *Window) settled() bool {
	unsaved := func() (bool, chan struct{}) {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.page.Unsaved, w.told
	}
	_, told := unsaved()
	w.tell("new Event('roughcut-closing')")
	for late := time.After(settleTime); ; {
		select {
		case <-told:
		case <-late: // for example because the page has never loaded
			lost, _ := unsaved()
			return !lost
		}

		var lost bool
		if lost, told = unsaved(); !lost {
			return true
		}
	}
}

// mayClose reports whether the window may close. It asks the person if something would be lost.
// Jobs resume at the next start.
func (w *Window) mayClose(frame context.Context) bool {
	if !w.closing.TryLock() {
		return false // the question is already open
	}
	defer w.closing.Unlock()
	var lost string
	switch {
	case !w.settled():
		lost = "Roughcut has not yet saved all changes and uploads."
	case w.Saving():
		lost = "Roughcut is still saving a file."
	default:
		return true
	}

	answer, err := runtime.MessageDialog(frame, runtime.MessageDialogOptions{
		Type:          runtime.QuestionDialog,
		Title:         "Close Roughcut?",
		DefaultButton: "No",
		Message:       lost + " If you close it now, this is lost. Close anyway?",
	})
	if err != nil {
		w.Log.Warn("cannot ask whether to close", "error", err)
	}
	return err != nil || answer == "Yes"
}

// keepPlace saves the state of the window. A maximized window without a size keeps the one from
// before.
func (w *Window) keepPlace(before Place) {
	place := w.native.place()
	if place.Width == 0 {
		place.Width, place.Height, place.X, place.Y = before.Width, before.Height, before.X, before.Y
		place.Moved = before.Moved
	}

	w.mu.Lock()
	place.Theme = w.page.Theme
	if w.zoom != 1 {
		place.Zoom = w.zoom
	}
	w.mu.Unlock()
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
		w.tell("new Event('" + event + "')")
	}
}

// Raise brings the window to the front and gives it files.
func (w *Window) Raise(paths []string) {
	if frame := w.openFrame(); frame != nil {
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
		w.mu.Lock()
		defer w.mu.Unlock()
		w.folder = filepath.Dir(chosen[0])
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

// ChooseSavePath asks the person where to save a file, starting in a folder. It returns an empty
// path if the person cancels.
func (w *Window) ChooseSavePath(folder, name string) (string, error) {
	frame, _, err := w.dialog()
	if err != nil {
		return "", err
	}
	title := "Save the video"
	if kind := filepath.Ext(name); kind == ".png" || kind == ".jpg" {
		title = "Save the frame"
	}
	return runtime.SaveFileDialog(frame, runtime.SaveDialogOptions{
		Title: title, DefaultFilename: name, DefaultDirectory: folder, CanCreateDirectories: true,
	})
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
