package detect

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"roughcut/media"
	"roughcut/media/audio"
)

// paced returns the settings of a pacing level, with the least sensitivity to false starts.
func paced(level int) Settings { return Settings{CutOptions: media.CutOptions{PacingLevel: level}} }

// english returns the settings of a talk in English.
func english(o media.CutOptions) Settings { return Settings{CutOptions: o, Language: "en"} }

// evidenceOf returns the evidence of a text. Each word lasts 200 ms, and "[n]" is a pause of n ms.
// The clip ends with the last word or pause.
func evidenceOf(text string) Evidence {
	var e Evidence
	at := int64(0)
	for _, f := range strings.Fields(text) {
		var pause int64
		if n, _ := fmt.Sscanf(f, "[%d]", &pause); n == 1 {
			at += pause
			continue
		}
		e.Words = append(e.Words, media.Word{Text: f, StartMS: at, EndMS: at + 200, Probability: 0.95})
		at += 200
	}
	e.DurationMS = at
	var spans []media.Span
	for _, w := range e.Words {
		spans = append(spans, media.Span{StartMS: w.StartMS, EndMS: w.EndMS})
	}
	e.Voice = audio.VoiceActivity{
		DurationMS: at,
		Levels:     make([]byte, at/audio.VoiceFrameMS),
		FloorDB:    -70,
		SpeechDB:   -20,
		Spans:      media.MergeSpans(spans),
	}
	for i := range e.Voice.Levels {
		e.Voice.Levels[i] = 60
		for _, s := range e.Voice.Spans {
			if ms := int64(i) * audio.VoiceFrameMS; ms >= s.StartMS && ms < s.EndMS {
				e.Voice.Levels[i] = 160
			}
		}
	}
	return e
}

