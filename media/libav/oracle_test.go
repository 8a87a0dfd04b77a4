package libav

import (
	"context"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// packet is one packet of a file.
type packet struct {
	CodecType string `json:"codec_type"`
	PTS       *int64 `json:"pts"`
	DTS       *int64 `json:"dts"`
	Flags     string `json:"flags"`
	Pos       string `json:"pos"`
}

// probed is the output of the ffprobe command, which serves as an independent reference.
type probed struct {
	Streams []struct {
		CodecType  string `json:"codec_type"`
		CodecName  string `json:"codec_name"`
		Profile    string `json:"profile"`
		PixFmt     string `json:"pix_fmt"`
		Width      int    `json:"width"`
		Height     int    `json:"height"`
		SAR        string `json:"sample_aspect_ratio"`
		Space      string `json:"color_space"`
		Range      string `json:"color_range"`
		Transfer   string `json:"color_transfer"`
		Frames     string `json:"nb_frames"`
		Start      string `json:"start_time"`
		Duration   string `json:"duration"`
		SampleRate string `json:"sample_rate"`
		Channels   int    `json:"channels"`
		HasBFrames int    `json:"has_b_frames"`
	} `json:"streams"`
	Packets []packet `json:"packets"`
	Format  struct {
		Start string `json:"start_time"`
		Tags  map[string]string
	} `json:"format"`
	Frames []struct {
		Time string `json:"best_effort_timestamp_time"`
	} `json:"frames"`
}

// delays returns how many frames a player decodes before it can show an earlier one, for each video
// track.
func delays(t testing.TB, path string) (frames []int) {
	t.Helper()
	for _, s := range ffprobe(t, path, "-select_streams", "v", "-show_entries", "stream=has_b_frames").Streams {
		frames = append(frames, s.HasBFrames)
	}
	return frames
}

func ffprobe(t testing.TB, path string, args ...string) probed {
	t.Helper()
	out, err := mediatest.Command(
		t, "ffprobe",
		append(append([]string{"-v", "error", "-of", "json"}, args...), path)...).Output()
	if err != nil {
		t.Fatalf("ffprobe %s: %v", path, err)
	}
	var p probed
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func seconds(t testing.TB, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// shownNumbers returns which frame number a recording shows at each grid frame, from ffmpeg's time
// stamps and frames: the last frame whose grid frame is not above n; see media.RenderPlan. start is
// clip time 0 in seconds of the file's own time.
func shownNumbers(t testing.TB, path string, rate media.Rate, start float64, frames int64) []int64 {
	t.Helper()
	numbers := mediatest.FrameNumbers(t, path)
	stamps := ffprobe(t, path, "-select_streams", "v:0", "-show_entries", "frame=best_effort_timestamp_time").Frames
	if len(numbers) != len(stamps) {
		t.Fatalf("%s: ffmpeg decoded %d frames, ffprobe %d", path, len(numbers), len(stamps))
	}
	if unread := slices.Index(numbers, -1); unread >= 0 {
		t.Fatalf("%s: the number of frame %d cannot be read", path, unread)
	}
	shown := make([]int64, frames)
	for i := range shown {
		shown[i] = numbers[0]
	}
	nearest := func(s float64) int64 { return int64(math.Floor(s*rate.Float() + 0.5 + 1e-6)) }
	first := seconds(t, stamps[0].Time)
	for i, stamp := range stamps {
		index := nearest(first-start) + nearest(seconds(t, stamp.Time)-first)
		for n := max(0, index); n < frames; n++ {
			shown[n] = numbers[i]
		}
	}
	return shown
}

// clipZero returns clip time 0 in seconds of the file's own time: the earlier of the first decoded
// frame and the first decoded audio, moved so that the first frame is on the grid. counted is the
// time that the ffmpeg command counts as zero when it decodes the file.
func clipZero(t testing.TB, path string) (zero, counted float64) {
	t.Helper()
	first, video, counted := firstTimes(t, path)
	info, err := New().Probe(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	if v := info.Video; v != nil && !v.Still && !math.IsInf(video, 1) {
		return video - math.Round((video-first)*v.Rate.Float())/v.Rate.Float(), counted
	}
	return first, counted
}

// firstTimes returns the times of the first decoded frame or audio of a file, and of the first
// frame. counted is as for clipZero.
func firstTimes(t testing.TB, path string) (first, video, counted float64) {
	t.Helper()
	first, video = math.Inf(1), math.Inf(1)
	for _, kind := range []string{"v:0", "a:0"} {
		for _, f := range ffprobe(
			t, path, "-select_streams", kind, "-read_intervals", "%+#40", "-show_entries",
			"frame=best_effort_timestamp_time",
		).Frames {
			if f.Time != "" {
				first = min(first, seconds(t, f.Time))
			}
		}
		if kind == "v:0" {
			video = first
		}
	}
	if start := ffprobe(t, path, "-show_format").Format.Start; start != "" {
		counted = seconds(t, start)
	}
	return first, video, counted
}

// makePlan plans cuts at the recording's own size. It probes instead of ingesting, and takes the
// real length from ffmpeg.
func makePlan(t testing.TB, cuts []media.Span, settings media.RenderSettings, paths ...string) media.RenderPlan {
	t.Helper()
	var clips []media.RenderClip
	for _, path := range paths {
		info, err := New().Probe(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		clips = append(clips, media.RenderClip{Path: path, Info: info})
	}
	if settings.VolumePercent == 0 {
		settings.VolumePercent = 100
	}
	if settings.AspectRatio == "" {
		settings.AspectRatio = "source"
	}
	plan, err := media.NewRenderPlan(clips, cuts, settings)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func renderPlan(t testing.TB, plan media.RenderPlan) (string, media.RenderResult) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out"+plan.Format.Extension)
	rendered, err := New().Render(context.Background(), plan, out, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out, rendered
}

// everySecond returns one cut per second and a half, at irregular places.
func everySecond(durationMS int64) []media.Span {
	var cuts []media.Span
	for at, i := int64(430), int64(0); at < durationMS-400; at, i = at+1490+37*(i%5), i+1 {
		cuts = append(cuts, media.Span{StartMS: at, EndMS: at + 140 + 290*(i%4)})
	}
	return cuts
}

// checkFrames compares every frame of an output with the plan.
func checkFrames(t *testing.T, plan media.RenderPlan, numbers []int64, shown [][]int64) {
	t.Helper()
	if int64(len(numbers)) != plan.Frames() {
		t.Errorf("the output has %d frames, the plan %d", len(numbers), plan.Frames())
	}
	wrong := 0
	for _, s := range plan.Segments {
		for n := s.In; n < s.Out; n++ {
			at := s.Start + n - s.In
			if at >= int64(len(numbers)) {
				return
			}
			if want := shown[s.Input][n]; numbers[at] != want {
				if wrong++; wrong <= 5 {
					t.Errorf(
						"output frame %d shows %d, want %d (input %d, frame %d)",
						at, numbers[at], want, s.Input, n,
					)
				}
			}
		}
	}
	if wrong > 5 {
		t.Errorf("%d frames are wrong in all", wrong)
	}
}

// checkPackets checks what players rely on: strictly increasing DTS, frames of one duration, and
// the keyframes that checkKeyframes checks.
func checkPackets(t *testing.T, out string, apart int) {
	t.Helper()
	checkKeyframes(t, checkStamps(t, out), apart)
}

// checkStamps checks that DTS increase and that each frame is shown for one frame duration. It
// returns the video packets.
func checkStamps(t *testing.T, out string) (frames []packet) {
	t.Helper()
	p := ffprobe(t, out, "-show_packets", "-show_entries", "packet=codec_type,pts,dts,flags")
	last := map[string]int64{}
	var shown []int64
	for i, packet := range p.Packets {
		if packet.DTS == nil || packet.PTS == nil {
			t.Fatalf("packet %d has no time", i)
		}
		if before, ok := last[packet.CodecType]; ok && *packet.DTS <= before {
			t.Fatalf("%s packet %d: DTS %d after %d", packet.CodecType, i, *packet.DTS, before)
		}
		last[packet.CodecType] = *packet.DTS
		if packet.CodecType == "video" {
			shown = append(shown, *packet.PTS)
			frames = append(frames, packet)
		}
	}
	slices.Sort(shown)
	for i := 2; i < len(shown); i++ {
		if length := shown[i] - shown[i-1]; length != shown[1]-shown[0] {
			t.Errorf("frame %d is shown for %d ticks", i-1, length)
		}
	}
	return frames
}

// videoPackets returns the video packets of a file in decoding order.
func videoPackets(t testing.TB, path string) []packet {
	t.Helper()
	return ffprobe(t, path, "-select_streams", "v:0", "-show_packets", "-show_entries", "packet=pts,dts,flags").Packets
}

// checkKeyframes checks what a seek in a browser relies on. Keyframes are at most a given number of
// frames apart, and no frame that is decoded after a keyframe is shown before it. It returns the
// number of keyframes.
func checkKeyframes(t *testing.T, frames []packet, apart int) (keyframes int) {
	t.Helper()
	var key int64
	since := 0
	for i, packet := range frames {
		if packet.PTS == nil {
			t.Fatalf("frame %d has no time stamp", i)
		}
		if packet.Flags[0] == 'K' {
			keyframes, key, since = keyframes+1, *packet.PTS, 0
		}
		if *packet.PTS < key || keyframes == 0 {
			t.Fatalf("frame %d in decoding order is shown before the keyframe ahead of it", i)
		}
		if since++; since > apart {
			t.Fatalf("no keyframe among the %d frames before frame %d", since-1, i)
		}
	}
	return keyframes
}
