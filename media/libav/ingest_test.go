package libav

import (
	"context"
	"encoding/binary"
	"errors"
	"image"
	_ "image/jpeg"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// products are the files of one ingest.
type products struct {
	media.IngestRequest
	media.IngestResult
}

func ingestFile(t testing.TB, path string) products {
	t.Helper()
	dir := t.TempDir()
	request := media.IngestRequest{
		Path:       path,
		ProxyPath:  filepath.Join(dir, "proxy.mp4"),
		SpritePath: filepath.Join(dir, "sprite.jpg"),
		SpeechPath: filepath.Join(dir, "speech.raw"),
	}
	last := 0.0
	got, err := New().Ingest(context.Background(), request, func(f float64) {
		if f < last || f > 1 {
			t.Errorf("progress %.3f after %.3f", f, last)
		}
		last = f
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != 1 {
		t.Errorf("progress ended at %.3f", last)
	}
	return products{request, got}
}

// speechSamples reads a speech file.
func speechSamples(t testing.TB, path string) []float32 {
	t.Helper()
	file, err := audio.OpenSpeech(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	data, err := io.ReadAll(file.Reader())
	if err != nil {
		t.Fatal(err)
	}
	samples := make([]float32, len(data)/2)
	for i := range samples {
		samples[i] = float32(int16(binary.LittleEndian.Uint16(data[2*i:]))) / 32768
	}
	return samples
}

// Every product of an ingest is in sync with the recording.
func TestIngestKeepsTime(t *testing.T) {
	t.Parallel()
	others, _ := split(sources(), ingestOnlyInLong())
	checkIngests(t, others)
}

func TestLongIngestKeepsTime(t *testing.T) {
	needsLong(t)
	_, named := split(sources(), ingestOnlyInLong())
	checkIngests(t, named)
}

// ingestOnlyInLong are the sources that differ only in how they are decoded, which
// TestRenderIsExact and the matrix cover.
func ingestOnlyInLong() []string {
	return []string{
		"phone", "b-frames", "open gop", "hevc open gop", "mkv", "avi mjpeg", "prores pcm", "turned 270", "23.976",
		"60", "audio later", "44.1 mono", "5.1", "96k pcm mkv", "4:4:4 10 bit", "fragmented",
	}
}

func checkIngests(t *testing.T, sources map[string]mediatest.TalkOptions) {
	t.Helper()
	for name, options := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			talk := mediatest.Talk(t, options)
			got := ingestFile(t, talk.Path)
			rate := got.Info.Video.Rate
			frames := rate.Frame(got.Info.DurationMS)
			zero, counted := clipZero(t, talk.Path)
			shown := shownNumbers(t, talk.Path, rate, zero, frames)
			if numbers := mediatest.FrameNumbers(t, got.ProxyPath); !slices.Equal(numbers, shown) {
				t.Errorf(
					"the proxy has %d frames of %d, or shows others: %v … instead of %v …",
					len(numbers), frames, numbers[:min(12, len(numbers))], shown[:12],
				)
			}
			if got := delays(t, got.ProxyPath); !slices.Equal(got, []int{0}) {
				t.Errorf("a browser decodes %v later frames before it shows one of the proxy", got)
			}
			if want := rate.Frame(int64(talk.Seconds*1000) + int64(options.VideoStartMS)); frames < want-3 ||
				frames > want+3 {
				t.Errorf("%d frames, the recording has %d", frames, want)
			}
			checkAudio(t, got, talk, zero-counted)
			checkKeyframes(t, videoPackets(t, got.ProxyPath), int(got.Info.Video.Rate.Frame(500)))
		})
	}
}

// checkAudio compares the speech file and the proxy with ffmpeg's decoding.
func checkAudio(t *testing.T, got products, talk mediatest.TalkFixture, shift float64) {
	t.Helper()
	for _, c := range []struct {
		name  string
		audio []float32
		rate  int
	}{
		{"speech", speechSamples(t, got.SpeechPath), media.SpeechSampleRate},
		{"proxy", mediatest.PCM(t, got.ProxyPath, 48000), 48000},
	} {
		source := mediatest.PCM(t, talk.Path, c.rate)
		if short := float64(len(source)-len(c.audio))/float64(c.rate) - shift; math.Abs(short) > 0.1 {
			t.Errorf("the %s is %.3f s shorter than the recording", c.name, short)
		}
		for _, second := range []int{2, 7, 12} {
			window := c.audio[second*c.rate:][:c.rate/5]
			lag, fit := mediatest.Lag(source, window, second*c.rate+int(math.Round(shift*float64(c.rate))), c.rate/20)
			if ms := float64(lag) * 1000 / float64(c.rate); math.Abs(ms) > 2 || fit < 0.8 {
				t.Errorf("the %s is %.2f ms off at %d s (fit %.2f)", c.name, ms, second, fit)
			}
		}
		if loud, want := rms(c.audio), rms(source); loud < want*0.6 || loud > want*1.6 {
			t.Errorf("the %s has level %.4f, the recording %.4f", c.name, loud, want)
		}
	}
	if n, want := len(got.Peaks), len(
		speechSamples(t, got.SpeechPath),
	)*media.PeaksPerSecond/media.SpeechSampleRate; n < want-1 ||
		n > want+1 {
		t.Errorf("%d peaks for %d hundredths of speech", n, want)
	}
}

func rms(samples []float32) float64 {
	var sum float64
	for _, v := range samples {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(max(1, len(samples))))
}

func TestProbeReportsDisplaySize(t *testing.T) {
	all := sources()
	for _, c := range []struct {
		name          string
		width, height int
		rate          media.Rate
		variable      bool
		turned        int
		channels      int
	}{
		{"phone", 320, 180, media.Rate{Num: 30, Den: 1}, false, 0, 2},
		{"mkv", 320, 180, media.Rate{Num: 30000, Den: 1001}, false, 0, 2},
		{"23.976", 320, 180, media.Rate{Num: 24000, Den: 1001}, false, 0, 2},
		{"60", 320, 180, media.Rate{Num: 60, Den: 1}, false, 0, 2},
		{"turned 90", 320, 180, media.Rate{Num: 30, Den: 1}, false, 90, 2},
		{"turned 270", 320, 180, media.Rate{Num: 30, Den: 1}, false, 270, 2},
		{"variable rate", 320, 180, media.Rate{Num: 30, Den: 1}, true, 0, 2},
		{"44.1 mono", 320, 180, media.Rate{Num: 30, Den: 1}, false, 0, 1},
		{"5.1", 320, 180, media.Rate{Num: 30, Den: 1}, false, 0, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			info, err := New().Probe(context.Background(), mediatest.Talk(t, all[c.name]).Path)
			if err != nil {
				t.Fatal(err)
			}
			v := info.Video
			if v.Width != c.width || v.Height != c.height || v.Rate != c.rate || v.VariableRate != c.variable ||
				v.RotationDeg != c.turned ||
				info.Audio.Channels != c.channels {
				t.Errorf("got %+v %+v", *v, *info.Audio)
			}
			if info.DurationMS < 15800 || info.DurationMS > 16200 {
				t.Errorf("duration %d ms", info.DurationMS)
			}
		})
	}
}

