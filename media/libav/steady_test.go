package libav

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

const steadySeconds = 12

// steadySounds are sounds that never pause and are no voice.
func steadySounds() map[string]func(i int) float64 {
	sine := func(hz, level float64) func(int) float64 {
		return func(i int) float64 { return level * math.Sin(2*math.Pi*hz*float64(i)/media.SampleRate) }
	}
	noise, brown := make([]float64, steadySeconds*media.SampleRate), make([]float64, steadySeconds*media.SampleRate)
	random := rand.New(rand.NewPCG(1, 2))
	last := 0.0
	for i := range noise {
		noise[i] = 0.1 * (2*random.Float64() - 1)
		last = 0.995*last + noise[i]
		brown[i] = 0.2 * last
	}

	hum, humHigh := sine(50, 0.2), sine(150, 0.05)
	return map[string]func(i int) float64{
		"square":       func(i int) float64 { return math.Copysign(0.3, sine(1200, 1)(i)) },
		"quiet square": func(i int) float64 { return math.Copysign(0.01, sine(1200, 1)(i)) },
		"time code":    timecodeSound(random),
		"tone":         sine(1000, 0.2),
		"hum":          func(i int) float64 { return hum(i) + humHigh(i) },
		"noise":        func(i int) float64 { return noise[i] },
		"brown noise":  func(i int) float64 { return brown[i] },
	}
}

// timecodeSound returns linear time code at 25 frames a second: 80 bits a frame in biphase, most of
// them the same in each frame.
func timecodeSound(random *rand.Rand) func(i int) float64 {
	bits := make([]bool, 80*25*steadySeconds)
	for i := range bits {
		bits[i] = i%80 >= 64 && (i%80)%5 != 0
		if i%80 < 24 && i%4 == 0 {
			bits[i] = random.IntN(2) == 1
		}
	}

	out, level := make([]float64, steadySeconds*media.SampleRate), 0.25
	const bit = media.SampleRate / 2000
	for i := range out {
		if at := i % bit; at == 0 || (at == bit/2 && bits[i/bit]) {
			level = -level
		}
		out[i] = level
	}

	return func(i int) float64 { return out[i] }
}

// voiceSamples returns a talk with pauses.
func voiceSamples(t *testing.T) []float32 {
	t.Helper()
	voice := mediatest.Talk(t, mediatest.TalkOptions{
		NoVideo: true, Container: "wav", AudioCodec: "pcm_s16le", Seconds: steadySeconds,
	}).Path
	return audioOf(t, voice, steadySeconds).Left
}

// The analysis does not hear a channel that never pauses and has no voice: after a second, it hears
// what it would hear without that channel.
func TestSteadyChannelsAreNotHeard(t *testing.T) {
	t.Parallel()
	voice := voiceSamples(t)
	alone := writeWAV(t, 2, steadySeconds, func(channel, i int) float64 {
		return float64(1-channel) * float64(voice[i])
	})
	wanted := speechSamples(t, ingestFile(t, alone).SpeechPath)
	for name, sound := range steadySounds() {
		for side, word := range []string{media.VoiceRight, media.VoiceLeft} {
			t.Run(name+" opposite "+word, func(t *testing.T) {
				t.Parallel()
				path := writeWAV(t, 2, steadySeconds, func(channel, i int) float64 {
					if channel == side {
						return sound(i)
					}
					return float64(voice[i])
				})
				ingested := ingestFile(t, path)
				checkHeard(t, speechSamples(t, ingested.SpeechPath), wanted)
				a := ingested.Info.Audio
				off := math.Abs(a.VoiceGain - math.Sqrt(0.5))
				if !slices.Equal(a.Unheard, []int{side}) || a.VoiceOn != word || off > 0.001 {
					t.Errorf("the audio is %+v", *a)
				}
			})
		}
	}
}

// checkHeard compares what was heard after a second.
func checkHeard(t *testing.T, heard, wanted []float32) {
	t.Helper()
	var power, off float64
	for i := 3 * media.SpeechSampleRate / 2; i < len(wanted); i++ {
		power += float64(wanted[i]) * float64(wanted[i])
		off += math.Pow(float64(heard[i]-wanted[i]), 2)
	}
	if db := 10 * math.Log10(off/power); db > -40 {
		t.Errorf("what was heard differs by %.1f dB", db)
	}
}

