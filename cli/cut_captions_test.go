package cli

import (
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/pipeline"
)

// The command line breaks captions at the same number of words as the server.
func TestCutUsesTheCaptionWordsOfThePipeline(t *testing.T) {
	var said media.Transcript
	for i := range int64(56) {
		said.Words = append(said.Words, media.Word{Text: "word", StartMS: 300 * i, EndMS: 300*i + 300})
	}
	for aspect, want := range map[string]int{
		"source": pipeline.CaptionWordsMedium,
		"16:9":   pipeline.CaptionWordsMedium,
		"9:16":   pipeline.CaptionWordsShort,
	} {
		job := cutJob{captions: media.CaptionStyleNames()[0], censor: media.CensorNone, aspect: aspect}
		for _, line := range job.renderSettings(cutReport{Transcript: cutTranscript{said}}).Captions.Lines {
			if n := len(strings.Fields(line.Text)); n != want {
				t.Errorf("aspect %s: a caption line has %d words, want %d", aspect, n, want)
			}
		}
	}
}
