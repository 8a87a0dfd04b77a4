package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"roughcut/media/mediatest"
)

// cutSchema returns a function that fails the test unless a text of `cut --json` fits
// docs/cut.schema.json, which allows no other fields.
func cutSchema(t *testing.T) func(text string) {
	t.Helper()
	source, err := os.ReadFile("../docs/cut.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema := decode[openapi3.Schema](t, source)
	return func(text string) {
		t.Helper()
		if err := schema.VisitJSON(decode[any](t, []byte(text))); err != nil {
			t.Errorf("%v in:\n%s", err, text)
		}
	}
}

// What cut --json prints fits the schema: with words and a video, without, with a range, and for
// each recording.
func TestCutJSONFitsItsSchema(t *testing.T) {
	t.Parallel()
	fits := cutSchema(t)
	dir, talk := t.TempDir(), tinyTalk(t)
	odd := filepath.Join(dir, "talk-\xff.mp4") // not UTF-8
	if err := os.Symlink(talk, odd); err != nil {
		t.Skip("this file system has only names in UTF-8:", err)
	}
	out, model := filepath.Join(dir, "out.mp4"), mediatest.Model(t)
	cut := func(args ...string) string {
		t.Helper()
		cmd := program(context.Background(), dir, append([]string{"cut", "--json"}, args...)...)
		text, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		fits(string(text))
		return string(text)
	}

	type input struct {
		Path       string `json:"path"`
		PathBytes  []byte `json:"path_bytes"`
		DurationMS int64  `json:"duration_ms"`
		OffsetMS   int64  `json:"offset_ms"`
	}
	type report struct {
		Inputs     []string `json:"inputs"`
		Recordings []input  `json:"recordings"`
		Output     *string  `json:"output"`
	}
	made := decode[report](t, []byte(cut(talk, odd, "-o", out, "--model", model)))
	if made.Output == nil || *made.Output != out || len(made.Recordings) != 2 || len(made.Inputs) != 2 {
		t.Fatalf("got %+v", made)
	}
	first, second := made.Recordings[0], made.Recordings[1]
	if first.Path != talk || made.Inputs[0] != talk {
		t.Errorf("the first input is %s and %+v", made.Inputs[0], first)
	}
	if first.PathBytes != nil || first.OffsetMS != 0 || first.DurationMS == 0 {
		t.Errorf("the first input is %+v", first)
	}
	if string(second.PathBytes) != odd || second.OffsetMS != first.DurationMS {
		t.Errorf("the second input is %+v, want the bytes of %q in base64 (%s)",
			second, odd, base64.StdEncoding.EncodeToString([]byte(odd)))
	}
	if dry := decode[report](t, []byte(cut(talk, "--dry-run", "--from", "0.5"))); dry.Output != nil {
		t.Errorf("a dry run has the output %s", *dry.Output)
	}

	broken := filepath.Join(dir, "broken.mp4")
	if err := os.WriteFile(broken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	lines, _ := program(
		context.Background(), dir, "cut", "--json", talk, broken, "--each", "--out-dir", filepath.Join(dir, "each"),
	).Output()
	if n := strings.Count(string(lines), "\n"); n != 2 {
		t.Errorf("%d lines for two recordings:\n%s", n, lines)
	}
	for line := range strings.Lines(string(lines)) {
		fits(line)
	}
}

// The commands that scripts read print JSON, and --version prints the version alone.
func TestScriptsReadJSON(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	type named struct {
		Name, Version string
		SizeBytes     int64 `json:"size_bytes"`
	}
	list := func(args ...string) []named {
		t.Helper()
		out, err := program(context.Background(), dir, args...).Output()
		if err != nil {
			t.Fatal(err)
		}
		var all []named
		if err := json.Unmarshal(out, &all); err != nil || len(all) == 0 {
			t.Fatalf("%v: %v in %s", args, err, out)
		}
		return all
	}
	parts := list("version", "--json")
	if parts[0].Name != "roughcut" || parts[0].Version == "" {
		t.Errorf("versions: %+v", parts)
	}
	if models := list("models", "list", "--json"); models[0].Name == "" || models[0].SizeBytes == 0 {
		t.Errorf("models: %+v", models)
	}
	if out := works(t, dir, "", "--version"); out != "roughcut "+parts[0].Version+"\n" {
		t.Errorf("--version prints %q", out)
	}
}
