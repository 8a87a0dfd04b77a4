// Package desktop is the window around the web UI: its frame, its dialogs, and the files that are
// handed to it. The page in it is the one that every browser gets, from the same server on a
// loopback address; nothing of the page is served by the window itself, since that way has no
// ranges, cookies or streams.
//
// The window needs the build tags desktop, production and webkit2_41, with GTK and WebKit. Without
// them only the place of the window is left of this package.
package desktop
