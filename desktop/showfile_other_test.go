//go:build !windows

package desktop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestShowFileAsksTheFileManager runs showFile with its own commands on PATH: the file manager gets
// the escaped address, and a desktop without a file manager opens the folder.
func TestShowFileAsksTheFileManager(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin+":/bin:/usr/bin")
	log := filepath.Join(bin, "log")
	script := func(name string, status string) {
		text := "#!/bin/sh\necho " + name + " \"$@\" >>" + log + "\nexit " + status + "\n"
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	shown := func() string {
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(log); err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	script("dbus-send", "0")
	script("xdg-open", "0")
	if err := showFile("/home/ada/My talk.mp4"); err != nil {
		t.Fatal(err)
	}
	if got := shown(); !strings.Contains(got, "array:string:file:///home/ada/My%20talk.mp4") ||
		strings.Contains(got, "xdg-open") {
		t.Errorf("with a file manager, it ran %q", got)
	}
	script("dbus-send", "1")
	if err := showFile("/home/ada/My talk.mp4"); err != nil {
		t.Fatal(err)
	}
	if got := shown(); !strings.Contains(got, "xdg-open /home/ada\n") {
		t.Errorf("without a file manager, it ran %q", got)
	}
	script("xdg-open", "3")
	if err := showFile("/home/ada/My talk.mp4"); err == nil {
		t.Error("a desktop that cannot open folders gives no error")
	}
}
