package e2e

import (
	"os"
	"path/filepath"
	"roughcut/media/mediatest"
	"strings"
	"syscall"
	"testing"
)

// An interrupted cut says so and leaves no files. A closed terminal sends SIGHUP.
func TestInterruptedCutLeavesNoFiles(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) { interruptCut(t, signal) })
	}
}

func interruptCut(t *testing.T, signal syscall.Signal) {
	out, temp := t.TempDir(), t.TempDir()
	cmd := program(
		t.Context(), t.TempDir(), "cut", shortTalk(t), "-o", filepath.Join(out, "cut.mp4"), "--model",
		mediatest.Model(t),
	)
	cmd.Env = append(cmd.Env, "TMPDIR="+temp)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	poll(t, func() bool {
		begun, _ := filepath.Glob(filepath.Join(temp, "roughcut-cut-*"))
		return len(begun) > 0
	})
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 128+int(signal) ||
		said.String() != "roughcut: interrupted\n" {
		t.Errorf("%v, output %q", err, said.String())
	}
	for _, dir := range []string{out, temp} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("files left in %s: %v, %v", dir, left, err)
		}
	}
}
