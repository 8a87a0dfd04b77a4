package apidocs

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"roughcut/server/contract"
)

func TestInvalidExamplesAreHidden(t *testing.T) {
	yaml, err := os.ReadFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := contract.Read(yaml)
	if err != nil {
		t.Fatal(err)
	}
	schema := c.Operation(
		"POST", "/api/v1/users/me/presets",
	).Route.Operation.RequestBody.Value.Content["application/json"].Schema
	if !strings.Contains(exampleOf(c.Spec, schema), `"pacing_level": 80`) {
		t.Error("the valid example is hidden")
	}
	c.Spec.Components.Examples["NewPreset"].Value.Value = map[string]any{"name": "x", "pacing_level": 101}
	if got := exampleOf(c.Spec, schema); got != "" {
		t.Errorf("shown: %s", got)
	}
}

func TestMarkdownBlocks(t *testing.T) {
	got := blocks("One `code`\nline.\n\n- a\n  b\n- c\n\n| X | Y |\n|---|---|\n| 1 | `<2>` |\n")
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal([]block{
		{Paragraph: []inline{{"One ", false}, {"code", true}, {" line.", false}}},
		{List: [][]inline{{{"a b", false}}, {{"c", false}}}},
		{Head: [][]inline{{{"X", false}}, {{"Y", false}}}, Rows: [][][]inline{{{{"1", false}}, {{"<2>", true}}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != string(want) {
		t.Errorf("got %s, want %s", text, want)
	}
	if got := blocks(""); got != nil {
		t.Errorf("empty text parses as %v", got)
	}
}
