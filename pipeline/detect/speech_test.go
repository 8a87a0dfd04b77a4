package detect_test

import (
	"fmt"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// spoken is a synthesised recording with what is truly said in it.
type spoken struct {
	raw        []byte // as ingest writes it
	words      []media.Word
	abandoned  []bool // for each word, whether it belongs to a scripted false start
	durationMS int64
}

// utterance is a pause and what is said after it. Words that begin with "~" are a false start.
type utterance struct {
	pauseMS int64
	text    string
}

// speak renders a talk over white noise of floorDB dBFS; 0 means none.
func speak(t testing.TB, talk []utterance, floorDB, endMS int) spoken {
	t.Helper()
	var script strings.Builder
	script.WriteString("rate 16000\n")
	if floorDB != 0 {
		fmt.Fprintf(&script, "floor %d\n", floorDB)
	}
	var abandoned []bool
	for i, u := range talk {
		fmt.Fprintf(&script, "pause %d\nsay en-us %d %s\n", u.pauseMS, 150+5*(i%4), strings.ReplaceAll(u.text, "~", ""))
		for _, w := range strings.Fields(u.text) {
			abandoned = append(abandoned, strings.HasPrefix(w, "~"))
		}
	}
	fmt.Fprintf(&script, "pause %d\n", endMS)
	speech := mediatest.Speak(t, script.String())
	return spoken{raw: speech.Raw, words: speech.Words, abandoned: abandoned, durationMS: speech.DurationMS}
}
