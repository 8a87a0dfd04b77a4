package server

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"roughcut/pipeline"
)

// The contract states the same words per caption line as the table of the pipeline.
func TestContractStatesTheCaptionWordsOfThePipeline(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData(contractYAML)
	if err != nil {
		t.Fatal(err)
	}
	most := doc.Components.Schemas["CaptionRequest"].Value.Properties["max_words"].Value
	if want := fmt.Sprint("Default ", pipeline.CaptionWordsMedium); most.Description != want {
		t.Errorf("max_words has the description %q, want %q", most.Description, want)
	}
	want := fmt.Sprint(pipeline.CaptionWordsShort, pipeline.CaptionWordsMedium, pipeline.CaptionWordsLong)
	length := doc.Components.Schemas["PreviewPreset"].Value.Properties["caption_length"].Value
	if got := strings.Join(regexp.MustCompile(`\d+`).FindAllString(length.Description, -1), " "); got != want {
		t.Errorf("caption_length names %s words per line, want %s: %q", got, want, length.Description)
	}
}
