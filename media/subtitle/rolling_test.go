package subtitle

import (
	"fmt"
	"strings"
	"testing"
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

// Without a pattern, every cue stays whole.
func TestRepeatsOfOrdinaryCaptionsStay(t *testing.T) {
	for name, list := range map[string][]string{
		"twice":       {"0 2000 I said stop", "2100 4000 I said stop", "4100 6000 right now"},
		"three times": {"0 2000 stop", "2000 4000 stop", "4000 6000 stop", "6000 7000 now"},
		"a row said again": {"0 2000 so|I said stop", "2000 4000 I said stop|right now", "4000 6000 and go",
			"6000 7000 on"},
		"a start again": {"0 2000 I", "2500 4000 I think", "4000 6000 of it", "6000 7000 now"},
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
