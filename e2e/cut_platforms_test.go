package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// cutTiny cuts the tiny talk with a speech model into out. adjust changes the command.
func cutTiny(t *testing.T, out string, adjust func(*exec.Cmd)) cutReport {
	t.Helper()
	cmd := program(
		context.Background(), t.TempDir(), "cut", tinyTalk(t), "-o", out, "--force", "--json",
		"--model", mediatest.Model(t),
	)
	adjust(cmd)
	report := runJSON(t, cmd)
	if len(report.Transcript.Words) < 8 || len(report.Edits) == 0 {
		t.Fatalf("cut %+v", report)
	}
	return report
}

// texts returns the words without their times.
func texts(words []media.Word) (all []string) {
	for _, word := range words {
		all = append(all, word.Text)
	}
	return all
}

// TestArm64CutsAlike cuts a talk with the executable for arm64 on two emulated processors: one of
// ARMv8.0, and one that has the instructions of the other variant of ggml. `make test-arm64` builds
// the executable.
func TestArm64CutsAlike(t *testing.T) {
	executable, sysroot := os.Getenv("ROUGHCUT_ARM64"), os.Getenv("ROUGHCUT_ARM64_SYSROOT")
	if executable == "" {
		t.Skip("make test-arm64 sets ROUGHCUT_ARM64")
	}
	out := filepath.Join(t.TempDir(), "cut.mp4")
	here := cutTiny(t, out, func(*exec.Cmd) {})
	for _, processor := range []string{"cortex-a53", "max,pauth-impdef=on"} {
		there := cutTiny(t, out, func(cmd *exec.Cmd) {
			cmd.Path = executable
			emulate(t, cmd, "qemu-aarch64", "-L", sysroot, "-cpu", processor)
		})
		if diff := cmp.Diff(here.Edits, there.Edits); diff != "" || here.OutputDurationMS != there.OutputDurationMS {
			t.Errorf("%s cuts to %d ms, this machine to %d ms:\n%s",
				processor, there.OutputDurationMS, here.OutputDurationMS, diff)
		}
		if diff := cmp.Diff(texts(here.Transcript.Words), texts(there.Transcript.Words)); diff != "" {
			t.Errorf("%s hears other words:\n%s", processor, diff)
		}
		said, err := exec.Command("ffmpeg", "-v", "error", "-xerror", "-i", out, "-f", "null", "-").CombinedOutput()
		if err != nil || len(said) > 0 {
			t.Errorf("%s: the cut does not decode: %v\n%s", processor, err, said)
		}
	}
}
