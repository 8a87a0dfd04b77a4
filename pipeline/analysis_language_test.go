package pipeline

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"roughcut/media"
)

// listener stands for a speech model that knows German alone, and detects it where it is asked for
// something else.
type listener struct{ asked []string }

func (l *listener) Open() (Model, error) { return l, nil }
func (l *listener) Name() string         { return "listener" }
func (l *listener) Close() error         { return nil }

func (l *listener) Transcribe(
	_ context.Context,
	_, language string,
	_ media.VoiceActivity,
	_ func(float64),
) (media.Transcript, error) {
	l.asked = append(l.asked, language)
	return media.Transcript{Language: "de", Words: []media.Word{}, Segments: []media.TimedText{}}, nil
}

// What is said is in the language that the model listened in, whose fillers and profane words
// count, not in one that it does not know.
func TestTheLanguageOfATranscriptIsTheOneThatTheModelHeard(t *testing.T) {
	path := filepath.Join(t.TempDir(), "speech.s16")
	if err := os.WriteFile(path, make([]byte, 2*media.SpeechSampleRate), 0o600); err != nil {
		t.Fatal(err)
	}
	sounds := []SpeechTrack{{ClipUUID: "1", Path: path, DurationMS: 1000}, {ClipUUID: "2", Path: path, DurationMS: 1000}}
	for asked, want := range map[string]string{"": "de", "xx": "de", "en": "de", "de": "de", "de-AT": "de-AT", "DE": "DE"} {
		model := &listener{}
		found, err := MeasureVoice(t.Context(), sounds, asked, func(string, int) {})
		if err == nil {
			err = found.Transcribe(t.Context(), model, sounds, func(string, int) {})
		}
		if err != nil || found.Language != want || len(model.asked) != 2 || model.asked[1] != want {
			t.Errorf(
				"asked for %q the transcript is in %q, want %q; asked the model for %q; %v",
				asked,
				found.Language,
				want,
				model.asked,
				err,
			)
		}
	}
}
