package pipeline

import (
	"slices"
	"testing"
)

func TestProjectTermsComeBeforeThoseOfTheAccount(t *testing.T) {
	t.Parallel()
	v := Vocabulary{
		Project: []string{"Kubernetes"},
		Account: map[string][]string{"en": {"Ada Lovelace"}, "de": {"Köln"}},
	}
	for code, want := range map[string][]string{
		"en": {"Kubernetes", "Ada Lovelace"}, "de": {"Kubernetes", "Köln"}, "xx": {"Kubernetes"},
	} {
		if got := v.hints(code).Terms; !slices.Equal(got, want) {
			t.Errorf("terms for %s: %q, want %q", code, got, want)
		}
	}
}
