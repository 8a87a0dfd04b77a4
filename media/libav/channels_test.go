package libav

import (
	"math"
	"path/filepath"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// An export that keeps the channels has all of them as recorded, in order and in every format for
// them, also across cuts.
func TestKeptChannelsStay(t *testing.T) {
	t.Parallel()
	const seconds = 4
	hz := func(channel int) float64 { return 300 + 170*float64(channel) }
	sound := func(channel, i int) float64 {
		return 0.1 * math.Sin(2*math.Pi*hz(channel)*float64(i)/media.SampleRate)
	}
	surround := filepath.Join(t.TempDir(), "surround.mp4")
	mediatest.FFmpeg(t, "-i", writeWAV(t, 6, seconds, sound), "-af", "aformat=channel_layouts=5.1", "-c:a", "flac",
		"-strict", "-2", surround)
	for name, path := range map[string]string{
		"3": writeWAV(t, 3, seconds, sound), "4": writeWAV(t, 4, seconds, sound), "6": writeWAV(t, 6, seconds, sound),
		"8": writeWAV(t, 8, seconds, sound), "5.1": surround,
	} {
		for _, format := range []string{"wav", "flac", "m4a", "opus"} {
			t.Run(name+" "+format, func(t *testing.T) {
				t.Parallel()
				plan := makePlan(t, []media.Span{{StartMS: 1000, EndMS: 1500}}, media.RenderSettings{
					Format: format, Audio: media.AudioSettings{KeepChannels: true},
				}, path)
				out, _ := renderPlan(t, plan)
				if plan.Channels < 3 {
					t.Fatalf("the plan has %d channels", plan.Channels)
				}
				for channel, samples := range channelsOf(t, out, plan.Channels) {
					for other := range plan.Channels {
						want := 0.0
						if other == channel {
							want = 0.1
						}
						// AAC and Opus leave only low frequencies on their channel.
						isLow := channel == 3 && plan.Channels >= 6 && (format == "m4a" || format == "opus")
						if got := levelAt(samples, 2*media.SampleRate, hz(other)); math.Abs(got-want) > 0.01 && !isLow {
							t.Errorf("channel %d: level %.3f at %.0f Hz, want %.3f", channel+1, got, hz(other), want)
						}
					}
				}
			})
		}
	}
}

// The export is a stereo mix if something needs one, or if the format has no more channels.
func TestChannelsAreMixedIfNeeded(t *testing.T) {
	t.Parallel()
	path := writeWAV(t, 4, 2, func(channel, i int) float64 { return 0.1 * math.Sin(float64(i*(channel+1))/50) })
	for name, settings := range map[string]media.RenderSettings{
		"default":    {Format: "wav"},
		"mp3":        {Format: "mp3", Audio: media.AudioSettings{KeepChannels: true}},
		"normalized": {Format: "wav", Audio: media.AudioSettings{KeepChannels: true, Normalize: true, TargetLUFS: -20}},
		"muted": {
			Format: "wav", Audio: media.AudioSettings{KeepChannels: true}, Muted: []media.Span{{EndMS: 500}},
		},
	} {
		out, _ := renderPlan(t, makePlan(t, nil, settings, path))
		for _, s := range ffprobe(t, out, "-show_streams").Streams {
			if s.Channels != 2 {
				t.Errorf("%s: %d channels", name, s.Channels)
			}
		}
	}
}
