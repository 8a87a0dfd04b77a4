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

// doubter is a speech model that knows only English and cannot detect another language.
type doubter struct{ listener }

func (d *doubter) Open() (Model, error) { return d, nil }

func (d *doubter) Transcribe(
	_ context.Context,
	_ string,
	request SpeechRequest,
	_ func(float64),
) (media.Transcript, error) {
	switch media.BaseLanguage(request.Language) {
	case "":
		return media.Transcript{Language: "en", Doubt: media.LanguageAssumed}, nil
	case "en":
		return media.Transcript{Language: "en"}, nil
	}
	return media.Transcript{Doubt: media.LanguageUnsupported}, nil
}

// The doubt about the first recording stays when the others are transcribed in its language. A
// transcript of a person needs no speech model that knows its language.
func TestAnalysisKeepsTheDoubtAboutTheLanguage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "speech")
	other := filepath.Join(t.TempDir(), "other")
	for _, p := range []string{path, other} {
		if err := os.WriteFile(p, make([]byte, 2*media.SpeechSampleRate), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	given := &media.ImportedTranscript{Language: "de", Words: []media.ImportedWord{
		{Word: media.Word{Text: "hallo", StartMS: 100, EndMS: 900}, Rough: true},
	}}
	for _, c := range []struct {
		asked, language, doubt string
		given                  *media.ImportedTranscript
	}{
		{"", "en", media.LanguageAssumed, nil},
		{"en-GB", "en-GB", "", nil},
		{"de", "de", media.LanguageUnsupported, nil},
		{"de", "de", "", given},
	} {
		tracks := []SpeechTrack{
			{ClipUUID: "1", Path: path, DurationMS: 1000, Transcript: c.given},
			{ClipUUID: "2", Path: other, DurationMS: 1000, Transcript: c.given},
		}
		found, err := MeasureVoice(t.Context(), tracks, c.asked, func(string, int) {})
		if err == nil {
			err = found.Transcribe(t.Context(), &doubter{}, tracks, func(string, int) {})
		}
		words := 0
		for _, clip := range found.Clips {
			words += len(clip.Evidence.Words)
		}
		if err != nil || found.Language != c.language || found.Doubt != c.doubt || (words == 2) != (c.given != nil) {
			t.Errorf(
				"language %q gives %q with the doubt %q and %d words, want %q and %q; %v",
				c.asked, found.Language, found.Doubt, words, c.language, c.doubt, err,
			)
		}
	}
}
