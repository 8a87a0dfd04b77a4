package detect

import (
	"strings"
	"testing"

	"roughcut/media"
)

// A sentence that comes again is a retake if all that lies between is said again too, or announces
// another take; behind other sentences it is perhaps a refrain, which stays.
func TestRefrainsStay(t *testing.T) {
	const sentence, other = "please subscribe to this channel for more", "the oven needs ten minutes to heat up"
	settings := english(media.CutOptions{PacingLevel: 50, FalseStartSensitivity: 50})
	for name, c := range map[string]struct {
		between     string
		alsoRepeats string // a part of between that comes again after the sentence
		noWords     bool
		active      bool
	}{
		"at once":         {between: "[900]", active: true},
		"behind an aside": {between: "[900] no, once more. [900]", active: true},
		"behind a long aside": {between: "[700] sorry, wait, let me say all of that once more. [700]",
			active: true},
		"behind another sentence": {between: "[700] " + other + " and to brown. [900]"},
		"behind two sentences": {between: "[700] " + other +
			" [900] then we mix the flour with the butter [700]"},
		"behind one whose words come again": {
			between:     "[700] in the end it is for you and all of us to see that it is done [900]",
			alsoRepeats: "you see all of it is done for us and that is the end in it to", active: false,
		},
		"behind one that comes again": {between: "[700] " + other + " and to brown. [900]", alsoRepeats: other,
			active: true},
		"by sound, behind a short one": {between: "[700] gone is gone. [700]", noWords: true, active: true},
		"by sound, behind another one": {between: "[700] " + other + " and to brown. [900]", noWords: true},
		"by sound, with all said again": {between: "[700] " + other + " [900]", alsoRepeats: other, noWords: true,
			active: true},
	} {
		t.Run(name, func(t *testing.T) {
			text := "[500] " + sentence + " " + c.between + " " + sentence + " [900] "
			text += c.alsoRepeats + " [900] and this is how the talk ends today [500]"
			e := evidenceOf(text)
			e.Repeats = []Repeat{repeatOf(t, e, sentence)}
			if strings.Contains(c.between, c.alsoRepeats) && c.alsoRepeats != "" {
				e.Repeats = append(e.Repeats, repeatOf(t, e, c.alsoRepeats))
			}
			if c.noWords {
				e.Words = nil
			}

			var found bool
			for _, edit := range Edits(e, settings) {
				if edit.Type != media.EditFalseStart || edit.StartMS > 600 {
					continue
				}
				found = true
				if edit.Active != c.active || strings.Contains(edit.Reason, "refrain") == c.active {
					t.Errorf("the edit is %+v, want active: %t", edit, c.active)
				}
			}
			if !found {
				t.Error("the first sentence is not proposed")
			}
		})
	}
}

// repeatOf returns the clear repeat of a sentence that evidence holds twice.
func repeatOf(t *testing.T, e Evidence, sentence string) Repeat {
	t.Helper()
	words := strings.Fields(sentence)
	var spans []media.Span
	for i := 0; i+len(words) <= len(e.Words); i++ {
		k := 0
		for k < len(words) && e.Words[i+k].Text == words[k] {
			k++
		}
		if k == len(words) {
			spans = append(spans, media.Span{StartMS: e.Words[i].StartMS, EndMS: e.Words[i+k-1].EndMS})
		}
	}
	if len(spans) != 2 {
		t.Fatalf("%q is said %d times", sentence, len(spans))
	}
	return Repeat{Earlier: spans[0], Later: spans[1], Distance: 0.3, Margin: 2.4, Worst: 0.45}
}
