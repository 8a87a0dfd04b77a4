package e2e

import (
	"context"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media/mediatest"
)

// `roughcut cut` makes a video of a recording without video: a waveform in the color of --waveform,
// over the image of --cover.
func TestCutShowsAudioAsVideo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	talk := film(t, "talk.mp3", "-f", "lavfi", "-i", "sine=frequency=300:r=48000:d=3,volume=4*mod(t\\,1):eval=frame")
	cover := film(t, "cover.png", "-f", "lavfi", "-i", "color=c=0x2040c0:s=320x180", "-frames:v", "1")
	cut := func(out string, more ...string) ([]byte, error) {
		args := append([]string{"cut", talk, "-o", filepath.Join(dir, out), "--pacing", "0"}, more...)
		return program(context.Background(), dir, args...).CombinedOutput()
	}
	if said, err := cut("cover.mp4", "--cover", cover, "--waveform", "#ffd000", "--aspect", "1:1"); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	frame := rgbOf(t, 1080, 1080, "-i", filepath.Join(dir, "cover.mp4"), "-vf", "select=eq(n\\,80)")
	if r, g, b := frame.at(540, 250); abs(r-0x20) > 20 || abs(g-0x40) > 20 || abs(b-0xc0) > 20 {
		t.Errorf("above the waveform the color is %d, %d, %d", r, g, b)
	}
	yellow := frame.bounds(func(r, g, b int) bool { return r > 220 && g > 170 && b < 60 })
	if yellow.Empty() || yellow.Min.X > 130 || yellow.Max.X > 560 {
		t.Errorf("the played bars are at %v", yellow)
	}
	for flags, want := range map[string]string{
		"--waveform green":   "must be a color",
		"--cover gone.png":   "cannot read the cover",
		"--cover " + talk:    "must be an image",
		"--cover " + cover:   "", // without a waveform
		"--waveform #40ff40": "",
	} {
		out := strings.NewReplacer(" ", "", "/", "", "#", "").Replace(flags) + ".mp4"
		said, err := cut(out, strings.Fields(flags)...)
		if (err == nil) != (want == "") || !strings.Contains(string(said), want) {
			t.Errorf("%s: %v\n%s", flags, err, said)
		}
		if _, missing := os.Stat(filepath.Join(dir, out)); (missing == nil) != (want == "") {
			t.Errorf("%s: the video is written: %v", flags, missing == nil)
		}
	}
}

// rgb is an image with 8 bits per channel.
type rgb struct {
	width, height int
	pix           []byte
}

func (p rgb) at(x, y int) (r, g, b int) {
	i := 3 * (y*p.width + x)
	return int(p.pix[i]), int(p.pix[i+1]), int(p.pix[i+2])
}

// bounds returns the bounding box of the pixels that match.
func (p rgb) bounds(wanted func(r, g, b int) bool) (box image.Rectangle) {
	for y := range p.height {
		for x := range p.width {
			if wanted(p.at(x, y)) {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return box
}

// rgbOf decodes the first frame of an input with ffmpeg and scales it.
func rgbOf(t *testing.T, width, height int, input ...string) rgb {
	t.Helper()
	scale := fmt.Sprintf("scale=%d:%d:flags=area:in_color_matrix=bt709,format=rgb24", width, height)
	if input[len(input)-2] == "-vf" {
		input[len(input)-1] += "," + scale
	} else {
		input = append(input, "-vf", scale)
	}
	pix, err := mediatest.Command(
		t, "ffmpeg",
		append(
			append([]string{"-v", "error", "-nostdin"}, input...), "-frames:v", "1", "-f", "rawvideo", "pipe:1",
		)...).Output()
	if err != nil || len(pix) != 3*width*height {
		t.Fatalf("%v: %d bytes, %v", input, len(pix), err)
	}
	return rgb{width, height, pix}
}

func abs(n int) int { return max(n, -n) }
