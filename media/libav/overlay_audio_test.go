package libav

import (
	"math"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// level returns the level of a range of audio in dB.
func level(audio []float32, fromMS, toMS int) float64 {
	return 20 * math.Log10(rms(audio[fromMS*48:toMS*48])+1e-9)
}

// hum returns a video of a steady tone, 6 s long, at -26 dB.
func hum(t testing.TB) string {
	return made(
		t, "hum.mp4", "-f", "lavfi", "-i", "color=c=black:s=320x180:r=25:d=6", "-f", "lavfi",
		"-i", "sine=frequency=300:r=48000:d=6,volume=0.566", "-c:v", "libx264", "-preset", "ultrafast",
		"-c:a", "aac", "-b:a", "192k",
	)
}

// beep returns 3 s of audio: silence, a tone from 1 to 2 s, silence.
func beep(t testing.TB) string {
	return made(
		t, "beep.wav", "-f", "lavfi", "-i", "sine=frequency=3000:r=48000:d=3",
		"-af", "volume=0:enable='not(between(t,1,1.9999))',volume=2", "-ac", "2",
	)
}

// mixed renders the hum with assets, in stereo, and returns the audio.
func mixed(t *testing.T, main string, cuts []media.Span, assets ...media.PlacedAsset) []float32 {
	t.Helper()
	plan := makePlan(t, cuts, media.RenderSettings{Assets: assets}, main)
	plan.Mono = false
	out, _ := renderPlan(t, plan)
	return mediatest.PCM(t, out, 48000)
}

// Placed audio plays at its position and volume. It replaces the main audio, or ducks it where the
// asset is audible.
func TestPlacedAudioIsMixed(t *testing.T) {
	audio, main := beep(t), hum(t)
	asset := func(change func(*media.PlacedAsset)) media.PlacedAsset {
		return placed(t, audio, 1000, 4000, func(a *media.PlacedAsset) { a.AudioMode = media.AudioMix; change(a) })
	}
	plain := mixed(t, main, nil)
	base := level(plain, 500, 900)
	check := func(t *testing.T, audio []float32, wants map[[2]int]float64) {
		t.Helper()
		for at, want := range wants {
			if got := level(audio, at[0], at[1]) - base; math.Abs(got-want) > 0.7 && !(want < -50 && got < -50) {
				t.Errorf("from %d to %d ms it is %.1f dB over the main audio, want %.1f", at[0], at[1], got, want)
			}
		}
	}
	tone := 10*math.Log10(rmsOf(t, audio)) - base // the beep over the hum
	t.Run("mute", func(t *testing.T) {
		t.Parallel()
		check(
			t,
			mixed(t, main, nil, asset(func(a *media.PlacedAsset) { a.AudioMode = media.AudioMute })),
			map[[2]int]float64{{2100, 2900}: 0, {1100, 1900}: 0},
		)
	})
	t.Run("mix", func(t *testing.T) {
		t.Parallel()
		both := 10 * math.Log10(1+math.Pow(10, tone/10))
		check(
			t,
			mixed(t, main, nil, asset(func(*media.PlacedAsset) {})),
			map[[2]int]float64{{1100, 1900}: 0, {2100, 2900}: both, {3100, 3900}: 0},
		)
	})
	t.Run("mono", func(t *testing.T) {
		t.Parallel()
		one := made(t, "mono.wav", "-i", audio, "-ac", "1")
		got := mixed(t, main, nil, placed(t, one, 1000, 4000, func(a *media.PlacedAsset) {
			a.AudioMode = media.AudioReplace
		}))
		// The channels of the beep are alike, so one of them has half its power.
		check(t, got, map[[2]int]float64{{2100, 2900}: tone - media.MonoLUFS})
	})
	t.Run("volume", func(t *testing.T) {
		t.Parallel()
		half := 10 * math.Log10(1+math.Pow(10, (tone-6.02)/10))
		check(
			t,
			mixed(t, main, nil, asset(func(a *media.PlacedAsset) { a.VolumePercent = 50 })),
			map[[2]int]float64{{2100, 2900}: half, {3100, 3900}: 0},
		)
	})
	t.Run("replace", func(t *testing.T) {
		t.Parallel()
		check(
			t,
			mixed(t, main, nil, asset(func(a *media.PlacedAsset) { a.AudioMode = media.AudioReplace })),
			map[[2]int]float64{
				{500, 980}:   0,
				{1050, 1950}: -90,
				{2100, 2900}: tone,
				{3050, 3950}: -90,
				{4050, 5000}: 0,
			},
		)
	})
	t.Run("replace by silence", func(t *testing.T) {
		t.Parallel()
		check(
			t,
			mixed(
				t, main, nil,
				asset(func(a *media.PlacedAsset) { a.AudioMode, a.VolumePercent = media.AudioReplace, 0 }),
			),
			map[[2]int]float64{{500, 980}: 0, {1050, 3950}: -90, {4050, 5000}: 0},
		)
	})
	t.Run("duck", func(t *testing.T) {
		t.Parallel()
		got := mixed(t, main, nil, asset(func(a *media.PlacedAsset) { a.DuckMain, a.VolumePercent = true, 4 }))
		faint := tone + 20*math.Log10(0.04) // below the main audio even when that is ducked
		both := 10 * math.Log10(math.Pow(10, media.DuckDB/10)+math.Pow(10, faint/10))
		check(
			t,
			got,
			map[[2]int]float64{
				{1100, 1800}: 0,
				{2100, 2900}: both,
				{1915, 1935}: -6,
				{3190, 3210}: -6,
				{3500, 3900}: 0,
			},
		)
	})
	t.Run("offset and cuts", func(t *testing.T) {
		t.Parallel()
		got := mixed(
			t,
			main,
			[]media.Span{{StartMS: 0, EndMS: 480}, {StartMS: 2000, EndMS: 2200}},
			asset(func(a *media.PlacedAsset) { a.OffsetMS, a.AudioMode = 600, media.AudioReplace }),
		)
		onset := -1
		for i := 48 * 520; i < len(got); i++ {
			if math.Abs(float64(got[i])) > 0.1 {
				onset = i
				break
			}
		}
		// 520 ms of the output, and the remaining 400 ms of silence of the asset
		if ms := float64(onset) / 48; math.Abs(ms-920) > 5 {
			t.Errorf("the tone begins at %.1f ms", ms)
		}
		check(t, got, map[[2]int]float64{{950, 1850}: tone})
	})
}

// rmsOf returns the mean power of audio between 1.1 and 1.9 s.
func rmsOf(t testing.TB, path string) float64 {
	r := rms(mediatest.PCM(t, path, 48000)[48*1100 : 48*1900])
	return r * r
}

// A video has audio if only an asset has audio.
func TestAudioOfAssetAlone(t *testing.T) {
	plan := makePlan(
		t,
		nil,
		media.RenderSettings{
			Assets: []media.PlacedAsset{
				placed(t, beep(t), 0, 3000, func(a *media.PlacedAsset) { a.AudioMode = media.AudioMix }),
			},
		},
		backdrop(t, 3),
	)
	out, _ := renderPlan(t, plan)
	audio := mediatest.PCM(t, out, 48000)
	if level(audio, 1100, 1900) < -20 || level(audio, 100, 900) > -60 {
		t.Errorf("the tone is at %.1f dB, the silence at %.1f", level(audio, 1100, 1900), level(audio, 100, 900))
	}
}
