package libav

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// soundOf returns 4 s of a tone, loud in the first half, and a file with its waveform.
func soundOf(t *testing.T) (audio, peaks string) {
	t.Helper()
	audio = made(
		t, "tone.wav", "-f", "lavfi", "-i", "sine=frequency=440:r=48000:d=4",
		"-af", "volume=0.125:enable='gte(t,2)',volume=6.4", "-ac", "2",
	)
	in, err := New().Ingest(context.Background(), media.IngestRequest{Path: audio}, nil)
	if err != nil {
		t.Fatal(err)
	}
	peaks = filepath.Join(t.TempDir(), "peaks")
	if err := os.WriteFile(peaks, in.Peaks, 0o600); err != nil {
		t.Fatal(err)
	}
	return audio, peaks
}

// colorsOf returns the red, green and blue of every pixel of a frame of a video.
func colorsOf(t *testing.T, path string, frame int) []byte {
	t.Helper()
	pixels, err := mediatest.Command(t, "ffmpeg", "-v", "error", "-nostdin", "-i", path, "-vf",
		fmt.Sprintf("select=eq(n\\,%d),format=rgb24", frame), "-frames:v", "1", "-f", "rawvideo", "pipe:1").Output()
	if err != nil || len(pixels) == 0 {
		t.Fatalf("frame %d has %d bytes: %v", frame, len(pixels), err)
	}
	return pixels
}

// checkColor compares the color at a point of a frame.
func checkColor(t *testing.T, what string, pixels []byte, width int, x, y float64, want [3]float64) {
	t.Helper()
	i := 3 * (int(y)*width + int(x))
	for k := range 3 {
		if got := float64(pixels[i+k]); math.Abs(got-want[k]) > 24 {
			t.Errorf("%s: the color at %.0f, %.0f is %v, want %.0f", what, x, y, pixels[i:i+3], want)
			return
		}
	}
}

// A recording without video shows its waveform, in every aspect ratio. Played bars have the color,
// others are dim, and the height of each shows the level.
func TestWaveformOfAudioClip(t *testing.T) {
	audio, peaks := soundOf(t)
	for _, aspect := range media.AspectRatios() {
		plan := makePlan(t, nil, media.RenderSettings{ShortSide: 360, AspectRatio: aspect, Background: "#203040",
			AudioClips: media.AudioClips{Waveform: true, Color: "#40e0a0"}}, audio)
		plan.Inputs[0].PeaksPath = peaks
		out, rendered := renderPlan(t, plan)
		if rendered.Frames != 120 || rendered.Encoded != 120 {
			t.Errorf("%s: %+v", aspect, rendered)
		}
		levels := plan.WaveformLevels([][]byte{readAll(t, peaks)})
		pixels := colorsOf(t, out, 45)
		bars, _ := plan.WaveformBars(levels, 45)
		if len(bars) != 40 {
			t.Fatalf("%s: %d bars", aspect, len(bars))
		}
		color, background := [3]float64{0x40, 0xe0, 0xa0}, [3]float64{0x20, 0x30, 0x40}
		dim := [3]float64{}
		for k := range dim {
			dim[k] = background[k] + unplayedOpacity*(color[k]-background[k])
		}
		middle := func(b media.WaveformBar) float64 { return b.Left + b.Width/2 }
		loud, next, quiet := bars[15], bars[16], bars[30]
		if loud.Height < 4*quiet.Height {
			t.Errorf("%s: a loud bar is %.1f high, a quiet one %.1f", aspect, loud.Height, quiet.Height)
		}
		inside := loud.Top + loud.Height/8
		checkColor(t, aspect+", played", pixels, plan.Width, middle(loud), inside, color)
		checkColor(t, aspect+", not played", pixels, plan.Width, middle(next), inside, dim)
		checkColor(t, aspect+", quiet", pixels, plan.Width, middle(quiet), inside, background)
		checkColor(t, aspect+", corner", pixels, plan.Width, 8, 8, background)
	}
}

