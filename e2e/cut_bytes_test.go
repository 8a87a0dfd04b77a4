package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"roughcut/media/mediatest"
)

// mostForBytes is how many times the processor time of an ordinary recording of as many bytes an
// analysis may take. The goal is 100. Eight silent channels at 192 kHz have 32 times the samples of
// a mono voice at 48 kHz, and took 161 to 173 times as much. The others took at most 77 times.
const mostForBytes = 250

// cheap is a recording of few bytes that could keep a server busy. options make it with ffmpeg. The
// recordings after an ordinary one are compared with the ordinary one. export holds the extension
// of an export that encodes the recording, and its options.
type cheap struct {
	name     string
	ordinary bool
	options  []string
	export   []string
}

func cheapRecordings() []cheap {
	sources := func(list ...string) (all []string) {
		for _, source := range list {
			all = append(all, "-f", "lavfi", "-i", source)
		}
		return all
	}
	const noise = "anoisesrc=a=0.1:r=48000:d=10"
	with := func(all []string, more ...string) []string { return append(all, more...) }
	x264 := func(all []string, more ...string) []string {
		all = with(all, "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "250")
		return with(with(all, "-c:a", "aac", "-b:a", "64k"), more...)
	}
	audio, video := []string{".m4a"}, []string{".mp4", "--aspect", "9:16", "--resolution", "720p"}
	return []cheap{
		{"voice.m4a", true, with(
			sources("anoisesrc=a=0.3:r=48000:c=pink:d=60"), "-af", "tremolo=f=0.5:d=0.99", "-c:a", "aac", "-b:a", "64k",
		), audio},
		{"silence.m4a", false, with(sources("anullsrc=r=48000:cl=stereo:d=900"), "-c:a", "aac", "-b:a", "64k"), audio},
		{"silence.webm", false, with(
			sources("anullsrc=r=48000:cl=mono:d=900"),
			"-c:a", "libopus", "-dtx", "1", "-frame_duration", "60", "-b:a", "6k",
		), audio},
		{"silence.flac", false, with(sources("anullsrc=r=192000:cl=7.1:d=120"), "-frame_size", "65535"), audio},
		{"ordinary.mp4", true, x264(
			sources("testsrc2=s=1280x720:r=30:d=10", noise), "-vf", "noise=alls=12:allf=t", "-b:v", "4M",
		), video},
		{"8K.mp4", false, x264(sources("color=black:s=7680x4320:r=25:d=10", noise)), video},
		{"240 fps.mp4", false, x264(sources("color=black:s=64x64:r=240:d=60")), video},
		{"slide.mp4", false, x264(sources("color=black:s=1920x1080:r=30:d=60", noise)), video},
	}
}

// TestTimingJobsForTheirBytes prints what an analysis and an export take for each recording of few
// bytes, and how many times the processor time of an ordinary recording of as many bytes. An export
// costs what its frames cost, whatever they show, so only the analysis has a limit.
func TestTimingJobsForTheirBytes(t *testing.T) {
	mediatest.NeedsTiming(t)
	dir := t.TempDir()
	took := func(args ...string) time.Duration {
		t.Helper()
		cmd := program(t.Context(), dir, args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	start := took("version")
	var analysisOf, exportOf float64 // of a byte of the ordinary recording, in seconds
	t.Logf("%-14s %8s %10s %6s %10s %6s", "recording", "KB", "analysis", "times", "export", "times")
	for _, r := range cheapRecordings() {
		path := film(t, r.name, r.options...)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		cut := []string{"cut", path, "--force", "-o", filepath.Join(dir, "out"+r.export[0])}
		analysis := max(took(append(cut, "--dry-run")...)-start, 10*time.Millisecond)
		export := took(append(cut, r.export[1:]...)...) - start - analysis
		perByte := func(d time.Duration) float64 { return d.Seconds() / float64(info.Size()) }
		if r.ordinary {
			analysisOf, exportOf = perByte(analysis), perByte(export)
		}
		times := perByte(analysis) / analysisOf
		t.Logf("%-14s %8d %10v %6.1f %10v %6.1f", r.name, info.Size()>>10, analysis.Round(time.Millisecond), times,
			export.Round(time.Millisecond), perByte(export)/exportOf)
		if times > mostForBytes {
			t.Errorf("%s takes %.0f times the processor time of an ordinary recording of as many bytes", r.name, times)
		}
	}
}
