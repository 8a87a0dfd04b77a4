//go:build desktop

package e2e

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"roughcut/media/mediatest"
)

// The longest times from the start of the program until its window is visible, and until the page
// tells the window its title, which it does when a person can use it.
const (
	visibleTime = time.Second
	usableTime  = 1500 * time.Millisecond
)

// TestTimingDesktopStart starts the program five times on a data directory with a project, and
// judges the median.
func TestTimingDesktopStart(t *testing.T) {
	mediatest.NeedsTiming(t)
	s, dir := newScreen(t), t.TempDir()
	server := serve(t, dir, nil, "--owner")
	joinsProject(t, server.owner(t))
	server.stop()
	described := regexp.MustCompile(answered("PUT", "/api/v1/desktop/page", 204))
	var visible, usable []time.Duration
	for range 5 {
		start := time.Now()
		w := s.window(dir)
		poll(t, func() bool { // it waits itself, but fails if a window that it looks at is closed
			return s.command("xdotool", "search", "--sync", "--onlyvisible", "--name", "Roughcut$").Run() == nil
		})
		visible = append(visible, time.Since(start))
		poll(t, func() bool { return described.MatchString(w.log.String()) })
		usable = append(usable, time.Since(start))
		s.titled("^Projects|^Roughcut")
		s.do("key", "ctrl+q")
		w.closed()
	}

	t.Logf("visible after %v, usable after %v", visible, usable)
	slices.Sort(visible)
	slices.Sort(usable)
	if visible[2] > visibleTime || usable[2] > usableTime {
		t.Errorf("the window is visible after %v, and its page usable after %v", visible[2], usable[2])
	}
}
