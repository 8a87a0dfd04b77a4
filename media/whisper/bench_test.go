package whisper

import (
	"bytes"
	"context"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// BenchmarkSpeechOnlyWindows compares Transcribe, which omits pauses, with one whisper.cpp run over
// the whole recording. That run matches the whisper.cpp command line: same model, threads and
// settings. More than a third of the recording is pauses.
func BenchmarkSpeechOnlyWindows(b *testing.B) {
	m := openModel(b)
	script, _ := mediatest.Script(mediatest.RandomTalk(3, 36), media.SpeechSampleRate, -60, 1000)
	s := speak(b, script)
	raw := s.raw()
	all, err := window{{EndMS: s.durationMS}}.samples(bytes.NewReader(raw))
	if err != nil {
		b.Fatal(err)
	}
	voiced := int64(0)
	for _, w := range s.words {
		voiced += w.EndMS - w.StartMS
	}
	b.Logf(
		"%.1f min, %.0f %% pauses",
		float64(s.durationMS)/60_000,
		100-100*float64(voiced)/float64(s.durationMS),
	)
	for b.Loop() {
		var got media.Transcript
		mediatest.Goal{
			What:  "transcribe speech only, against the whole recording at once",
			Want:  0.72,
			Limit: "0.63",
		}.Against(
			b,
			func() mediatest.Cost {
				return mediatest.MeasureFunc(b, func() (err error) {
					got, err = m.Transcribe(
						context.Background(),
						bytes.NewReader(raw),
						int64(len(raw)),
						Options{Language: "en"},
						nil,
					)
					return err
				})
			},
			func() mediatest.Cost {
				return mediatest.MeasureFunc(
					b,
					func() error { _, _, err := m.run(context.Background(), all, "en", nil, nil); return err },
				)
			},
		)
		if h := mediatest.CompareWords(s.words, got.Words); h.Errors*100 > 12*len(s.words) {
			b.Fatalf("%d errors in %d words", h.Errors, len(s.words))
		}
	}
}

// BenchmarkRunsOfLargeModels compares the runs of a model of Whisper's sizes with one for each 30 s
// of a recording of ten minutes. Such a model spends most of its time in the encoder, the test
// model in the decoder.
func BenchmarkRunsOfLargeModels(b *testing.B) {
	m := openModel(b)
	script, _ := mediatest.Script(mediatest.RandomTalk(3, 130), media.SpeechSampleRate, -60, 1000)
	s := speak(b, script)
	raw := s.raw()
	for b.Loop() {
		voice, err := m.voiceActivity(context.Background(), bytes.NewReader(raw), int64(len(raw)), Options{})
		if err != nil {
			b.Fatal(err)
		}
		mediatest.Goal{
			What:  "runs of a model of Whisper's sizes, against one for each 30 s of everything",
			Want:  0.80,
			Limit: "0.63",
		}.Figure(b, float64(len(fullWindows.windows(voice)))*30_000/float64(s.durationMS), "times")
	}
}
