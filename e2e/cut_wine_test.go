package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roughcut/media/mediatest"
)

// forWindows returns a function that makes a command run the executable for Windows under Wine. It
// skips the test unless `make test-windows` has built the executable.
func forWindows(t *testing.T) func(*exec.Cmd) {
	t.Helper()
	executable, prefix := os.Getenv("ROUGHCUT_WINDOWS"), os.Getenv("WINEPREFIX")
	if executable == "" {
		t.Skip("make test-windows sets ROUGHCUT_WINDOWS")
	}
	return func(cmd *exec.Cmd) {
		cmd.Path = executable
		emulate(t, cmd, "/usr/lib/wine/wine64")
		cmd.Env = append(cmd.Env, "WINEPREFIX="+prefix, "WINEDEBUG=-all", "DISPLAY=")
	}
}

func TestWindowsDoctorFindsNoFault(t *testing.T) {
	windows := forWindows(t)
	dir := t.TempDir()
	for command, want := range map[string]string{
		"version": "\nFFmpeg 7", "doctor": "codecs     ok       all codecs and filters are linked",
	} {
		cmd := program(context.Background(), dir, command)
		windows(cmd)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, want %q in\n%s", command, err, want, out)
		}
	}
}

// TestWindowsChoosesInstructions asks which instructions speech recognition uses under Wine: those
// that it uses on this machine, and no AVX on an emulated processor of 2008. There, a cut finds the
// same words.
func TestWindowsChoosesInstructions(t *testing.T) {
	windows := forWindows(t)
	old := func(cmd *exec.Cmd) {
		windows(cmd)
		emulate(t, cmd, "qemu-x86_64", "-cpu", "Nehalem")
		cmd.Env = append(cmd.Env, "WINELOADERNOEXEC=1") // the loader would start itself again, without the emulator
	}
	const drive = "Z:" // has the files of this system under Wine
	instructions := func(drive string, adjust func(*exec.Cmd)) string {
		cmd := program(context.Background(), t.TempDir(), "doctor")
		cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+drive+t.TempDir())
		adjust(cmd)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.Join(regexp.MustCompile(`\b(AVX|FMA|F16C|BMI)\w*`).FindAllString(string(out), -1), ", ")
	}
	here, there := instructions("", func(*exec.Cmd) {}), instructions(drive, windows)
	if here != there {
		t.Errorf("on Windows speech recognition uses %q, on this system %q", there, here)
	}
	if emulated := instructions(drive, old); emulated != "" {
		t.Errorf("on an old processor speech recognition uses %q", emulated)
	}
	out := filepath.Join(t.TempDir(), "cut.mp4")
	want, got := cutTiny(t, out, func(*exec.Cmd) {}), cutTiny(t, out, old)
	if diff := cmp.Diff(texts(want.Transcript.Words), texts(got.Transcript.Words)); diff != "" {
		t.Errorf("an old processor hears other words:\n%s", diff)
	}
	decodes(t, out)
}

// TestWindowsKeepsHEVC cuts HEVC of both depths of phones. Most packets are copied, and x265
// encodes the frames before the first keyframe of a segment.
func TestWindowsKeepsHEVC(t *testing.T) {
	windows := forWindows(t)
	for _, format := range []string{"yuv420p", "yuv420p10le"} {
		talk := mediatest.Talk(t, mediatest.TalkOptions{
			Seconds: 16, VideoCodec: "libx265", GOP: 30, BFrames: 4, OpenGOP: true, PixelFormat: format,
		}).Path
		dir := t.TempDir()
		cut := func(adjust func(*exec.Cmd)) (report cutReport, video string, copied, all int) {
			out := filepath.Join(dir, "cut.mp4")
			cmd := program(
				context.Background(), dir, "cut", talk, "-o", out, "--force", "--json", "--video-codec", "source",
			)
			adjust(cmd)
			report = runJSON(t, cmd)
			decodes(t, out)
			packets := videoPackets(t, out)
			video = probed(t, out, "-show_entries", "stream=codec_name,pix_fmt")
			return report, video, len(shared(packets, videoPackets(t, talk))), len(packets)
		}
		here, video, copied, all := cut(func(*exec.Cmd) {})
		there, windowsVideo, windowsCopied, windowsAll := cut(windows)
		if want := "hevc," + format; windowsVideo != want || video != want {
			t.Errorf("%s becomes %s on Windows, %s on this system", want, windowsVideo, video)
		}
		if windowsCopied != copied || windowsAll != all || 2*copied < all || copied == all {
			t.Errorf("%s: %d of %d packets are copied on Windows, %d of %d on this system",
				format, windowsCopied, windowsAll, copied, all)
		}
		sameCut(t, here, there)
	}
}

// videoPackets returns the checksums of the video packets of a file.
func videoPackets(t *testing.T, path string) []string {
	t.Helper()
	return strings.Fields(probed(t, path, "-show_data_hash", "MD5", "-show_entries", "packet=data_hash"))
}

