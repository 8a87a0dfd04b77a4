package libav

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// voiceFiles returns the voice of a talk in mono, in stereo as loud as that, and on the left
// channel alone.
func voiceFiles(t *testing.T) (mono, stereo, left string) {
	t.Helper()
	voice := voiceSamples(t)
	write := func(gains ...float64) string {
		return writeWAV(t, len(gains), steadySeconds, func(channel, i int) float64 {
			return gains[channel] * float64(voice[i]) / 2
		})
	}
	return write(1), write(math.Sqrt2/2, math.Sqrt2/2), write(1, 0)
}

// ingestClip returns a recording with its energies. tracks are as in media.IngestRequest.
func ingestClip(t *testing.T, path string, tracks ...int) media.RenderClip {
	t.Helper()
	dir := t.TempDir()
	got, err := New().Ingest(t.Context(), media.IngestRequest{
		Path: path, SpeechPath: filepath.Join(dir, "speech"), Tracks: tracks,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	energies := filepath.Join(dir, "energies")
	if err := os.WriteFile(energies, audio.PackEnergies(got.Energies), 0o600); err != nil {
		t.Fatal(err)
	}
	return media.RenderClip{Path: path, Info: got.Info, EnergiesPath: energies}
}

// checkLoudness renders clips and checks the loudness of each in the export.
func checkLoudness(t *testing.T, want float64, settings media.RenderSettings, clips ...media.RenderClip) {
	t.Helper()
	settings.VolumePercent, settings.AudioOnly = 100, true
	plan, err := media.NewRenderPlan(clips, nil, settings)
	if err != nil {
		t.Fatal(err)
	}
	out, _ := renderPlan(t, plan)
	for i := range clips {
		part := filepath.Join(t.TempDir(), "part.wav")
		start := fmt.Sprint(i * steadySeconds)
		mediatest.FFmpeg(t, "-ss", start, "-t", fmt.Sprint(steadySeconds), "-i", out, part)
		if got, _ := mediatest.Loudness(t, part); math.Abs(got-want) > 0.2 {
			t.Errorf("%s: recording %d has %.1f LUFS, want %.1f", settings.Format, i+1, got, want)
		}
	}
}

// In a stereo export, a mono recording is as loud as a meter measures its file.
func TestMonoIsAsLoudAsItsFileInStereo(t *testing.T) {
	t.Parallel()
	mono, stereo, left := voiceFiles(t)
	recorded, _ := mediatest.Loudness(t, mono)
	clip, other := ingestClip(t, mono), ingestClip(t, stereo)
	for _, format := range []string{"wav", "m4a"} {
		checkLoudness(t, recorded, media.RenderSettings{Format: format}, clip, other)
	}
	measured, otherMeasured := clip, other
	measured.EnergiesPath, otherMeasured.EnergiesPath = "", ""
	checkLoudness(t, -24, media.RenderSettings{Format: "wav", Audio: loud(-24)}, clip, other)
	checkLoudness(t, -24, media.RenderSettings{Format: "wav", Audio: loud(-24)}, measured, otherMeasured)

	oneSided := ingestClip(t, left)
	if oneSided.Info.Audio.VoiceOn != media.VoiceLeft {
		t.Fatalf("the audio is %+v", oneSided.Info.Audio)
	}
	for _, s := range []media.AudioSettings{{}, loud(-24)} {
		want := recorded
		if s.Normalize {
			want = -24
		}
		s.BothEars = true
		checkLoudness(t, want, media.RenderSettings{Format: "wav", Audio: s}, clip, oneSided)
	}
}

// A mono track that is mixed with silent stereo is as loud as alone, in the export and in what an
// ingest stores.
func TestMonoTrackInAStereoMixKeepsItsLoudness(t *testing.T) {
	t.Parallel()
	mono, _, _ := voiceFiles(t)
	path := filepath.Join(t.TempDir(), "tracks.mkv")
	mediatest.FFmpeg(t, "-i", mono, "-f", "lavfi", "-t", fmt.Sprint(steadySeconds), "-i", silentTrack,
		"-map", "0:a", "-map", "1:a", "-c:a", "pcm_s16le", path)
	recorded, _ := mediatest.Loudness(t, mono)
	clip := ingestClip(t, path, 0, 1)
	for _, format := range []string{"wav", "m4a"} {
		checkLoudness(t, recorded, media.RenderSettings{Format: format}, clip)
	}
	checkLoudness(t, -24, media.RenderSettings{Format: "wav", Audio: loud(-24)}, clip)
	energies, _ := storedEnergies(clip.EnergiesPath)
	if got, _ := audio.IntegratedLoudness(energies); math.Abs(got-recorded) > 0.2 {
		t.Errorf("the ingest measures %.1f LUFS, want %.1f", got, recorded)
	}
}

// The only microphone with a voice is as loud as its channel alone.
func TestTheOnlyMicrophoneKeepsItsLoudness(t *testing.T) {
	t.Parallel()
	mono, _, _ := voiceFiles(t)
	want, _ := mediatest.Loudness(t, mono)
	voice, timeCode := voiceSamples(t), steadySounds()["time code"]
	path := writeWAV(t, 3, steadySeconds, func(channel, i int) float64 {
		if channel == 2 {
			return float64(voice[i]) / 2
		}
		return timeCode(i)
	})
	clip := ingestClip(t, path)
	checkLoudness(t, want, media.RenderSettings{Format: "wav"}, clip)
	checkLoudness(t, -24, media.RenderSettings{Format: "wav", Audio: loud(-24)}, clip)
}

// Room tone in a mono recording has the level of the noise around it, in stereo too, and stored
// energies predict the loudness.
func TestRoomToneOfMonoInStereoHasTheLevelOfItsNoise(t *testing.T) {
	t.Parallel()
	noise := "anoisesrc=r=48000:a=0.01:c=white:seed=3:d=20[n]"
	clips := []media.RenderClip{
		ingestClip(t, bursts(t, noise, "mono.wav", "-ac", "1")),
		ingestClip(t, bursts(t, noise, "stereo.wav", "-ac", "2")),
	}
	muted := media.Span{StartMS: 7850, EndMS: 19_500}
	planOf := func(muted ...media.Span) media.RenderPlan {
		settings := media.RenderSettings{VolumePercent: 100, AudioOnly: true, Muted: muted, Audio: loud(-24)}
		plan, err := media.NewRenderPlan(clips, nil, settings)
		if err != nil {
			t.Fatal(err)
		}
		return plan
	}
	before, after := mainMix(t, planOf()), mainMix(t, planOf(muted))
	checkRoomTone(t, before.Left, after.Left, muted.StartMS*48, muted.EndMS*48)
	mono, stereo := decibelsOf(before.Left[5100*48:5900*48]), decibelsOf(before.Left[25_100*48:25_900*48])
	if math.Abs(mono-stereo) > 0.5 {
		t.Errorf("the noise has %.1f dB in mono and %.1f dB in stereo", mono, stereo)
	}

	ctx, meter := av.NewMeter(t.Context(), nil, time.Minute)
	defer meter.Close()
	r := &render{engine: New(), ctx: ctx, plan: planOf(muted), meter: meter}
	r.tally = newTally(meter, 0, 0, 1)
	for _, step := range []func() error{r.locate, r.findRoomTone} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	predicted, _, _, err := r.initialGain()
	if err != nil {
		t.Fatal(err)
	}
	if lufs, _, err := r.measureMix(&normalizer{}); err != nil || math.Abs(-24-lufs-predicted) > 0.2 {
		t.Errorf("the gain is %.2f dB, want %.2f; %v", predicted, -24-lufs, err)
	}
}
