package e2e

import (
	"compress/gzip"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roughcut/media/mediatest"
)

// killing a command: it is killed at a random time of an undisturbed run.
type killedCommand struct {
	t      *testing.T
	random *rand.Rand
	whole  time.Duration // of an undisturbed run
	kills  int           // that met the command
}

// run starts a command, kills it, and reports whether it was killed before it ended.
func (k *killedCommand) run(cmd *exec.Cmd) bool {
	k.t.Helper()
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	kill := time.AfterFunc(time.Duration(k.random.Float64()*float64(k.whole)), func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	_ = cmd.Wait() // killed
	if cmd.ProcessState.Exited() {
		return false
	}
	k.kills++
	return true
}

// measure takes the time of a command that is not killed.
func (k *killedCommand) measure(do func()) {
	started := time.Now()
	do()
	k.whole = time.Since(started)
}

// dataToBackUp returns a data directory with accounts and recordings.
func dataToBackUp(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	talk := tinyTalk(t)
	server := serve(t, dir, nil)
	c := signUp(t, server)
	for range 3 {
		project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "Talk"}, 201)
		c.upload(project.UUID, talk)
		comesTo(t, c, "/api/v1/projects/"+project.UUID+"/clips/", "ready")
	}
	server.stop()
	return dir
}

// A backup that is killed leaves the file of the last one, or has replaced it by a whole one.
func TestLongKilledBackups(t *testing.T) {
	needsLong(t)
	dir, archives := dataToBackUp(t), t.TempDir()
	file := filepath.Join(archives, "backup.tar")
	k := &killedCommand{t: t, random: seeded(t)}
	k.measure(func() { works(t, dir, "", "backup", file) })
	tries := max(5, share(t, 30))
	for n := range tries {
		if n == tries/2 {
			serve(t, dir, nil) // from here on the server makes the backups
		}
		k.run(program(context.Background(), dir, "backup", "--force", file))
		restored := filepath.Join(t.TempDir(), "data")
		works(t, restored, "", "restore", file)
		if n%5 == 0 {
			doctor(t, restored)
		}
		if err := os.RemoveAll(restored); err != nil {
			t.Fatal(err)
		}
	}
	works(t, dir, "", "backup", "--force", file)
	t.Logf("%d of %d backups were killed before they ended", k.kills, tries)
	if left, _ := filepath.Glob(filepath.Join(archives, ".*")); len(left) > 0 {
		t.Errorf("killed backups left %v", left)
	}
	for _, folder := range []string{"tmp", "backups"} {
		if left, _ := filepath.Glob(filepath.Join(dir, folder, "*")); len(left) > 0 {
			t.Errorf("killed backups left %v", left)
		}
	}
}

// After a killed restore, the next restore into the same folder works. The server does not mistake
// the folder for data.
func TestLongKilledRestores(t *testing.T) {
	needsLong(t)
	file := filepath.Join(t.TempDir(), "backup.tar")
	works(t, dataToBackUp(t), "", "backup", file)
	dir := filepath.Join(t.TempDir(), "data")
	k := &killedCommand{t: t, random: seeded(t)}
	k.measure(func() { works(t, dir, "", "restore", file) })
	tries := max(5, share(t, 30))
	for range tries {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if !k.run(program(context.Background(), dir, "restore", file)) {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, "roughcut.db")); err == nil {
			doctor(t, dir) // the restore had ended
			continue
		}
		if entries, err := os.ReadDir(dir); err == nil && len(entries) > 1 {
			if code, out := runs(t, dir, "", "serve", "--listen", "127.0.0.1:0"); code != exitDamaged ||
				!strings.Contains(out, "a restore into it was interrupted; run it again") {
				t.Errorf("a server on a killed restore: exit code %d:\n%s", code, out)
			}
		}
		works(t, dir, "", "restore", file)
		doctor(t, dir)
	}
	t.Logf("%d of %d restores were killed before they ended", k.kills, tries)
}

// A server that is killed while it migrates the data of an old version starts again and has the
// data.
func TestLongKilledMigrations(t *testing.T) {
	needsLong(t)
	k := &killedCommand{t: t, random: seeded(t)}
	k.measure(func() { serve(t, oldData(t), nil).stop() })
	tries := max(5, share(t, 30))
	for range tries {
		dir := oldData(t)
		k.run(program(context.Background(), dir, "serve", "--listen", "127.0.0.1:0"))
		server := serve(t, dir, []string{"SPEECH_MODEL=" + mediatest.Model(t)})
		if out := works(t, dir, "", "admin", "list-users"); !strings.Contains(out, "ada@example.org") {
			t.Errorf("the accounts after a killed migration are\n%s", out)
		}
		server.stop()
		doctor(t, dir)
		if left, _ := filepath.Glob(filepath.Join(dir, "tmp", "*")); len(left) > 0 {
			t.Errorf("left in tmp: %v", left)
		}
	}
	t.Logf("%d of %d starts with a migration were killed before they ended", k.kills, tries)
}

// oldData returns a data directory of schema 1.
func oldData(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	packed, err := os.Open(filepath.Join("..", "store", "testdata", "schema-1.db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	database, err := os.Create(filepath.Join(dir, "roughcut.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	if _, err := io.Copy(database, unpacked); err != nil {
		t.Fatal(err)
	}
	clips := filepath.Join(dir, "media", "clips")
	ready := filepath.Join(clips, "5a14d61f-55cd-4e7b-ac19-fde343c79dd9")
	pending := filepath.Join(clips, "cf4941e8-1437-4626-b126-3d795530a925")
	for path, size := range map[string]int{
		ready + "/original": 1000, ready + "/proxy.mp4": 50, ready + "/sprite.jpg": 20, ready + "/speech.s16": 30,
		ready + "/peaks.u8": 3, pending + "/original": 10,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
