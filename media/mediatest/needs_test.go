package mediatest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// ending records how a test ends.
type ending struct {
	testing.TB
	said string
}

func (*ending) Helper() {}

func (e *ending) Fatalf(format string, args ...any) {
	e.said = "fail: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (e *ending) Skipf(format string, args ...any) {
	e.said = "skip: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// A missing command fails the test with its package where apt-get can install that, and skips it
// elsewhere.
func TestMissingCommandNamesItsPackage(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	outcome := func(commands ...string) string {
		e, done := &ending{}, make(chan struct{})
		go func() {
			defer close(done)
			Needs(e, commands...)
		}()
		<-done
		return e.said
	}
	install := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	install("sox")
	elsewhere := outcome("sox", "ffprobe")
	install("apt-get")
	for want, got := range map[string]string{
		"skip: the command ffprobe is missing: install the equivalent of Debian's ffmpeg": elsewhere,
		"fail: the command ffprobe is missing: run apt-get install ffmpeg":                outcome("sox", "ffprobe"),
		"": outcome("sox"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
