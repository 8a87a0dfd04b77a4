package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The output names the source of each setting and no secret. It is a valid settings file.
func TestConfigPrintIsASettingsFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, secret := filepath.Join(dir, "roughcut.toml"), filepath.Join(dir, "smtp")
	for path, text := range map[string]string{
		file:   "workers = 3\nmail_from = 'Cut # <cut@example.org>'\nplan_mode = 'owner'\n",
		secret: "smtp://user:hunter22@mail.example.org:587\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := program(context.Background(), dir, "config", "print", "--config", file, "--data-dir", "/else where")
	cmd.Env = append(cmd.Env, "PLAN_MODE=metered", "SMTP_URL_FILE="+secret)
	code, out := outcome(t, cmd)
	if code != 0 || strings.Contains(out, "hunter22") {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	for _, line := range []string{
		"data_dir = '/else where' # flag",
		"workers = 3 # file",
		"plan_mode = 'metered' # environment",
		"mail_from = 'Cut # <cut@example.org>' # file",
		"session_ttl_seconds = 2592000 # default",
		"# smtp_url is set (environment) and not shown",
		"log_level = 'warn' # environment",
	} {
		if !strings.Contains(out, line+"\n") {
			t.Errorf("no line %s in:\n%s", line, out)
		}
	}
	if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	again := program(context.Background(), dir, "config", "print", "--config", file)
	again.Env = []string{asProgram + "=1", "HOME=" + dir}
	if code, out := outcome(t, again); code != 0 || !strings.Contains(out, "data_dir = '/else where' # file\n") {
		t.Errorf("printed settings as a settings file: %d\n%s", code, out)
	}
}

// Wrong settings are usage errors that name the setting.
func TestWrongSettingsAreUsageErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "bad.toml")
	if err := os.WriteFile(file, []byte("wokers = 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		env  string
		args []string
		says string
	}{
		{"an unknown key", "", []string{"--config", file}, "wokers"},
		{"a missing file", "", []string{"--config", file + "x"}, "bad.tomlx"},
		{"not a number", "WORKERS=many", nil, `WORKERS must be a whole number, not "many"`},
		{"not a boolean", "TRIAL_AUTO_GRANT=maybe", nil, `TRIAL_AUTO_GRANT must be true or false, not "maybe"`},
		{
			"not an address", "BASE_URL=cut.example.org", nil,
			`BASE_URL must be an address such as https://cut.example.org, optionally with a path, not "cut`,
		},
		{"an address with a query", "BASE_URL=https://cut.example.org/?x=1", nil, "BASE_URL must be"},
		{"no workers", "WORKERS=0", nil, "WORKERS"},
		{"unknown level", "LOG_LEVEL=loud", nil, "LOG_LEVEL"},
		{"zero seconds", "SESSION_TTL_SECONDS=0", nil, `SESSION_TTL_SECONDS must be at least 1, not 0`},
		{"negative seconds", "MEDIA_TOKEN_TTL_SECONDS=-1", nil, `MEDIA_TOKEN_TTL_SECONDS must be at least 1, not -1`},
		{"no attempts", "LOGIN_MAX_ATTEMPTS=0", nil, "LOGIN_MAX_ATTEMPTS"},
		{"negative size", "STORAGE_MIN_FREE_MB=-1", nil, "STORAGE_MIN_FREE_MB must be at least 0, not -1"},
		{"unknown plan mode", "PLAN_MODE=gold", nil, "PLAN_MODE"},
		{"a model without an endpoint", "DIRECTOR_LLM_MODEL=llama3", nil, "DIRECTOR_LLM_URL"},
		{"a missing secret", "SMTP_URL_FILE=" + file + "x", nil, "SMTP_URL_FILE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := program(context.Background(), dir, append([]string{"config", "print"}, c.args...)...)
			cmd.Env = append(cmd.Env, c.env)
			if code, out := outcome(t, cmd); code != exitUsage || !strings.Contains(out, c.says) {
				t.Errorf("exit code %d:\n%s", code, out)
			}
		})
	}
	cmd := program(context.Background(), dir, "config", "print")
	cmd.Env = append(cmd.Env, "SMTP_URL=smtp://a", "SMTP_URL_FILE="+file)
	if code, out := outcome(t, cmd); code != exitUsage || !strings.Contains(out, "both SMTP_URL and SMTP_URL_FILE") {
		t.Errorf("secret given twice: %d %s", code, out)
	}
}