// A cover fills the frame of a recording without video, below the waveform, captions and placed
// assets. Recordings with video in the same project stay as they are.
func TestCoverOfAudioClip(t *testing.T) {
	audio, peaks := soundOf(t)
	cover := made(t, "cover.png", "-f", "lavfi", "-i", "color=c=0xc02020:s=300x300", "-frames:v", "1")
	film := made(
		t, "film.mp4", "-f", "lavfi", "-i", "color=c=0x2020c0:s=640x360:r=30:d=2", "-f", "lavfi",
		"-i", "sine=frequency=300:r=48000:d=2", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", "-shortest",
	)
	info, err := New().Probe(context.Background(), cover)
	if err != nil {
		t.Fatal(err)
	}
	shown := media.PlacedAsset{Path: cover, ID: "cover", Info: info}
	badge := placed(t, cover, 2500, 6000, func(a *media.PlacedAsset) {
		a.VisualMode, a.AudioMode, a.Position, a.SizePercent = media.VisualOverlay, media.AudioMute, "top_left", 10
	})
	red, blue, black := [3]float64{0xc0, 0x20, 0x20}, [3]float64{0x20, 0x20, 0xc0}, [3]float64{}
	for _, fit := range []media.Fit{media.Letterbox, media.Crop} {
		settings := media.RenderSettings{ShortSide: 360, Fit: fit, Assets: []media.PlacedAsset{badge},
			AudioClips: media.AudioClips{Waveform: true, Color: "#ffffff", Cover: &shown}}
		plan := makePlan(t, []media.Span{{StartMS: 3000, EndMS: 3500}}, settings, film, audio)
		plan.Inputs[1].PeaksPath = peaks
		out, _ := renderPlan(t, plan)
		checkColor(t, "footage", colorsOf(t, out, 30), 640, 320, 40, blue)
		pixels := colorsOf(t, out, 70) // 333 ms after the start of the audio clip
		checkColor(t, "cover", pixels, 640, 320, 40, red)
		side := black
		if fit == media.Crop {
			side = red
		}
		checkColor(t, "side", pixels, 640, 20, 300, side)
		checkColor(t, "badge", pixels, 640, 40, 40, side) // before the asset is placed
		checkColor(t, "badge", colorsOf(t, out, 100), 640, 40, 40, red)
		bars, _ := plan.WaveformBars(plan.WaveformLevels([][]byte{nil, readAll(t, peaks)}), 70)
		checkColor(t, "bar", pixels, 640, bars[0].Left+bars[0].Width/2, 180, [3]float64{255, 255, 255})
	}
}

// Captions lie on top of the cover and the waveform.
func TestCaptionsOnAudioClip(t *testing.T) {
	audio, peaks := soundOf(t)
	plan := makePlan(t, nil, media.RenderSettings{
		ShortSide:  360,
		AudioClips: media.AudioClips{Waveform: true, Color: "#008000"},
		Captions: &media.CaptionTrack{
			Lines:   []media.CaptionLine{{Text: "Hello", StartMS: 1000, EndMS: 2000}},
			Words:   []media.Word{{Text: "Hello", StartMS: 1000, EndMS: 2000, Probability: 1}},
			Options: media.CaptionOptions{StyleName: "classic", Position: "middle", Color: [3]uint8{255, 255, 255}},
		},
	}, audio)
	plan.Inputs[0].PeaksPath = peaks
	out, _ := renderPlan(t, plan)
	for frame, captioned := range map[int]bool{15: false, 45: true} {
		white := 0
		for i, pixels := 0, colorsOf(t, out, frame); i < len(pixels); i += 3 {
			if pixels[i] > 200 && pixels[i+1] > 200 && pixels[i+2] > 200 {
				white++
			}
		}
		if (white > 50) != captioned {
			t.Errorf("frame %d has %d white pixels", frame, white)
		}
	}
}

