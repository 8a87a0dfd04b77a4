package detect

import (
	"strings"
	"testing"

	"roughcut/media"
)

// withSilence returns the evidence of a text in which the words in brackets have no voice.
func withSilence(text string) Evidence {
	e := evidenceOf(strings.NewReplacer("(", "", ")", "").Replace(text))
	at, silent := 0, false
	var spans []media.Span
	for f := range strings.FieldsSeq(text) {
		if strings.HasPrefix(f, "[") {
			continue
		}
		silent = silent || strings.HasPrefix(f, "(")
		if !silent {
			spans = append(spans, media.Span{StartMS: e.Words[at].StartMS, EndMS: e.Words[at].EndMS})
		}
		silent = silent && !strings.HasSuffix(f, ")")
		at++
	}
	e.Voice.Spans = media.MergeSpans(spans)
	return e
}

// Words without voice cut nothing, and neither does a loop that reaches into speech.
func TestInventedWordsCutNothing(t *testing.T) {
	settings := english(media.CutOptions{PacingLevel: 50, FalseStartSensitivity: 60, CutFillers: true})
	for name, text := range map[string]string{
		"a loop": "we look at the kitchen (thank you for watching thank you for watching " +
			"thank you for watching) [400] now the lamp",
		"into speech": "we look at the kitchen thank (you for watching thank you for watching " +
			"thank you for) watching now the lamp",
		"a short phrase": "we look at the kitchen and the (and the) and the first lamp",
		"a false start":  "we look at the kitchen (so now the) [300] so now the lamp is on",
		"a stutter":      "we look at (the) the lamp",
		"a fragment":     "we look at it. [300] (the lam-) [300] now it is on",
		"a filler":       "we look at (um) [300] the lamp",
	} {
		for _, e := range Edits(withSilence(text), settings) {
			if e.Type != media.EditSilence {
				t.Errorf("%s: %+v", name, e)
			}
		}
	}
}

// The same words with voice are cut.
func TestSpokenWordsAreCut(t *testing.T) {
	settings := english(media.CutOptions{PacingLevel: 50, FalseStartSensitivity: 60, CutFillers: true})
	for kind, text := range map[string]string{
		media.EditFalseStart: "we look at the kitchen so now the [300] so now the lamp is on",
		media.EditStutter:    "we look at the the lamp",
		media.EditFiller:     "we look at um [300] the lamp",
	} {
		if only(kind, Edits(withSilence(text), settings)) == "" {
			t.Errorf("%q has no %s", text, kind)
		}
	}
}

// A sentence that is written several times over speech is cut only if it is also heard again. Old
// evidence has no repeats by sound.
func TestWrittenLoopsAreHeard(t *testing.T) {
	settings := english(media.CutOptions{PacingLevel: 50, FalseStartSensitivity: 60})
	const said = "please try to call us later [700] "
	e := withSilence("we look at it [700] " + strings.Repeat(said, 4) + "now the lamp is on")
	active := func(e Evidence) (n int) {
		for _, edit := range Edits(e, settings) {
			if edit.Type == media.EditFalseStart && edit.Active {
				n++
			}
		}
		return n
	}
	if n := active(e); n != 3 {
		t.Errorf("with old evidence, %d takes are cut", n)
	}
	e.Change = make([]byte, e.DurationMS/10)
	if n := active(e); n != 0 {
		t.Errorf("%d takes are cut that are only written", n)
	}
	take := func(i int) media.Span {
		return media.Span{StartMS: e.Words[4+6*i].StartMS, EndMS: e.Words[9+6*i].EndMS}
	}
	e.Repeats = []Repeat{{Earlier: take(0), Later: take(1), Distance: 0.4, Margin: 2, Worst: 0.8}}
	if n := active(e); n != 3 {
		t.Errorf("with a take that is heard again, %d takes are cut", n)
	}
}
