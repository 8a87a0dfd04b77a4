package libav

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// A recording in floating point beyond full scale is scaled, whatever the format of the export, and
// the result says how far it was beyond.
func TestAudioBeyondFullScaleIsNotClipped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	voice := mediatest.Talk(
		t, mediatest.TalkOptions{NoVideo: true, Container: "wav", AudioCodec: "pcm_s16le", Seconds: 8},
	).Path
	cuts := []media.Span{{StartMS: 2000, EndMS: 2100}}
	recorded, _ := mediatest.Loudness(t, voice)
	peak := 20 * math.Log10(peakOf(t, voice))
	for _, db := range []int{3, 9, 14, 26} {
		loud := filepath.Join(dir, fmt.Sprint("loud", db, ".wav"))
		volume := fmt.Sprintf("volume=%ddB:precision=float", db)
		mediatest.FFmpeg(t, "-i", voice, "-af", volume, "-c:a", "pcm_f32le", loud)
		for _, format := range []string{"wav", "flac", "m4a", "mp3", "opus"} {
			t.Run(fmt.Sprint(db, " dB ", format), func(t *testing.T) {
				out, result := renderPlan(t, makePlan(t, cuts, media.RenderSettings{Format: format}, loud))
				lufs, _ := mediatest.Loudness(t, out)
				written := peakOf(t, out)
				if written >= 1 {
					t.Errorf("the peak is %.3f", written)
				}
				over := peak + float64(db)
				if over < saidOverDB {
					over = 0
				}
				if math.Abs(result.OverDB-over) > 0.3 {
					t.Errorf("the result is %.1f dB beyond full scale, want %.1f", result.OverDB, over)
				}
				// Scaling keeps the distance of peaks and loudness, which limiting would shrink.
				got, want := 20*math.Log10(written)-lufs, peak-recorded
				if math.Abs(got-want) > 2 {
					t.Errorf("peaks are %.1f dB above the loudness, %.1f recorded", got, want)
				}
			})
		}
	}
}

// Audio within full scale stays exactly as recorded, also where it reaches full scale.
func TestAudioWithinFullScaleStays(t *testing.T) {
	t.Parallel()
	for _, codec := range []string{"pcm_s16le", "pcm_f32le"} {
		path := filepath.Join(t.TempDir(), codec+".wav")
		mediatest.FFmpeg(
			t, "-f", "lavfi", "-i", "aevalsrc=0.9999*sin(997*2*PI*t)|0.9999*sin(1500*2*PI*t):d=3:s=48000",
			"-c:a", codec, path,
		)
		out, result := renderPlan(t, makePlan(t, nil, media.RenderSettings{Format: "wav"}, path))
		got, want := audioOf(t, out, 3).Right, audioOf(t, path, 3).Right
		for i := range want[:len(want)-media.SampleRate/100] {
			if math.Abs(float64(got[i]-want[i])) > 1.0/32768 {
				t.Fatalf("%s: sample %d is %.5f, want %.5f", codec, i, got[i], want[i])
			}
		}
		if result.OverDB != 0 {
			t.Errorf("%s: %.1f dB beyond full scale", codec, result.OverDB)
		}
	}
}

// The mix of several channels is limited where their sum exceeds full scale.
func TestSumsOfChannelsAreLimited(t *testing.T) {
	t.Parallel()
	path := writeWAV(t, 4, 3, func(_, i int) float64 {
		return 0.9 * math.Sin(2*math.Pi*440*float64(i)/media.SampleRate)
	})
	out, result := renderPlan(t, makePlan(t, nil, media.RenderSettings{Format: "flac"}, path))
	want := 20 * math.Log10(0.9*4*math.Sqrt(0.5))
	if got := peakOf(t, out); got >= 1 || math.Abs(result.OverDB-want) > 0.1 {
		t.Errorf("the peak is %.4f, %.1f dB beyond full scale, want %.1f", got, result.OverDB, want)
	}
}

// peakOf returns the largest sample of a recording of 3 to 8 seconds.
func peakOf(t *testing.T, path string) (peak float64) {
	t.Helper()
	sound := audioOf(t, path, 8)
	for _, v := range slices.Concat(sound.Left, sound.Right) {
		peak = max(peak, math.Abs(float64(v)))
	}
	return peak
}
