package libav

import (
	"math"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// With both ears, an export has the voice of one channel on both sides, as loud as a meter measures
// the recording. Without, the channels stay.
func TestBothEarsSpreadAVoice(t *testing.T) {
	t.Parallel()
	voice, square := voiceSamples(t), steadySounds()["square"]
	for name, c := range map[string]struct {
		left, right, code float64
		on                string
		opposite          bool
	}{
		"left":         {1, 0, 0, media.VoiceLeft, false},
		"right":        {0, 1, 0, media.VoiceRight, false},
		"faint":        {1, 0.05, 0, media.VoiceLeft, false},
		"opposite":     {1, -1, 0, media.VoiceLeft, true},
		"weaker":       {0.7, -1, 0, media.VoiceRight, true},
		"time code":    {1, 0, 1, media.VoiceLeft, false},
		"both":         {1, 1, 0, "", false},
		"one is lower": {1, 0.3, 0, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			write := func(code float64) string {
				return writeWAV(t, 2, steadySeconds, func(channel, i int) float64 {
					if channel == 1 {
						return c.right*float64(voice[i]) + code*square(i)
					}
					return c.left * float64(voice[i])
				})
			}
			path := write(c.code)
			info := ingestFile(t, path).Info
			if a := info.Audio; a.VoiceOn != c.on || a.Opposite != c.opposite {
				t.Errorf("the audio is %+v", *a)
			}
			// Time code is not part of the loudness that stays.
			recorded, _ := mediatest.Loudness(t, write(0))
			clips := []media.RenderClip{{Path: path, Info: info}}
			for _, target := range []float64{recorded, -20} {
				setting := media.AudioSettings{BothEars: true, Normalize: target == -20, TargetLUFS: target}
				for _, format := range []string{"wav", "m4a"} {
					plan, err := media.NewRenderPlan(clips, nil, media.RenderSettings{
						Format: format, VolumePercent: 100, Audio: setting,
					})
					if err != nil {
						t.Fatal(err)
					}
					out, _ := renderPlan(t, plan)
					if lufs, _ := mediatest.Loudness(t, out); math.Abs(lufs-target) > 0.2 {
						t.Errorf("%s is %.1f LUFS loud, want %.1f", format, lufs, target)
					}
					exported := audioOf(t, out, steadySeconds)
					apart := 0.0
					for i, v := range exported.Left {
						apart = max(apart, math.Abs(float64(v-exported.Right[i])))
					}
					if same := apart < 0.02; same != (c.on != "" || c.left == c.right) {
						t.Errorf("%s: the sides differ by %.3f", format, apart)
					}
				}
			}
		})
	}
}
