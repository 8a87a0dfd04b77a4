package e2e

import (
	"cmp"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

// browse runs a script of web/e2e in English and UTC and returns its output. The script puts
// screenshots into ROUGHCUT_SCREENSHOTS.
func browse(t *testing.T, script string, env ...string) []byte {
	t.Helper()
	mediatest.Needs(t, "node", cmp.Or(os.Getenv("CHROMIUM"), "chromium-headless-shell"))
	cmd := exec.CommandContext(t.Context(), "node", "e2e/"+script)
	cmd.Dir = filepath.Join("..", "web")
	cmd.Env = append(os.Environ(), "TZ=UTC", "LC_ALL=C.UTF-8", "LANGUAGE=en")
	cmd.Env = append(append(cmd.Env, "OUT_DIR="+os.Getenv("ROUGHCUT_SCREENSHOTS")), env...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s\n%s", script, err, out, said.String())
	}
	return out
}

// session returns the session cookie of the client as name=value.
func (c *client) session() string {
	c.t.Helper()
	address, err := url.Parse(c.base)
	if err != nil {
		c.t.Fatal(err)
	}
	cookie := c.http.Jar.Cookies(address)[0]
	return cookie.Name + "=" + cookie.Value
}
