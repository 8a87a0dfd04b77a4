package e2e

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
)

// TestBrowserSignIn signs in with a real OpenID Connect provider and signs up with an invitation.
func TestBrowserSignIn(t *testing.T) {
	t.Parallel()
	var provider http.Handler
	at := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { provider.ServeHTTP(w, r) }),
	)
	defer at.Close()
	issuer := strings.Replace(at.URL, "127.0.0.1", "localhost", 1) + "/"
	clients := map[string]*storage.Client{}
	provider = exampleop.SetupServer(
		issuer, storage.NewStorageWithClients(storage.NewUserStore(issuer), clients),
		slog.New(slog.DiscardHandler), false,
	)

	setting, err := json.Marshal(
		[]map[string]string{
			{"name": "home", "issuer": issuer, "client_id": "roughcut", "client_secret": "secret"},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	server := serve(t, dir, []string{"SIGNUP=invite", "OAUTH_PROVIDERS=" + string(setting)})
	clients["roughcut"] = storage.WebClient("roughcut", "secret", server.base+"/api/v1/auth/oauth/callback/home")
	browse(
		t, "sign-in.mjs", "BASE_URL="+server.base, "USERNAME=test-user2", "PASSWORD=verysecure",
		"OUTBOX="+filepath.Join(dir, "outbox"),
	)
	server.stop()
	doctor(t, dir)
}
