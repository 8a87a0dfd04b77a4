package subtitle

import (
	"fmt"
	"strings"
	"testing"

	"roughcut/media"
)

// cues writes SubRip, or WebVTT, of cues "start end text" in milliseconds; "|" separates rows.
func cues(vtt bool, list ...string) []byte {
	var out strings.Builder
	if vtt {
		out.WriteString("WEBVTT\nKind: captions\nLanguage: en\n\n")
	}
	at := func(ms int64) string { return fmt.Sprintf("00:%02d:%02d.%03d", ms/60_000, ms/1000%60, ms%1000) }
	for i, c := range list {
		var start, end int64
		fmt.Sscanf(c, "%d %d", &start, &end)
		text := strings.SplitN(c, " ", 3)[2]
		fmt.Fprintf(&out, "%d\n%s --> %s\n%s\n\n", i+1, at(start), at(end), strings.ReplaceAll(text, "|", "\n"))
	}
	return []byte(out.String())
}

// Rolling captions say each row once, at the time of its first cue.
func TestRollingCaptionsAreReadOnce(t *testing.T) {
	const want = "0-2000 so today we | 2010-4000 look at the | 4010-6000 first of them"
	for name, list := range map[string][]string{
		"two rows and flashes": {
			"0 2000 so today we", "2000 2010 so today we", "2010 4000 so today we|look at the", "4000 4010 look at the",
			"4010 6000 look at the|first of them", "6000 6010 first of them",
		},
		"two rows": {"0 2000 so today we", "2010 4000 so today we|look at the", "4010 6000 look at the|first of them"},
		"three rows": {"0 2000 so today we", "2010 4000 so today we|look at the",
			"4010 6000 so today we|look at the|first of them"},
		"a flash without its long cue": {"0 2000 so today we", "2000 2010 look at the",
			"2010 4000 look at the| ", "4000 4010 look at the", "4010 6000 look at the|first of them",
			"6000 6010 first of them", "6010 6020 first of them| "},
		"growing": {"0 2000 so today we", "2010 4000 so today we look at the",
			"4010 6000 so today we look at the first of them"},
		"growing rows": {"0 2000 so today we", "2010 4000 <i>so today</i> we look at the",
			"4010 6000 so today we look at the|first of them"},
	} {
		for _, vtt := range []bool{false, true} {
			m, err := ReadTranscript(cues(vtt, list...))
			if got := lines(m); err != nil || got != want || len(m.Words) != 9 {
				t.Errorf("%s: %v, %d words\n got %q\nwant %q", name, err, len(m.Words), got, want)
			}
		}
	}
}

// The words of a rolling row keep the times that its cue has for them.
func TestRollingCaptionsKeepTheTimesOfWords(t *testing.T) {
	m, err := ReadTranscript(cues(true,
		"0 2000  |so<00:00:00.500><c> today</c><00:00:01.200><c> we</c>", "2000 2010 so today we| ",
		"2010 4000 so today we|look<00:00:02.500><c> at</c>", "4000 4010 look at| ",
		"4010 6000 look at|at<00:00:05.000><c> it</c>", "6000 6010 at it| ",
	))
	const want = "so@0-500 today@500-1200 we@1200-2000 look@2010-2500 at@2500-4000 at@4010-5000 it@5000-6000"
	if got := words(m); err != nil || got != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
}

// A row that is said twice is in a file of rolling captions twice.
func TestRollingCaptionsKeepRealRepeats(t *testing.T) {
	m, err := ReadTranscript(cues(false,
		"0 2000 so today", "2000 2010 so today", "2010 4000 so today|so today", "4000 4010 so today",
		"4010 6000 so today|we look", "6000 6010 we look", "6010 8000 we look|at it", "15000 16000 at it",
	))
	const want = "0-2000 so today | 2010-4000 so today | 4010-6000 we look | 6010-8000 at it | 15000-16000 at it"
	if got := lines(m); err != nil || got != want {
		t.Errorf("%v\n got %q\nwant %q", err, got, want)
	}
}

// spoken returns the words of a transcript with their starts.
func spoken(m media.ImportedTranscript) string {
	var out []string
	for _, w := range m.Words {
		out = append(out, fmt.Sprintf("%s@%d", w.Text, w.StartMS))
	}
	return strings.Join(out, " ")
}

