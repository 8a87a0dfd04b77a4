package libav

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/mediatest"
)

// A listener gets the audio of the speech file, without what the end of the video cuts off.
func TestListenerGetsTheSpeechFile(t *testing.T) {
	for name, options := range map[string]mediatest.TalkOptions{
		"short":        {Seconds: 1},
		"long":         {Seconds: 30},
		"longer audio": {Seconds: 9, Filter: "trim=end=8.4"},
		"late audio":   {Seconds: 9, AudioStartMS: 3000},
		"audio alone":  {Seconds: 9, NoVideo: true, Container: "m4a"},
	} {
		t.Run(name, func(t *testing.T) {
			options.Width, options.Height, options.Hiss = 320, 180, true
			speech := filepath.Join(t.TempDir(), "speech")
			var heard bytes.Buffer
			got, err := New().Ingest(t.Context(), media.IngestRequest{
				Path: mediatest.Talk(t, options).Path, SpeechPath: speech, Speech: &heard, SkipLevels: true,
			}, nil)
			if err != nil || !got.SpeechSent {
				t.Fatalf("sent %v, %v", got.SpeechSent, err)
			}
			if measured := len(got.Peaks) > 0; measured != options.NoVideo || len(got.Energies) > 0 {
				t.Errorf("%d peaks and %d energies were measured", len(got.Peaks), len(got.Energies))
			}
			file, err := audio.OpenSpeech(speech)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			want, err := io.ReadAll(file.Reader())
			if err != nil || !bytes.Equal(heard.Bytes(), want) {
				t.Errorf("%d bytes were sent, the speech file has %d, %v", heard.Len(), len(want), err)
			}
			if ms := int64(len(want)) * 1000 / 2 / media.SpeechSampleRate; ms > got.Info.DurationMS {
				t.Errorf("%d ms of audio in a recording of %d ms", ms, got.Info.DurationMS)
			}
		})
	}
}

// broken is a listener that fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("deaf") }

func TestIngestSurvivesItsListener(t *testing.T) {
	path := mediatest.Talk(t, mediatest.TalkOptions{Width: 320, Height: 180, Hiss: true, Seconds: 9}).Path
	speech := filepath.Join(t.TempDir(), "speech")
	got, err := New().Ingest(
		t.Context(), media.IngestRequest{Path: path, SpeechPath: speech, Speech: broken{}}, nil,
	)
	if err != nil || got.SpeechSent || len(speechSamples(t, speech)) == 0 {
		t.Errorf("sent %v, %v", got.SpeechSent, err)
	}
}
