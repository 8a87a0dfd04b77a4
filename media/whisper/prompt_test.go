package whisper

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"roughcut/media"
)

func TestPromptHasTermsAndThenFillers(t *testing.T) {
	m := openModel(t)
	for _, c := range []struct {
		hints media.SpeechHints
		want  string
	}{
		{media.SpeechHints{}, ""},
		{media.SpeechHints{Fillers: []string{"um", "uh"}}, ""},
		{media.SpeechHints{Terms: []string{" \x00\xff "}, Fillers: []string{"um"}}, ""},
		{media.SpeechHints{Terms: []string{"Ada Lovelace"}}, " Ada Lovelace."},
		{
			media.SpeechHints{
				Terms:   []string{"Ada\n Lovelace", "C++", "C++", "Köln"},
				Fillers: []string{"um", "uh", "er"},
			},
			" Ada Lovelace, C++, Köln. um, uh,",
		},
	} {
		if got := m.prompt(c.hints); got != c.want {
			t.Errorf("%+v gives the prompt %q, want %q", c.hints, got, c.want)
		}
	}
}

func TestPromptStaysWithinItsTokens(t *testing.T) {
	m := openModel(t)
	var terms []string
	for i := range 200 {
		terms = append(terms, fmt.Sprint("Name ", i))
	}
	long := strings.Repeat("x9-", 60)
	prompt := m.prompt(
		media.SpeechHints{Terms: append([]string{"First", long}, terms...), Fillers: []string{"um", "uh"}},
	)
	if n := m.tokens(prompt); n > maxPromptTokens || n < maxPromptTokens-8 {
		t.Errorf("the prompt has %d tokens, want up to %d: %q", n, maxPromptTokens, prompt)
	}
	if !strings.HasPrefix(prompt, " First, Name 0, Name 1,") || !strings.HasSuffix(prompt, ". um, uh,") ||
		strings.Contains(prompt, long) {
		t.Errorf("the prompt is %q", prompt)
	}
}

// A vocabulary does not change words that the model knows, and the model asks for the hints of the
// language that it transcribes.
func TestTranscribeWithVocabulary(t *testing.T) {
	m := openModel(t)
	s := speak(t, "rate 16000\npause 300\nsay en-us 160 hello and welcome to my channel\npause 300\n")
	raw := s.raw()
	var asked []string
	texts := map[bool][]string{}
	for _, with := range []bool{false, true} {
		opts := Options{}
		if with {
			opts.Hints = func(language string) media.SpeechHints {
				asked = append(asked, language)
				return media.SpeechHints{Terms: []string{"Ada Lovelace", "Kubernetes"}, Fillers: []string{"um", "uh"}}
			}
		}
		got, err := m.Transcribe(context.Background(), bytes.NewReader(raw), int64(len(raw)), opts, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range got.Words {
			texts[with] = append(texts[with], w.Text)
		}
	}
	if len(texts[false]) != 6 || !reflect.DeepEqual(texts[true], texts[false]) {
		t.Errorf("with a vocabulary %q, without %q", texts[true], texts[false])
	}
	if len(asked) == 0 || asked[0] != "en" {
		t.Errorf("the model asked for hints for %q", asked)
	}
}