func TestSpriteHasOneTilePerSecond(t *testing.T) {
	talk := mediatest.Talk(t, mediatest.TalkOptions{Width: 640, Height: 360, Seconds: 23, Hiss: true, RateNum: 30})
	got := ingestFile(t, talk.Path)
	want := media.Sprite{TileWidth: 160, TileHeight: 90, TilesPerRow: 10, TotalTiles: 23, SecondsPerTile: 1}
	if got.Sprite != want {
		t.Fatalf("got %+v, want %+v", got.Sprite, want)
	}
	file, err := os.Open(got.SpritePath)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sheet, _, err := image.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	if size := sheet.Bounds().Size(); size != image.Pt(1600, 270) {
		t.Fatalf("the sheet is %v", size)
	}
	numbers := mediatest.FrameNumbers(t, got.SpritePath, "untile=10x3")
	for k := range want.TotalTiles {
		if numbers[k] != int64(k)*30 {
			t.Errorf("tile %d shows %d", k, numbers[k])
		}
	}
}

func TestIngestAudioOnly(t *testing.T) {
	for _, c := range []struct{ container, codec, contentType string }{
		{"m4a", "aac", "audio/mp4"}, {
			"mp3", "libmp3lame", "audio/mpeg",
		}, {"wav", "pcm_s16le", "audio/wav"}, {"flac", "flac", "audio/flac"}, {"ogg", "libvorbis", "audio/ogg"},
	} {
		t.Run(c.container, func(t *testing.T) {
			t.Parallel()
			talk := mediatest.Talk(
				t,
				mediatest.TalkOptions{
					NoVideo:    true,
					Container:  c.container,
					AudioCodec: c.codec,
					SampleRate: 44100,
					Channels:   1,
					Hiss:       true,
					Seconds:    14,
				},
			)
			got := ingestFile(t, talk.Path)
			if got.Info.Video != nil || got.Info.Audio == nil || got.Sprite != (media.Sprite{}) ||
				got.Info.ContentType != c.contentType {
				t.Errorf("got %+v %+v", got.Info, got.Sprite)
			}
			if ms := got.Info.DurationMS; ms < 13950 || ms > 14100 {
				t.Errorf("duration %d ms", ms)
			}
			if _, err := os.Stat(got.SpritePath); !os.IsNotExist(err) {
				t.Errorf("a sprite sheet was made of audio: %v", err)
			}
			if p := ffprobe(t, got.ProxyPath, "-show_streams"); len(p.Streams) != 1 || p.Streams[0].CodecName != "aac" {
				t.Errorf("the proxy holds %+v", p.Streams)
			}
			zero, counted := clipZero(t, talk.Path)
			checkAudio(t, got, talk, zero-counted)
		})
	}
}

