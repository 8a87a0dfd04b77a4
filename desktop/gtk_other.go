//go:build desktop && !linux

package desktop

// watchDrops does nothing: this window ignores dropped files.
func watchDrops(func(paths []string)) {}

// cancelDialogs does nothing: only GTK waits for open dialogs when it quits.
func cancelDialogs() {}
