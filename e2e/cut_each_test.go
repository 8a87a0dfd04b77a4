package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

// With --each, every recording becomes a video, and one that fails stops no other and leaves no
// file. Recordings of one name get different videos, and a folder stands for its recordings.
func TestCutEach(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, from string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		data := []byte("this is not a video\n")
		if from != "" {
			var err error
			if data, err = os.ReadFile(from); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	talk := tinyTalk(t)
	put("folder/take.mp4", talk)
	put("folder/broken.mp4", "")
	put("folder/notes.txt", "")
	out := filepath.Join(dir, "out")
	cmd := program(
		context.Background(), dir, "cut", put("b/take.mp4", talk), filepath.Join(dir, "folder"), "--each", "--out-dir",
		out, "--json", "--timeline", "edl,srt", "--model", mediatest.Model(t),
	)
	var said strings.Builder
	cmd.Stderr = &said
	lines, _ := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
	var got []string
	for line := range strings.Lines(string(lines)) {
		var r struct {
			Inputs        []string
			Output, Error string
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil || (r.Output == "") == (r.Error == "") {
			t.Fatalf("%v in %s", err, line)
		}
		got = append(got, strings.TrimPrefix(r.Inputs[0], dir)+" "+strings.TrimPrefix(r.Output, dir))
	}
	want := "/b/take.mp4 /out/take-cut.mp4, /folder/broken.mp4 , /folder/take.mp4 /out/take-cut-2.mp4"
	if list := filepath.ToSlash(strings.Join(got, ", ")); list != want {
		t.Errorf("got %s, want %s", list, want)
	}
	var files []string
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		files = append(files, entry.Name())
	}
	const written = "take-cut-2.edl take-cut-2.mp4 take-cut-2.srt take-cut.edl take-cut.mp4 take-cut.srt"
	if list := strings.Join(files, " "); list != written {
		t.Errorf("files %s, want %s", list, written)
	}
	for _, text := range []string{"2 of 3: ", "Cut 2 of 3 recordings into " + out, "1 of 3 recordings failed: "} {
		if !strings.Contains(said.String(), text) {
			t.Errorf("the command does not say %q:\n%s", text, said.String())
		}
	}
}

// Text without words, and labels without cuts, are not written as empty files.
func TestCutWritesNoEmptyFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	silent := filepath.Join(dir, "silent.wav")
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "anullsrc=r=16000:cl=mono", "-t", "2", silent)
	if err := os.WriteFile(filepath.Join(dir, "talk.srt"), []byte("1\n"), 0o600); err != nil { // of an earlier cut
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{
			[]string{"--timeline", "srt,chapters", "--force", "--model", mediatest.Model(t)}, exitFailed,
			"talk.srt is not written, because the recording has no text",
		},
		{[]string{"--timeline", "srt"}, exitFailed, "--timeline srt needs a speech model"},
		{[]string{"--captions", "bold"}, exitFailed, "--captions needs a speech model"},
		{[]string{"--censor"}, exitFailed, "--censor needs a speech model"},
	} {
		out := filepath.Join(dir, "talk")
		if c.args[0] != "--timeline" {
			out += ".mp4"
		}
		cmd := program(context.Background(), dir, append([]string{"cut", silent, "-o", out}, c.args...)...)
		text, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(text), c.says) {
			t.Errorf("%v: exit code %d, want %d and %q in:\n%s", c.args, code, c.code, c.says, text)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "talk*")); len(left) > 0 {
		t.Errorf("files left: %v", left)
	}
}
