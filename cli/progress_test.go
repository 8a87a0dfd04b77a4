package cli

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// The remaining time reads as people say it.
func TestTimeLeftIsInWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		5340 * time.Millisecond: "6 s left",
		5 * time.Second:         "5 s left",
		59 * time.Second:        "59 s left",
		61 * time.Second:        "2 min left",
		59 * time.Minute:        "59 min left",
		80 * time.Minute:        "1 h 20 min left",
	} {
		if got := timeLeft(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

// A progress line moves while the step reports nothing, fits the terminal, and shows the whole name
// of a recording where the terminal has room.
func TestProgressLine(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	const name = "Reading 2026-01-02 Interview, camera 2.mp4"
	s := progressState{title: name, started: start, since: start, fraction: 0.25, moved: start.Add(10 * time.Second)}
	for _, c := range []struct {
		after time.Duration
		width int
		want  []string
	}{
		{10 * time.Second, 120, []string{name + " █", "25 %  0:10, 30 s left"}},
		{11 * time.Second, 120, []string{"0:11, 29 s left"}},
		{11 * time.Second, 80, []string{name + "  ", "0:11, 29 s left"}},
		{11 * time.Second, 60, []string{"Reading 2026-…camera 2.mp4"}},
		{time.Hour, 80, []string{"25 %  1:00:00"}},
	} {
		got := s.line(start.Add(c.after), c.width)
		if n := utf8.RuneCountInString(got); n >= c.width {
			t.Errorf("%q has %d characters on a terminal of %d", got, n, c.width)
		}
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("got %q, want %q in it", got, want)
			}
		}
	}
	if got := s.line(start.Add(time.Hour), 80); strings.Contains(got, "left") {
		t.Errorf("an overdue step has no estimate, got %q", got)
	}
}
