package e2e

import (
	"net/http"
	"strings"
	"testing"
)

func TestHealthcheckFailsWithoutServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := serve(t, dir, nil)
	listen := strings.TrimPrefix(server.base, "http://")
	everywhere := "0.0.0.0" + listen[strings.LastIndex(listen, ":"):]
	for _, args := range [][]string{{"--listen", listen}, {"--listen", listen, "--live"}, {"--listen", everywhere}} {
		works(t, dir, "", append([]string{"healthcheck"}, args...)...)
	}
	server.stop()
	if code, out := runs(t, dir, "", "healthcheck", "--listen", listen); code != exitFailed ||
		!strings.Contains(out, "does not answer") {
		t.Errorf("stopped server: %d %s", code, out)
	}
	if code, out := runs(t, dir, "", "healthcheck", "--listen", "nowhere"); code != exitUsage ||
		!strings.Contains(out, "LISTEN_ADDR") {
		t.Errorf("invalid address: %d %s", code, out)
	}
}

func TestOwnerModeRefusesOtherHosts(t *testing.T) {
	t.Parallel()
	server := serve(t, t.TempDir(), []string{"ALLOWED_HOSTS=cut.lan, studio.local"}, "--owner")
	for host, want := range map[string]int{
		"cut.lan": 204, "studio.local:8420": 204, "localhost": 204, "evil.example": 403,
	} {
		request, err := http.NewRequest("GET", server.base+"/healthz", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: status %d, want %d", host, response.StatusCode, want)
		}
	}
}