// only formats the edits of one type, one per line.
func only(kind string, edits []Edit) string {
	var out []string
	for _, e := range edits {
		if e.Type != kind {
			continue
		}
		line := fmt.Sprintf("%d-%d %s", e.StartMS, e.EndMS, e.Reason)
		if !e.Active {
			line += " (inactive)"
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func TestPauseThresholdAndPaddingByPacing(t *testing.T) {
	for pacing, want := range map[int][2]int64{
		-5:  {2500, 400},
		0:   {2500, 400},
		50:  {612, 126},
		80:  {263, 63},
		100: {150, 40},
		200: {150, 40},
	} {
		if got := [2]int64{PauseThreshold(pacing), PausePadding(pacing)}; got != want {
			t.Errorf("pacing %d: got %v, want %v", pacing, got, want)
		}
	}
}

func TestSilencesFollowPacing(t *testing.T) {
	text := "[1000] hello there camera. [1800] this [400] works [2600] yes [700]"
	for pacing, want := range map[int]string{
		0: "4600-6400 Pause of 2.6 s after “works”",
		50: "0-874 Silence of 1.0 s before the first word, “hello”\n" +
			"1726-3274 Pause of 1.8 s after “camera”\n" +
			"4326-6674 Pause of 2.6 s after “works”\n" +
			"7126-7700 Silence of 0.7 s after the last word, “yes”",
		100: "0-960 Silence of 1.0 s before the first word, “hello”\n" +
			"1640-3360 Pause of 1.8 s after “camera”\n" +
			"3640-3960 Pause of 0.4 s after “this”\n" +
			"4240-6760 Pause of 2.6 s after “works”\n" +
			"7040-7700 Silence of 0.7 s after the last word, “yes”",
	} {
		if got := only(media.EditSilence, Edits(evidenceOf(text), paced(pacing))); got != want {
			t.Errorf("pacing %d:\n%s\nwant\n%s", pacing, got, want)
		}
	}
	got := only(media.EditSilence, Edits(evidenceOf(text), paced(50)))
	for _, want := range []string{
		"Silence of 1.0 s before the first word, “hello”", "Pause of 1.8 s after “camera”",
		"Pause of 2.6 s after “works”", "Silence of 0.7 s after the last word, “yes”",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the silences do not contain %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "“this”") {
		t.Errorf("a pause of 0.4 s is cut at pacing 50:\n%s", got)
	}
	silent := Edits(
		Evidence{DurationMS: 5000, Voice: audio.VoiceActivity{DurationMS: 5000, Levels: make([]byte, 500)}},
		paced(50),
	)
	if len(silent) != 1 || silent[0].Active || silent[0].Span != (media.Span{EndMS: 5000}) ||
		silent[0].Reason != "No speech in this recording (5.0 s)" {
		t.Errorf("a silent recording gives %+v, want one inactive edit", silent)
	}
	most := media.CutOptions{PacingLevel: 100, FalseStartSensitivity: 100}
	if got := Edits(Evidence{}, english(most)); len(got) != 0 {
		t.Errorf("an empty recording gives %+v, want nothing", got)
	}
}

func TestSilenceNeedsNeitherWordNorLoudSound(t *testing.T) {
	covered := evidenceOf("hello [2000] there")
	covered.Words[0].EndMS = 2100 // the speech model stretches the word over the silence
	if got := only(media.EditSilence, Edits(covered, paced(50))); got != "" {
		t.Errorf("a silence inside a word is cut: %s", got)
	}
	loud := evidenceOf("hello [2000] there")
	loud.Voice.Spans = []media.Span{{StartMS: 0, EndMS: 200}, {StartMS: 900, EndMS: 1400}, {StartMS: 2200, EndMS: 2400}}
	for i := 90; i < 140; i++ {
		loud.Voice.Levels[i] = 155
	}
	for _, e := range Edits(loud, paced(50)) {
		if e.Intersect(media.Span{StartMS: 900, EndMS: 1400}).Duration() > 0 {
			t.Errorf("a loud sound without a word is cut: %+v", e)
		}
	}
	for i := 90; i < 140; i++ {
		loud.Voice.Levels[i] = 90 // breath
	}
	if got := only(media.EditSilence, Edits(loud, paced(50))); !strings.Contains(got, "Pause of 2.0 s") {
		t.Errorf("a breath splits a pause: %q", got)
	}
}

func TestCutsMoveToTheQuietestTime(t *testing.T) {
	cut := func(levels map[int]byte) media.Span {
		e := evidenceOf("hello [2000] there")
		for frame, level := range levels {
			e.Voice.Levels[frame] = level
		}
		edits := Edits(e, paced(50))
		if len(edits) != 1 {
			t.Fatalf("got %+v, want one cut", edits)
		}
		return edits[0].Span
	}
	for name, c := range map[string]struct {
		levels map[int]byte
		want   media.Span
	}{
		"into the pause":    {map[int]byte{33: 10, 206: 10}, media.Span{StartMS: 335, EndMS: 2065}},
		"toward the speech": {map[int]byte{31: 10, 208: 10}, media.Span{StartMS: 326, EndMS: 2074}},
		"too far":           {map[int]byte{35: 10, 204: 10}, media.Span{StartMS: 326, EndMS: 2074}},
		"hardly quieter":    {map[int]byte{33: 50, 206: 50}, media.Span{StartMS: 326, EndMS: 2074}}, // 5 dB
	} {
		if got := cut(c.levels); got != c.want {
			t.Errorf("%s: got a cut of %v, want %v", name, got, c.want)
		}
	}
}

func TestNoiseThatHidesEndingsLeavesMoreAir(t *testing.T) {
	for floorDB, want := range map[float64]int64{-70: 326, -62: 326, -58: 334, -50: 346, -40: 346} {
		e := evidenceOf("hello [2000] there")
		e.Voice.FloorDB = floorDB
		if edits := Edits(e, paced(50)); len(edits) != 1 || edits[0].StartMS != want {
			t.Errorf("over noise of %v dBFS: got %+v, want a cut from %d", floorDB, edits, want)
		}
	}
}

// Speech that noise hides keeps its air, as long as the rest of the pause stays under the
// threshold. It does not save a pause from being cut.
func TestHiddenSpeechKeepsItsAir(t *testing.T) {
	for name, c := range map[string]struct {
		pauseMS, hiddenMS, want int64
		pacing                  int
	}{
		"none":            {2000, 0, 326, 50},
		"some":            {2000, 60, 386, 50},
		"a short pause":   {620, 60, 386, 50},
		"of a quick pace": {2000, 60, 245, 100},
	} {
		e := evidenceOf(fmt.Sprintf("hello [%d] there", c.pauseMS))
		e.Voice.Refined = true
		if c.hiddenMS > 0 {
			e.Voice.Hidden = []media.Span{{StartMS: 200, EndMS: 200 + c.hiddenMS}}
		}
		if edits := Edits(e, paced(c.pacing)); len(edits) != 1 || edits[0].StartMS != c.want {
			t.Errorf("%s: got %+v, want a cut from %d", name, edits, c.want)
		}
	}
}

func TestDistantRepeatsNeedAClearMatch(t *testing.T) {
	for name, c := range map[string]struct {
		margin float64
		gapMS  int64
		want   int
	}{
		"clear, distant": {1.7, 13_000, 1},
		"vague, distant": {1.4, 13_000, 0},
		"vague, near":    {1.4, 1_000, 1},
	} {
		e := evidenceOf("hello [30000] there")
		first := media.Span{StartMS: 1000, EndMS: 3000}
		next := media.Span{StartMS: first.EndMS + c.gapMS, EndMS: first.EndMS + c.gapMS + 2000}
		e.Words, e.Voice.Spans = nil, []media.Span{first, next}
		e.Repeats = []Repeat{{Earlier: first, Later: next, Distance: 0.5, Margin: c.margin, Worst: 0.5}}
		edits := Edits(e, Settings{CutOptions: media.DefaultCutOptions()})
		found := slices.DeleteFunc(edits, func(x Edit) bool { return x.Type != media.EditFalseStart })
		if len(found) != c.want {
			t.Errorf("%s: got %+v, want %d", name, found, c.want)
		}
	}
}

func TestFalseStartsFollowSensitivity(t *testing.T) {
	for name, c := range map[string]struct {
		text        string
		sensitivity int
		want        string // quoted attempts, separated by |
	}{
		"restart at once":            {"so today we so today we are going", 50, "so today we"},
		"restart after a pause":      {"i want to show [450] i want to show you the beach", 50, "i want to show"},
		"two words":                  {"hello all [900] we are [400] we are going home", 50, "we are"},
		"two words need sensitivity": {"hello all [900] we are [400] we are going home", 49, ""},
		"three words": {
			"hello there [900] we are all [400] we are all going home", 25, "we are all",
		},
		"zero cuts four exact words": {"so today we are [400] so today we are going", 0, "so today we are"},
		"zero leaves three":          {"so today we [400] so today we are going", 0, ""},
		"zero leaves similar words":  {"so today we're [400] so today we are going", 0, ""},
		"similar words at the top":   {"we made [300] we make it at home", 100, "we made"},
		"half a word":                {"we can rec- [300] we can record a movie", 50, "we can rec"},
		"half a word alone":          {"this is a vid- video of us", 50, "vid"},
		"emphasis":                   {"it is very very long and no no no no good", 100, ""},
		"more and more":              {"we need more and more and more of it", 100, ""},
		"thank you thank you":        {"thank you thank you [900] bye", 100, ""},
		"sentences of one pattern": {
			"this is the black camera. [700] this is the white camera. [700] " +
				"we went to the river on sunday. [700] we went to the mountain on monday.",
			100, "",
		},
		"begins alike without a break": {"i want to see if i want to buy it", 100, ""},
		"retake of a sentence": {
			"the lens is really good for photos [1500] the lens is really good for photos and videos", 50,
			"the lens is really good for photos",
		},
		"a word left out": {
			"next week we are [400] next we are going to test it", 50, "next week we are",
		},
		"retake with a change": {
			"the lens is really good for a photo [1500] the lens is good for a photo of birds", 50,
			"the lens is really good for a photo",
		},
		"three takes": {
			"so we went [500] so we went to [500] so we went to the beach", 50, "so we went|so we went to",
		},
		"across a fragment": {
			"i want to show you the camera [500] um [500] i want to show you the camera and the lens", 50,
			"i want to show you the camera",
		},
		"filler before the second attempt": {
			"we went to the beach um we went to the river", 75, "we went to the beach",
		},
		"written as broken off": {"hello all. [500] but the- [500] now look at this", 50, "but the"},
		"too long ago":          {"we are [9000] we are going home", 100, ""},
		"nothing":               {"hello", 100, ""},
		"ends as the sentence before it": {
			"see you at the airport [400] i found it at the airport [900] i found it at the airport", 50,
			"i found it at the airport",
		},
		"words of more than 31 letters": {
			"hello [900] donaudampfschifffahrtsgesellschaften sind lang [400] " +
				"donaudampfschifffahrtsgesellschaft sind lang und alt",
			50, "donaudampfschifffahrtsgesellschaften sind lang",
		},
		"lines without spaces that are too long to compare": {
			"we " + strings.Repeat("ก", 1000) + " [300] we " + strings.Repeat("ก", 999) + "ข here", 100, "",
		},
		"words that end with a vowel sign": {
			"फिर हम सेटिंग्स खोलते हैं [400] फिर हम सेटिंग्स खोलते हैं और भाषा", 50, "फिर हम सेटिंग्स खोलते हैं",
		},
		"words that differ in a vowel sign": {"यह मेरी है [400] यह मेरा हो गया", 25, ""},
		"two words that are only alike":     {"hello all [900] the now [100] the new camera is here", 50, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			settings := Settings{
				CutOptions: media.CutOptions{PacingLevel: 50, FalseStartSensitivity: c.sensitivity},
				Language:   "en",
			}
			for _, e := range Edits(evidenceOf(c.text), settings) {
				if e.Type == media.EditFalseStart && e.Active {
					_, quote, _ := strings.Cut(e.Reason, "“")
					got = append(got, strings.TrimSuffix(quote, "”"))
				}
			}
			if strings.Join(got, "|") != c.want {
				t.Errorf("got %q, want %q", strings.Join(got, "|"), c.want)
			}
		})
	}
}

// Speech models sometimes transcribe words twice that were spoken once, and squeeze the words after
// them into the remaining time.
func TestRepetitionFasterThanSpeechIsInactive(t *testing.T) {
	e := evidenceOf(
		"hello and welcome to my channel about the world of cars [900] we have a lot to see [900] " +
			"so the woman so the woman can record the red car after the show",
	)
	const second = 20 // index of the second "so"
	for i := second; i < len(e.Words); i++ {
		e.Words[i].StartMS = e.Words[second].StartMS + int64(i-second)*60
		e.Words[i].EndMS = e.Words[i].StartMS + 60
	}
	found := false
	for _, x := range Edits(e, english(media.CutOptions{PacingLevel: 50, FalseStartSensitivity: 100})) {
		found = found || x.Type == media.EditFalseStart
		if x.Type == media.EditFalseStart && x.Active {
			t.Errorf("the false start is active: %+v", x)
		}
	}
	if !found {
		t.Error("no false start is proposed")
	}
}

// A speech model that has lost the thread repeats its last words with low probability.
func TestGuessedRepetitionIsInactive(t *testing.T) {
	for probability, active := range map[float64]bool{0.95: true, 0.06: false} {
		e := evidenceOf(
			"hello and welcome to my channel about the world of cars [900] we have a lot to see [900] " +
				"so the woman went to the road to the road to the show after the day",
		)
		e.Words[26].Probability = probability // the second "to"
		found := false
		for _, x := range Edits(e, english(media.CutOptions{PacingLevel: 50, FalseStartSensitivity: 100})) {
			if x.Type == media.EditFalseStart {
				found = true
				if x.Active != active {
					t.Errorf("with a probability of %v: %+v", probability, x)
				}
			}
		}
		if !found {
			t.Errorf("with a probability of %v, no false start is proposed", probability)
		}
	}
}

func TestFalseStartLeavesNoSliver(t *testing.T) {
	e := evidenceOf("hello all [1000] we are going [800] we are going home")
	edits := Edits(e, english(media.DefaultCutOptions()))
	var spans []media.Span
	for _, x := range edits {
		spans = append(spans, x.Span)
	}
	if cuts := media.MergeSpans(spans); len(cuts) != 1 {
		t.Errorf("the cuts leave slivers between them: %v", cuts)
	}
	if got := only(media.EditFalseStart, edits); !strings.HasSuffix(got, "Said again 0.8 s later: “we are going”") {
		t.Errorf("got %s", got)
	}
}

// A cut without a pause after it ends before the repetition, so that an export can move it to a
// frame.
func TestTakeWithoutAPauseEndsBeforeTheNextOne(t *testing.T) {
	const again = 400 + 900 + 4*200 // ms
	e := evidenceOf("hello all [900] my friend bought another my friend bought another project")
	edits, groups := Propose(e, english(media.DefaultCutOptions()))
	if len(groups) != 1 || len(groups[0].Takes) != 2 {
		t.Fatalf("the take groups are %+v", groups)
	}
	i := slices.IndexFunc(edits, func(x Edit) bool { return x.Type == media.EditFalseStart })
	if i < 0 || edits[i].EndMS < again-borderMS || edits[i].EndMS > again-marginMS {
		t.Errorf("the repetition starts at %d ms: %+v", again, edits)
	}
}

func TestFillersFollowLanguageAndKnob(t *testing.T) {
	text := "so um we went uh uh home [900] um"
	got := only(media.EditFiller, Edits(evidenceOf(text), Settings{Language: "en-US"}))
	if n := strings.Count(got, "(inactive)"); n != 3 || !strings.Contains(got, "Filler “uh uh”") {
		t.Errorf("got\n%s", got)
	}
	if got := only(
		media.EditFiller,
		Edits(evidenceOf(text), english(media.CutOptions{CutFillers: true})),
	); strings.Contains(got, "inactive") ||
		got == "" {
		t.Errorf("got\n%s", got)
	}
	if got := only(
		media.EditFiller,
		Edits(
			evidenceOf("das ist um die ecke"),
			Settings{Language: "de", CutOptions: media.CutOptions{CutFillers: true}},
		),
	); got != "" {
		t.Errorf("a German word is detected as a filler: %s", got)
	}
}

// anyEvidence draws words, voice activity and pauses that may contradict each other.
func anyEvidence(t *rapid.T) Evidence {
	const long = "donaudampfschifffahrtsgesellschaft"
	var text strings.Builder
	for range rapid.IntRange(0, 60).Draw(t, "parts") {
		if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
			fmt.Fprintf(&text, "[%d] ", rapid.IntRange(10, 4000).Draw(t, "pause"))
			continue
		}
		text.WriteString(
			rapid.SampledFrom([]string{"we", "are", "going", "to", "um", "beach.", "wor-", long, long + "s"}).Draw(
				t,
				"word",
			) + " ",
		)
	}
	e := evidenceOf(text.String())
	e.DurationMS += rapid.Int64Range(0, 3000).Draw(t, "tail")
	if rapid.Bool().Draw(t, "shifted") {
		for i := range e.Voice.Spans {
			e.Voice.Spans[i].StartMS += 30
			e.Voice.Spans[i].EndMS += 30
		}
	}
	e.Words = slices.DeleteFunc(e.Words, func(media.Word) bool { return rapid.IntRange(0, 9).Draw(t, "missed") == 0 })
	e.Pitch = bytes.Repeat([]byte{120}, int(e.DurationMS/audio.PitchFrameMS))
	e.Keyframes = slices.Compact(
		slices.Sorted(
			slices.Values(rapid.SliceOfN(rapid.Int64Range(0, max(1, e.DurationMS)), 0, 20).Draw(t, "keyframes")),
		),
	)
	return e
}

// The cut of a pause ends at a keyframe shortly before its usual end. It starts earlier by as much,
// but by no more than half the air. A filler cut after it starts at the same time.
func TestPauseCutEndsAtAKeyframe(t *testing.T) {
	find := func(keyframes ...int64) (silence, filler Edit) {
		e := evidenceOf("so this is it [2000] um we go on [400] and on")
		e.Keyframes = keyframes
		for _, x := range Edits(e, english(media.CutOptions{PacingLevel: 50})) {
			if x.Type == media.EditSilence {
				silence = x
			} else {
				filler = x
			}
		}
		return silence, filler
	}
	plain, um := find()
	for name, c := range map[string]struct {
		keyframes []int64
		want      int64
	}{
		"at the end":       {[]int64{0, plain.EndMS}, plain.EndMS},
		"shortly before":   {[]int64{plain.EndMS - 75, plain.EndMS - 70, plain.EndMS + 1}, plain.EndMS - 70},
		"nearer":           {[]int64{plain.EndMS - 40}, plain.EndMS - 40},
		"too far":          {[]int64{plain.EndMS - 81}, plain.EndMS},
		"after it":         {[]int64{plain.EndMS + 10}, plain.EndMS},
		"in another place": {[]int64{0, 5000}, plain.EndMS},
	} {
		t.Run(name, func(t *testing.T) {
			silence, filler := find(c.keyframes...)
			start := plain.StartMS - min(plain.EndMS-c.want, PausePadding(50)/2)
			if silence.StartMS != start || silence.EndMS != c.want ||
				filler.StartMS != c.want || filler.EndMS != um.EndMS {
				t.Errorf("got %+v and %+v, want a cut from %d to %d", silence, filler, start, c.want)
			}
		})
	}
}

func TestEditsKeepTheirInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvidence(t)
		k := Settings{
			CutOptions: media.CutOptions{
				PacingLevel:           rapid.IntRange(-10, 110).Draw(t, "pacing"),
				FalseStartSensitivity: rapid.IntRange(-10, 110).Draw(t, "false starts"),
				CutFillers:            rapid.Bool().Draw(t, "fillers"),
			},
			Language: "en",
		}
		edits := Edits(e, k)
		if !reflect.DeepEqual(edits, Edits(e, k)) {
			t.Fatal("the same evidence gives different edits")
		}
		last := map[string]int64{}
		for i, x := range edits {
			if i > 0 && x.StartMS < edits[i-1].StartMS {
				t.Fatalf("edit %d is out of order: %+v", i, edits)
			}
			if x.StartMS < 0 || x.EndMS <= x.StartMS || x.EndMS > e.DurationMS {
				t.Fatalf("an edit is outside the clip of %d ms: %+v", e.DurationMS, x)
			}
			if x.StartMS < last[x.Type] {
				t.Fatalf("edits of one type overlap: %+v", edits)
			}
			last[x.Type] = x.EndMS
			if x.Confidence < 0 || x.Confidence > 1 || x.Reason == "" {
				t.Fatalf("an edit has no reason or an invalid confidence: %+v", x)
			}
			if x.Type != media.EditSilence {
				continue
			}
			for _, w := range e.Words {
				if x.Intersect(media.Span{StartMS: w.StartMS, EndMS: w.EndMS}).Duration() > 0 {
					t.Fatalf("silence %+v overlaps word %+v", x, w)
				}
			}
		}
		var silences []media.Span
		for _, x := range edits {
			if x.Type == media.EditSilence {
				silences = append(silences, x.Span)
			}
		}
		for _, p := range newTalk(e, k).pauses {
			left := p.Duration()
			for _, c := range silences {
				left -= max(p.Intersect(c).Duration(), 0)
			}
			if left > PauseThreshold(k.PacingLevel) {
				t.Fatalf("%d ms of the pause %+v remain at pacing %d: %+v", left, p, k.PacingLevel, silences)
			}
		}
	})
}

