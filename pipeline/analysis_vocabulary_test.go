package pipeline

import (
	"slices"
	"testing"
)

func TestProjectTermsComeBeforeThoseOfTheAccount(t *testing.T) {
	v := Vocabulary{
		Project: []string{"Kubernetes"},
		Account: map[string][]string{"en": {"Ada Lovelace"}, "de": {"Köln"}},
	}
	for code, want := range map[string][]string{
		"en": {"Kubernetes", "Ada Lovelace"}, "de": {"Kubernetes", "Köln"}, "xx": {"Kubernetes"},
	} {
		got := v.hints(code)
		if !slices.Equal(got.Terms, want) || (len(got.Fillers) > 0) != (code != "xx") {
			t.Errorf("hints for %s: %+v, want the terms %q", code, got, want)
		}
	}
}
