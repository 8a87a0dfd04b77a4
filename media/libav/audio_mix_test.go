package libav

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/mediatest"
)

// heardAudio renders audio alone.
func heardAudio(t *testing.T, path string, cuts []media.Span, settings media.AudioSettings) string {
	t.Helper()
	out, _ := renderPlan(t, makePlan(t, cuts, media.RenderSettings{AudioOnly: true, Audio: settings}, path))
	return out
}

// For any input, the output has the requested loudness and no clipping peak.
func TestLoudnessReachesTarget(t *testing.T) {
	dir := t.TempDir()
	peaky := filepath.Join(dir, "peaky.wav") // quiet speech with loud claps
	mediatest.FFmpeg(
		t,
		"-i",
		mediatest.Talk(
			t,
			mediatest.TalkOptions{NoVideo: true, Container: "wav", AudioCodec: "pcm_s16le", Seconds: 8},
		).Path,
		"-af", "volume='if(lt(mod(t,2),0.02),4,0.12)':eval=frame", peaky,
	)
	for name, path := range map[string]string{"talk": mediatest.Talk(t, small()).Path, "peaky": peaky} {
		for _, target := range []float64{-14, -23} {
			t.Run(fmt.Sprint(name, target), func(t *testing.T) {
				out := heardAudio(
					t,
					path,
					[]media.Span{{StartMS: 2000, EndMS: 3000}},
					media.AudioSettings{Normalize: true, TargetLUFS: target},
				)
				lufs, peak := mediatest.Loudness(t, out)
				t.Logf("%.1f LUFS, %.1f dBTP", lufs, peak)
				if math.Abs(lufs-target) > 0.5 {
					t.Errorf("%.1f LUFS, want %.1f", lufs, target)
				}
				if peak > -1 {
					t.Errorf("the true peak is %.1f dB", peak)
				}
			})
		}
	}
	silent := filepath.Join(dir, "silent.wav")
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "anullsrc=r=48000:d=3", silent)
	if level := rms(
		mediatest.PCM(t, heardAudio(t, silent, nil, media.AudioSettings{Normalize: true, TargetLUFS: -14}), 48000),
	); level > 1e-4 {
		t.Errorf("silence has level %.5f", level)
	}
}

// With stored energies, the output reaches its loudness without a measuring pass. The test stores
// wrong energies to show that they are used.
func TestLoudnessUsesStoredEnergies(t *testing.T) {
	path := mediatest.Talk(t, small()).Path
	got, err := New().Ingest(t.Context(), media.IngestRequest{Path: path, SkipProxyIfPlayable: true}, func(float64) {})
	if err != nil || len(got.Energies) == 0 {
		t.Fatalf("%d energies, %v", len(got.Energies), err)
	}
	const target = -23.0
	for name, louder := range map[string]float64{"true": 1, "false": 4} {
		energies := slices.Clone(got.Energies)
		for i := range energies {
			energies[i].Power *= louder
		}
		energiesPath := filepath.Join(t.TempDir(), "energies")
		if err := os.WriteFile(energiesPath, audio.PackEnergies(energies), 0o600); err != nil {
			t.Fatal(err)
		}
		plan := makePlan(
			t,
			[]media.Span{{StartMS: 2000, EndMS: 3000}},
			media.RenderSettings{AudioOnly: true, Audio: media.AudioSettings{Normalize: true, TargetLUFS: target}},
			path,
		)
		plan.Inputs[0].EnergiesPath = energiesPath
		out, _ := renderPlan(t, plan)
		lufs, peak := mediatest.Loudness(t, out)
		t.Logf("%s energies: %.1f LUFS, %.1f dBTP", name, lufs, peak)
		if want := target - 10*math.Log10(louder); math.Abs(lufs-want) > 0.5 || peak > -1 {
			t.Errorf("%s energies: %.1f LUFS, want %.1f; %.1f dBTP", name, lufs, want, peak)
		}
	}
}

// Noise reduction lowers the background by about the requested amount, keeps the voice, and shifts
// nothing.
func TestNoiseIsReduced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "noisy.wav") // a voice-like tone every other second
	mediatest.FFmpeg(
		t, "-f", "lavfi", "-i", "anoisesrc=r=48000:a=0.01:c=white:seed=3:d=12", "-f", "lavfi",
		"-i", "sine=f=440:r=48000:d=12",
		"-filter_complex",
		"[1]volume='if(lt(mod(t,2),1),4,0)':eval=frame[v];"+
			"[0][v]amix=inputs=2:normalize=0:duration=first,pan=stereo|c0=c0|c1=c0",
		path,
	)
	before := mediatest.PCM(t, path, 48000)
	for _, floor := range []float64{-12, -25} {
		after := mediatest.PCM(
			t,
			heardAudio(t, path, nil, media.AudioSettings{Denoise: true, NoiseFloorDB: floor}),
			48000,
		)
		if len(after) < len(before)-100 {
			t.Fatalf("%d samples of %d", len(after), len(before))
		}
		db := func(x []float32) float64 { return 20 * math.Log10(rms(x)) }
		gone := db(before[48000*7+12000:48000*8-9000]) - db(after[48000*7+12000:48000*8-9000])
		if gone < 0.6*-floor || gone > -floor+4 {
			t.Errorf("noise went down by %.1f dB, asked for %.0f", gone, -floor)
		}
		if lost := db(before[48000*6+9000:48000*7-9000]) - db(after[48000*6+9000:48000*7-9000]); math.Abs(lost) > 1 {
			t.Errorf("the voice went down by %.1f dB", lost)
		}
		lag, fit := mediatest.Lag(before, after[48000*6:48000*6+4800], 48000*6, 4000)
		if lag != 0 || fit < 0.98 {
			t.Errorf("audio moved by %d samples (fit %.3f)", lag, fit)
		}
	}
}

