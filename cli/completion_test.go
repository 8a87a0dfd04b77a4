package cli

import (
	"bytes"
	"strings"
	"testing"
)

// Shells complete the values of flags, the models and the recordings.
func TestCompletionKnowsValues(t *testing.T) {
	t.Setenv("DATA_DIR", t.TempDir())
	for _, c := range []struct{ line, want string }{
		{"cut --captions ", "karaoke\n"},
		{"cut --aspect ", "9:16\n"},
		{"cut --timeline ", "fcpxml\n"},
		{"cut --format ", "mp3\n"},
		{"cut --breaths ", "shorten\n"},
		{"cut --language ", "de\tGerman\n"},
		{"cut ", "mp4\n"},
		{"models download ", "base.en\n"},
	} {
		root := rootCommand(Build{Version: "test"})
		var out, status bytes.Buffer
		root.SetOut(&out)
		root.SetErr(&status)
		command := strings.Split(c.line, " ")
		root.SetArgs(append([]string{"__complete"}, command...))
		if err := root.ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), c.want) {
			t.Errorf("%q completes to %q, %v; want %q", c.line, out.String(), err, c.want)
		}
	}
}
