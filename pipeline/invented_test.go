package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
	"roughcut/store"
)

// A speech model hears three equal phrases in a silence. However their words are aligned, only the
// silence is cut, and no edge is inside a word.
func TestPhrasesInASilenceCutNothing(t *testing.T) {
	t.Parallel()
	const before = 12 // words
	speech := mediatest.Speak(t, "rate 16000\nfloor -60\npause 600\n"+
		"say en-us 160 welcome back everyone today we talk about light in a small kitchen\npause 3000\n"+
		"say en-us 150 the first thing is the window because it gives you soft light\npause 900\n")
	path := filepath.Join(t.TempDir(), "speech.s16")
	if err := os.WriteFile(path, speech.Raw, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, phrase := range []string{"thank you for watching", "and the"} {
		for _, leadMS := range []int64{-150, 0, 300} { // of the phrases after the speech
			for _, times := range []string{"exact", "of the words", "of the lines"} {
				name := fmt.Sprintf("%q %d ms after speech, times %s", phrase, leadMS, times)
				silence := media.Span{
					StartMS: speech.Words[before-1].EndMS + leadMS, EndMS: speech.Words[before].StartMS - leadMS,
				}
				given := media.ImportedTranscript{Language: "en", Exact: times == "exact"}
				add := func(words []media.Word) {
					given.Lines = append(given.Lines, media.TimedText{
						StartMS: words[0].StartMS, EndMS: words[len(words)-1].EndMS,
					})
					for _, w := range words {
						given.Words = append(given.Words, media.ImportedWord{
							Word: w, Line: len(given.Lines) - 1, Rough: times == "of the lines",
						})
					}
				}

				add(speech.Words[:before])
				words := strings.Fields(phrase)
				made := slices.Repeat(words, 3)
				var invented []media.Word
				for i, text := range made {
					at := func(i int) int64 { return silence.StartMS + silence.Duration()*int64(i)/int64(len(made)) }
					invented = append(invented, media.Word{
						Text: text, StartMS: at(i), EndMS: at(i + 1), Probability: 0.9,
					})
				}

				for line := range slices.Chunk(invented, len(words)) {
					add(line)
				}
				add(speech.Words[before:])
				for _, e := range editsOf(t, path, speech.DurationMS, given) {
					if e.Type != media.EditSilence {
						t.Errorf("%s: %s %v: %s", name, e.Type, e.Span, e.Reason)
					}
				}
			}
		}
	}
}

// editsOf returns the edits of a recording with an imported transcript, without a speech model.
func editsOf(t *testing.T, path string, durationMS int64, given media.ImportedTranscript) []store.DetectedEdit {
	t.Helper()
	tracks := []SpeechTrack{{ClipUUID: "talk", Path: path, DurationMS: durationMS, Transcript: &given}}
	a, err := MeasureVoice(t.Context(), tracks, "", func(string, int) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Transcribe(t.Context(), noSpeech{}, tracks, func(string, int) {}); err != nil {
		t.Fatal(err)
	}
	return a.Propose(store.AnalysisSettings{CutOptions: media.CutOptions{
		PacingLevel: 50, FalseStartSensitivity: 50, CutFillers: true,
	}}).Edits
}
