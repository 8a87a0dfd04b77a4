package e2e

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

// timelines cuts recordings into a video, with timelines in formats next to it.
func timelines(t *testing.T, dir, formats string, recordings ...string) {
	t.Helper()
	args := append([]string{"cut"}, recordings...)
	args = append(args, "-o", filepath.Join(dir, "cut.mp4"), "--timeline", formats)
	if text, err := program(context.Background(), dir, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// oddCopy copies a recording under a name that is hard to quote.
func oddCopy(t *testing.T, dir, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	odd := filepath.Join(dir, `täl k #1 & "演讲" 100%.mp4`)
	if err := os.WriteFile(odd, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return odd
}

// `roughcut cut --timeline` writes well-formed files that name the recording, with and without a
// video.
func TestCutWritesTimelines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	recording := oddCopy(t, dir, mediatest.Talk(t, mediatest.TalkOptions{Seconds: 6}).Path)
	run := func(args ...string) string {
		t.Helper()
		text, err := program(context.Background(), dir, append([]string{"cut", recording}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return string(text)
	}
	run("-o", filepath.Join(dir, "talk"), "--timeline", "fcpxml,otio,kdenlive,edl,csv")
	if _, err := os.Stat(filepath.Join(dir, "talk.mp4")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a video was rendered: %v", err)
	}
	for _, extension := range []string{".fcpxml", ".kdenlive"} {
		file, err := os.Open(filepath.Join(dir, "talk"+extension))
		if err != nil {
			t.Fatal(err)
		}
		dec := xml.NewDecoder(file)
		for err == nil {
			_, err = dec.Token()
		}
		if file.Close(); !errors.Is(err, io.EOF) {
			t.Errorf("talk%s is not well-formed: %v", extension, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "talk.edl")); err != nil || !strings.Contains(string(text), "演讲") {
		t.Errorf("the EDL does not name the recording: %v\n%s", err, text)
	}
	run("-o", filepath.Join(dir, "moved"), "--timeline", "edl", "--media-folder", `D:\Talks`)
	if text, err := os.ReadFile(filepath.Join(dir, "moved.edl")); err != nil ||
		!strings.Contains(string(text), `D:\Talks\täl`) {
		t.Errorf("the EDL does not name the media folder: %v\n%s", err, text)
	}
	recording = withChapters(t, dir, recording, "Greeting")
	run("-o", filepath.Join(dir, "named"), "--timeline", "chapters,fcpxml")
	for _, file := range []string{"named.chapters.txt", "named.fcpxml"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || !strings.Contains(string(text), "Greeting") {
			t.Errorf("%s has no chapter: %v\n%s", file, err, text)
		}
	}
	refused, err := program(
		context.Background(), dir, "cut", recording, "-o", filepath.Join(dir, "talk"), "--timeline", "otio",
	).CombinedOutput()
	if err == nil || !strings.Contains(string(refused), "already exists") {
		t.Errorf("an existing timeline was replaced: %v\n%s", err, refused)
	}
}

// withChapters copies a recording with one chapter of a second.
func withChapters(t *testing.T, dir, path, title string) string {
	t.Helper()
	list, out := filepath.Join(dir, "chapters.txt"), filepath.Join(dir, "chapters.mp4")
	text := ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=" + title + "\n"
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	mediatest.FFmpeg(t, "-i", path, "-i", list, "-map_metadata", "1", "-c", "copy", out)
	return out
}

// With --constant-rate, timelines point to a constant-rate copy of a recording with a variable
// frame rate. The timeline shows the same frames as the video.
func TestCutWritesConstantRateCopies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	talk := timelineTalk(t, mediatest.TalkOptions{Variable: true, Hiss: true})
	args := []string{"cut", talk, "-o", filepath.Join(dir, "cut.mp4"), "--timeline", "otio", "--constant-rate"}
	if text, err := program(context.Background(), dir, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	copied := filepath.Join(dir, strings.TrimSuffix(filepath.Base(talk), ".mp4")+" constant rate.mp4")
	times, err := mediatest.Command(t, "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "frame=pts",
		"-of", "csv=p=0", copied).Output()
	if err != nil {
		t.Fatal(err)
	}
	var stamps []int64
	for _, field := range strings.Fields(string(times)) {
		n, err := strconv.ParseInt(strings.Trim(field, ","), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		stamps = append(stamps, n)
	}
	for i := 2; i < len(stamps); i++ {
		if stamps[i]-stamps[i-1] != stamps[1]-stamps[0] {
			t.Fatalf("frame %d of the copy takes %d ticks, not %d", i-1, stamps[i]-stamps[i-1], stamps[1]-stamps[0])
		}
	}
	frames := mediatest.FrameNumbers(t, copied)
	var played []int64
	for _, track := range readOTIO(t, filepath.Join(dir, "cut.otio")) {
		for _, clip := range track.Children {
			if from := int(clip.Source.Start.Value); track.Kind == "Video" {
				played = append(played, frames[from:from+int(clip.Source.Duration.Value)]...)
			}
			address, err := url.PathUnescape(clip.References["DEFAULT_MEDIA"].URL)
			if err != nil || !strings.HasSuffix(address, copied) {
				t.Errorf("a clip plays %q: %v", address, err)
			}
		}
	}
	if want := mediatest.FrameNumbers(t, filepath.Join(dir, "cut.mp4")); fmt.Sprint(played) != fmt.Sprint(want) {
		t.Errorf("the timeline plays the frames %v of the copy, the video has %v", played, want)
	}
}

// otioTrack is what the tests read of a track of an OTIO file.
type otioTrack struct {
	Kind     string
	Children []struct {
		Source struct {
			Start    struct{ Value float64 } `json:"start_time"`
			Duration struct{ Value float64 }
		} `json:"source_range"`
		References map[string]struct {
			URL string `json:"target_url"`
		} `json:"media_references"`
	}
}

// readOTIO returns the tracks of an OTIO file.
func readOTIO(t *testing.T, path string) []otioTrack {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var line struct {
		Tracks struct{ Children []otioTrack }
	}
	if err := json.Unmarshal(data, &line); err != nil {
		t.Fatal(err)
	}
	return line.Tracks.Children
}

// timelineTalk is a recording of 12 s for timelines.
func timelineTalk(t *testing.T, o mediatest.TalkOptions) string {
	t.Helper()
	o.Seconds, o.VideoOptions = 12, bt709
	return mediatest.Talk(t, o).Path
}

// lateVideo copies a recording into a file whose video starts later than its audio.
func lateVideo(t *testing.T, path, name string, ms int) string {
	t.Helper()
	late := filepath.Join(t.TempDir(), name)
	ffmpeg := mediatest.Command(t, "ffmpeg", "-v", "error", "-i", path, "-itsoffset", fmt.Sprintf("%dms", ms),
		"-i", path, "-map", "1:v", "-map", "0:a", "-c", "copy", late)
	if text, err := ffmpeg.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return late
}

// secondTrack copies a recording into a file with two audio tracks. The first track is a tone, the
// second is the default track.
func secondTrack(t *testing.T, path string) string {
	t.Helper()
	two := filepath.Join(t.TempDir(), "two.mkv")
	ffmpeg := mediatest.Command(t, "ffmpeg", "-v", "error", "-i", path, "-f", "lavfi", "-i", "sine=d=12", "-map", "0:v",
		"-map", "1:a", "-map", "0:a", "-c:v", "copy", "-c:a", "aac", "-disposition:a:0", "0",
		"-disposition:a:1", "default", two)
	if text, err := ffmpeg.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return two
}

// melt renders a project of MLT, or a range of it. The Qt module of MLT, which Kdenlive uses, needs
// a display.
func melt(t *testing.T, project, out string, bounds ...string) {
	t.Helper()
	args := append(append([]string{"-a", "melt", project}, bounds...), "-consumer", "avformat:"+out,
		"vcodec=libx264", "crf=18", "acodec=aac", "real_time=-1")
	cmd := mediatest.Command(t, "xvfb-run", args...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("melt %s: %v\n%s", project, err, text)
	}
}

// everyFootage returns recordings of every kind by name.
func everyFootage(t *testing.T) map[string][]string {
	t.Helper()
	talk := func(o mediatest.TalkOptions) string { return timelineTalk(t, o) }
	pal, hiss := talk(mediatest.TalkOptions{RateNum: 25}), talk(mediatest.TalkOptions{RateNum: 25, Hiss: true})
	return map[string][]string{
		"25":       {pal},
		"23.976":   {talk(mediatest.TalkOptions{RateNum: 24000, RateDen: 1001})},
		"29.97":    {talk(mediatest.TalkOptions{RateNum: 30000, RateDen: 1001})},
		"59.94":    {talk(mediatest.TalkOptions{RateNum: 60000, RateDen: 1001})},
		"rotated":  {talk(mediatest.TalkOptions{Width: 360, Height: 640, RotationDeg: 90})},
		"mono":     {talk(mediatest.TalkOptions{Channels: 1})},
		"odd name": {oddCopy(t, t.TempDir(), pal)},
		"two":      {pal, hiss},
		"late.mkv": {lateVideo(t, hiss, "late.mkv", 300)},
		"late.mp4": {lateVideo(t, pal, "late.mp4", 300)},
		"two.mkv":  {secondTrack(t, hiss)},
	}
}

// MLT renders the frames of the export from the MLT, Shotcut and Kdenlive files of footage of every
// kind.
func TestLongTimelinesRenderTheExport(t *testing.T) {
	needsLong(t)
	for name, recordings := range everyFootage(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			timelines(t, dir, "mlt,shotcut,kdenlive", recordings...)
			want := mediatest.FrameNumbers(t, filepath.Join(dir, "cut.mp4"))
			if name == "late.mp4" { // a gap before the first frame, which the export repeats
				for i := range 8 {
					want[i] = -1
				}
			}
			for _, file := range []string{"cut.mlt.xml", "cut.mlt", "cut.kdenlive"} {
				out := filepath.Join(dir, file+".mp4")
				melt(t, filepath.Join(dir, file), out)
				if got := mediatest.FrameNumbers(t, out); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s shows the frames %v, the export %v", file, got, want)
				}
				if name == "late.mkv" || name == "two.mkv" {
					const hz = 8000
					window := mediatest.PCM(t, out, hz)[2*hz : 3*hz]
					lag, fit := mediatest.Lag(mediatest.PCM(t, filepath.Join(dir, "cut.mp4"), hz), window, 2*hz, hz/2)
					if fit < 0.5 || lag < -hz/50 || lag > hz/50 {
						t.Errorf("%s plays audio %d ms apart from the export, fit %.2f", file, lag*1000/hz, fit)
					}
				}
			}
		})
	}
}
