//go:build desktop

package e2e

import (
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"roughcut/media/mediatest"
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

// pipeWire starts PipeWire, which also serves programs for PulseAudio. Call it before the window
// starts.
func (s *screen) pipeWire() {
	s.t.Helper()
	for _, name := range []string{"pipewire", "wireplumber", "pipewire-pulse"} {
		daemon := s.command(name)
		if err := daemon.Start(); err != nil {
			s.t.Fatal(err)
		}
		ends(s.t, daemon)
	}

	poll(s.t, func() bool {
		out, err := s.command("pactl", "info").Output()
		said := string(out)
		return err == nil && strings.Contains(said, "on PipeWire") && !strings.Contains(said, "Sink: @DEFAULT")
	})
}

// Playback in the window passes every cut and ends at the last one, without a sound server and with
// each, and with each renderer of WebKit.
func TestDesktopPlaysOverCuts(t *testing.T) {
	dir := t.TempDir()
	server := serve(t, dir, nil, "--owner")
	joinsProject(t, server.owner(t))
	server.stop()
	for _, c := range []struct {
		name  string
		sound func(s *screen)
		env   []string
	}{
		{name: "without a sound server"},
		{name: "with PulseAudio", sound: func(s *screen) { s.listen() }},
		{name: "with PipeWire", sound: (*screen).pipeWire},
		{name: "without compositing", env: []string{"WEBKIT_DISABLE_DMABUF_RENDERER=1"}},
		{name: "with the default renderer of WebKit", env: []string{"WEBKIT_DISABLE_DMABUF_RENDERER=0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScreen(t)
			s.env = append(s.env, c.env...)
			if c.sound != nil {
				c.sound(s)
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

// The window shows recordings whatever their codec, because it plays proxies: WebKit may lack
// decoders for VP9, AV1, HEVC and ProRes.
func TestDesktopShowsEveryCodec(t *testing.T) {
	s, dir, videos := newScreen(t), t.TempDir(), folderOf(t)
	recordings := []struct {
		name, codec string
		color       color.RGBA
	}{
		{"1.webm", "libvpx-vp9", color.RGBA{R: 255, A: 255}},
		{"2.mkv", "libaom-av1", color.RGBA{G: 255, A: 255}},
		{"3.mp4", "libx265", color.RGBA{B: 255, A: 255}},
		{"4.mov", "prores_ks", color.RGBA{R: 255, G: 255, A: 255}},
	}
	var paths []string
	for _, r := range recordings {
		path := filepath.Join(videos, r.name)
		source := fmt.Sprintf("color=0x%02x%02x%02x:size=320x180:rate=25", r.color.R, r.color.G, r.color.B)
		arguments := []string{"-v", "error", "-f", "lavfi", "-i", source, "-t", "2", "-c:v", r.codec}
		if r.codec == "libaom-av1" {
			arguments = append(arguments, "-cpu-used", "8")
		}
		if out, err := mediatest.Command(t, "ffmpeg", append(arguments, path)...).CombinedOutput(); err != nil {
			t.Fatalf("ffmpeg: %v\n%s", err, out)
		}
		paths = append(paths, path)
	}

	w := s.window(dir, paths...)
	s.click("push button", "^One video")
	w.until(`"msg":"job done".*"kind":"clip"`, len(recordings))
	s.said(`^0:08.00$`)
	wave := s.await("image", "^Whole recording$")
	for i, r := range recordings {
		s.do("mousemove", fmt.Sprint(20+1240*(2*i+1)/8), fmt.Sprint(wave.Y), "click", "1")
		s.waits("the picture of "+r.name, func() bool {
			shown := color.RGBAModel.Convert(s.picture("codec-"+r.codec).At(640, 290)).(color.RGBA)
			far := func(a, b uint8) bool { return abs(int(a)-int(b)) > 40 }
			return !far(shown.R, r.color.R) && !far(shown.G, r.color.G) && !far(shown.B, r.color.B)
		})
	}

	s.do("key", "ctrl+q")
	w.closed()
}

// On a machine without a decoder of GStreamer, the window names the package, and the player says
// that it cannot play the recording.
func TestDesktopWithoutDecoder(t *testing.T) {
	plugins, folder := t.TempDir(), t.TempDir()
	installed, err := filepath.Glob("/usr/lib/*/gstreamer-1.0/*.so")
	if err != nil || len(installed) == 0 {
		t.Fatalf("no plugins of GStreamer: %v", err)
	}
	for _, path := range installed {
		switch name := filepath.Base(path); name {
		case "libgstlibav.so", "libgstopenh264.so", "libgstva.so", "libgstvaapi.so":
		default:
			if err := os.Symlink(path, filepath.Join(plugins, name)); err != nil {
				t.Fatal(err)
			}
		}
	}

	s, dir := newScreen(t), t.TempDir()
	s.env = append(s.env, "GST_PLUGIN_SYSTEM_PATH_1_0="+plugins, "GST_REGISTRY_1_0="+filepath.Join(folder, "registry"))
	w := s.window(dir, recordingFor(t, filepath.Join(folder, "My talk.mp4"), 3))
	s.said("GStreamer lacks .*: a decoder of H.264 video.*Install gstreamer1.0-libav")
	s.picture("without-decoder")
	s.click("push button", "^OK$")
	s.await("push button", "^Try again$")
	s.picture("unplayable")
	s.do("key", "ctrl+q")
	w.closed()
}
