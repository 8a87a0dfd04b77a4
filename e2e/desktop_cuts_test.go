//go:build desktop

package e2e

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"
)

// clock matches the position of the player in the recording, and its length.
var clock = regexp.MustCompile(`^(\d+):(\d\d\.\d\d) / \d`)

// position returns the position in the recording that the player shows, in milliseconds.
func (s *screen) position() (ms int, found bool) {
	s.t.Helper()
	for _, one := range s.things() {
		if shown := clock.FindStringSubmatch(one.Text); shown != nil {
			minutes, _ := strconv.Atoi(shown[1])
			seconds, _ := strconv.ParseFloat(shown[2], 64)
			return minutes*60_000 + int(seconds*1000+0.5), true
		}
	}
	return 0, false
}

// Playback in the window passes every cut and ends at the last one, with and without a sound
// device, and with each renderer of WebKit.
func TestDesktopPlaysOverCuts(t *testing.T) {
	dir := t.TempDir()
	server := serve(t, dir, nil, "--owner")
	joinsProject(t, server.owner(t))
	server.stop()
	for _, c := range []struct {
		name  string
		sound bool
		env   []string
	}{
		{name: "without a sound device"},
		{name: "with a sound device", sound: true},
		{name: "without compositing", env: []string{"WEBKIT_DISABLE_DMABUF_RENDERER=1"}},
		{name: "with the default renderer of WebKit", env: []string{"WEBKIT_DISABLE_DMABUF_RENDERER=0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScreen(t)
			s.env = append(s.env, c.env...)
			if c.sound {
				s.listen()
			}
			w := s.window(dir)
			s.opens("Joins")
			s.click("push button", "^Play$")
			s.passesCuts()
			s.do("key", "alt+F4")
			w.closed()
		})
	}
}

// passesCuts waits until playback has ended at the last cut of the rounds. The position never goes
// back.
func (s *screen) passesCuts() {
	s.t.Helper()
	const end = (rounds-1)*roundMS + keptMS
	last := 0
	s.waits(fmt.Sprintf("the end of playback at %d ms", end), func() bool {
		at, found := s.position()
		if !found {
			return false
		}
		if at < last {
			s.t.Errorf("playback went from %d to %d ms", last, at)
		}
		last = at
		_, ended := s.find("push button", "^Play$")
		return ended && abs(at-end) <= 20
	})
}