// hourOfEvidence returns the evidence of an hour of dense speech.
func hourOfEvidence() Evidence {
	r := rand.New(rand.NewPCG(1, 2))
	vocabulary := strings.Fields(
		"we are going to the beach and i want to show you a new camera because it is really good um so today",
	)
	var text strings.Builder
	for total := 0; total < 3_600_000; {
		if r.IntN(8) == 0 {
			pause := 150 + r.IntN(2500)
			fmt.Fprintf(&text, "[%d] ", pause)
			total += pause
			continue
		}
		text.WriteString(vocabulary[r.IntN(len(vocabulary))] + " ")
		total += 200
	}
	e := evidenceOf(text.String())
	for i := range e.Voice.Levels {
		e.Voice.Levels[i] = byte(int(e.Voice.Levels[i]) + r.IntN(13) - 6)
	}
	return e
}

func TestEvidenceIsCompact(t *testing.T) {
	e := hourOfEvidence()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if err := errors.Join(json.NewEncoder(zip).Encode(e), zip.Close()); err != nil {
		t.Fatal(err)
	}
	if packed.Len() > 1_000_000 {
		t.Errorf("an hour of evidence takes %d bytes, want at most 1,000,000", packed.Len())
	}
	unzip, err := gzip.NewReader(&packed)
	if err != nil {
		t.Fatal(err)
	}
	var back Evidence
	if err := json.NewDecoder(unzip).Decode(&back); err != nil {
		t.Fatal(err)
	}
	k := english(media.CutOptions{PacingLevel: 70, FalseStartSensitivity: 70})
	if !reflect.DeepEqual(Edits(e, k), Edits(back, k)) {
		t.Error("stored evidence gives other edits")
	}
}

