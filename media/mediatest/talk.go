package mediatest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed testdata/say.sh
var sayScript []byte

// Word is a spoken word with its true time in milliseconds from the start of the recording.
type Word struct {
	Text    string `json:"word"`
	StartMS int64  `json:"start_ms"`
	EndMS   int64  `json:"end_ms"`
}

// TalkOptions are the properties of a talk. The zero value is ShortScript at 640x360 and 30 frames
// a second, as H.264 and AAC in MP4.
type TalkOptions struct {
	Script  string  // in the language of testdata/say.sh; default ShortScript
	Seconds float64 // length of the recording; default the length of the script, which repeats if it is shorter

	Width, Height    int      // display size; default 640 x 360
	RateNum, RateDen int      // default 30/1
	VideoCodec       string   // ffmpeg encoder: libx264 (default), libx265, libvpx-vp9, …
	VideoOptions     []string // additional encoder options
	PixelFormat      string   // default yuv420p
	GOP              int      // frames between keyframes; default 60
	BFrames          int
	OpenGOP          bool
	Variable         bool     // variable frame rate: drops frames and shifts others by up to a third of a frame
	RotationDeg      int      // stored rotated, with a display matrix that undoes it: 90, 180, 270
	Filter           string   // additional ffmpeg filters, applied after the frame numbers are drawn
	NarrowBar        bool     `json:",omitempty"` // keep the bar inside a center crop to 9:16
	OutputOptions    []string // additional output options

	AudioCodec       string // ffmpeg encoder; default aac
	SampleRate       int    // default 48000
	Channels         int    // default 2
	Hiss             bool   // mix in noise that never repeats, so that every moment is unique
	NoAudio, NoVideo bool

	VideoStartMS, AudioStartMS int    // delay of each stream
	Container                  string // file name extension; default mp4
}

// TalkFixture is a synthesized recording.
type TalkFixture struct {
	Path    string
	Words   []Word // true times; without the repetitions of the script
	Frames  int64  // frame numbers drawn, from 0; a variable rate drops some of them
	Seconds float64
}

// generation changes when Talk creates different footage from the same options.
const generation = 5

