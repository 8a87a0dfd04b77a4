package cli

import "testing"

// The last line of a cut names the written files.
func TestCutSaysWhatItWrote(t *testing.T) {
	for _, c := range []struct {
		before, after, size int64
		want                string
	}{
		{84_700, 52_940, 40_200_000, "Wrote talk.mp4: 0:52.9 instead of 1:24.7 (−37 %), 40 MB"},
		{3_723_000, 3_723_000, 12_001, "Wrote talk.mp4: 1:02:03.0, nothing is cut, 13 kB"},
	} {
		if got := outputSummary("talk.mp4", c.before, c.after, c.size); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