// tone returns raw audio of a tone at the given spans in seconds, over noise.
func tone(seconds float64, noise float64, spans ...[2]float64) []byte {
	r := rand.New(rand.NewPCG(3, 4))
	out := make([]byte, 0, int(seconds*2*media.SpeechSampleRate))
	for i := range int(seconds * media.SpeechSampleRate) {
		at := float64(i) / media.SpeechSampleRate
		x := noise * r.NormFloat64()
		if slices.ContainsFunc(spans, func(s [2]float64) bool { return at >= s[0] && at < s[1] }) {
			x += 0.2 * math.Sin(2*math.Pi*300*at)
		}
		out = binary.LittleEndian.AppendUint16(out, uint16(int16(x*32767)))
	}
	return out
}

func TestMeasureVoiceFollowsTheNoiseFloor(t *testing.T) {
	for _, floorDB := range []float64{-90, -70, -50, -35} {
		data := tone(8, math.Pow(10, floorDB/20), [2]float64{1, 2.5}, [2]float64{4, 4.8})
		last := -1.0
		e, err := MeasureVoice(context.Background(), bytes.NewReader(data), 8000, func(f float64) {
			if f < last || f > 1 {
				t.Errorf("the progress went from %v to %v", last, f)
			}
			last = f
		})
		if err != nil || last != 1 {
			t.Fatalf("error %v, progress %v", err, last)
		}
		// 10 ms by energy, and 20 ms by the network of edges, which does not know tones
		near := func(a, b int64) bool { return max(a-b, b-a) <= 30 }
		s := e.Voice.Spans
		if len(s) != 2 || !near(s[0].StartMS, 1000) || !near(s[0].EndMS, 2500) || !near(s[1].StartMS, 4000) ||
			!near(s[1].EndMS, 4800) {
			t.Errorf("the voice activity over noise of %v dBFS is %v", floorDB, s)
		}
		if math.Abs(e.Voice.FloorDB-floorDB) > 4 && floorDB > -85 {
			t.Errorf("the noise floor of %v dBFS is measured as %v", floorDB, e.Voice.FloorDB)
		}
	}
}

