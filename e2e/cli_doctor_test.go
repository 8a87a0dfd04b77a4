package e2e

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roughcut/media/mediatest"
	"roughcut/store"
	"roughcut/store/account"
	"roughcut/store/billing"
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
	stateOK      = "ok"
	stateWarning = "warning"
	stateFailed  = "failed"
)

// examined runs `roughcut doctor --json` on the data in dir with more settings.
func examined(t *testing.T, dir string, env ...string) (code int, states map[string]string, text string) {
	t.Helper()
	cmd := program(context.Background(), dir, "doctor", "--json")
	cmd.Env = append(cmd.Env, env...)
	out, _ := cmd.Output() // the exit code is what counts
	states = map[string]string{}
	for _, f := range decode[[]finding](t, out) {
		states[f.Check] = f.State
		if (f.State != stateOK && f.Message == "") || (f.State == stateWarning && f.Advice == "") {
			t.Errorf("a finding without message or advice: %+v", f)
		}
	}
	return cmd.ProcessState.ExitCode(), states, string(out)
}

// The doctor checks everything that the program needs and says what to do. It does not create the
// data directory.
func TestDoctorReportsProblems(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	code, states, text := examined(t, dir)
	if code != 0 || states["data"] != stateOK || states["codecs"] != stateOK || states["disk"] != stateOK ||
		states["model"] != stateWarning ||
		states["mail"] != stateWarning {
		t.Errorf("without data: %d\n%s", code, text)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the doctor created the data directory: %v", err)
	}
	for _, c := range []struct {
		name, env, check, says string
	}{
		{"a mail server that does not answer", "SMTP_URL=smtp://127.0.0.1:1", "mail", "127.0.0.1"},
		{"not the address of a mail server", "SMTP_URL=http://mail", "mail", "smtp://"},
		{"a sender without a host", "MAIL_FROM=me", "mail", "MAIL_FROM"},
		{
			"a sign-in provider that does not answer",
			`OAUTH_PROVIDERS=[{"name": "p", "issuer": "http://127.0.0.1:1", "client_id": "c", "client_secret": "s"}]`,
			"sign-in", "127.0.0.1",
		},
		{"a missing model", "SPEECH_MODEL=nonesuch", "model", "nonesuch"},
		{"not a model", "SPEECH_MODEL=" + os.Args[0], "model", filepath.Base(os.Args[0])},
		{"a full disk", "STORAGE_MIN_FREE_MB=1000000000", "disk", "STORAGE_MIN_FREE_MB"},
		{"not a list of networks", "TRUSTED_PROXIES=10.0.0.1", "settings", "TRUSTED_PROXIES"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, states, text := examined(t, dir, c.env)
			if code == 0 || states[c.check] != stateFailed || !strings.Contains(text, c.says) {
				t.Errorf("exit code %d, want %s to fail and %q in\n%s", code, c.check, c.says, text)
			}
		})
	}
	if _, states, text = examined(t, dir, "SPEECH_MODEL="+mediatest.Model(t)); states["model"] != stateOK {
		t.Errorf("with a model:\n%s", text)
	}
	_, states, text = examined(t, dir, "PLAN_MODE=owner", "LISTEN_ADDR=0.0.0.0:8420")
	if states["settings"] != stateWarning || states["mail"] != stateOK || !strings.Contains(text, "LISTEN_ADDR") {
		t.Errorf("owner mode on a public address:\n%s", text)
	}
	cmd := program(context.Background(), dir, "doctor")
	cmd.Env = append(
		slices.DeleteFunc(cmd.Env, func(s string) bool { return strings.HasPrefix(s, "PATH=") }),
		"PATH="+t.TempDir(),
	)
	if code, out := outcome(t, cmd); code != 0 || !strings.Contains(out, "Install yt-dlp") {
		t.Errorf("without yt-dlp: %d\n%s", code, out)
	}
}

// The state of the data decides the exit code.
func TestDoctorExitCodeFollowsTheData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := serve(t, dir, nil)
	if code, states, text := examined(
		t, dir,
	); code != 0 || states["data"] != stateWarning || states["codecs"] != stateOK ||
		!strings.Contains(text, "Stop the server") {
		t.Errorf("with a running server: %d\n%s", code, text)
	}
	server.stop()
	if code, states, _ := examined(t, dir); code != 0 || states["data"] != stateOK {
		t.Errorf("with sound data: %d", code)
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
	if code, states, text := examined(t, dir); code != exitDamaged || states["data"] != stateFailed ||
		!strings.Contains(text, "roughcut restore") {
		t.Errorf("with a damaged database: %d\n%s", code, text)
	}
}

// A missing linked file is a warning. Backup and restore name linked files.
func TestDoctorWarnsOfMissingLinkedFiles(t *testing.T) {
	t.Parallel()
	dir, path := t.TempDir(), filepath.Join(t.TempDir(), "talk.mp4")
	if err := os.WriteFile(path, []byte("recording"), 0o600); err != nil {
		t.Fatal(err)
	}
	plans := billing.DefaultTierTable()
	plans.Unlimited = true
	data, err := store.Open(
		t.Context(),
		store.Options{Dir: dir, TierTable: plans, MinFreeBytes: 1, Log: slog.New(slog.DiscardHandler)},
	)
	if err != nil {
		t.Fatal(err)
	}
	user, err := data.Owner(func() account.User {
		return account.User{Name: "O", Username: "owner", Email: "o@localhost", EmailVerified: true}
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
	if code, states, text := examined(t, dir); code != 0 || states["files"] != stateOK || states["data"] != stateOK {
		t.Errorf("with the linked file: %d\n%s", code, text)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if code, states, text := examined(
		t, dir,
	); code != 0 || states["files"] != stateWarning || states["data"] != stateOK ||
		!strings.Contains(text, path) {
		t.Errorf("without the linked file: %d\n%s", code, text)
	}
	archive := filepath.Join(t.TempDir(), "backup.tar")
	if out := works(t, dir, "", "backup", archive); !strings.Contains(out, "linked files left out: 1") {
		t.Errorf("backup printed %s", out)
	}
	if out := works(t, filepath.Join(t.TempDir(), "data"), "", "restore", archive); !strings.Contains(out, path) {
		t.Errorf("restore printed %s", out)
	}
}
