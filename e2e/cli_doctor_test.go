package e2e

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roughcut/store"
)

// finding is one check of `roughcut doctor --json`.
type finding struct {
	Check   string `json:"check"`
	State   string `json:"state"`
	Message string `json:"message"`
	Advice  string `json:"advice"`
}

// States of a finding.
const (
	wellOK      = "ok"
	wellWarning = "warning"
	wellFailed  = "failed"
)

// examined runs doctor --json over the data in dir with more settings.
func examined(t *testing.T, dir string, env ...string) (code int, states map[string]string, text string) {
	t.Helper()
	cmd := program(context.Background(), dir, "doctor", "--json")
	cmd.Env = append(cmd.Env, env...)
	out, _ := cmd.Output() // the exit code is what counts
	states = map[string]string{}
	for _, f := range decode[[]finding](t, out) {
		states[f.Check] = f.State
		if f.State != wellOK && f.Message == "" || f.State == wellWarning && f.Advice == "" {
			t.Errorf("a finding without words: %+v", f)
		}
	}
	return cmd.ProcessState.ExitCode(), states, string(out)
}

// The doctor looks at everything that the program needs, says what to do about it, and changes
// nothing where there is nothing yet.
func TestDoctor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	code, states, text := examined(t, dir)
	if code != 0 || states["data"] != wellOK || states["codecs"] != wellOK || states["disk"] != wellOK ||
		states["model"] != wellWarning ||
		states["mail"] != wellWarning {
		t.Errorf("no data yet: %d\n%s", code, text)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the doctor made the data directory: %v", err)
	}
	for _, c := range []struct {
		name, env, check, says string
	}{
		{"a mail server that does not answer", "SMTP_URL=smtp://127.0.0.1:1", "mail", "127.0.0.1"},
		{"no mail server address", "SMTP_URL=http://mail", "mail", "smtp://"},
		{"a model that is not there", "SPEECH_MODEL=nonesuch", "model", "nonesuch"},
		{"a model that is none", "SPEECH_MODEL=" + os.Args[0], "model", filepath.Base(os.Args[0])},
		{"a full disk", "STORAGE_MIN_FREE_MB=1000000000", "disk", "STORAGE_MIN_FREE_MB"},
		{"networks that are none", "TRUSTED_PROXIES=10.0.0.1", "settings", "TRUSTED_PROXIES"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, states, text := examined(t, dir, c.env)
			if code == 0 || states[c.check] != wellFailed || !strings.Contains(text, c.says) {
				t.Errorf("exit code %d, want %s to fail and %q in\n%s", code, c.check, c.says, text)
			}
		})
	}
	_, states, text = examined(t, dir, "PLAN_MODE=owner", "LISTEN_ADDR=0.0.0.0:8420")
	if states["settings"] != wellWarning || states["mail"] != wellOK || !strings.Contains(text, "LISTEN_ADDR") {
		t.Errorf("owner mode for everybody:\n%s", text)
	}
	cmd := program(context.Background(), dir, "doctor")
	cmd.Env = append(
		slices.DeleteFunc(cmd.Env, func(s string) bool { return strings.HasPrefix(s, "PATH=") }),
		"PATH="+t.TempDir(),
	)
	if code, out := outcome(t, cmd); code != 0 || !strings.Contains(out, "Install yt-dlp") {
		t.Errorf("no yt-dlp: %d\n%s", code, out)
	}
}

// What the doctor finds in the data decides its exit code.
func TestDoctorLooksAtData(t *testing.T) {
	dir := t.TempDir()
	server := serve(t, dir, nil)
	if code, states, text := examined(
		t,
		dir,
	); code != exitInUse || states["data"] != wellFailed || states["codecs"] != wellOK ||
		!strings.Contains(text, "Stop the server") {
		t.Errorf("a running server: %d\n%s", code, text)
	}
	server.stop()
	if code, states, _ := examined(t, dir); code != 0 || states["data"] != wellOK {
		t.Errorf("a sound directory: %d", code)
	}
	file, err := os.OpenFile(filepath.Join(dir, "roughcut.db"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(make([]byte, 8192)); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if code, states, text := examined(t, dir); code != exitDamaged || states["data"] != wellFailed ||
		!strings.Contains(text, "roughcut restore") {
		t.Errorf("a damaged database: %d\n%s", code, text)
	}
}

// A recording that stays where it is and is not there is worth a word, and no damage.
func TestDoctorLooksForReferencedRecordings(t *testing.T) {
	dir, path := t.TempDir(), filepath.Join(t.TempDir(), "talk.mp4")
	if err := os.WriteFile(path, []byte("recording"), 0o600); err != nil {
		t.Fatal(err)
	}
	plans := store.DefaultTierTable()
	plans.Owner = true
	data, err := store.Open(
		t.Context(),
		store.Options{Dir: dir, TierTable: plans, MinFreeBytes: 1, Log: slog.New(slog.DiscardHandler)},
	)
	if err != nil {
		t.Fatal(err)
	}
	user, err := data.Owner(func() store.User {
		return store.User{Name: "O", Username: "owner", Email: "o@localhost", EmailVerified: true}
	})
	if err != nil {
		t.Fatal(err)
	}
	project, err := data.CreateProject(user.UUID, "A talk", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := data.LinkClip(user.UUID, project.UUID, path); err != nil {
		t.Fatal(err)
	}
	if err := data.Close(); err != nil {
		t.Fatal(err)
	}
	if code, states, text := examined(t, dir); code != 0 || states["files"] != wellOK || states["data"] != wellOK {
		t.Errorf("all there: %d\n%s", code, text)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if code, states, text := examined(
		t,
		dir,
	); code != 0 || states["files"] != wellWarning || states["data"] != wellOK ||
		!strings.Contains(text, path) {
		t.Errorf("gone: %d\n%s", code, text)
	}
	archive := filepath.Join(t.TempDir(), "backup.tar")
	if out := works(t, dir, "", "backup", archive); !strings.Contains(
		out,
		"but 1 recordings that stay where they are",
	) {
		t.Errorf("backup says %s", out)
	}
	if out := works(t, filepath.Join(t.TempDir(), "data"), "", "restore", archive); !strings.Contains(out, path) {
		t.Errorf("restore says %s", out)
	}
}