func TestMeasureVoiceHandlesOddInput(t *testing.T) {
	for name, data := range map[string][]byte{"nothing": nil, "one byte": {1}, "one sample": {1, 0}} {
		e, err := MeasureVoice(context.Background(), bytes.NewReader(data), 2000, nil)
		if err != nil || e.DurationMS != 2000 || len(e.Voice.Spans) != 0 {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := MeasureVoice(ctx, bytes.NewReader(make([]byte, 1<<20)), 0, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled measurement returns %v", err)
	}
	broken := errors.New("the disk failed")
	if _, err := MeasureVoice(context.Background(), failing{broken}, 0, nil); !errors.Is(err, broken) {
		t.Errorf("a failing reader returns %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// Speech models may stretch a filler over music, which must not go with it.
func TestFillersAreNotLongerThanSounds(t *testing.T) {
	e := evidenceOf("look [400] um [400] there")
	e.Words[1].EndMS += 30_000
	e.Words[2].StartMS, e.Words[2].EndMS = e.Words[2].StartMS+30_000, e.Words[2].EndMS+30_000
	e.DurationMS += 30_000
	for _, x := range Edits(e, english(media.CutOptions{PacingLevel: 50, CutFillers: true})) {
		if x.Type == media.EditFiller && (x.Active || x.Confidence >= activeFrom) {
			t.Errorf("a filler of half a minute is cut: %+v", x)
		}
	}
}