// A chunk of a waveform is reused only for the same bars.
func TestWaveformChunksAreCached(t *testing.T) {
	audio, peaks := soundOf(t)
	engine := New()
	engine.cache = NewChunkCache(t.TempDir(), 1<<30)
	render := func(color string, cuts ...media.Span) media.RenderResult {
		plan := makePlan(t, cuts, media.RenderSettings{ShortSide: 180,
			AudioClips: media.AudioClips{Waveform: true, Color: color}}, audio)
		plan.Inputs[0].PeaksPath, plan.Inputs[0].ID = peaks, "audio"
		made, err := engine.Render(context.Background(), plan, filepath.Join(t.TempDir(), "out.mp4"), nil)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	if first := render("#ffffff"); first.Encoded != 120 {
		t.Errorf("at first %d frames are encoded", first.Encoded)
	}
	if again := render("#ffffff"); again.Reused != 120 {
		t.Errorf("of the same waveform %d frames are reused", again.Reused)
	}
	if other := render("#ff0000"); other.Encoded != 120 {
		t.Errorf("with another color %d frames are encoded", other.Encoded)
	}
	if other := render("#ffffff", media.Span{StartMS: 1000, EndMS: 1500}); other.Encoded != 105 {
		t.Errorf("with a cut %d frames are encoded", other.Encoded)
	}
}

// Music is lowered by 12 dB while someone speaks, and is back in pauses of more than a second.
func TestMusicIsLoweredUnderVoice(t *testing.T) {
	talk := made( // speech stands in as silence here, so that only the music is measured
		t, "talk.mp4", "-f", "lavfi", "-i", "color=c=black:s=320x180:r=25:d=9", "-f", "lavfi",
		"-i", "anullsrc=r=48000:cl=stereo", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", "-shortest",
	)
	music := made(t, "music.wav", "-f", "lavfi", "-i", "sine=frequency=500:r=48000:d=9", "-ac", "2")
	voice := []media.Span{{StartMS: 1000, EndMS: 2000}, {StartMS: 2600, EndMS: 4000}, {StartMS: 6000, EndMS: 7000}}
	for _, lowered := range []bool{false, true} {
		asset := placed(t, music, 0, 9000, func(a *media.PlacedAsset) {
			a.AudioMode, a.DuckUnderVoice = media.AudioMix, lowered
		})
		// The cut of 500 ms moves the last span of speech ahead.
		plan := makePlan(t, []media.Span{{StartMS: 5000, EndMS: 5500}},
			media.RenderSettings{Assets: []media.PlacedAsset{asset}, Voice: voice}, talk)
		out, _ := renderPlan(t, plan)
		audio := mediatest.PCM(t, out, 48000)
		base := level(audio, 100, 700)
		want := 0.0
		if lowered {
			want = media.DuckDB
		}
		for _, at := range [][2]int{{1050, 1950}, {2100, 2500}, {2700, 3900}, {5550, 6450}} {
			if got := level(audio, at[0], at[1]) - base; math.Abs(got-want) > 0.5 {
				t.Errorf("lowered %v: under the voice from %d to %d ms the music is at %.1f dB, want %.1f",
					lowered, at[0], at[1], got, want)
			}
		}
		for _, at := range [][2]int{{4500, 5200}, {7000, 8300}} {
			if got := level(audio, at[0], at[1]) - base; math.Abs(got) > 0.5 {
				t.Errorf("in the pause from %d to %d ms the music is at %.1f dB", at[0], at[1], got)
			}
		}
	}
}

func readAll(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clip(data)
}

// A minute of 1080p video from a recording without video, with a waveform and with the background
// alone.
func BenchmarkWaveform(b *testing.B) {
	audio := made(b, "minute.wav", "-f", "lavfi", "-i", "anoisesrc=r=48000:d=60:a=0.4", "-ac", "2")
	in, err := New().Ingest(context.Background(), media.IngestRequest{Path: audio}, nil)
	if err != nil {
		b.Fatal(err)
	}
	peaks := filepath.Join(b.TempDir(), "peaks")
	if err := os.WriteFile(peaks, in.Peaks, 0o600); err != nil {
		b.Fatal(err)
	}
	for name, shown := range map[string]bool{"bars": true, "background": false} {
		b.Run(name, func(b *testing.B) {
			plan := makePlan(b, nil, media.RenderSettings{
				AudioClips: media.AudioClips{Waveform: shown, Color: "#3ddbb0"},
			}, audio)
			plan.Inputs[0].PeaksPath = peaks
			for b.Loop() {
				cost := mediatest.MeasureFunc(b, func() error {
					_, err := New().Render(context.Background(), plan, filepath.Join(b.TempDir(), "out.mp4"), nil)
					return err
				})
				b.ReportMetric(cost.CPU.Seconds(), "CPU-s/min")
			}
		})
	}
}
