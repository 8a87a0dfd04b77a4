package e2e

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The steps of `make build` that need a registry fail without the settings of a proxy.
// Each must say why and what to do.
func TestBuildSaysWhyItFails(t *testing.T) {
	t.Parallel()
	refused, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	registry := "http://" + refused.Addr().String()
	refused.Close() // nothing answers there from here on

	for name, script := range map[string]string{
		"speech recognition": "media/native/build.sh",
		"network of voices":  "media/voicenet/fetch.sh",
		"page":               "cd web && ../.ci/npm ci",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := copyBuildFiles(t)
			command := exec.CommandContext(t.Context(), "bash", "-c", script)
			command.Dir = tree
			command.Env = append(
				os.Environ(),
				"ROUGHCUT_CACHE="+filepath.Join(tree, "cache"),
				"npm_config_cache="+filepath.Join(tree, "npm"),
				"npm_config_registry="+registry,
				"npm_config_fetch_retries=0",
				"FFMPEG=bundled",
				"WHISPER=cpu",
				"TARGET=",
				"LINK=",
			)
			out, err := command.CombinedOutput()
			if err == nil {
				t.Fatalf("%s succeeded without a registry", script)
			}
			for _, want := range []string{"ECONNREFUSED", "HTTPS_PROXY", "run make again"} {
				if !strings.Contains(string(out), want) {
					t.Errorf("%s does not mention %s:\n%s", script, want, out)
				}
			}
		})
	}
}

// copyBuildFiles returns a folder with the files of the repository that fetch and install packages.
func copyBuildFiles(t *testing.T) string {
	t.Helper()
	tree := t.TempDir()
	for _, pattern := range []string{
		".ci/npm", "media/native/*", "media/voicenet/fetch.sh", "web/package.json", "web/package-lock.json",
	} {
		names, err := filepath.Glob(filepath.Join("..", pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("no files match %s: %v", pattern, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			target := filepath.Join(tree, strings.TrimPrefix(filepath.ToSlash(name), "../"))
			if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(target, data, 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	return tree
}
