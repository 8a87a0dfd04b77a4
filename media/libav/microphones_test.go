package libav

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// writeWAV writes a WAV file that names no speakers, and returns its path. sample returns the
// samples of a channel, at 48 kHz.
func writeWAV(t *testing.T, channels, seconds int, sample func(channel, i int) float64) string {
	t.Helper()
	n := seconds * media.SampleRate * channels * 2
	out := []byte("RIFF")
	out = binary.LittleEndian.AppendUint32(out, uint32(36+n))
	out = append(out, "WAVEfmt \x10\x00\x00\x00\x01\x00"...)
	out = binary.LittleEndian.AppendUint16(out, uint16(channels))
	out = binary.LittleEndian.AppendUint32(out, media.SampleRate)
	out = binary.LittleEndian.AppendUint32(out, uint32(media.SampleRate*channels*2))
	out = binary.LittleEndian.AppendUint16(out, uint16(channels*2))
	out = append(out, "\x10\x00data"...)
	out = binary.LittleEndian.AppendUint32(out, uint32(n))
	for i := range seconds * media.SampleRate {
		for channel := range channels {
			out = binary.LittleEndian.AppendUint16(out, uint16(int16(32767*sample(channel, i))))
		}
	}

	path := filepath.Join(t.TempDir(), "microphones.wav")
	if err := os.WriteFile(path, out, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// levelAt returns the level of a frequency over a second of audio that starts at a sample, as the
// amplitude of a sine.
func levelAt(samples []float32, from int, hz float64) float64 {
	var re, im float64
	for i, v := range samples[from : from+media.SampleRate] {
		sin, cos := math.Sincos(2 * math.Pi * hz * float64(i) / media.SampleRate)
		re, im = re+float64(v)*cos, im+float64(v)*sin
	}
	return 2 * math.Hypot(re, im) / media.SampleRate
}

// audioOf decodes the audio of a recording.
func audioOf(t *testing.T, path string, seconds int64) av.Stereo {
	t.Helper()
	at, err := av.Locate(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := av.OpenAudio(context.Background(), path, at.Origin.Audio)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	out := av.NewStereo(seconds * media.SampleRate)
	if err := reader.Read(0, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Channels that name no speakers are microphones: all of them have the same level on both sides of
// an export, and in what the analysis hears.
func TestUnnamedChannelsAreMicrophones(t *testing.T) {
	t.Parallel()
	hz := func(channel int) float64 { return 300 + 170*float64(channel) }
	for _, channels := range []int{3, 4, 5, 6, 8} {
		t.Run(fmt.Sprint(channels), func(t *testing.T) {
			t.Parallel()
			path := writeWAV(t, channels, 3, func(channel, i int) float64 {
				return 0.1 * math.Sin(2*math.Pi*hz(channel)*float64(i)/media.SampleRate)
			})
			plan := makePlan(t, []media.Span{{StartMS: 2000, EndMS: 2200}}, media.RenderSettings{}, path)
			out, _ := renderPlan(t, plan)
			exported := audioOf(t, out, 2)
			ingested := ingestFile(t, path)
			file := speechSamples(t, ingested.SpeechPath)
			heard := make([]float32, 0, 3*len(file))
			for _, v := range file {
				heard = append(heard, v, v, v)
			}

			want := 0.1 * media.MonoGain
			for channel := range channels {
				for name, samples := range map[string][]float32{
					"left": exported.Left, "right": exported.Right, "analysis": heard,
				} {
					got := levelAt(samples, media.SampleRate/2, hz(channel))
					if db := 20 * math.Log10(got/want); math.Abs(db) > 0.5 {
						t.Errorf("channel %d is %.1f dB too loud in %s", channel+1, db, name)
					}
				}
			}
		})
	}
}

// A layout that names speakers is mixed as players do: its fourth channel is for low frequencies.
func TestNamedChannelsKeepTheirSpeakers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "surround.wav")
	mediatest.FFmpeg(
		t, "-f", "lavfi", "-i", "aevalsrc=0|0|.3*sin(600*PI*t)|.3*sin(1000*PI*t)|0|0:c=5.1:d=3:s=48000", path,
	)
	heard := audioOf(t, path, 3)
	center, low := levelAt(heard.Left, 0, 300), levelAt(heard.Left, 0, 500)
	if math.Abs(center-0.3*math.Sqrt(0.5)) > 0.01 || low > 0.001 {
		t.Errorf("the center has the level %.3f and the low frequencies %.3f", center, low)
	}
}

// A voice on the channel for low frequencies shows that a file names speakers for its microphones.
// What belongs there is no voice.
func TestVoiceOnTheLowFrequencyChannelIsHeard(t *testing.T) {
	t.Parallel()
	voice := voiceSamples(t)
	unnamed := writeWAV(t, 6, steadySeconds, func(channel, i int) float64 {
		if channel != 3 {
			return 0
		}
		return float64(voice[i])
	})
	named := func(filter string) string {
		path := filepath.Join(t.TempDir(), "named.wav")
		filter += "pan=5.1|c0=c0|c1=c1|c2=c2|c3=c3|c4=c4|c5=c5"
		mediatest.FFmpeg(t, "-i", unnamed, "-af", filter, "-c:a", "pcm_f32le", path)
		return path
	}
	path := named("")
	a := ingestFile(t, path).Info.Audio
	if !a.Microphones {
		t.Errorf("the audio is %+v", *a)
	}

	plan := makePlan(t, nil, media.RenderSettings{Format: "wav"}, path)
	plan.Inputs[0].Microphones = a.Microphones
	out, _ := renderPlan(t, plan)
	exported, gain := audioOf(t, out, steadySeconds), media.MonoGain
	for i, v := range exported.Left {
		if got, want := float64(v), gain*float64(voice[i]); math.Abs(got-want) > 0.001 {
			t.Fatalf("sample %d is %.4f, want %.4f", i, got, want)
		}
	}

	if a := ingestFile(t, named("lowpass=f=120,lowpass=f=120,volume=12dB,")).Info.Audio; a.Microphones {
		t.Errorf("with low frequencies only: %+v", *a)
	}
}

// The analysis hears a voice whose channels are opposite, also where they become so, and hears a
// voice on one side as before.
func TestOppositeChannelsAreHeard(t *testing.T) {
	t.Parallel()
	voice := func(i int) float64 { return 0.2 * math.Sin(2*math.Pi*400*float64(i)/media.SampleRate) }
	for name, c := range map[string]struct {
		right func(i int) float64
		want  float64 // level in what the analysis hears
	}{
		"opposite":   {func(i int) float64 { return -voice(i) }, 0.2},
		"nearly":     {func(i int) float64 { return -0.8 * voice(i) }, 0.2},
		"equal":      {voice, 0.2},
		"left alone": {func(int) float64 { return 0 }, 0.1},
		"after a second": {func(i int) float64 { return math.Copysign(1, float64(media.SampleRate-i)) * voice(i) },
			0.2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := writeWAV(t, 2, 3, func(channel, i int) float64 {
				if channel == 1 {
					return c.right(i)
				}
				return voice(i)
			})
			file := speechSamples(t, ingestFile(t, path).SpeechPath)
			for second := range 3 {
				var power float64
				part := file[(2*second+1)*media.SpeechSampleRate/2-2000:][:4000]
				for _, v := range part {
					power += float64(v) * float64(v)
				}
				got := math.Sqrt(2 * power / float64(len(part)))
				if math.Abs(got-c.want) > 0.01 {
					t.Errorf("the level is %.3f in second %d, want %.3f", got, second+1, c.want)
				}
			}
		})
	}
}
