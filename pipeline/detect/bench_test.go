package detect_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/mediatest"
	"roughcut/pipeline/detect"
)

// BenchmarkAnalysisWithoutTranscription measures an analysis apart from the speech model, per ten
// minutes: voice activity, edits and captions.
func BenchmarkAnalysisWithoutTranscription(b *testing.B) {
	s := speak(b, mediatest.RandomTalk(1, 120), -60, 1000)
	minutes := float64(s.durationMS) / 60_000
	for b.Loop() {
		var e detect.Evidence
		whole := mediatest.MeasureFunc(b, func() error { e = transcribed(b, s); return nil })
		own := mediatest.MeasureFunc(b, func() error {
			heard, err := detect.MeasureVoice(context.Background(), bytes.NewReader(s.raw), s.durationMS, nil)
			heard.Words = e.Words
			edits := detect.Edits(
				heard,
				detect.Settings{
					CutOptions: media.CutOptions{PacingLevel: 80, FalseStartSensitivity: 80},
					Language:   "en",
				},
			)
			if lines := detect.CaptionLines(e.Words, 7); len(edits) < 50 || len(lines) < 50 {
				b.Fatalf("%d edits, %d caption lines", len(edits), len(lines))
			}
			return err
		})
		mediatest.Goal{
			What:  "analysis beyond Whisper, ten minutes",
			Want:  1,
			Limit: "one pass over the audio",
		}.Figure(b, own.CPU.Seconds()*10/minutes, "s")
		b.Logf(
			"of it %.1f min: %.2f s CPU with the smallest model, %.2f s without a model",
			minutes,
			whole.CPU.Seconds(),
			own.CPU.Seconds(),
		)
		started := time.Now()
		detect.Edits(
			e,
			detect.Settings{CutOptions: media.CutOptions{PacingLevel: 80, FalseStartSensitivity: 80}, Language: "en"},
		)
		mediatest.Goal{
			What:  "other edits from kept evidence, an hour",
			Want:  100,
			Limit: "one pass over the words",
		}.Figure(b, 1000*time.Since(started).Seconds()*60/minutes, "ms")
	}
}