// Talk synthesizes a talk, or returns it from the cache.
func Talk(t testing.TB, options TalkOptions) TalkFixture {
	t.Helper()
	options = options.withDefaults()
	key, err := json.Marshal(options)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(bytes.Join([][]byte{key, sayScript, {generation}}, nil))
	folder := filepath.Join(CacheDir(t), fmt.Sprintf("talk-%x", sum[:10]))
	if _, err := os.Stat(folder); err != nil {
		makeTalk(t, folder, options)
	}
	fixture := TalkFixture{}
	data, err := os.ReadFile(filepath.Join(folder, "talk.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &fixture); err != nil {
		t.Fatal(err)
	}
	fixture.Path = filepath.Join(folder, "talk."+options.Container)
	return fixture
}

func (o TalkOptions) withDefaults() TalkOptions {
	set := func(s *string, v string) {
		*s = cmp.Or(*s, v)
	}
	number := func(n *int, v int) {
		*n = cmp.Or(*n, v)
	}
	set(&o.Script, ShortScript())
	set(&o.VideoCodec, "libx264")
	set(&o.PixelFormat, "yuv420p")
	set(&o.AudioCodec, "aac")
	set(&o.Container, "mp4")
	number(&o.Width, 640)
	number(&o.Height, 360)
	number(&o.RateNum, 30)
	number(&o.RateDen, 1)
	number(&o.GOP, 60)
	number(&o.SampleRate, 48000)
	number(&o.Channels, 2)
	return o
}

// CacheDir returns the cache folder for footage.
func CacheDir(t testing.TB) string {
	t.Helper()
	base := os.Getenv("ROUGHCUT_TEST_CACHE")
	if base == "" {
		base = filepath.Join(os.TempDir(), fmt.Sprintf("roughcut-test-%d", os.Getuid()))
	}
	if err := os.MkdirAll(base, 0o700); err != nil {
		t.Fatal(err)
	}
	return base
}

// makeTalk creates a talk in a temporary folder and renames the folder when the talk is complete.
func makeTalk(t testing.TB, folder string, o TalkOptions) {
	t.Helper()
	work, err := os.MkdirTemp(filepath.Dir(folder), "making-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	fixture := synthesizeSpeech(t, work, o)
	if !o.NoVideo {
		fixture.Frames = int64(fixture.Seconds * float64(o.RateNum) / float64(o.RateDen))
	}
	encodeTalk(t, work, o, fixture)
	data, err := json.Marshal(fixture)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, "talk.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(work, "speech.wav"))
	if err := os.Rename(work, folder); err != nil {
		if _, other := os.Stat(folder); other != nil { // another test may have finished first
			t.Fatal(err)
		}
	}
}

// synthesizeSpeech synthesizes the speech and returns its true word times.
func synthesizeSpeech(t testing.TB, work string, o TalkOptions) TalkFixture {
	t.Helper()
	runSayScript(t, work, o.Script)
	speech := readTruth(t, work)
	fixture := TalkFixture{Seconds: o.Seconds}
	if o.Seconds == 0 {
		fixture.Seconds = float64(speech.DurationMS) / 1000
	}
	for _, w := range speech.words() {
		w.StartMS += int64(o.AudioStartMS)
		w.EndMS += int64(o.AudioStartMS)
		fixture.Words = append(fixture.Words, w)
	}

	return fixture
}

// encodeTalk draws the video, adds the audio and encodes both.
func encodeTalk(t testing.TB, work string, o TalkOptions, fixture TalkFixture) {
	t.Helper()
	rate := fmt.Sprintf("%d/%d", o.RateNum, o.RateDen)
	args := []string{"-v", "error", "-nostdin", "-y"}
	var graph []string
	var bars io.Reader
	if !o.NoVideo {
		bars = &barReader{total: fixture.Frames}
		args = append(args, "-f", "lavfi", "-i", fmt.Sprintf("testsrc2=s=%dx%d:r=%s", o.Width, o.Height, rate),
			"-f", "rawvideo", "-pix_fmt", "gray", "-s", fmt.Sprintf("%dx1", barBlocks), "-r", rate, "-i", "pipe:0")
		graph = append(graph, videoGraph(o))
	}

	if !o.NoAudio {
		input := strings.Count(strings.Join(args, " "), "-i ")
		args = append(args, "-stream_loop", "-1", "-i", filepath.Join(work, "speech.wav"))
		if o.Hiss {
			args = append(args, "-f", "lavfi", "-i", "anoisesrc=r=48000:a=0.02:c=pink:seed=7")
		}
		graph = append(graph, audioGraph(o, input, fixture.Seconds-float64(o.AudioStartMS)/1000))
	}

	args = append(args, "-filter_complex", strings.Join(graph, ";"))
	if !o.NoVideo {
		args = append(args, "-map", "[v]")
		args = append(args, videoArgs(o)...)
	}

	if !o.NoAudio {
		args = append(args, "-map", "[a]", "-c:a", o.AudioCodec, "-ar", fmt.Sprint(o.SampleRate))
		if !strings.HasPrefix(o.AudioCodec, "pcm") && o.AudioCodec != "flac" && o.AudioCodec != "alac" {
			args = append(args, "-b:a", fmt.Sprintf("%dk", 96*o.Channels))
		}
	}

	args = append(args, o.OutputOptions...)
	path := filepath.Join(work, "talk."+o.Container)
	args = append(args, "-strict", "-2", path)
	runCommand(t, bars, "ffmpeg", args...)
	if o.RotationDeg != 0 && !o.NoVideo {
		if err := os.Rename(RotatedCopy(t, path, o.RotationDeg), path); err != nil {
			t.Fatal(err)
		}
	}
}

// RotatedCopy returns a copy of a video in the same folder that players rotate clockwise by 90, 180
// or 270 degrees.
func RotatedCopy(t testing.TB, path string, deg int) string {
	t.Helper()
	rotated := filepath.Join(filepath.Dir(path), "turned"+filepath.Ext(path))
	runCommand(t, nil, "ffmpeg", "-v", "error", "-nostdin", "-y", "-i", path, "-c", "copy", "-map", "0",
		"-metadata:s:v:0", fmt.Sprintf("rotate=%d", 360-deg), rotated)
	return rotated
}

func videoGraph(o TalkOptions) string {
	bar := fmt.Sprintf("scale=%d:%d:flags=neighbor", o.Width, o.Height/4)
	if o.NarrowBar {
		bar = fmt.Sprintf("scale=%d:%d:flags=neighbor,pad=%d:%d:-1:0", o.Width*3/10, o.Height/4, o.Width, o.Height/4)
	}
	g := "[1:v]" + bar + ",format=yuv420p[bar];[0:v]format=yuv420p[moving];[moving][bar]overlay=0:H-h:shortest=1"
	g += map[int]string{90: ",transpose=cclock", 180: ",hflip,vflip", 270: ",transpose=clock"}[o.RotationDeg]
	if o.Variable {
		g += ",select='not(eq(mod(n,7),3)+between(mod(n,97),40,52))',setpts='PTS+0.3*sin(N)/FRAME_RATE/TB'"
	}
	if o.VideoStartMS > 0 {
		g += fmt.Sprintf(",setpts=PTS+%d/1000/TB", o.VideoStartMS)
	}
	if o.Filter != "" {
		g += "," + o.Filter
	}
	return g + ",format=" + o.PixelFormat + "[v]"
}

func audioGraph(o TalkOptions, input int, seconds float64) string {
	layout := map[int]string{1: "mono", 2: "stereo", 6: "5.1", 8: "7.1"}[o.Channels]
	g := fmt.Sprintf("[%d:a]aformat=sample_rates=48000:channel_layouts=mono[speech]", input)
	from := "[speech]"
	if o.Hiss {
		g += fmt.Sprintf(";[%d:a]aformat=channel_layouts=mono[hiss]", input+1)
		g += ";[speech][hiss]amix=inputs=2:normalize=0:duration=first[mixed]"
		from = "[mixed]"
	}

	g += fmt.Sprintf(";%satrim=end=%f,aresample=%d,pan=%s%s", from, seconds, o.SampleRate, layout, panTo(o.Channels))
	if o.AudioStartMS > 0 {
		g += fmt.Sprintf(",asetpts=PTS+%d/1000/TB", o.AudioStartMS)
	}
	return g + "[a]"
}

// panTo maps mono audio to every front channel, or to the center channel of surround audio.
func panTo(channels int) string {
	switch channels {
	case 1:
		return "|c0=c0"
	case 2:
		return "|c0=c0|c1=c0"
	}

	return "|FC=c0"
}

func videoArgs(o TalkOptions) []string {
	args := []string{"-c:v", o.VideoCodec, "-g", fmt.Sprint(o.GOP)}
	switch o.VideoCodec {
	case "libx264":
		args = append(args, "-preset", "veryfast", "-crf", "20", "-bf", fmt.Sprint(o.BFrames), "-sc_threshold", "0")
		if o.OpenGOP {
			args = append(args, "-x264-params", "open-gop=1")
		}
	case "libx265":
		openGOP := map[bool]int{true: 1}[o.OpenGOP]
		params := fmt.Sprintf("log-level=none:bframes=%d:keyint=%d:open-gop=%d", o.BFrames, o.GOP, openGOP)
		args = append(args, "-preset", "ultrafast", "-crf", "22", "-tag:v", "hvc1", "-x265-params", params)
	case "libvpx-vp9":
		args = append(args, "-deadline", "realtime", "-cpu-used", "8", "-row-mt", "1", "-b:v", "2M")
	}

	args = append(args, o.VideoOptions...)
	if o.Variable {
		args = append(args, "-fps_mode", "vfr", "-enc_time_base", "1/90000", "-video_track_timescale", "90000")
	} else {
		args = append(args, "-fps_mode", "passthrough")
	}

	return args
}

// barReader yields the bars of frames 0, 1, 2 … as raw video frames of one line.
type barReader struct {
	next, total int64
	rest        []byte
}

func (b *barReader) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		if b.next == b.total {
			return 0, io.EOF
		}
		line := barBlocksOf(b.next)
		b.next++
		b.rest = line[:]
	}

	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// runCommand runs a command and returns its standard output.
func runCommand(t testing.TB, stdin io.Reader, name string, args ...string) []byte {
	t.Helper()
	cmd := Command(t, name, args...)
	cmd.Stdin = stdin
	var out, report bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &report
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, report.String())
	}
	return out.Bytes()
}
