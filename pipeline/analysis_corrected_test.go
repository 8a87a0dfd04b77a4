package pipeline

import (
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/pipeline/detect"
	"roughcut/store"
)

// A replan quotes the words that a person corrected, not those that the speech model heard.
func TestReplanQuotesCorrectedWords(t *testing.T) {
	t.Parallel()
	words := func(text string) []media.Word {
		return []media.Word{
			{Text: text, StartMS: 100, EndMS: 900, Probability: 1},
			{Text: "end", StartMS: 5000, EndMS: 5900, Probability: 1},
		}
	}
	evidence := detect.Evidence{DurationMS: 6000, Words: words("jason")}
	evidence.Voice = audio.VoiceActivity{
		DurationMS: 6000, Levels: make([]byte, 600), FloorDB: -70, SpeechDB: -20,
		Spans: []media.Span{{StartMS: 100, EndMS: 900}, {StartMS: 5000, EndMS: 5900}},
	}
	packed, err := Analysis{Language: "en", Clips: []ClipAnalysis{{ClipUUID: "clip", Evidence: &evidence}}}.encode()
	if err != nil {
		t.Fatal(err)
	}
	found, err := Replan(store.ReplanInput{
		Evidence:  packed,
		Run:       store.Run{AnalysisSettings: store.AnalysisSettings{CutOptions: media.CutOptions{PacingLevel: 50}}},
		Corrected: []store.ClipTranscript{{ClipUUID: "clip", Transcript: media.Transcript{Words: words("JSON")}}},
	})
	if err != nil || len(found.Edits) == 0 || !strings.Contains(found.Edits[0].Reason, "“JSON”") {
		t.Errorf("%+v, %v; want a pause after “JSON”", found.Edits, err)
	}
}

// A clip that was duplicated after the analysis has the evidence of its clip, also if that one is
// gone.
func TestReplanOfDuplicates(t *testing.T) {
	t.Parallel()
	evidence := detect.Evidence{DurationMS: 6000}
	evidence.Voice = audio.VoiceActivity{
		DurationMS: 6000, Levels: make([]byte, 600), FloorDB: -70, SpeechDB: -20,
		Spans: []media.Span{{StartMS: 100, EndMS: 900}, {StartMS: 5000, EndMS: 5900}},
	}
	packed, err := Analysis{Clips: []ClipAnalysis{{ClipUUID: "clip", Evidence: &evidence}}}.encode()
	if err != nil {
		t.Fatal(err)
	}
	found, err := Replan(store.ReplanInput{
		Evidence: packed,
		Run:      store.Run{AnalysisSettings: store.AnalysisSettings{CutOptions: media.CutOptions{PacingLevel: 50}}},
		Duplicates: []store.Clip{
			{UUID: "copy", CopyOf: []string{"clip"}}, {UUID: "copy of copy", CopyOf: []string{"clip", "copy"}},
			{UUID: "stranger", CopyOf: []string{"unheard"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	spans := map[string][]media.Span{}
	for _, e := range found.Edits {
		spans[e.ClipUUID] = append(spans[e.ClipUUID], e.Span)
	}
	if len(spans["clip"]) == 0 || !slices.Equal(spans["copy"], spans["clip"]) ||
		!slices.Equal(spans["copy of copy"], spans["clip"]) || len(spans) != 3 {
		t.Errorf("edits %+v", spans)
	}
}
