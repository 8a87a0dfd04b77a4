package cli

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"roughcut/server/auth"
)

// settingsOf reads the settings from a file with the given text and the environment.
func settingsOf(t *testing.T, file string) (settings, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "settings.toml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	flags.String("config", path, "")
	return loadSettings(flags)
}

func TestFileAndEnvironmentGiveTheSameOAuthProviders(t *testing.T) {
	want := []auth.ProviderConfig{
		{
			Name:         "home",
			Issuer:       "https://login.example.org",
			ClientID:     "a",
			ClientSecret: "b",
			Scopes:       []string{"email"},
		},
		{Name: "github", Type: "github", ClientID: "c", ClientSecret: "d"},
	}
	check := func(s settings, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.oauthProviders(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	check(settingsOf(t, `
[[oauth_providers]]
name = "home"
issuer = "https://login.example.org"
client_id = "a"
client_secret = "b"
scopes = ["email"]
[[oauth_providers]]
name = "github"
type = "github"
client_id = "c"
client_secret = "d"
`))
	t.Setenv(
		"OAUTH_PROVIDERS",
		`[{"name":"home","issuer":"https://login.example.org","client_id":"a","client_secret":"b","scopes":["email"]},
		{"name":"github","type":"github","client_id":"c","client_secret":"d"}]`,
	)
	check(settingsOf(t, ""))
}

func TestWrongSignInSettingsNameTheField(t *testing.T) {
	for _, c := range []struct{ key, value, names string }{
		{"SIGNUP", "perhaps", "SIGNUP"},
		{"OAUTH_PROVIDERS", "home", "OAUTH_PROVIDERS must be a list"},
		{"OAUTH_PROVIDERS", `[{"name":"a","client":"x"}]`, `"client"`},
		{
			"OAUTH_PROVIDERS", `[{"client_id":"a","client_secret":"b","issuer":"https://x.org"}]`,
			"OAUTH_PROVIDERS[0].name",
		},
		{
			"OAUTH_PROVIDERS", `[{"name":"a/b","client_id":"a","client_secret":"b","issuer":"https://x.org"}]`,
			"OAUTH_PROVIDERS[0].name",
		},
		{
			"OAUTH_PROVIDERS", `[{"name":"a","client_secret":"b","issuer":"https://x.org"}]`,
			"OAUTH_PROVIDERS[0].client_id",
		},
		{
			"OAUTH_PROVIDERS", `[{"name":"a","client_id":"a","issuer":"https://x.org"}]`,
			"OAUTH_PROVIDERS[0].client_secret",
		},
		{"OAUTH_PROVIDERS", `[{"name":"a","client_id":"a","client_secret":"b"}]`, "OAUTH_PROVIDERS[0].issuer"},
		{
			"OAUTH_PROVIDERS", `[{"name":"a","client_id":"a","client_secret":"b","issuer":"http://x.org"}]`,
			"OAUTH_PROVIDERS[0].issuer",
		},
		{
			"OAUTH_PROVIDERS", `[{"name":"a","client_id":"a","client_secret":"b","issuer":"x.org"}]`,
			"OAUTH_PROVIDERS[0].issuer",
		},
		{
			"OAUTH_PROVIDERS", `[{"name":"a","type":"saml","client_id":"a","client_secret":"b"}]`,
			"OAUTH_PROVIDERS[0].type",
		},
		{
			"OAUTH_PROVIDERS",
			`[{"name":"a","type":"github","client_id":"a","client_secret":"b"},
			{"name":"a","type":"github","client_id":"a","client_secret":"b"}]`,
			"OAUTH_PROVIDERS[1].name",
		},
	} {
		t.Run(c.key+" "+c.value, func(t *testing.T) {
			t.Setenv(c.key, c.value)
			_, err := settingsOf(t, "")
			var usage usageError
			if !errors.As(err, &usage) || !strings.Contains(err.Error(), c.names) {
				t.Errorf("got %v, want it to name %s", err, c.names)
			}
		})
	}
	t.Setenv(
		"OAUTH_PROVIDERS",
		`[{"name":"a","client_id":"a","client_secret":"b","issuer":"http://127.0.0.1:8080/realm"}]`,
	)
	if _, err := settingsOf(t, ""); err != nil {
		t.Errorf("an issuer on this machine: %v", err)
	}
}
