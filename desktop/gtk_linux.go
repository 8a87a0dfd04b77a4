//go:build desktop

package desktop

// #cgo pkg-config: gtk+-3.0
// #include <stdlib.h>
// #include "gtk.h"
import "C"

import (
	"context"
	"errors"
	"log/slog"
	"runtime/cgo"
	"strings"
	"sync/atomic"
	"unsafe"
)

// hasZoom reports whether the menu zooms.
const hasZoom = true

// native is the part of the window that differs between systems.
type native struct {
	frame context.Context
	log   *slog.Logger
}

// ended is closed when the window no longer runs functions on the thread of GTK.
var ended = make(chan struct{})

// dropTaker is the function that receives dropped files. A process has one window.
var dropTaker atomic.Pointer[func(paths []string)]

//export filesDropped
func filesDropped(list *C.char) {
	if take := dropTaker.Load(); take != nil {
		go (*take)(localFiles(C.GoString(list))) // take may block, and this is the GTK thread
	}
}

// onGTK runs f on the thread of GTK, after what already waits there, and returns when f has
// returned or the window is closed. It must not be called on that thread.
func onGTK(f func()) {
	done := make(chan struct{})
	C.runOnGTK(C.uintptr_t(cgo.NewHandle(func() {
		defer close(done)
		f()
	})))
	select {
	case <-done:
	case <-ended:
	}
}

//export calledOnGTK
func calledOnGTK(number C.uintptr_t) {
	handle := cgo.Handle(number)
	defer handle.Delete()
	handle.Value().(func())()
}

// open takes over the window that Wails has opened, and puts it to its place. WebKit tells the page
// that files were dropped but not their paths, so drop receives the paths.
func (native) open(place Place, drop func(paths []string)) {
	dropTaker.Store(&drop)
	onGTK(func() {
		var list [16]C.Rect
		var screens []Rect
		for _, r := range list[:C.monitors(&list[0], C.int(len(list)))] {
			screens = append(screens, Rect{int(r.x), int(r.y), int(r.width), int(r.height)})
		}
		asked := place
		place = place.Within(screens)
		C.adopt(C.Rect{C.int(place.X), C.int(place.Y), C.int(place.Width), C.int(place.Height)})
		if place.Width != asked.Width || place.Height != asked.Height {
			C.resizeWindow(C.int(place.Width), C.int(place.Height))
		}
		if place.Moved {
			C.moveWindow(C.int(place.X), C.int(place.Y))
		}
		if place.Maximised {
			C.maximizeWindow()
		}
	})
}

// place returns the place of the open window.
func (native) place() (now Place) {
	onGTK(func() {
		var maximized C.int
		r := C.place(&maximized)
		now = Place{
			Width: int(r.width), Height: int(r.height), X: int(r.x), Y: int(r.y),
			Moved: true, Maximised: maximized != 0,
		}
	})
	return now
}

// load loads a page instead of the first one, which would only load this one later.
func (native) load(address string) { C.loadPage(C.CString(address)) }

// close ends the calls of onGTK.
func (native) close() { close(ended) }

// cancelDialogs cancels all dialogs, because GTK does not quit while one is open.
func (native) cancelDialogs() { onGTK(func() { C.cancelDialogs() }) }

// keyNames are GTK's names of keys that the page calls otherwise.
var keyNames = map[string]string{
	"Space": "space", "Backspace": "BackSpace", "Enter": "Return", "ArrowLeft": "Left", "ArrowRight": "Right",
	"ArrowUp": "Up", "ArrowDown": "Down", "PageUp": "Page_Up", "PageDown": "Page_Down",
}

// setKey gives an item of the menu a shortcut such as "Ctrl+Shift+S".
func setKey(number int, shortcut string, bound C.int) {
	modifiers, key := 0, shortcut
	for name, mask := range map[string]int{"Shift+": 1, "Ctrl+": 4, "Alt+": 8} {
		if strings.Contains(shortcut, name) {
			modifiers |= mask
		}
	}

	if at := strings.LastIndex(shortcut[:max(0, len(shortcut)-1)], "+"); at >= 0 {
		key = shortcut[at+1:]
	}
	if name, ok := keyNames[key]; ok {
		key = name
	} else if len(key) == 1 {
		key = strings.ToLower(key)
	}

	text := C.CString(key)
	defer C.free(unsafe.Pointer(text))
	C.setItemKey(C.int(number), text, C.int(modifiers), bound)
}

// bindKeys binds the shortcuts of the window's own commands.
func (native) bindKeys(list []*item) {
	onGTK(func() {
		for i, one := range list {
			if one.keys != "" {
				setKey(i, one.keys, 1)
			}
			for _, more := range one.moreKeys {
				setKey(i, more, 2)
			}
		}
	})
}

// setItems changes items of the menu.
func (native) setItems(changed map[int]look) {
	onGTK(func() {
		for i, l := range changed {
			label := C.CString(l.label)
			C.setItem(C.int(i), label, truth(l.visible), truth(l.enabled))
			C.free(unsafe.Pointer(label))
			if l.keys != nil {
				setKey(i, *l.keys, 0)
			}
		}
	})
}

func truth(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func (native) setZoom(level float64) { onGTK(func() { C.setZoom(C.double(level)) }) }

// systemDark reports whether the desktop prefers dark windows. ok is false if it does not tell.
func systemDark() (dark, ok bool) {
	answer := C.readDark()
	return answer == 1, answer >= 0
}

// setTheme sets the theme of the window: "dark", "light", or "" to follow the desktop.
func (native) setTheme(theme string) {
	onGTK(func() { C.setTheme(map[string]C.int{"dark": 1, "light": 0, "": -1}[theme]) })
}

// showProgress shows a part of 1 on the icon of the program, or nothing if it is negative.
func (native) showProgress(part float64) { C.showProgress(C.double(part)) }

// errNoDisplay is the error of Alert without a display.
var errNoDisplay = errors.New("there is no display")

// Alert shows an error in a dialog and waits until the person closes it.
func Alert(text string) error {
	title, message := C.CString("Roughcut did not start"), C.CString(text)
	defer C.free(unsafe.Pointer(title))
	defer C.free(unsafe.Pointer(message))
	if C.showAlert(title, message) == 0 {
		return errNoDisplay
	}
	return nil
}