func TestIngestWithoutAudio(t *testing.T) {
	talk := mediatest.Talk(t, mediatest.TalkOptions{NoAudio: true, Width: 320, Height: 180, Seconds: 6})
	got := ingestFile(t, talk.Path)
	if got.Info.Audio != nil || got.Peaks != nil || got.Info.DurationMS != 6000 {
		t.Errorf("got %+v, %d peaks", got.Info, len(got.Peaks))
	}
	if _, err := os.Stat(got.SpeechPath); !os.IsNotExist(err) {
		t.Errorf("a speech file was made without audio: %v", err)
	}
	if n := len(mediatest.FrameNumbers(t, got.ProxyPath)); n != 180 {
		t.Errorf("the proxy has %d frames", n)
	}
}

// An image is not a recording of one frame.
func TestIngestRefusesImages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.png")
	if out, err := mediatest.Command(
		t, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=320x180", "-frames:v", "1", path,
	).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, err := New().Ingest(
		t.Context(), media.IngestRequest{Path: path, SpeechPath: path + ".s16"}, func(float64) {},
	)
	fault := (*av.MediaError)(nil)
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), "image") {
		t.Errorf("an image is answered with %v", err)
	}
}

// A recording whose video stops while the voice continues, as screen recorders write it, keeps the
// voice.
func TestLongAudioHoldsLastFrame(t *testing.T) {
	talk := mediatest.Talk(
		t,
		mediatest.TalkOptions{Width: 320, Height: 180, Seconds: 9, Hiss: true, Filter: "trim=end=4"},
	)
	got := ingestFile(t, talk.Path)
	if ms := got.Info.DurationMS; ms < 8900 || ms > 9100 {
		t.Errorf("duration %d ms", ms)
	}
	numbers := mediatest.FrameNumbers(t, got.ProxyPath)
	if last := numbers[len(numbers)-1]; last != 119 {
		t.Errorf("the last frame shows %d", last)
	}
}
