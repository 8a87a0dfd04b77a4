package whisper

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// hear returns the words that a newly loaded model hears in a recording with the terms of a
// vocabulary. A model that has transcribed before has another random state.
func hear(t *testing.T, s recording, terms ...string) (words []string) {
	t.Helper()
	raw := s.raw()
	opts := Options{Language: "en"}
	if len(terms) > 0 {
		opts.Hints = func(string) media.SpeechHints { return media.SpeechHints{Terms: terms} }
	}
	got, err := openModel(t).Transcribe(context.Background(), bytes.NewReader(raw), int64(len(raw)), opts, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range got.Words {
		words = append(words, strings.Trim(w.Text, "."))
	}
	return words
}

// The model mishears or omits the terms without a vocabulary.
func TestVocabularyMakesMisheardWordsRight(t *testing.T) {
	for _, c := range []struct {
		text  string
		terms []string
	}{
		{"and i found my old laptop after the show", []string{"show"}},
		{"uh my friend found another project at the airport", []string{"uh", "my"}},
		{"now we tried to fix a small house for three hours", []string{"three"}},
	} {
		s := speak(t, "rate 16000\npause 320\nsay en-us 150 "+c.text+"\npause 300\n")
		before, after := hear(t, s), hear(t, s, c.terms...)
		for _, term := range c.terms {
			if slices.Contains(before, term) {
				t.Errorf("the model hears %q without a vocabulary: %q", term, before)
			}
			if !slices.Contains(after, term) {
				t.Errorf("with a vocabulary, the model does not hear %q: %q", term, after)
			}
		}
	}
}

// A vocabulary of other words changes nothing, and the model asks for the hints of the language
// that it transcribes, once.
func TestTranscribeWithVocabularyOfOtherWords(t *testing.T) {
	s := speak(t, "rate 16000\npause 300\nsay en-us 160 hello and welcome to my channel\npause 300\n")
	raw := s.raw()
	texts := map[bool][]string{}
	var asked []string
	for _, with := range []bool{false, true} {
		opts := Options{}
		if with {
			opts.Hints = func(language string) media.SpeechHints {
				asked = append(asked, language)
				return media.SpeechHints{Terms: []string{"Ada Lovelace", "Kubernetes"}}
			}
		}
		got, err := openModel(t).Transcribe(context.Background(), bytes.NewReader(raw), int64(len(raw)), opts, nil)
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
	if !slices.Equal(asked, []string{"en"}) {
		t.Errorf("the model asked for hints for %q", asked)
	}
}

// hostileTerms returns vocabularies of absurd sizes.
func hostileTerms() (many, letters, long []string) {
	for i := range 10_000 {
		many = append(many, fmt.Sprint("Name", i, "-", i*7919))
		long = append(long, fmt.Sprint(i)+strings.Repeat("ab", 60))
	}
	for r := rune(0); r < 0x3000; r++ {
		letters = append(letters, string(r))
	}
	return many, letters, long
}

func TestTimingHostileVocabulary(t *testing.T) {
	mediatest.NeedsTiming(t)
	m := openModel(t)
	many, letters, long := hostileTerms()
	for name, terms := range map[string][]string{"many": many, "letters": letters, "long": long} {
		start := time.Now()
		m.newBias(terms)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: newBias took %v", name, took)
		}
	}
}

func TestHostileVocabulary(t *testing.T) {
	m := openModel(t)
	many, letters, long := hostileTerms()
	strange := []string{
		"", " ", "\x00\xff", "\xc3", ",", "...", "😀", "東京", "ﷺ", "\u202e", strings.Repeat("x", 1<<20),
	}
	for name, terms := range map[string][]string{
		"many": many, "letters": letters, "long": long,
	} {
		if b := m.newBias(terms); b == nil {
			t.Errorf("%s: the bias is nil", name)
		} else if n := len(b.first) - 1; n > maxBiasNodes || b.depth > maxTermBytes {
			t.Errorf("%s: %d nodes with a depth of %d", name, n, b.depth)
		}
	}
	if m.newBias(strange) != nil {
		t.Error("terms that the model cannot write have a bias")
	}
	s := speak(t, "rate 16000\npause 300\nsay en-us 160 hello and welcome to my channel\npause 300\n")
	if got := hear(t, s, slices.Concat(strange, many, long)...); len(got) != 6 {
		t.Errorf("with a hostile vocabulary, the model hears %q", got)
	}
}

// Terms with a common start share nodes, and each sequence of tokens of a term leads to its end.
// The last token has the whole bonus, and the others have a share of it by their bytes.
func TestBiasTree(t *testing.T) {
	tree := newBiasTree(map[string]int32{" a": 1, " ab": 2, "b": 3, "c": 4, "cd": 5, "d": 6, " z": 7, "q": 8})
	tree.add(" abc")
	tree.add(" abcd")
	tree.add(" z")
	tree.add(" aq\x00") // no token has the last byte
	b := tree.flat()
	var got []string
	for node := range len(b.first) - 1 {
		for _, e := range b.edges[b.first[node]:b.first[node+1]] {
			got = append(got, fmt.Sprintf("%d -%d- %d %.2f", node, e.token, e.node, e.bonus/termBonus))
		}
	}
	want := []string{
		"0 -1- 1 0.50", "0 -2- 2 0.75", "0 -7- 5 1.00", // " a", " ab", " z"
		"1 -3- 2 0.75",                 // "b" after " a"
		"2 -4- 3 1.00", "2 -5- 4 1.00", // "c" and "cd" after " ab"
		"3 -6- 4 1.00", // "d" after " abc"
	}
	if !slices.Equal(got, want) || b.depth != 5 {
		t.Errorf("the tree has the edges %q and the depth %d, want %q", got, b.depth, want)
	}
}

func TestSpellings(t *testing.T) {
	for term, want := range map[string][]string{
		"kubernetes": {" kubernetes", " Kubernetes"},
		"Ada":        {" Ada"},
		"élan vital": {" élan vital", " Élan vital"},
		"東京":         {"東京"},
	} {
		if got := spellings(term); !slices.Equal(got, want) {
			t.Errorf("spellings of %q: %q, want %q", term, got, want)
		}
	}
}
