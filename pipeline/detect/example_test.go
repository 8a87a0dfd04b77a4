package detect_test

import (
	"fmt"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/pipeline/detect"
)

// Edits derives cuts from stored evidence, here of a recording with a long pause, a filler and a
// repeated beginning.
func ExampleEdits() {
	evidence := detect.Evidence{
		DurationMS: 9_000,
		Words: []media.Word{
			{Text: "Welcome", StartMS: 0, EndMS: 500, Probability: 1},
			{Text: "back.", StartMS: 500, EndMS: 1_000, Probability: 1},
			{Text: "Today", StartMS: 4_000, EndMS: 4_400, Probability: 1},
			{Text: "we", StartMS: 4_400, EndMS: 4_600, Probability: 1},
			{Text: "build", StartMS: 4_600, EndMS: 5_000, Probability: 1},
			{Text: "today", StartMS: 5_400, EndMS: 5_800, Probability: 1},
			{Text: "we", StartMS: 5_800, EndMS: 6_000, Probability: 1},
			{Text: "build", StartMS: 6_000, EndMS: 6_400, Probability: 1},
			{Text: "um", StartMS: 6_400, EndMS: 6_800, Probability: 1},
			{Text: "a", StartMS: 6_800, EndMS: 6_900, Probability: 1},
			{Text: "boat.", StartMS: 6_900, EndMS: 9_000, Probability: 1},
		},
		Voice: audio.VoiceActivity{
			DurationMS: 9_000,
			Levels:     make([]byte, 9_000/audio.VoiceFrameMS),
			FloorDB:    -70,
			SpeechDB:   -20,
			Spans: []media.Span{
				{StartMS: 0, EndMS: 1_000},
				{StartMS: 4_000, EndMS: 5_000},
				{StartMS: 5_400, EndMS: 9_000},
			},
		},
	}
	for _, e := range detect.Edits(evidence, detect.Settings{CutOptions: media.DefaultCutOptions(), Language: "en"}) {
		fmt.Printf("%-11s %d-%d ms, active %t: %s\n", e.Type, e.StartMS, e.EndMS, e.Active, e.Reason)
	}
	// Output:
	// silence     1126-3874 ms, active true: Pause of 3.0 s after “back”
	// false_start 3874-5274 ms, active true: Said again 0.4 s later: “Today we build”
	// filler      6412-6787 ms, active false: Filler “um”
}
