//go:build !windows

package desktop

import (
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
)

// showFile shows a file in the file manager. File managers that cannot select a file show its
// folder.
func showFile(path string) error {
	address := (&url.URL{Scheme: "file", Path: path}).String()
	err := exec.Command(
		"dbus-send", "--session", "--print-reply", "--reply-timeout=5000", "--dest=org.freedesktop.FileManager1",
		"/org/freedesktop/FileManager1", "org.freedesktop.FileManager1.ShowItems", "array:string:"+address, "string:",
	).Run()
	if err == nil {
		return nil
	}
	if open := exec.Command("xdg-open", filepath.Dir(path)).Run(); open != nil {
		return fmt.Errorf("opening a folder: %w", errors.Join(err, open))
	}
	return nil
}
