package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

// The log says when the server starts, with the settings that differ from their defaults, when it
// stops, and why it does not start. It has no secrets, and each line is JSON.
func TestLogOfStartAndStop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := []string{"SMTP_URL=smtp://ada:hush@mail.test", "MAIL_FROM=cut@mail.test", "LOG_LEVEL=info"}
	server := serve(t, dir, env, "--owner")
	twice := program(t.Context(), dir, "serve", "--owner")
	var said strings.Builder
	twice.Stderr = &said
	if err := twice.Run(); err == nil {
		t.Error("a second server started on the same data directory")
	}
	refusal, _, _ := strings.Cut(said.String(), "\n")
	server.stop()
	var messages []string
	for line := range strings.Lines(server.log.String() + refusal) {
		var entry struct {
			Msg, Version, Error string
			Settings            map[string]any
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("%v: %s", err, line)
		}
		if entry.Msg == "started" || entry.Msg == "stopped" {
			messages = append(messages, entry.Msg+entry.Error)
		}
		if s := entry.Settings; entry.Msg == "started" && (entry.Version == "" || s["PLAN_MODE"] != "owner" ||
			s["MAIL_FROM"] != "cut@mail.test" || s["SMTP_URL"] != "set" || s["WORKERS"] != nil) {
			t.Errorf("the server started with %s", line)
		}
	}

	if strings.Contains(server.log.String(), "hush") {
		t.Error("the log has a secret")
	}
	got := strings.Join(messages, ", ")
	if !strings.HasPrefix(got, "started, stopped, stoppedanother roughcut process") {
		t.Errorf("the log has the lines %s", got)
	}
}