// Words that cues of one row repeat are said once, at the time of the first cue that shows them.
func TestRollingWordsAreReadOnce(t *testing.T) {
	for name, c := range map[string]struct {
		list []string
		want string
	}{
		"joined rows": {
			[]string{"0 1000 so today", "1000 2000 so today we look", "2100 3000 we look at the",
				"3000 4000 at the first one"},
			"so@0 today@333 we@1000 look@1375 at@2100 the@2485 first@3000 one@3600",
		},
		"the last words": {
			[]string{"0 1000 so", "1000 2000 so we", "2000 3000 so we look", "3000 4000 we look at",
				"4000 5000 look at it"},
			"so@0 we@1000 look@2000 at@3000 it@4000",
		},
		"the last two words": {
			[]string{"0 1000 so we", "1000 2000 we look", "2000 3000 look at", "3000 4000 at it", "4000 5000 it is",
				"5000 6000 is a", "6000 7000 a new", "7000 8000 new camera", "8000 9000 camera with"},
			"so@0 we@500 look@1000 at@2000 it@3000 is@4000 a@5000 new@6000 camera@7000 with@8000",
		},
		"other marks": {
			[]string{"0 1000 so today", "1000 2000 So today,|we look", "2000 3000 - We look|at the",
				"3000 4000 ♪ at the ♪|first one"},
			"so@0 today@333 we@1000 look@1375 at@2000 the@2428 first@3000 one@3600",
		},
		"tags and entities": {
			[]string{"0 1000 <i>salt &amp; pepper</i>", "1000 2000 <i>salt &amp; pepper and</i> <b>more</b>",
				"2000 3000 and more &gt; of it"},
			"salt &@0 pepper@500 and@1000 more@1444 of@2000 it@2500",
		},
		"without spaces": {
			[]string{"0 1000 你好", "1000 2000 你好再见", "2000 3000 再见朋友"},
			"你@0 好@500 再@1000 见@1500 朋@2000 友@2500",
		},
		"corrected last words": {
			[]string{"0 1000 so", "1000 2000 so hmm", "2000 3000 so today we", "3000 4000 so today we are",
				"4000 5000 so today we are hmm", "5000 6000 so today we are going", "6000 7000 so today we are"},
			"so@0 today@1000 we@2333 are@3000",
		},
		"said twice": {
			[]string{"0 1000 no", "1000 2000 no no", "2000 3000 no no we", "3000 4000 no we say",
				"4000 5000 we say no"},
			"no@0 no@1000 we@2000 say@3000 no@4000",
		},
		"the last word of a cue starts the next": {
			[]string{"0 1000 so we look", "1000 2000 so we look at the", "2000 3000 at the camera",
				"3000 4000 at the camera of an old friend of ours", "4000 5000 ours is a new one",
				"5000 6000 ours is a new one with"},
			"so@0 we@272 look@545 at@1000 the@1428 camera@2000 of@3000 an@3120 old@3240 friend@3400 of@3680 " +
				"ours@3800 ours@4000 is@4277 a@4444 new@4555 one@4777 with@5000",
		},
	} {
		for _, vtt := range []bool{false, true} {
			m, err := ReadTranscript(cues(vtt, c.list...))
			if got := spoken(m); err != nil || got != c.want {
				t.Errorf("%s: %v\n got %q\nwant %q", name, err, got, c.want)
			}
		}
	}
}

// Words with times after the start of a cue are new, those before are shown again.
func TestRollingWordsKeepTheirTimes(t *testing.T) {
	m, err := ReadTranscript(cues(true,
		"0 2000 so<00:00:00.500><c> today</c>",
		"2000 4000 so today we<00:00:02.500><c> look</c><00:00:03.000><c> at</c>",
		"4000 6000 we<00:00:02.500> look at the<00:00:04.500><c> look</c>",
	))
	const want = "so@0 today@500 we@2000 look@2500 at@3000 the@4000 look@4500"
	if got := spoken(m); err != nil || got != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
}

// Without a pattern, every cue stays whole.
func TestRepeatsOfOrdinaryCaptionsStay(t *testing.T) {
	for name, list := range map[string][]string{
		"twice":       {"0 2000 I said stop", "2100 4000 I said stop", "4100 6000 right now"},
		"three times": {"0 2000 stop", "2000 4000 stop", "4000 6000 stop", "6000 7000 now"},
		"a row said again": {"0 2000 so|I said stop", "2000 4000 I said stop|right now", "4000 6000 and go",
			"6000 7000 on"},
		"a start again": {"0 2000 I", "2500 4000 I think", "4000 6000 of it", "6000 7000 now"},
		"a word at every border": {"0 2000 we all go home", "2000 4000 home is where I go", "4000 6000 go and see",
			"6000 8000 see what I say", "8000 9000 say it"},
		"one word a line": {"0 500 no", "500 1000 no", "1000 1500 no", "1500 2000 way"},
		"no and no":       {"0 500 no", "500 1000 no, no", "1000 1500 no way", "1500 2000 that is it"},
		"a refrain": {"0 2000 so please subscribe", "2000 4000 please subscribe", "4000 6000 and now",
			"6000 7000 on"},
		"the same start": {"0 2000 I want a dog", "2000 4000 I want a cat", "4000 6000 I want a house",
			"6000 7000 I want a boat"},
	} {
		m, err := ReadTranscript(cues(false, list...))
		if err != nil || len(m.Lines) != len(list) {
			t.Errorf("%s: %v, %s", name, err, lines(m))
		}
		for i, c := range list {
			if text := strings.ReplaceAll(strings.SplitN(c, " ", 3)[2], "|", "\n"); m.Lines[i].Text != text {
				t.Errorf("%s: line %d is %q, want %q", name, i+1, m.Lines[i].Text, text)
			}
		}
	}
}
