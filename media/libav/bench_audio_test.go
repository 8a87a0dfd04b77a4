package libav

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/mediatest"
)

// loudnormPasses returns the two ffmpeg commands that normalize the loudness of a recording
// linearly. The second uses the measurement of the first, which runs once here.
func loudnormPasses(b *testing.B, path, out string, target float64) [][]string {
	b.Helper()
	filter := fmt.Sprintf("loudnorm=I=%g:TP=-1.5:LRA=11", target)
	measure := []string{
		"ffmpeg", "-nostdin", "-y", "-i", path, "-vn", "-af",
		filter + ":print_format=json",
		"-f", "null", "-",
	}
	report, err := exec.Command(measure[0], measure[1:]...).CombinedOutput()
	if err != nil {
		b.Fatalf("%v\n%s", err, report)
	}
	measured := func(name string) string {
		found := regexp.MustCompile(`"` + name + `" : "(-?[\d.]+)"`).FindSubmatch(report)
		if found == nil {
			b.Fatalf("no %s in %s", name, report)
		}
		return string(found[1])
	}
	filter += fmt.Sprintf(
		":linear=true:measured_I=%s:measured_TP=%s:measured_LRA=%s:measured_thresh=%s:offset=%s",
		measured("input_i"), measured("input_tp"), measured("input_lra"), measured("input_thresh"),
		measured("target_offset"),
	)
	return [][]string{
		measure,
		{
			"ffmpeg", "-v", "error", "-nostdin", "-y", "-i", path, "-vn", "-af", filter, "-ar", "48000",
			"-c:a", "aac", "-aac_coder", "fast", "-b:a", "192k", out,
		},
	}
}

// BenchmarkNormalizingAgainstLoudnorm compares loudness normalization with ffmpeg's two-pass
// loudnorm: the whole export, and what normalization adds to an export.
func BenchmarkNormalizingAgainstLoudnorm(b *testing.B) {
	const target = -14.0
	path := mediatest.Talk(
		b,
		mediatest.TalkOptions{
			NoVideo:   true,
			Container: "m4a",
			Script:    mediatest.ThreeMinuteScript(),
			Seconds:   float64(footageMS()) / 1000,
			Hiss:      true,
		},
	).Path
	dir := b.TempDir()
	our, their, energies := filepath.Join(dir, "our.m4a"), filepath.Join(
		dir,
		"their.m4a",
	), filepath.Join(dir, "energies")
	ingested, err := New().Ingest(context.Background(), media.IngestRequest{Path: path}, nil)
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(energies, audio.PackEnergies(ingested.Energies), 0o600); err != nil {
		b.Fatal(err)
	}
	export := func(audio media.AudioSettings) mediatest.Cost {
		plan := makePlan(
			b,
			[]media.Span{{StartMS: 2000, EndMS: 3000}},
			media.RenderSettings{AudioOnly: true, Audio: audio},
			path,
		)
		plan.Inputs[0].EnergiesPath = energies
		return renderHere(b, New(), plan, our)
	}
	normal := media.AudioSettings{Normalize: true, TargetLUFS: target}
	passes := loudnormPasses(b, path, their, target)
	plain := []string{
		"ffmpeg", "-v", "error", "-nostdin", "-y", "-i", path, "-vn", "-ar", "48000", "-c:a", "aac",
		"-aac_coder", "fast", "-b:a", "192k", filepath.Join(dir, "plain.m4a"),
	}
	mediatest.LogPeer(b, "loudness", append(passes, plain)...)
	for b.Loop() {
		var whole, theirWhole, alone, theirAlone []mediatest.Cost
		for range 3 {
			x, y := export(normal), mediatest.MeasureCommands(b, passes...)
			whole, theirWhole = append(whole, x), append(theirWhole, y)
			alone, theirAlone = append(alone, x.Minus(export(media.AudioSettings{}))), append(
				theirAlone,
				y.Minus(mediatest.MeasureCommands(b, plain)),
			)
		}
		mediatest.Goal{
			What:  "normalized audio, added time",
			Want:  0.10,
			Limit: "gain and limiter",
		}.Compare(b, alone, theirAlone)
		mediatest.Goal{
			What:  "normalized audio, whole export",
			Want:  0.25,
			Limit: "the AAC encoder",
		}.Compare(b, whole, theirWhole)
	}
	export(normal)
	lufs, peak := mediatest.Loudness(b, our)
	mediatest.Goal{
		What:  "off the loudness that was asked for",
		Want:  0.5,
		Limit: "0",
	}.Figure(b, math.Abs(lufs-target), "LU")
	mediatest.Goal{What: "true peak", Want: -1, Limit: "-1.5"}.Figure(b, peak, "dB")
}
