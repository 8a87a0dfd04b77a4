package detect

import (
	"strings"
	"testing"

	"roughcut/media"
)

func TestStuttersAreRepeatedWordsAndFragments(t *testing.T) {
	for name, c := range map[string]struct {
		text        string
		language    string
		sensitivity int
		want        string // quoted stutters, separated by |
	}{
		"three times":               {"well I I I think it is late", "en", 50, "I I"},
		"an article":                {"open the the door to my my house", "en", 50, "the|my"},
		"an article with a comma":   {"open the, the door", "en", 50, "the"},
		"a fragment":                {"we can rec- record a movie", "en", 0, "rec"},
		"two fragments":             {"so w- w- we go home", "en", 0, "w w"},
		"a word after a hesitation": {"please open [300] open the door", "en", 50, "open"},
		"around a filler":           {"so I um I think it works", "en", 50, ""},
		"very very":                 {"it is very very long", "en", 100, ""},
		"no no no":                  {"no [200] no [200] no that is wrong", "en", 100, ""},
		"bye bye":                   {"thank you and bye bye", "en", 50, ""},
		"two sentences":             {"it is the. The house", "en", 50, ""},
		"a long pause":              {"this is my [900] my house", "en", 50, ""},
		"a false start":             {"we can rec- record a movie", "en", 50, ""},
		"a restart of two words":    {"we are we are going home", "en", 50, ""},
		"a frequent word": {
			"ich bin da ich sehe ich gehe ich rede ich lese und ich ich warte", "de", 50, "ich",
		},
		"a rare word":      {"der hund ist gut gut erzogen", "de", 50, ""},
		"without language": {"well I I I think it is late", "", 50, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, cut := range []bool{false, true} {
				var got []string
				settings := Settings{
					CutOptions: media.CutOptions{
						PacingLevel:           50,
						FalseStartSensitivity: c.sensitivity,
						CutFillers:            cut,
					},
					Language: c.language,
				}
				for _, e := range Edits(evidenceOf(c.text), settings) {
					if e.Type != media.EditStutter {
						continue
					}
					_, quote, _ := strings.Cut(e.Reason, "“")
					quote, _, _ = strings.Cut(quote, "”")
					got = append(got, quote)
					if want := cut && e.Confidence >= activeFrom; e.Active != want {
						t.Errorf("with fillers %v, active is %v: %+v", cut, e.Active, e)
					}
				}
				if strings.Join(got, "|") != c.want {
					t.Errorf("got %q, want %q", strings.Join(got, "|"), c.want)
				}
			}
		})
	}
}

func TestStuttersKeepTheLastCopy(t *testing.T) {
	e := evidenceOf("so the [100] the [100] the house [500] is big")
	got := only(media.EditStutter, Edits(e, english(media.CutOptions{PacingLevel: 50, CutFillers: true})))
	if !strings.HasPrefix(got, "212-7") || !strings.HasSuffix(got, "Stutter “the the” before “the”") {
		t.Errorf("got %s", got)
	}
}
