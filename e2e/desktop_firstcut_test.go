//go:build desktop

package e2e

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"roughcut/media/mediatest"
	"roughcut/store"
)

// firstCutScript is a talk with four silences.
const firstCutScript = `rate 16000
floor -62
pause 700
say en-us 160 welcome back to the channel
pause 1900
say en-us 160 the first thing you need is a window
pause 2200
say en-us 160 thank you for watching
pause 2500
`

// TestDesktopFirstCut makes a first cut as a creator does: it starts the program, drops a
// recording, plays over the cuts, exports, saves the video and quits. With -short, one locale
// stands for all.
func TestDesktopFirstCut(t *testing.T) {
	locales := t.TempDir()
	german := filepath.Join(locales, "de_DE.UTF-8")
	if out, err := exec.Command("localedef", "-i", "de_DE", "-f", "UTF-8", german).CombinedOutput(); err != nil {
		t.Fatalf("localedef: %v\n%s", err, out)
	}
	for _, c := range []struct {
		name, share string
		env         []string
	}{
		{"de_DE.UTF-8", `^Removed \d+\x{a0}%$`, []string{"LANG=de_DE.UTF-8", "LOCPATH=" + locales}},
		{"C.UTF-8", `^Removed \d+%$`, []string{"LANG=C.UTF-8"}},
		{"none", `^Removed \d+%$`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScreen(t)
			s.env = append(s.env, c.env...)
			s.makesFirstCut(c.share)
		})
		if testing.Short() {
			break
		}
	}
}

// makesFirstCut checks that no cut footage plays, and that the saved video has the length of the
// kept footage. The page shows the share of the cuts as in the locale.
func (s *screen) makesFirstCut(share string) {
	s.t.Helper()
	dir, videos := s.t.TempDir(), folderOf(s.t)
	talk := filmSpeech(s.t, mediatest.Speak(s.t, firstCutScript), 360)
	target := filepath.Join(videos, "final.mp4")
	w := s.window(dir)
	s.await("push button", "^New project$")
	s.drags(func() { s.said("^Drop to create a project$") }, addressOf(talk))
	s.said(share)
	s.await("page tab", "^Cuts 4$")
	s.click("push button", "^Play$")
	var played []int64
	s.waits("the end of playback", func() bool {
		at, found := s.position()
		if found {
			played = append(played, int64(at))
		}
		_, ended := s.find("push button", "^Play$")
		return ended && at > 0
	})
	s.picture("first-cut-" + filepath.Base(dir))
	s.exports(false)
	s.click("push button", "^Save as")
	s.answer("Save the video", target)
	s.said("^Video saved$")
	s.do("key", "ctrl+q")
	w.closed()

	var cuts []store.Edit
	stored(s.t, dir, func(data *store.Store, owner string, projects []store.Project) {
		edits, err := data.Edits(owner, projects[0].UUID, true)
		if err != nil {
			s.t.Fatal(err)
		}
		cuts = edits
	})
	kept := *storedClips(s.t, dir)[0].DurationMS
	for _, cut := range cuts {
		kept -= cut.EndMS - cut.StartMS
		for _, at := range played {
			if at > cut.StartMS+frameMS && at < cut.EndMS-frameMS {
				s.t.Errorf("%d ms was shown, in the cut from %d to %d ms", at, cut.StartMS, cut.EndMS)
			}
		}
	}

	slices.Sort(played)
	if len(cuts) != 4 || len(slices.Compact(played)) < 2 {
		s.t.Errorf("%d cuts; positions: %v", len(cuts), played)
	}
	seconds, err := strconv.ParseFloat(probed(s.t, target, "-show_entries", "stream=duration"), 64)
	if err != nil || abs(int(seconds*1000)-int(kept)) > frameMS {
		s.t.Errorf("the video has %.3f s, want %d ms", seconds, kept)
	}
}

// frameMS is about the duration of a frame, in milliseconds.
const frameMS = 40
