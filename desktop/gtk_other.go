//go:build desktop && !linux

package desktop

// watchDrops does nothing: the page reads dropped files as in a browser.
func watchDrops(func(paths []string)) {}

// cancelDialogs does nothing: only GTK waits for open dialogs when it quits.
func cancelDialogs() {}
