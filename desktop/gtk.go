//go:build desktop

package desktop

// #cgo pkg-config: gtk+-3.0
// #include "gtk.h"
import "C"

import "sync/atomic"

// dropTaker is told of files that are dropped on the page: there is one window in a program.
var dropTaker atomic.Pointer[func(paths []string)]

// watchDrops calls take with the files that are dropped on the page from a file manager. The page
// itself is only told that there are some, and not where they lie. What the page drags within
// itself is none of that.
func watchDrops(take func(paths []string)) {
	dropTaker.Store(&take)
	C.watchDrops()
}

//export filesDropped
func filesDropped(list *C.char) {
	if take := dropTaker.Load(); take != nil {
		go (*take)(localFiles(C.GoString(list))) // this is the goroutine that draws
	}
}

// cancelDialogs ends the dialogs of a window that is to close: as long as one is open, GTK does not
// end.
func cancelDialogs() { C.cancelDialogs() }
