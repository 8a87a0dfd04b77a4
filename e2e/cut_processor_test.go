package e2e

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

// TestLongRefusesAProcessorWithoutSSE42 starts the program on emulated processors that are too old.
// Virtual machines often have such a processor.
func TestLongRefusesAProcessorWithoutSSE42(t *testing.T) {
	needsLong(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("emulates an old amd64 processor")
	}
	for _, processor := range []string{"core2duo", "qemu64"} {
		cmd := program(context.Background(), t.TempDir(), "version")
		emulate(t, cmd, "qemu-x86_64", "-cpu", processor)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 ||
			!strings.Contains(string(out), "lacks the instruction set SSE4.2") {
			t.Errorf("%s: %v, %s", processor, err, out)
		}
	}
}

// emulate makes an emulator run a command.
func emulate(t *testing.T, cmd *exec.Cmd, emulator ...string) {
	t.Helper()
	cmd.Args = append(append(emulator, cmd.Path), cmd.Args[1:]...)
	cmd.Path = mediatest.Command(t, cmd.Args[0]).Path
}

// TestLongCutOnAnOldProcessor cuts a talk on an emulated processor of 2008, which has SSE4.2 and no
// AVX. The words are the same as on this machine's processor.
func TestLongCutOnAnOldProcessor(t *testing.T) {
	needsLong(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("emulates an old amd64 processor")
	}
	dir := t.TempDir()
	cut := func(processor ...string) cutReport {
		out := filepath.Join(dir, "cut.mp4")
		cmd := program(
			context.Background(), dir, "cut", tinyTalk(t), "-o", out, "--force", "--json",
			"--model", mediatest.Model(t),
		)
		if len(processor) > 0 {
			emulate(t, cmd, processor...)
		}
		return runJSON(t, cmd)
	}
	old, here := cut("qemu-x86_64", "-cpu", "Nehalem"), cut()
	if len(here.Transcript.Words) < 8 || len(here.Edits) == 0 || old.OutputDurationMS != here.OutputDurationMS {
		t.Errorf("cut %+v on the old processor, %+v here", old, here)
	}
	for i, word := range here.Transcript.Words {
		if i >= len(old.Transcript.Words) || old.Transcript.Words[i].Text != word.Text {
			t.Fatalf("the old processor hears %+v, this one %+v", old.Transcript.Words, here.Transcript.Words)
		}
	}
}

// TestThreadsOfSpeechRecognitionSleep reads the settings that libgomp has when the program starts.
// Threads that spin for long burn the time of other processes on a busy machine.
func TestThreadsOfSpeechRecognitionSleep(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("libgomp is used on Linux only")
	}
	for want, policy := range map[string]string{
		"GOMP_SPINCOUNT = '3000'":        "",
		"GOMP_SPINCOUNT = '30000000000'": "active",
	} {
		cmd := program(context.Background(), t.TempDir(), "version")
		cmd.Env = append(cmd.Env, "OMP_DISPLAY_ENV=verbose")
		if policy != "" {
			cmd.Env = append(cmd.Env, "OMP_WAIT_POLICY="+policy)
		}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%v, want %s in %s", err, want, out)
		}
	}
}
