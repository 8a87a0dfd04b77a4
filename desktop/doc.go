// Package desktop is the desktop window: its frame, its menu, its dialogs and the files that people
// open with it or drop on it. The page in it is the web UI from the server on a loopback address.
// Wails does not serve the page, because its asset server has no ranges, cookies or streams.
//
// The window needs the build tags desktop, production and webkit2_41, with GTK 3 and WebKitGTK 4.1.
// On Windows, it needs the tags desktop, production and wv2runtime.error, and WebView2 at run time.
// Other builds contain only the file format of the window state.
package desktop
