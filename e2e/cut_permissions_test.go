package e2e

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"roughcut/media/mediatest"
)

// The umask sets the permissions of everything that `roughcut cut` writes. A file that is replaced
// keeps its permissions.
func TestCutFollowsTheUmask(t *testing.T) {
	t.Parallel()
	recording := mediatest.Talk(t, mediatest.TalkOptions{Seconds: 4}).Path
	outputs := []string{"talk.mp4", "talk.mp3", "talk.fcpxml", "talk.otio"}
	const kept os.FileMode = 0o604
	for umask, want := range map[string]os.FileMode{"022": 0o644, "027": 0o640} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, outputs[1]), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, outputs[1]), kept); err != nil {
			t.Fatal(err)
		}
		for _, video := range outputs[:2] {
			cmd := program(context.Background(), dir, "cut", recording, "--force",
				"-o", filepath.Join(dir, video), "--timeline", "fcpxml,otio")
			cmd.Args = append([]string{"sh", "-c", "umask " + umask + `; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
			cmd.Path = "/bin/sh"
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
		}
		for _, name := range outputs {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			wanted := want
			if name == outputs[1] {
				wanted = kept
			}
			if info.Mode().Perm() != wanted {
				t.Errorf("umask %s: %s has permissions %v, want %v", umask, name, info.Mode().Perm(), wanted)
			}
		}
	}
}
