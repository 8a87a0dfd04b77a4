package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media/mediatest"
	"roughcut/pipeline/models"
)

// TestModelsDownloadAndVerify downloads a model from a mirror. It detects a damaged model and
// replaces it.
func TestModelsDownloadAndVerify(t *testing.T) {
	data, err := os.ReadFile(mediatest.Model(t))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	known := []models.Model{{Name: "test", SizeBytes: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}}
	mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/mirror/ggml-test.bin" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(data)
	}))
	defer mirror.Close()
	dir := t.TempDir()
	t.Setenv("MODELS_URL", mirror.URL+"/mirror")
	t.Setenv("STORAGE_MIN_FREE_MB", "1")
	run := func(wantCode int, says string, line ...string) {
		t.Helper()
		root := rootCommand(Build{Version: "test", Models: known})
		var out bytes.Buffer
		root.SetOut(&out)
		root.SetErr(&out)
		root.SetArgs(append(append([]string{"models"}, line...), "--data-dir", dir))
		err, code := root.ExecuteContext(t.Context()), 0
		if err != nil {
			code = exitCode(err)
			out.WriteString(err.Error())
		}
		if code != wantCode || !strings.Contains(strings.Join(strings.Fields(out.String()), " "), says) {
			t.Errorf(
				"models %s: exit %d, want %d and %q:\n%s", strings.Join(line, " "), code, wantCode, says,
				out.String(),
			)
		}
	}
	run(0, "test 9 MiB many not installed", "list")
	run(2, "unknown model \"large\"", "download", "large")
	run(2, "usage: roughcut models download NAME", "download")
	run(2, "no command given")
	run(0, "test is installed", "download", "test")
	run(0, "test 9 MiB many in use", "list")
	run(0, "test: ok", "verify")
	installed := filepath.Join(dir, "models", "ggml-test.bin")
	if got, err := os.ReadFile(installed); err != nil || !bytes.Equal(got, data) {
		t.Fatalf("%d bytes are installed, %v", len(got), err)
	}
	if err := os.Truncate(installed, int64(len(data)-1)); err != nil {
		t.Fatal(err)
	}
	run(1, "download it again", "verify")
	run(0, "test is installed", "download", "test")
	run(0, "test: ok", "verify")
	t.Setenv("MODELS_URL", "ftp://example.org")
	run(2, "MODELS_URL", "list")
}

// What SPEECH_MODEL names comes before what an admin chose, and that before the best one; each
// search finds what holds then.
func TestSpeechPrefersSettingThenChoiceThenSize(t *testing.T) {
	data, err := os.ReadFile(mediatest.Model(t))
	if err != nil {
		t.Fatal(err)
	}
	dir, kept := t.TempDir(), ""
	for _, name := range []string{"ggml-a.bin", "ggml-b.bin", "c.bin"} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "broken.bin"), []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	withCache(t)
	s := Speech{Chosen: func() (string, error) { return kept, nil }, Dir: dir, Device: childDevice(noGraphics)}
	takes := func(choice, chosen, want string) {
		t.Helper()
		s.Choice, kept = choice, chosen
		if path, err := s.path(); err != nil || filepath.Base(path) != want {
			t.Errorf("SPEECH_MODEL=%q with %q chosen: %s, %v, want %s", choice, chosen, path, err, want)
		}
	}
	takes("", "", "c.bin")
	takes("", "ggml-b.bin", "ggml-b.bin")
	takes("a", "ggml-b.bin", "ggml-a.bin")
	takes("", "gone.bin", "c.bin")
	takes("", "broken.bin", "c.bin")
	kept = "ggml-b.bin"
	for _, s.Device = range []*speechDevice{s.Device, nil} {
		model, err := s.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer model.Close()
		if model.Name() != "b" {
			t.Errorf("analyses would name %q as their model", model.Name())
		}
	}
}
