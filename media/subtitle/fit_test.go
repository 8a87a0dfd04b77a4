package subtitle

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// moved writes SubRip of one cue a second, from an hour and a minute on.
func moved(start string, texts ...string) []byte {
	var out strings.Builder
	for i, text := range texts {
		second := string(rune('0' + i))
		out.WriteString(start + ":0" + second + ",100 --> " + start + ":0" + second + ",900\n" + text + "\n\n")
	}
	return []byte(out.String())
}

// A transcript that starts with whole hours is moved to its recording, and lines outside of the
// recording are named.
func TestTranscriptsFitTheirRecordings(t *testing.T) {
	const (
		all    = "100-900 so today | 1100-1900 we look | 2100-2900 at it"
		oneOut = "One line of the transcript is after the end of the recording and was left out. " +
			"Check that the transcript belongs to this recording."
	)
	for name, c := range map[string]struct {
		start      string
		durationMS int64
		want, warn string
	}{
		"as recorded": {"00:00", 3000, all, ""},
		"one hour": {
			"01:00", 3000, all,
			"The transcript starts at 1:00:00, but the recording is only 0:00:03 long. " +
				"Roughcut took 1 hour off all times.",
		},
		"ten hours": {
			"10:00", 3000, all,
			"The transcript starts at 10:00:00, but the recording is only 0:00:03 long. " +
				"Roughcut took 10 hours off all times.",
		},
		"an hour and a line too late": {
			"01:00", 2000, "100-900 so today | 1100-1900 we look",
			"The transcript starts at 1:00:00, but the recording is only 0:00:02 long. " +
				"Roughcut took 1 hour off all times. " + oneOut,
		},
		"a line too late":       {"00:00", 2000, "100-900 so today | 1100-1900 we look", oneOut},
		"no room for a line":    {"00:00", 2200, "100-900 so today | 1100-1900 we look", oneOut},
		"a line cut at the end": {"00:00", 2500, "100-900 so today | 1100-1900 we look | 2100-2500 at it", ""},
		"lines too late": {
			"00:00", 1000, "100-900 so today",
			"2 of 3 lines of the transcript are after the end of the recording and " +
				"were left out. Check that the transcript belongs to this recording.",
		},
		"within a long recording": {"01:00", 3 * hourMS, "3600100-3600900 so today | 3601100-3601900 we look | " +
			"3602100-3602900 at it", ""},
		"of unknown length": {"00:00", 0, all, ""},
	} {
		m, err := ReadTranscript(moved(c.start, "so today", "we look", "at it"))
		if err != nil {
			t.Fatal(err)
		}
		before := slices.Clone(m.Words)
		fit, err := Fit(m, c.durationMS)
		if got := lines(fit); err != nil || got != c.want || strings.Join(fit.Warnings, " ") != c.warn {
			t.Errorf("%s: %v, warnings %q\n got %q\nwant %q", name, err, fit.Warnings, got, c.want)
		}
		if !slices.Equal(m.Words, before) {
			t.Errorf("%s: the transcript was changed in place", name)
		}
		for _, w := range fit.Words {
			if l := fit.Lines[w.Line]; w.StartMS < l.StartMS || w.EndMS > l.EndMS || !strings.Contains(l.Text, w.Text) {
				t.Errorf("%s: word %+v of line %+v", name, w, l)
			}
		}
	}
}

// A transcript without a line in its recording is refused with both times.
func TestTranscriptsOfOtherRecordingsAreRefused(t *testing.T) {
	m, err := ReadTranscript(moved("01:30", "so today", "we look"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Fit(m, 21_000)
	var fault *Fault
	const want = "the first starts at 1:30:00, and the recording is 0:00:21 long. Choose the transcript"
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// The first word of a line starts with the line, also if the line before is still shown.
func TestLinesEndWhereTheNextStarts(t *testing.T) {
	for name, c := range map[string]struct {
		list        []string
		lines, said string
	}{
		"too long": {
			[]string{"0 2000 so today", "1000 3000 we look", "2000 4000 at it"},
			"0-1000 so today | 1000-2000 we look | 2000-4000 at it", "so@0 today@333 we@1000 look@1375 at@2000 it@3000",
		},
		"margins": {
			[]string{"0 2100 so today", "1900 3000 we look"},
			"0-2000 so today | 2000-3000 we look", "so@0 today@666 we@2000 look@2374",
		},
		"two rows": {
			[]string{"0 2000 so", "1000 4000 today", "2000 5000 we", "3500 6000 look"},
			"0-1000 so | 1000-2000 today | 2000-3500 we | 3500-6000 look", "so@0 today@1000 we@2000 look@3500",
		},
		"another person within": {
			[]string{"0 4000 so today", "1000 1500 yes", "3000 5000 we"},
			"0-3000 so today | 1000-1500 yes | 3000-5000 we", "so@0 today@999 yes@1000 we@3000",
		},
		"another person at once": {
			[]string{"0 2000 so today we look at it", "100 2100 yes"},
			"0-2000 so today we look at it | 100-2100 yes", "so@0 today@260 we@782 look@1043 at@1478 it@1739 yes@100",
		},
		"at the same time": {
			[]string{"0 2000 so today", "0 2000 yes"}, "0-2000 so today | 0-2000 yes", "so@0 today@666 yes@0",
		},
	} {
		m, err := ReadTranscript(cues(false, c.list...))
		if got := spoken(m); err != nil || got != c.said || lines(m) != c.lines {
			t.Errorf("%s: %v\n got %q, %q\nwant %q, %q", name, err, lines(m), got, c.lines, c.said)
		}
		shown, err := ReadCaptions(cues(false, c.list...))
		if err != nil || len(shown.Lines) != len(c.list) || shown.Lines[0].EndMS < 2000 {
			t.Errorf("%s: captions %q, %v", name, lines(shown), err)
		}
	}
}