// A silenced word is gone or replaced by a tone. The words next to it are unchanged.
func TestWordsAreSilenced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tone.wav")
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "sine=f=300:r=48000:d=6,volume=12dB", "-ac", "2", path)
	word := media.Span{StartMS: 3000, EndMS: 3400} // 2000 to 2400 in the output
	for mode, bleeps := range map[string]bool{
		media.CensorMute: false, media.CensorBleep: true, media.CensorNone: false,
	} {
		t.Run(mode, func(t *testing.T) {
			out := mediatest.PCM(
				t,
				heardAudio(
					t,
					path,
					[]media.Span{{StartMS: 0, EndMS: 1000}},
					media.AudioSettings{Censor: mode, Censored: []media.Span{word}},
				),
				48000,
			)
			inside := out[int(2.0*48000):int(2.4*48000)]
			said, tone := power(inside, 300), power(inside, bleepHertz)
			if gone := said < 1e-4; gone == (mode == media.CensorNone) {
				t.Errorf("the word has power %.5f", said)
			}
			if bleeped := tone > 0.04; bleeped != bleeps {
				t.Errorf("the tone has power %.5f", tone)
			}
			for _, neighbor := range [][]float32{
				out[int(1.7*48000):int(1.955*48000)], out[int(2.445*48000):int(2.7*48000)],
			} {
				if p := power(neighbor, 300); p < 0.4 {
					t.Errorf("next to the word the voice has power %.3f", p)
				}
				if p := power(neighbor, bleepHertz); p > 0.003 {
					t.Errorf("next to the word the tone has power %.4f", p)
				}
			}
			if steep := mediatest.MaxSecondDifference(
				out[int(1.9*48000):int(2.5*48000)],
			); steep > 1.3*mediatest.MaxSecondDifference(out[48000:int(1.5*48000)]) &&
				!bleeps {
				t.Errorf("a corner of %.4f is audible", steep)
			}
		})
	}
}

// power returns the amplitude of a frequency.
func power(x []float32, hz float64) float64 {
	var re, im float64
	for i, v := range x {
		sin, cos := math.Sincos(2 * math.Pi * hz * float64(i) / 48000)
		re, im = re+float64(v)*cos, im+float64(v)*sin
	}
	return 2 * math.Hypot(re, im) / float64(len(x))
}

// Outside the crossfade, the audio at a join equals the recording bit for bit, even where loud
// audio is cut off before quiet audio.
func TestAudioIsExactOutsideTheCrossfade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "noise.wav")
	mediatest.FFmpeg(
		t, "-f", "lavfi", "-i", "aevalsrc='(2*random(0)-1)*if(lt(t,3),0.5,0.01)':s=48000:d=6", "-ac", "2", path,
	)
	settings := media.RenderSettings{AudioOnly: true, VolumePercent: 100}
	recorded := mainMix(t, makePlan(t, nil, settings, path)).Left
	plan := makePlan(t, []media.Span{{StartMS: 2000, EndMS: 4000}}, settings, path)
	out := mainMix(t, plan).Left
	const join, resumes, half = 2 * media.SampleRate, 4 * media.SampleRate, media.CrossfadeSamples / 2
	if !slices.Equal(out[:join-half], recorded[:join-half]) {
		t.Error("the audio before the join is not as recorded")
	}
	if !slices.Equal(out[join+half:], recorded[resumes+half:]) {
		t.Error("the audio after the join is not as recorded")
	}
	if slices.Equal(out[join:join+half], recorded[resumes:resumes+half]) {
		t.Error("the join has no crossfade")
	}
}

// A join has a crossfade of 10 ms: constant noise keeps its level, and a tone in the cut is audible
// for 5 ms on each side only. Where a muted span touches the join, nothing of the cut is audible.
func TestJoinsAreCrossfaded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "noise.wav")
	mediatest.FFmpeg(t, "-f", "lavfi", "-i",
		"aevalsrc='0.2*(2*random(0)-1)+if(gte(t,2)*lt(t,4),0.4*sin(2*PI*6000*t))':s=48000:d=6", "-ac", "2", path)
	cut := media.Span{StartMS: 2000, EndMS: 4000}
	const join, ms = 2 * media.SampleRate, media.SampleRate / 1000
	tone := func(out []float32, from, to int) float64 { return power(out[join+from*ms:join+to*ms], 6000) }

	out := mediatest.PCM(t, heardAudio(t, path, []media.Span{cut}, media.AudioSettings{}), 48000)
	steady := rms(out[media.SampleRate : media.SampleRate*3/2])
	if level := rms(out[join-ms : join+ms]); level < 0.8*steady {
		t.Errorf("the noise falls from %.4f to %.4f at the join", steady, level)
	}
	if before, after := tone(out, -5, 0), tone(out, 0, 5); before < 0.07 || after < 0.07 {
		t.Errorf("at the join the cut audio has power %.4f and %.4f, want a crossfade", before, after)
	}
	if before, after := tone(out, -12, -7), tone(out, 7, 12); before > 0.04 || after > 0.04 {
		t.Errorf("7 ms from the join the cut audio has power %.4f and %.4f", before, after)
	}

	settings := media.RenderSettings{AudioOnly: true, VolumePercent: 100,
		Muted: []media.Span{{StartMS: 1500, EndMS: 2000}}}
	muted, _ := renderPlan(t, makePlan(t, []media.Span{cut}, settings, path))
	if p := tone(mediatest.PCM(t, muted, 48000), -10, 10); p > 0.04 {
		t.Errorf("next to a muted span the cut audio has power %.4f", p)
	}
}
