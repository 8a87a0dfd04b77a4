package detect_test

import (
	"testing"

	"roughcut/media"
	"roughcut/pipeline/detect"
)

// Case, listed endings and punctuation do not matter; similar words do not match.
func TestProfaneSpansFindProfaneWordsOnly(t *testing.T) {
	for _, c := range []struct {
		language, word string
		want           bool
	}{
		{"en", "Shit!", true}, {"en-US", "fucking", true}, {"en", "“Bastards,”", true},
		{"en", "bull-shit", true}, {"en", "f**k", true}, {"", "shit", true}, {"tlh", "shit", true},
		{"en", "Scunthorpe", false}, {"en", "assess", false}, {"en", "shiitake", false},
		{"en", "cockpit", false}, {"en", "pricked", false}, {"en", "", false}, {"en", "wow!*", false},
		{"en", "2*", false},
		{"de", "Scheiße", true}, {"de", "Dick", false}, {"de", "Arschloch", true}, {"de", "Barsch", false},
		{"fr", "Merde.", true}, {"fr", "concert", false}, {"es", "¡Mierda!", true},
		{"es", "computadora", false},
		{"it", "cazzo", true}, {"pt", "caralho", true}, {"nl", "klootzak", true}, {"pl", "kurwa", true},
		{"ru", "Пиздец", true}, {"ru", "небо", false}, {"sv", "jävla", true},
	} {
		found := detect.ProfaneSpans(
			[]media.Word{{Text: "well"}, {Text: c.word, StartMS: 10, EndMS: 20}},
			c.language,
			detect.WordChoice{},
		)
		if got := len(found) == 1 && found[0] == (media.Span{StartMS: 10, EndMS: 20}); got != c.want || len(found) > 1 {
			t.Errorf("%s %q: %v, want %v", c.language, c.word, found, c.want)
		}
	}
}
