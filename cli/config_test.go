package cli

import (
	"bytes"
	"strings"
	"testing"
)

func TestConfigPrintNamesEverySetting(t *testing.T) {
	root := rootCommand(Build{Version: "test"})
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetArgs([]string{"config", "print", "--data-dir", t.TempDir()})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, v := range new(settings).table() {
		if !strings.Contains("\n"+strings.ReplaceAll(out.String(), "# ", ""), "\n"+v.key+" ") {
			t.Errorf("%s is not printed", v.key)
		}
	}
}

// The settings that few servers change are the last ones, under a title, with all others before it.
func TestAdvancedSettingsComeLast(t *testing.T) {
	text, err := new(settings).print(nil)
	if err != nil {
		t.Fatal(err)
	}
	usual, advanced, found := strings.Cut(string(text), "\n# Advanced\n")
	if !found {
		t.Fatalf("no title in\n%s", text)
	}
	for _, key := range []string{
		"session_ttl_seconds", "verify_token_ttl_seconds", "reset_token_ttl_seconds", "email_change_token_ttl_seconds",
		"upload_url_ttl_seconds", "media_token_ttl_seconds", "download_url_ttl_seconds", "asset_url_ttl_seconds",
		"login_max_attempts", "login_attempt_window_seconds", "login_lockout_base_seconds", "login_lockout_max_seconds",
		"events_keepalive_seconds", "sweep_interval_seconds", "import_metadata_timeout_seconds", "stripe_api_url",
		"storage_generated_percent", "trial_auto_grant",
	} {
		listed := strings.Contains(advanced, "\n"+key+" ") || strings.HasPrefix(advanced, key)
		if strings.Contains(usual, key) || !listed {
			t.Errorf("%s is not among the advanced settings", key)
		}
	}
	if n := strings.Count(advanced, " = "); n != 18 {
		t.Errorf("%d advanced settings", n)
	}
}
