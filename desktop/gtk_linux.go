//go:build desktop

package desktop

// #cgo pkg-config: gtk+-3.0
// #include "gtk.h"
import "C"

import "sync/atomic"

// dropTaker is the function that receives dropped files. A process has one window.
var dropTaker atomic.Pointer[func(paths []string)]

// watchDrops calls take with the files that are dropped on the page from another program. WebKit
// tells the page that files were dropped but not their paths. Drags within the page are ignored.
func watchDrops(take func(paths []string)) {
	dropTaker.Store(&take)
	C.watchDrops()
}

//export filesDropped
func filesDropped(list *C.char) {
	if take := dropTaker.Load(); take != nil {
		go (*take)(localFiles(C.GoString(list))) // take may block, and this is the GTK thread
	}
}

// cancelDialogs cancels all dialogs, because GTK does not quit while one is open.
func cancelDialogs() { C.cancelDialogs() }
