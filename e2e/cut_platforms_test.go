package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// cutTiny cuts the tiny talk with a speech model into out. adjust changes the command.
func cutTiny(t *testing.T, out string, adjust func(*exec.Cmd)) cutReport {
	t.Helper()
	cmd := program(
		context.Background(), t.TempDir(), "cut", tinyTalk(t), "-o", out, "--force", "--json",
		"--model", mediatest.Model(t),
	)
	adjust(cmd)
	report := runJSON(t, cmd)
	if len(report.Transcript.Words) < 8 || len(report.Edits) == 0 {
		t.Fatalf("cut %+v", report)
	}
	return report
}

// texts returns the words without their times.
func texts(words []media.Word) (all []string) {
	for _, word := range words {
		all = append(all, word.Text)
	}
	return all
}

// TestArm64CutsAlike cuts a talk with the executable for arm64 on two emulated processors: one of
// ARMv8.0, and one that has the instructions of the other variant of ggml. `make test-arm64` builds
// the executable.
func TestArm64CutsAlike(t *testing.T) {
	executable, sysroot := os.Getenv("ROUGHCUT_ARM64"), os.Getenv("ROUGHCUT_ARM64_SYSROOT")
	if executable == "" {
		t.Skip("make test-arm64 sets ROUGHCUT_ARM64")
	}
	out := filepath.Join(t.TempDir(), "cut.mp4")
	here := cutTiny(t, out, func(*exec.Cmd) {})
	for _, processor := range []string{"cortex-a53", "max,pauth-impdef=on"} {
		there := cutTiny(t, out, func(cmd *exec.Cmd) {
			cmd.Path = executable
			emulate(t, cmd, "qemu-aarch64", "-L", sysroot, "-cpu", processor)
		})
		if diff := cmp.Diff(here.Edits, there.Edits); diff != "" || here.OutputDurationMS != there.OutputDurationMS {
			t.Errorf("%s cuts to %d ms, this machine to %d ms:\n%s",
				processor, there.OutputDurationMS, here.OutputDurationMS, diff)
		}
		if diff := cmp.Diff(texts(here.Transcript.Words), texts(there.Transcript.Words)); diff != "" {
			t.Errorf("%s hears other words:\n%s", processor, diff)
		}
		decode := mediatest.Command(t, "ffmpeg", "-v", "error", "-xerror", "-i", out, "-f", "null", "-")
		said, err := decode.CombinedOutput()
		if err != nil || len(said) > 0 {
			t.Errorf("%s: the cut does not decode: %v\n%s", processor, err, said)
		}
	}
}

// TestVulkanDriverThatCrashes runs commands with a driver that ends each process that loads it.
func TestVulkanDriverThatCrashes(t *testing.T) {
	if os.Getenv("ROUGHCUT_VULKAN") == "" {
		t.Skip("make test-vulkan sets ROUGHCUT_VULKAN")
	}
	dir := t.TempDir()
	source, driver := filepath.Join(dir, "driver.c"), filepath.Join(dir, "driver.so")
	list := filepath.Join(dir, "icd.json")
	for path, text := range map[string]string{
		source: "#include <stdlib.h>\n__attribute__((constructor)) static void load(void) { abort(); }\n",
		list: fmt.Sprintf(
			`{"file_format_version": "1.0.0", "ICD": {"library_path": %q, "api_version": "1.3.0"}}`, driver,
		),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := mediatest.Command(t, "cc", "-shared", "-fPIC", "-o", driver, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	env := "VK_DRIVER_FILES=" + list
	cache := func() string { return "XDG_CACHE_HOME=" + t.TempDir() } // of measured speeds
	if code, _, text := examined(t, t.TempDir(), env, cache()); code != 0 || !strings.Contains(text, "thread") {
		t.Errorf("the doctor exits with %d: %s", code, text)
	}
	got := cutTiny(t, filepath.Join(dir, "cut.mp4"), func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, env, cache()) })
	if len(got.Transcript.Words) == 0 {
		t.Error("a cut has no words")
	}
	for _, args := range [][]string{{"--owner"}, nil} {
		server := serve(t, t.TempDir(), []string{env, cache(), "LOG_LEVEL=info"}, args...)
		poll(t, func() bool { return strings.Contains(server.log.String(), " on this machine, with ") })
		server.stop()
	}
}

// TestVulkanHearsAlike transcribes on Vulkan's first device, which can be a software driver, and
// on the CPU: in this process and in the child of a server. Without a driver the CPU transcribes.
// `make test-vulkan` builds whisper.cpp with Vulkan.
func TestVulkanHearsAlike(t *testing.T) {
	if os.Getenv("ROUGHCUT_VULKAN") == "" {
		t.Skip("make test-vulkan sets ROUGHCUT_VULKAN")
	}
	// Without this variable, ggml uses no software driver.
	const graphics, driverless = "GGML_VK_VISIBLE_DEVICES=0", "VK_DRIVER_FILES=/nonexistent"
	cache := "XDG_CACHE_HOME=" + t.TempDir() // of measured speeds
	device := func(env ...string) string {
		_, _, text := examined(t, t.TempDir(), append(env, cache)...)
		_, name, _ := strings.Cut(text, " on this machine, with ")
		name, _, _ = strings.Cut(name, ";")
		return name
	}
	if name := device(graphics); name == "" || strings.Contains(name, "thread") {
		t.Fatalf("the doctor says that speech recognition runs with %q", name)
	}
	for _, env := range []string{driverless, "GGML_VK_VISIBLE_DEVICES=", "LANG=C"} {
		if name := device(env); !strings.Contains(name, "because Vulkan finds no graphics processor") {
			t.Errorf("with %s speech recognition runs with %q", env, name)
		}
	}
	out := filepath.Join(t.TempDir(), "cut.mp4")
	with := func(env ...string) func(*exec.Cmd) {
		return func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, append(env, cache)...) }
	}
	want := cutTiny(t, out, with())
	for _, env := range []string{graphics, driverless} {
		got := cutTiny(t, out, with(env))
		if diff := cmp.Diff(texts(want.Transcript.Words), texts(got.Transcript.Words)); diff != "" {
			t.Errorf("with %s other words are heard:\n%s", env, diff)
		}
		if diff := cmp.Diff(want.Edits, got.Edits); diff != "" {
			t.Errorf("with %s other cuts are found:\n%s", env, diff)
		}
	}
	server := serve(t, t.TempDir(), []string{"SPEECH_MODEL=" + mediatest.Model(t), graphics, cache, "LOG_LEVEL=info"})
	c := signUp(t, server)
	project := call[record](c, "POST", "/api/v1/projects/", map[string]string{"name": "A talk"}, 201)
	root := "/api/v1/projects/" + project.UUID
	events := c.events(project.UUID, "CLIP_READY", "ANALYSIS_COMPLETE")
	clip := c.upload(project.UUID, tinyTalk(t)).UUID
	wait(t, events)
	call[struct{}](c, "POST", root+"/analyze", map[string]int{}, 202)
	wait(t, events)
	got := call[media.Transcript](c, "GET", "/api/v1/clips/"+clip+"/transcript", nil, 200)
	if diff := cmp.Diff(texts(want.Transcript.Words), texts(got.Words)); diff != "" {
		t.Errorf("the child of a server hears other words:\n%s", diff)
	}
	if log := server.log.String(); strings.Contains(log, "failed on the graphics processor") {
		t.Errorf("the driver failed in the child:\n%s", log)
	}
}