// probed returns what ffprobe says about the video of a file.
func probed(t *testing.T, path string, ask ...string) string {
	t.Helper()
	out, err := mediatest.Command(
		t, "ffprobe", append([]string{"-v", "error", "-select_streams", "v:0", "-of", "csv=p=0", path}, ask...)...,
	).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// shared returns the elements of a that b has too.
func shared(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(element string) bool { return !slices.Contains(b, element) })
}

// TestWindowsCutsAlike cuts a talk with captions and without a speech model.
func TestWindowsCutsAlike(t *testing.T) {
	windows := forWindows(t)
	out := filepath.Join(t.TempDir(), "cut.mp4")
	captioned := func(cmd *exec.Cmd) { cmd.Args = append(cmd.Args, "--captions", "classic") }
	here := cutTiny(t, out, captioned)
	there := cutTiny(t, out, func(cmd *exec.Cmd) { captioned(cmd); windows(cmd) })
	if diff := cmp.Diff(texts(here.Transcript.Words), texts(there.Transcript.Words)); diff != "" {
		t.Errorf("Windows hears other words:\n%s", diff)
	}
	sameCut(t, here, there)
	decodes(t, out)

	wordless := func(adjust func(*exec.Cmd), flags ...string) cutReport {
		cmd := program(context.Background(), t.TempDir(), append([]string{"cut", tinyTalk(t), "--json"}, flags...)...)
		adjust(cmd)
		return runJSON(t, cmd)
	}
	here = wordless(func(*exec.Cmd) {}, "--dry-run")
	if len(here.Edits) == 0 {
		t.Fatalf("cut %+v", here)
	}
	sameCut(t, here, wordless(windows, "--dry-run"))
	sameCut(t, here, wordless(windows, "-o", out, "--force"))
	decodes(t, out)
}

// TestWindowsEncodesWithoutDriver asks for NVENC, whose driver Wine does not have: doctor says so,
// and x264 encodes.
func TestWindowsEncodesWithoutDriver(t *testing.T) {
	windows := forWindows(t)
	const missing = "NVIDIA's driver is missing (nvcuda.dll and nvEncodeAPI64.dll)"
	for encoder, want := range map[string]string{
		"auto":  "encoder    ok       x264, no hardware encoder works (nvenc: " + missing + ")",
		"nvenc": "encoder    warning  The encoder nvenc failed its self-test: " + missing,
	} {
		cmd := program(context.Background(), t.TempDir(), "doctor")
		cmd.Env = append(cmd.Env, "ENCODER="+encoder)
		windows(cmd)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, want %q in\n%s", encoder, err, want, out)
		}
	}
	out := filepath.Join(t.TempDir(), "cut.mp4")
	cmd := program(
		context.Background(), t.TempDir(), "cut", tinyTalk(t), "-o", out, "--json", "--aspect", "1:1",
		"--encoder", "nvenc",
	)
	windows(cmd)
	if report := runJSON(t, cmd); report.Encoder != "x264" || !strings.Contains(report.SoftwareBecause, missing) {
		t.Errorf("the cut reports %q, %q", report.Encoder, report.SoftwareBecause)
	}
	decodes(t, out)
}

// sameCut fails the test unless two executables cut alike.
func sameCut(t *testing.T, here, there cutReport) {
	t.Helper()
	if diff := cmp.Diff(here.Edits, there.Edits); diff != "" || here.OutputDurationMS != there.OutputDurationMS {
		t.Errorf("cuts to %d ms, this system to %d ms:\n%s", there.OutputDurationMS, here.OutputDurationMS, diff)
	}
}

// decodes fails the test unless ffmpeg decodes a video without complaints.
func decodes(t *testing.T, path string) {
	t.Helper()
	decode := mediatest.Command(t, "ffmpeg", "-v", "error", "-xerror", "-i", path, "-f", "null", "-")
	said, err := decode.CombinedOutput()
	if err != nil || len(said) > 0 {
		t.Errorf("%s does not decode: %v\n%s", path, err, said)
	}
}

// TestWindowsServerExports takes a talk through a server, which then stops and starts again.
func TestWindowsServerExports(t *testing.T) {
	windows := forWindows(t)
	dir := t.TempDir()
	begin := func() (*running, *client) {
		cmd := program(context.Background(), dir, "serve", "--listen", "127.0.0.1:0", "--owner")
		windows(cmd)
		server := start(t, dir, cmd)
		return server, server.owner(t)
	}
	server, c := begin()
	if status, text, err := c.do("GET", "/readyz", nil); err != nil || status >= 300 {
		t.Errorf("health: status %d, %v, %s", status, err, text)
	}
	project := c.guideProject("A talk", tinyTalk(t), false)
	root := "/api/v1/projects/" + project
	call[map[string]any](c, "POST", root+"/analyze", map[string]any{"pacing_level": pacing}, 202)
	poll(t, func() bool { return call[record](c, "GET", root, nil, 200).Status == "analyzed" })
	decodes(t, c.exported(project, filepath.Join(t.TempDir(), "export.mp4")))
	server.stop()

	server, c = begin()
	if got := call[record](c, "GET", root, nil, 200); got.Status != "analyzed" {
		t.Errorf("after a restart, the project is %+v", got)
	}
	call[struct{}](c, "DELETE", root, nil, 204)
	server.stop()
}
