package e2e

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

// TestAPIGuide runs every example of docs/api.md with bash, curl and jq against a server.
func TestAPIGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for _, block := range regexp.MustCompile("(?s)```bash\n(.*?)```").FindAllStringSubmatch(string(guide), -1) {
		script.WriteString(block[1])
	}
	server := serve(t, t.TempDir(), []string{"SPEECH_MODEL=" + mediatest.Model(t)}, "--owner")
	c := server.owner(t)
	token := call[struct{ Token string }](c, "POST", "/api/v1/users/me/tokens", map[string]string{"name": "guide"}, 201)

	// The examples name their files.
	dir := t.TempDir()
	talk := mediatest.Talk(t, mediatest.TalkOptions{Script: apiGuideScript, Height: 720, Width: 1280})
	if err := os.Symlink(talk.Path, filepath.Join(dir, "talk.mp4")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(guideStill(t, "camera", "crop=380:300:940:60"), filepath.Join(dir, "camera.png")); err != nil {
		t.Fatal(err)
	}
	mediatest.Needs(t, "curl", "jq")
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script.String())
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "ROUGHCUT="+server.base, "TOKEN="+token.Token)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	for _, want := range []string{" bytes arrived", "Pause of", "<mark>camera</mark>"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the examples print no %q:\n%s", want, out)
		}
	}
	if frames := len(mediatest.FrameNumbers(t, filepath.Join(dir, "talk-cut.mp4"))); frames == 0 {
		t.Error("the first example downloads no video")
	}
	captions, err := os.ReadFile(filepath.Join(dir, "talk.srt"))
	if err != nil || !strings.Contains(string(captions), "-->") {
		t.Errorf("the second example downloads no captions: %v, %q", err, captions)
	}
}

// TestRecipe runs the recipe of docs/api.md from an empty data directory to a video.
func TestRecipe(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	recipe := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(string(guide))
	if recipe == nil || strings.Count(recipe[1], "\n") > 10 {
		t.Fatalf("docs/api.md has no recipe of ten lines: %q", recipe)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()

	dir := t.TempDir()
	server := program(t.Context(), filepath.Join(dir, "data"))
	for name, target := range map[string]string{"roughcut": server.Path, "talk.mp4": tinyTalk(t)} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "password.txt"), []byte(goodPassword), 0o600); err != nil {
		t.Fatal(err)
	}
	mediatest.Needs(t, "curl", "jq")
	script := "trap 'kill $(jobs -p)' EXIT\n" + strings.ReplaceAll(recipe[1], "127.0.0.1:8420", address)
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(server.Env, "LISTEN_ADDR="+address, "PATH="+dir+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if frames := len(mediatest.FrameNumbers(t, filepath.Join(dir, "talk-cut.mp4"))); frames == 0 {
		t.Error("the recipe downloads no video")
	}
}

// apiGuideScript is a talk with pauses that mentions a camera.
const apiGuideScript = `rate 48000
floor -65
pause 300
say en-us 160 so today we are going to talk about the new camera
pause 1900
say en-us 160 the light in this kitchen
pause 1500
say en-us 160 welcome back everyone
pause 3000
`
