package store

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"roughcut/media"
)

// TestPackedWordsUnpack packs and unpacks random words, and unpacks words in JSON.
func TestPackedWordsUnpack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var words []media.Word
		at := int64(0)
		for range rapid.IntRange(0, 2*chunkWords).Draw(r, "words") {
			at += rapid.Int64Range(0, 1<<40).Draw(r, "gap")
			end := at + rapid.Int64Range(0, 1<<20).Draw(r, "duration")
			words = append(
				words,
				media.Word{
					Text:        rapid.String().Draw(r, "text"),
					StartMS:     at,
					EndMS:       end,
					Probability: float64(rapid.IntRange(0, probabilitySteps).Draw(r, "probability")) / probabilitySteps,
				},
			)
		}
		packed := packWords(words)
		got, err := unpackWords(nil, packed)
		if err != nil || !slices.Equal(got, words) {
			r.Fatalf("%v became %v, %v", words, got, err)
		}
		for cut := range packed { // a cut at the end of a word looks like fewer words
			if got, err := unpackWords(nil, packed[:cut]); err == nil && !slices.Equal(got, words[:len(got)]) {
				r.Fatalf("cut off at %d: %v", cut, got)
			}
		}
		asJSON, err := json.Marshal(words)
		if err != nil {
			r.Fatal(err)
		}
		if len(words) > 0 {
			if got, err := unpackWords(nil, asJSON); err != nil || !slices.Equal(got, words) {
				r.Fatalf("as JSON: %v, %v", got, err)
			}
		}
	})
}

func TestProbabilityIsKept(t *testing.T) {
	t.Parallel()
	for given, want := range map[float64]float64{0.93847: 0.9385, -1: 0, 2: 1, 0.9: 0.9} {
		got, err := unpackWords(nil, packWords([]media.Word{{Probability: given}}))
		if err != nil || got[0].Probability != want {
			t.Errorf("%v became %v, %v", given, got, err)
		}
	}
}