// A microphone that never pauses is left out of what the analysis hears, and of an export.
func TestSteadyMicrophonesAreLeftOut(t *testing.T) {
	t.Parallel()
	voice := voiceSamples(t)
	speaker := func(channel, i int) float64 { return float64(voice[(i+5*channel*media.SampleRate)%len(voice)]) }
	for name, sound := range steadySounds() {
		for _, channels := range []int{3, 4, 8} {
			t.Run(fmt.Sprint(name, channels), func(t *testing.T) {
				t.Parallel()
				steady := channels - 2
				path := writeWAV(t, channels, steadySeconds, func(channel, i int) float64 {
					if channel == steady {
						return sound(i)
					} else if channel > 1 {
						return 0.3 * speaker(channel, i)
					}

					return speaker(channel, i)
				})
				ingested := ingestFile(t, path)
				if a := ingested.Info.Audio; !slices.Equal(a.Unheard, []int{steady}) {
					t.Fatalf("the audio is %+v", *a)
				}
				clip := media.RenderClip{Path: path, Info: ingested.Info}
				plan, err := media.NewRenderPlan([]media.RenderClip{clip}, nil, media.RenderSettings{
					Format: "wav", VolumePercent: 30,
				})
				if err != nil {
					t.Fatal(err)
				}
				out, _ := renderPlan(t, plan)
				exported := audioOf(t, out, steadySeconds)
				gain := 0.3 * media.MonoGain
				for i := media.SampleRate / 100; i < steadySeconds*media.SampleRate-media.SampleRate/10; i++ {
					want := 0.0
					for channel := range channels {
						level := gain
						if channel > 1 {
							level *= 0.3
						}
						if channel != steady {
							want += level * speaker(channel, i)
						}
					}

					if math.Abs(float64(exported.Left[i])-want) > 0.001 {
						t.Fatalf("sample %d is %.4f, want %.4f", i, exported.Left[i], want)
					}
				}
			})
		}
	}
}

// Silence before the first word stays silent beside a channel that never pauses.
func TestSteadyChannelsAreNotHeardBeforeTheFirstWord(t *testing.T) {
	t.Parallel()
	const lead = 3 * media.SampleRate
	voice := voiceSamples(t)
	for _, channels := range []int{2, 3} {
		t.Run(fmt.Sprint(channels), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(3, 4))
			path := writeWAV(t, channels, steadySeconds, func(channel, i int) float64 {
				switch {
				case channel == 1:
					return math.Copysign(0.25, math.Sin(2*math.Pi*1200*float64(i)/media.SampleRate))
				case channel == 0 && i >= lead:
					return float64(voice[i-lead])
				}

				return 0.0005 * (2*random.Float64() - 1)
			})
			ingested := ingestFile(t, path)
			heard := speechSamples(t, ingested.SpeechPath)[:2900*media.SpeechSampleRate/1000]
			for i, v := range heard {
				if math.Abs(float64(v)) > 0.002 {
					t.Fatalf("sample %d of the silence is %.4f", i, v)
				}
			}
		})
	}
}

// A channel with a voice over music, noise or time code stays heard, and so does one that is quiet.
func TestVoicesStayHeard(t *testing.T) {
	t.Parallel()
	voice, kinds := voiceSamples(t), steadySounds()
	chord := func(i int) float64 {
		root := 220 * math.Pow(2, float64(i/(2*media.SampleRate)%5)/12)
		var out float64
		for _, ratio := range []float64{1, 1.25, 1.5} {
			out += 0.03 * math.Sin(2*math.Pi*root*ratio*float64(i)/media.SampleRate)
		}
		return out
	}
	kinds["music"] = chord
	for name, sound := range kinds {
		for _, level := range []float64{1, 0.3} {
			t.Run(fmt.Sprint(name, level), func(t *testing.T) {
				t.Parallel()
				other := func(i int) float64 { return float64(voice[(i+4*media.SampleRate)%len(voice)]) }
				path := writeWAV(t, 2, steadySeconds, func(channel, i int) float64 {
					if channel == 1 {
						return level*other(i) + 0.3*sound(i)
					}
					return float64(voice[i])
				})
				ingested := ingestFile(t, path)
				a := ingested.Info.Audio
				if len(a.Unheard) > 0 || a.VoiceOn != "" {
					t.Errorf("the audio is %+v", *a)
				}
			})
		}
	}
}
