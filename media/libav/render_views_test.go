package libav

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// boxFilm is a film of 6 s: a white box of 40 x 40 pixels around (200, 120) on black.
func boxFilm(t *testing.T, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "box.mp4")
	mediatest.FFmpeg(t, append(append([]string{"-f", "lavfi", "-i",
		"color=black:s=640x360:r=30:d=6,drawbox=x=180:y=100:w=40:h=40:c=white:t=fill"}, args...),
		"-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "30", "-color_range", "tv", "-colorspace", "bt709",
		"-color_primaries", "bt709", "-color_trc", "bt709", path)...)
	return path
}

// grayFrame returns the pixels of a frame of a video.
func grayFrame(t *testing.T, path string, frame int) []byte {
	t.Helper()
	pixels, err := mediatest.Command(t, "ffmpeg", "-v", "error", "-nostdin", "-i", path, "-vf",
		fmt.Sprintf("select=eq(n\\,%d),format=gray", frame), "-frames:v", "1", "-f", "rawvideo", "pipe:1").Output()
	if err != nil || len(pixels) == 0 {
		t.Fatalf("frame %d has %d pixels: %v", frame, len(pixels), err)
	}
	return pixels
}

// boxAt returns the center and the width of the box in a frame of a video, in pixels.
func boxAt(t *testing.T, path string, width, frame int) (x, y, size float64) {
	t.Helper()
	pixels := grayFrame(t, path, frame)
	sum := 0.0
	for i, p := range pixels {
		if p > 40 { // encoder noise is darker
			v := float64(p) / 255
			sum, x, y = sum+v, x+v*(float64(i%width)+0.5), y+v*(float64(i/width)+0.5)
		}
	}
	return x / sum, y / sum, math.Sqrt(sum)
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

// A punch-in enlarges every other segment around its point. The other segments are copied. A chunk
// from before the punch-in is not reused for an enlarged segment.
func TestPunchInEnlargesEveryOtherSegment(t *testing.T) {
	path := boxFilm(t)
	cuts := []media.Span{{StartMS: 1000, EndMS: 2000}, {StartMS: 3000, EndMS: 4000}}
	settings := media.RenderSettings{ShortSide: 360, PunchIn: media.PunchIn{Scale: 1.5, X: 0.5, Y: 0.25}}
	for _, ease := range []bool{false, true} {
		settings.PunchIn.Ease = ease
		plan := makePlan(t, cuts, settings, path)
		out, made := renderPlan(t, plan)
		moved := int64(0)
		if ease {
			moved = 30 // up to the next keyframe
		}
		if made.Copied != 90-moved || made.Encoded != 30+moved || plan.Frames() != 120 {
			t.Errorf("ease %v: %d frames are copied and %d encoded of %d", ease, made.Copied, made.Encoded,
				plan.Frames())
		}
		for frame, scale := range map[int]float64{
			0: 1, 29: 1, 30: 1.5, 36: 1.5, 59: 1.5, 60: 1, 66: 1, 119: 1,
		} {
			switch {
			case ease && frame == 30:
				scale = 1
			case ease && frame == 60:
				scale = 1.5
			case ease && (frame == 36 || frame == 66): // halfway
				scale = 1.25
			}
			x, y, size := boxAt(t, out, 640, frame)
			wantX, wantY := 320+(200-320)*scale, 90+(120-90)*scale
			if !near(x, wantX, 0.5) || !near(y, wantY, 0.5) || !near(size, 40*scale, 1) {
				t.Errorf("ease %v: in frame %d the box is at %.2f, %.2f and %.2f wide, want %.2f, %.2f, %.2f",
					ease, frame, x, y, size, wantX, wantY, 40*scale)
			}
		}
	}
}

// Footage with fewer frames than the export repeats them, also where a punch-in enlarges them.
func TestPunchInOfRepeatedFrames(t *testing.T) {
	fast, slow := boxFilm(t), boxFilm(t, "-r", "10")
	for _, ease := range []bool{false, true} {
		plan := makePlan(t, []media.Span{{StartMS: 6500, EndMS: 7000}}, media.RenderSettings{ShortSide: 360,
			PunchIn: media.PunchIn{Scale: 1.5, X: 0.5, Y: 0.5, Ease: ease}}, fast, slow)
		out, made := renderPlan(t, plan)
		if made.Frames != plan.Frames() {
			t.Errorf("ease %v: %d frames, want %d", ease, made.Frames, plan.Frames())
		}
		for frame, scale := range map[int]float64{0: 1, 180: 1, 194: 1, 210: 1.5, 211: 1.5, 340: 1.5} {
			if _, _, size := boxAt(t, out, 640, frame); !near(size, 40*scale, 1) {
				t.Errorf("ease %v: in frame %d the box is %.2f wide, want %.2f", ease, frame, size, 40*scale)
			}
		}
	}
}

// Footage that is stored rotated is enlarged around the same point, and its other segments are
// copied.
func TestPunchInOfRotatedFootage(t *testing.T) {
	upright := boxFilm(t)
	for _, deg := range []int{90, 180, 270} {
		path := mediatest.RotatedCopy(t, upright, deg)
		plan := makePlan(t, []media.Span{{StartMS: 1000, EndMS: 2000}}, media.RenderSettings{ShortSide: 360,
			AspectRatio: media.AsRecorded, PunchIn: media.PunchIn{Scale: 1.5, X: 0.25, Y: 0.5}}, path)
		out, made := renderPlan(t, plan)
		if made.Copied != 30 {
			t.Errorf("%d degrees: %d frames are copied, want 30", deg, made.Copied)
		}
		x0, y0, _ := boxAt(t, out, plan.Width, 0)
		x, y, _ := boxAt(t, out, plan.Width, 60)
		px, py := 0.25*float64(plan.Width), 0.5*float64(plan.Height)
		if !near(x, px+(x0-px)*1.5, 0.5) || !near(y, py+(y0-py)*1.5, 0.5) {
			t.Errorf("%d degrees: the box moves from %.1f, %.1f to %.1f, %.1f", deg, x0, y0, x, y)
		}
	}
}

// Keyframes move the crop evenly, by fractions of a pixel. The crop stays within the footage, also
// if the video is flipped.
func TestCropFollowsKeyframes(t *testing.T) {
	path := boxFilm(t)
	for _, flip := range []bool{false, true} {
		plan := makePlan(t, nil, media.RenderSettings{ShortSide: 360, AspectRatio: "1:1",
			Fit: media.Crop, FlipH: flip}, path)
		plan.Inputs[0].Crop = []media.CropKeyframe{{MS: 1000, X: 0, Y: 0.5}, {MS: 3000, X: 0.5, Y: 0.5}}
		out, _ := renderPlan(t, plan)
		for frame, center := range map[int]float64{
			0: 0, 30: 0, 60: 0.25, 75: 0.375, 76: 0.5 * 46 / 60, 77: 0.5 * 47 / 60, 90: 0.5, 179: 0.5,
		} {
			left := min(max(center*640-180, 0), 280)
			want := 200 - left
			if flip {
				want = 360 - want
			}
			if x, y, _ := boxAt(t, out, 360, frame); !near(x, want, 0.4) || !near(y, 120, 0.4) {
				t.Errorf("flip %v: in frame %d the box is at %.2f, %.2f, want %.2f, 120", flip, frame, x, y, want)
			}
		}
	}
}

// An export with other views reuses no encoded chunk of the old ones, and one with the same views
// reuses all.
func TestViewsArePartOfCachedChunks(t *testing.T) {
	path := boxFilm(t)
	engine := New(WithChunkCache(NewChunkCache(t.TempDir(), 1<<30)))
	render := func(scale float64) media.RenderResult {
		plan := makePlan(t, []media.Span{{StartMS: 1000, EndMS: 2000}}, media.RenderSettings{ShortSide: 360,
			PunchIn: media.PunchIn{Scale: scale}}, path)
		plan.Inputs[0].ID = "box"
		made, err := engine.Render(t.Context(), plan, filepath.Join(t.TempDir(), "out.mp4"), nil)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	for _, c := range []struct {
		scale           float64
		encoded, reused int64
	}{{1.2, 120, 0}, {1.2, 0, 120}, {1.3, 120, 0}, {1, 0, 0}} {
		if made := render(c.scale); made.Encoded != c.encoded || made.Reused != c.reused {
			t.Errorf("at %v, %d frames are encoded and %d reused", c.scale, made.Encoded, made.Reused)
		}
	}
}
