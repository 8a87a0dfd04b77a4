package libav

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// bursts writes a recording with a voice-like sound in every other second over a background, which
// is a graph of ffmpeg that ends in [n].
func bursts(t testing.TB, background, output string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), output)
	voice := "sin(2*PI*220*t)+0.5*sin(2*PI*660*t)+0.3*sin(2*PI*1760*t)"
	mediatest.FFmpeg(t, append([]string{
		"-filter_complex",
		background + ";aevalsrc='0.2*(" + voice + ")*lt(mod(t,2),1)':s=48000:d=20[v];" +
			"[n][v]amix=inputs=2:normalize=0:duration=shortest[o]",
		"-map", "[o]",
	}, append(args, path)...)...)
	return path
}

// mainMix returns the mix of a plan before it is encoded.
func mainMix(t testing.TB, plan media.RenderPlan) (out av.Stereo) {
	t.Helper()
	ctx, meter := av.NewMeter(t.Context(), nil, time.Minute)
	defer meter.Close()
	r := &render{engine: New(), ctx: ctx, plan: plan, meter: meter}
	r.tally = newTally(meter, 0, 0, 1)
	for _, step := range []func() error{r.locate, r.findRoomTone, r.measureNoise, r.findLoudSpans} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.mix(func(part av.Stereo) error {
		out = out.Add(part.Left, part.Right)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// decibelsOf returns the level of samples in dBFS.
func decibelsOf(samples []float32) float64 { return 20 * math.Log10(rms(samples)+1e-9) }

// Muted audio becomes the background of the recording: at its level, without voice, click or gap.
// Everything else stays bit-exact.
func TestMutedAudioBecomesRoomTone(t *testing.T) {
	for name, c := range map[string]struct {
		background string
		args       []string
	}{
		"hiss":   {"anoisesrc=r=48000:a=0.01:c=white:seed=3:d=20[n]", []string{"-ac", "2"}},
		"rumble": {"anoisesrc=r=48000:a=0.05:c=brown:seed=3:d=20[n]", []string{"-ac", "2"}},
		"hum and hiss": {
			"sine=f=50:r=48000:d=20,volume=-18dB[h];anoisesrc=r=48000:a=0.003:c=pink:seed=3:d=20[p];" +
				"[h][p]amix=inputs=2:normalize=0[n]",
			[]string{"-ac", "2"},
		},
		"a phone": {"anoisesrc=r=48000:a=0.02:c=pink:seed=3:d=20[n]", []string{"-ac", "1", "-ar", "8000"}},
		"a quiet booth": {
			"anoisesrc=r=48000:a=0.0008:c=pink:seed=3:d=20[n]", []string{"-ac", "2", "-c:a", "pcm_f32le"},
		},
		"digital silence": {"anullsrc=r=48000:d=20[n]", []string{"-ac", "2"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := bursts(t, c.background, "talk.wav", c.args...)
			muted := media.Span{StartMS: 7850, EndMS: 9200}
			plan := makePlan(t, nil, media.RenderSettings{AudioOnly: true}, path)
			before := mainMix(t, plan)
			after := mainMix(
				t, makePlan(t, nil, media.RenderSettings{AudioOnly: true, Muted: []media.Span{muted}}, path),
			)
			from, to := muted.StartMS*48, muted.EndMS*48
			for side, samples := range map[string][2][]float32{
				"left": {before.Left, after.Left}, "right": {before.Right, after.Right},
			} {
				was, is := samples[0], samples[1]
				if !slices.Equal(was[:from], is[:from]) || !slices.Equal(was[to:], is[to:]) {
					t.Errorf("%s: audio outside of the mute changed", side)
				}
				checkRoomTone(t, was, is, from, to)
			}
		})
	}
}

// checkRoomTone checks samples [from, to) of audio against the pause from 5.1 to 5.9 s of the same
// recording.
func checkRoomTone(t *testing.T, was, is []float32, from, to int64) {
	t.Helper()
	pause := was[5100*48 : 5900*48]
	floor := decibelsOf(pause)
	if got := decibelsOf(is[from:to]); math.Abs(got-floor) > 2 {
		t.Errorf("the muted audio is at %.1f dB, the pause at %.1f dB", got, floor)
	}
	for at := from; at+4800 <= to; at += 4800 {
		if got := decibelsOf(is[at : at+4800]); math.Abs(got-floor) > 6 {
			t.Errorf("at %d ms the level is %.1f dB, in the pause %.1f dB", at/48, got, floor)
		}
	}
	for _, hz := range []float64{220, 660, 1760} {
		left, voice, usual := power(is[from+480:to-480], hz), power(was[from+480:to-480], hz), power(pause, hz)
		if left > 3*usual+voice/100 {
			t.Errorf("%.0f Hz of the voice is left at %.6f of %.6f; the pause has %.6f", hz, left, voice, usual)
		}
	}
	if steep, usual := mediatest.MaxSecondDifference(is[from-480:to+480]),
		mediatest.MaxSecondDifference(was[from-480:to+480]); steep > 1.5*usual+1e-6 {
		t.Errorf("a corner of %.5f is audible; without the mute it was %.5f", steep, usual)
	}
}

// Room tone is processed like recorded audio: volume and noise reduction apply to it, a join in it
// has no fragment of the muted audio, and a clip without audio stays silent.
func TestRoomToneIsPartOfTheMainAudio(t *testing.T) {
	path := bursts(t, "anoisesrc=r=48000:a=0.01:c=white:seed=3:d=20[n]", "talk.wav", "-ac", "2")
	plain := mainMix(t, makePlan(t, nil, media.RenderSettings{AudioOnly: true}, path))
	pause := decibelsOf(plain.Left[5100*48 : 5900*48])
	mute := func(settings media.RenderSettings, spans ...media.Span) []float32 {
		settings.AudioOnly, settings.Muted = true, spans
		return mainMix(t, makePlan(t, []media.Span{{StartMS: 8300, EndMS: 8600}}, settings, path)).Left
	}
	burst := media.Span{StartMS: 7900, EndMS: 9100}
	half := mute(media.RenderSettings{VolumePercent: 50}, burst)
	if got := decibelsOf(half[8000*48 : 8700*48]); math.Abs(got-pause+6) > 1 {
		t.Errorf("at half the volume the room tone is at %.1f dB, the pause at %.1f dB", got, pause)
	}
	denoised := mute(
		media.RenderSettings{Audio: media.AudioSettings{Denoise: true, NoiseFloorDB: -20}}, burst,
	)
	got, quiet := decibelsOf(denoised[8000*48:8700*48]), decibelsOf(denoised[5300*48:5900*48])
	if math.Abs(got-quiet) > 3 {
		t.Errorf("after noise reduction the room tone is at %.1f dB, the pause at %.1f dB", got, quiet)
	}
	censored := mute(media.RenderSettings{
		Audio: media.AudioSettings{Censor: media.CensorMute, Censored: []media.Span{burst}},
	})
	if got := decibelsOf(censored[8000*48 : 8700*48]); math.Abs(got-pause) > 2 {
		t.Errorf("a censored word leaves %.1f dB, the pause has %.1f dB", got, pause)
	}
	join := mute(
		media.RenderSettings{}, media.Span{StartMS: 8000, EndMS: 8290}, media.Span{StartMS: 8610, EndMS: 9000},
	)
	for at := 8100 * 48; at < 8500*48; at += 480 {
		if got := decibelsOf(join[at : at+480]); got > pause+6 {
			t.Errorf("at %d ms, near the join, the level is %.1f dB", at/48, got)
		}
	}
}

// A recording that never becomes quiet has no room tone. Its muted audio fades to silence.
func TestMutedAudioOfAHeldToneIsSilent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tone.wav")
	mediatest.FFmpeg(t, "-f", "lavfi", "-i", "sine=f=300:r=48000:d=12,volume=12dB", "-ac", "2", path)
	out := mainMix(t, makePlan(
		t, nil, media.RenderSettings{AudioOnly: true, Muted: []media.Span{{StartMS: 5000, EndMS: 6000}}}, path,
	)).Left
	if got := decibelsOf(out[5020*48 : 5980*48]); got > -90 {
		t.Errorf("the muted audio is at %.1f dB", got)
	}
	if got, usual := mediatest.MaxSecondDifference(out[4900*48:6100*48]),
		mediatest.MaxSecondDifference(out[:4000*48]); got > 1.3*usual {
		t.Errorf("a corner of %.5f is audible", got)
	}
}

// Equal mutes sound unequal, so that their room tone is not heard as a repeat, but each export of a
// plan is the same.
func TestRoomToneIsDeterministic(t *testing.T) {
	path := bursts(t, "anoisesrc=r=48000:a=0.01:c=white:seed=3:d=20[n]", "talk.wav", "-ac", "2")
	muted := []media.Span{{StartMS: 8000, EndMS: 8500}, {StartMS: 8600, EndMS: 9100}}
	plan := makePlan(t, nil, media.RenderSettings{AudioOnly: true, Muted: muted}, path)
	one, two := mainMix(t, plan), mainMix(t, plan)
	if !slices.Equal(one.Left, two.Left) {
		t.Error("two mixes differ")
	}
	if slices.Equal(one.Left[8100*48:8400*48], one.Left[8700*48:9000*48]) {
		t.Error("two mutes got the same room tone")
	}
}

// With muted audio, stored energies still predict the loudness: the loud sound that is muted does
// not count.
func TestLoudnessOfMutedAudioIsPredicted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "talk.wav") // one burst in five is 20 dB louder
	mediatest.FFmpeg(t, "-i", bursts(t, "anoisesrc=r=48000:a=0.003:c=pink:seed=3:d=20[n]", "talk.wav", "-ac", "2"),
		"-af", "volume='if(between(t,7.9,9.1),3,0.3)':eval=frame", path)
	got, err := New().Ingest(t.Context(), media.IngestRequest{Path: path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	energies := filepath.Join(t.TempDir(), "energies")
	if err := os.WriteFile(energies, audio.PackEnergies(got.Energies), 0o600); err != nil {
		t.Fatal(err)
	}
	plan := makePlan(t, []media.Span{{StartMS: 1000, EndMS: 1500}}, media.RenderSettings{
		AudioOnly: true,
		Muted:     []media.Span{{StartMS: 7900, EndMS: 9100}},
		Audio:     media.AudioSettings{Normalize: true, TargetLUFS: -23},
	}, path)
	for name, stored := range map[string]string{"stored": energies, "measured": ""} {
		plan.Inputs[0].EnergiesPath = stored
		out, _ := renderPlan(t, plan)
		lufs, peak := mediatest.Loudness(t, out)
		t.Logf("%s energies: %.2f LUFS, %.1f dBTP", name, lufs, peak)
		if math.Abs(lufs+23) > 0.5 {
			t.Errorf("%s energies: %.2f LUFS, want -23", name, lufs)
		}
	}
	ctx, meter := av.NewMeter(t.Context(), nil, time.Minute)
	defer meter.Close()
	plan.Inputs[0].EnergiesPath = energies
	r := &render{engine: New(), ctx: ctx, plan: plan, meter: meter}
	if err := r.locate(); err != nil {
		t.Fatal(err)
	}
	if err := r.findRoomTone(); err != nil {
		t.Fatal(err)
	}
	if _, sure, ok, err := r.initialGain(); !sure || !ok || err != nil {
		t.Errorf("the gain is sure %v, known %v, %v", sure, ok, err)
	}
}

// An export with muted audio still copies the video, and caches its audio under a separate key.
func TestMutedAudioKeepsTheVideoCopied(t *testing.T) {
	options := small()
	options.VideoOptions = tagged
	talk := mediatest.Talk(t, options).Path
	plan := makePlan(t, nil, media.RenderSettings{Muted: []media.Span{{StartMS: 2000, EndMS: 3000}}}, talk)
	plain := makePlan(t, nil, media.RenderSettings{}, talk)
	_, want := renderPlan(t, plain)
	if _, got := renderPlan(t, plan); got.Copied != want.Copied || got.Copied == 0 {
		t.Errorf("%d frames are copied, without the mute %d; %+v", got.Copied, want.Copied, got)
	}
	plain.Inputs[0].ID, plan.Inputs[0].ID = "a", "a"
	one, _ := audioRecipe(plain)
	two, _ := audioRecipe(plan)
	if fmt.Sprint(one...) == fmt.Sprint(two...) {
		t.Error("muted and recorded audio share a cache key")
	}
}

// The preview gets the room tone that an export plays, at the same place of the loop. A mono
// microphone may be mixed with a stereo track.
func TestRoomToneOfThePreviewIsThatOfTheExport(t *testing.T) {
	voice := bursts(t, "anoisesrc=r=48000:a=0.01:c=pink:seed=3:d=20[n]", "talk.wav", "-ac", "1")
	mixed := filepath.Join(t.TempDir(), "tracks.mkv")
	mediatest.FFmpeg(t, "-i", voice, "-f", "lavfi", "-t", "20", "-i", silentTrack,
		"-map", "0:a", "-map", "1:a", "-c:a", "pcm_s16le", mixed)
	stereo := bursts(t, "anoisesrc=r=48000:a=0.01:c=pink:seed=3:d=20[n]", "talk.wav", "-ac", "2")
	for name, clip := range map[string]media.RenderClip{
		"stereo": ingestClip(t, stereo), "mixed": ingestClip(t, mixed, 0, 1),
	} {
		t.Run(name, func(t *testing.T) { checkPreviewedTone(t, clip) })
	}
}

// checkPreviewedTone compares the room tone of the preview with the one in an export.
func checkPreviewedTone(t *testing.T, clip media.RenderClip) {
	t.Helper()
	muted, other := media.Span{StartMS: 7850, EndMS: 9200}, media.Span{StartMS: 12_000, EndMS: 12_900}
	plan, err := media.NewRenderPlan([]media.RenderClip{clip}, nil, media.RenderSettings{
		VolumePercent: 100, AudioOnly: true, Muted: []media.Span{muted, other},
	})
	if err != nil {
		t.Fatal(err)
	}
	exported := mainMix(t, plan)
	request := media.RoomToneRequest{
		Path: clip.Path, Info: clip.Info, Tracks: clip.Info.HeardTracks(),
		EnergiesPath: clip.EnergiesPath, Muted: muted.Samples(),
		Avoid: []media.SampleRange{muted.Samples(), other.Samples()},
	}
	loop, err := New().RoomTone(t.Context(), request)
	if err != nil || len(loop) == 0 {
		t.Fatalf("%d samples, %v", len(loop), err)
	}
	frames := int64(len(loop) / 2)
	for at := request.Muted.From + muteFadeSamples; at < request.Muted.To-muteFadeSamples; at++ {
		left, right := loop[2*(at%frames)], loop[2*(at%frames)+1]
		want := av.Stereo{Left: exported.Left[at : at+1], Right: exported.Right[at : at+1]}.Interleaved()
		if left != want[0] || right != want[1] {
			t.Fatalf("sample %d is %d %d, the export has %d", at, left, right, want)
		}
	}
	request.EnergiesPath = filepath.Join(t.TempDir(), "none")
	if loop, err := New().RoomTone(t.Context(), request); len(loop) > 0 || err != nil {
		t.Errorf("without energies there are %d samples, %v", len(loop), err)
	}
}
