package e2e

import (
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"roughcut/media/mediatest"
)

// TestLongCutOnAnOldProcessor cuts a talk on an emulated processor of 2008, which has SSE4.2 and no
// AVX. The words are those of this machine's processor.
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
		cmd.Args = append(append(processor, cmd.Path), cmd.Args[1:]...)
		path, err := exec.LookPath(cmd.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		cmd.Path = path
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
