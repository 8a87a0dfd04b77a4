package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// noSpeech has no speech model.
type noSpeech struct{}

func (noSpeech) Open() (Model, error) { return nil, nil }

// Without a speech model, an imported transcript with times of lines gets the times of its words
// from the audio, and keeps every word.
func TestImportedLinesAreAlignedWithTheAudio(t *testing.T) {
	t.Parallel()
	speech := mediatest.Speak(t, "rate 16000\nfloor -60\npause 600\n"+
		"say en-us 160 welcome back everyone today we talk about light in a small kitchen\npause 1400\n"+
		"say en-us 150 the first thing is the window because it gives you soft light\npause 900\n"+
		"say en-us 170 and now we look at the second lamp on the table\npause 500\n")
	path := filepath.Join(t.TempDir(), "speech.s16")
	if err := os.WriteFile(path, speech.Raw, 0o600); err != nil {
		t.Fatal(err)
	}
	given := media.ImportedTranscript{Language: "en"}
	for words := range slices.Chunk(speech.Words, 9) { // most lines contain a pause
		line := media.TimedText{StartMS: max(words[0].StartMS-80, 0), EndMS: words[len(words)-1].EndMS + 120}
		var texts []string
		letters := int64(0)
		for _, w := range words {
			texts = append(texts, w.Text)
			letters += int64(len(w.Text)) + 1
		}
		line.Text = strings.Join(texts, " ")
		at := line.StartMS
		for _, w := range words { // as package subtitle spreads them
			end := at + (line.EndMS-line.StartMS)*(int64(len(w.Text))+1)/letters
			given.Words = append(given.Words, media.ImportedWord{
				Word: media.Word{Text: w.Text, StartMS: at, EndMS: end, Probability: 1},
				Line: len(given.Lines), Rough: true,
			})
			at = end
		}
		given.Lines = append(given.Lines, line)
	}
	tracks := []SpeechTrack{{ClipUUID: "talk", Path: path, DurationMS: speech.DurationMS, Transcript: &given}}
	a, err := MeasureVoice(t.Context(), tracks, "", func(string, int) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Transcribe(context.Background(), noSpeech{}, tracks, func(string, int) {}); err != nil {
		t.Fatal(err)
	}
	if a.Model != ImportedModel || a.Language != "en" || len(a.Clips[0].Segments) != len(given.Lines) {
		t.Errorf("model %q, language %q, %d segments", a.Model, a.Language, len(a.Clips[0].Segments))
	}
	got := a.Clips[0].Evidence.Words
	diff := mediatest.CompareWords(speech.Words, got)
	start, end := mediatest.Percentile(diff.StartErrorsMS, 50), mediatest.Percentile(diff.EndErrorsMS, 50)
	most := mediatest.Percentile(diff.StartErrorsMS, 95)
	t.Logf("start errors: median %d ms, 95th percentile %d ms; end: median %d ms", start, most, end)
	if diff.Errors > 0 || start > 80 || end > 80 || most > 200 {
		t.Errorf("%d errors; start errors: median %d ms, 95th percentile %d ms; end: median %d ms: %s",
			diff.Errors, start, most, end, fmt.Sprint(got))
	}
	for i, w := range got {
		if w.EndMS <= w.StartMS || (i > 0 && w.StartMS < got[i-1].EndMS) || w.EndMS > speech.DurationMS {
			t.Errorf("word %d of %v", i, got)
		}
	}
}
