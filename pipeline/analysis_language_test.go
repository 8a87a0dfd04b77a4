package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"roughcut/media"
)

// listener is a speech model that understands only German, whatever language it is asked for.
type listener struct{ asked []string }

func (l *listener) Open() (Model, error) { return l, nil }
func (l *listener) Name() string         { return "listener" }
func (l *listener) Close() error         { return nil }

func (l *listener) Transcribe(
	_ context.Context,
	_ string,
	request SpeechRequest,
	_ func(float64),
) (media.Transcript, error) {
	l.asked = append(l.asked, request.Language)
	return media.Transcript{Language: "de", Words: []media.Word{}, Segments: []media.TimedText{}}, nil
}

// The transcript has the language that the model detects, unless the requested language is the same
// one with a region.
func TestTranscriptHasTheDetectedLanguage(t *testing.T) {
	t.Parallel()
	var sounds []SpeechTrack
	for _, clip := range []string{"1", "2"} {
		path := filepath.Join(t.TempDir(), clip)
		if err := os.WriteFile(path, make([]byte, 2*media.SpeechSampleRate), 0o600); err != nil {
			t.Fatal(err)
		}
		sounds = append(sounds, SpeechTrack{ClipUUID: clip, Path: path, DurationMS: 1000})
	}
	for asked, want := range map[string]string{
		"": "de", "xx": "de", "en": "de", "de": "de", "de-AT": "de-AT", "DE": "DE",
	} {
		model := &listener{}
		found, err := MeasureVoice(t.Context(), sounds, asked, func(string, int) {})
		if err == nil {
			err = found.Transcribe(t.Context(), model, sounds, func(string, int) {})
		}
		if err != nil || found.Language != want || len(model.asked) != 2 || model.asked[1] != want {
			t.Errorf(
				"language %q gives a transcript in %q, want %q; the model was asked for %q; %v",
				asked,
				found.Language,
				want,
				model.asked,
				err,
			)
		}
	}
}
