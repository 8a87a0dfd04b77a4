package libav

import (
	"math"
	"path/filepath"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// A mono recording stays mono, in every format, and as loud as it was.
func TestMonoStaysMono(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	voice := filepath.Join(dir, "voice.mp4")
	mediatest.FFmpeg(
		t, "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=6",
		"-f", "lavfi", "-i", "aevalsrc=.2*sin(600*PI*t)*(1+sin(3*PI*t))/2:d=6:s=48000", "-pix_fmt", "yuv420p",
		"-c:v", "libx264", "-c:a", "aac", "-b:a", "96k", voice,
	)
	stereo := filepath.Join(dir, "stereo.mp4")
	mediatest.FFmpeg(t, "-i", voice, "-c:v", "copy", "-ac", "2", "-c:a", "aac", stereo)
	recorded, _ := mediatest.Loudness(t, voice)
	cuts := []media.Span{{StartMS: 2000, EndMS: 2100}}
	for name, c := range map[string]struct {
		plan     media.RenderPlan
		channels int
		loudness float64
	}{
		"cut":        {makePlan(t, cuts, media.RenderSettings{}, voice), 1, recorded},
		"whole":      {makePlan(t, nil, media.RenderSettings{}, voice), 1, recorded},
		"wav":        {makePlan(t, cuts, media.RenderSettings{Format: "wav"}, voice), 1, recorded},
		"flac":       {makePlan(t, cuts, media.RenderSettings{Format: "flac"}, voice), 1, recorded},
		"mp3":        {makePlan(t, cuts, media.RenderSettings{Format: "mp3"}, voice), 1, recorded},
		"opus":       {makePlan(t, cuts, media.RenderSettings{Format: "opus"}, voice), 1, recorded},
		"normalized": {makePlan(t, cuts, media.RenderSettings{Audio: loud(-16)}, voice), 1, -16},
		"denoised":   {makePlan(t, cuts, media.RenderSettings{Audio: denoised(-20)}, voice), 1, -20},
		"stereo is cut": {
			makePlan(t, []media.Span{{StartMS: 6000, EndMS: 13_000}}, media.RenderSettings{}, voice, stereo),
			2, recorded,
		},
		"with stereo": {
			makePlan(t, cuts, media.RenderSettings{Audio: loud(-16)}, voice, stereo), 2, -16,
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, _ := renderPlan(t, c.plan)
			channels := 0
			for _, s := range ffprobe(t, out, "-show_streams").Streams {
				if s.CodecType == "audio" {
					channels = s.Channels
				}
			}
			got, _ := mediatest.Loudness(t, out)
			if channels != c.channels || math.Abs(got-c.loudness) > 0.2 {
				t.Errorf("%d channels of %.1f LUFS, want %d of %.1f", channels, got, c.channels, c.loudness)
			}
		})
	}
}

func loud(lufs float64) media.AudioSettings {
	return media.AudioSettings{Normalize: true, TargetLUFS: lufs}
}

func denoised(lufs float64) media.AudioSettings {
	s := loud(lufs)
	s.Denoise, s.NoiseFloorDB = true, -25
	return s
}
