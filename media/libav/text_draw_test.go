package libav

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/libav/av"
	"roughcut/media/mediatest"
)

// highlightStyle returns the name of the first caption style that highlights the spoken word.
func highlightStyle(t *testing.T) string {
	t.Helper()
	for _, style := range media.CaptionStyles() {
		if style.Highlight == media.HighlightWord {
			return style.Name
		}
	}
	t.Fatal("no caption style highlights the spoken word")
	return ""
}

// boxedStyle returns the name of the first caption style that draws a box.
func boxedStyle(t testing.TB) string {
	t.Helper()
	for _, style := range media.CaptionStyles() {
		if style.Box == media.BoxBlock {
			return style.Name
		}
	}
	t.Fatal("no caption style draws a box")
	return ""
}

// backdrop returns a dark green video of the given length.
func backdrop(t *testing.T, seconds int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "backdrop.mp4")
	mediatest.FFmpeg(
		t, "-f", "lavfi", "-i",
		fmt.Sprintf("color=c=0x205020:s=640x360:r=10:d=%d", seconds),
		"-c:v", "libx264", "-qp", "10", "-pix_fmt", "yuv420p", path,
	)
	return path
}

// grayPicture is the brightness of the pixels of a frame, row by row.
type grayPicture struct {
	width, height int
	pixels        []byte
}

// grayFrames decodes a whole video.
func grayFrames(t *testing.T, path string, plan media.RenderPlan) []grayPicture {
	t.Helper()
	out, err := mediatest.Command(
		t, "ffmpeg", "-v", "error", "-nostdin", "-i", path,
		"-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "gray", "pipe:1",
	).Output()
	size := plan.Width * plan.Height
	if err != nil || len(out) == 0 || len(out)%size != 0 {
		t.Fatalf("%s: %d bytes with frames of %d, %v", path, len(out), size, err)
	}
	var frames []grayPicture
	for pixels := range slices.Chunk(out, size) {
		frames = append(frames, grayPicture{plan.Width, plan.Height, pixels})
	}
	return frames
}

// differing returns the share of pixels that differ from the backdrop in a region, which is given
// in fractions of the frame.
func (f grayPicture) differing(x0, y0, x1, y1 float64) float64 {
	plain := int(f.pixels[0])
	other, all := 0, 0
	for y := int(y0 * float64(f.height)); y < int(y1*float64(f.height)); y++ {
		for x := int(x0 * float64(f.width)); x < int(x1*float64(f.width)); x++ {
			all++
			if v := int(f.pixels[y*f.width+x]); v > plain+12 || v < plain-12 {
				other++
			}
		}
	}
	return float64(other) / float64(all)
}

// captioned renders lines over a backdrop of 6 s, and cuts it from 2 to 3 s.
func captioned(
	t *testing.T,
	aspect string,
	style media.CaptionOptions,
	lines []media.CaptionLine,
	words []media.Word,
) (string, media.RenderPlan) {
	t.Helper()
	if style.Color == [3]uint8{} {
		style.Color = [3]uint8{255, 255, 255}
	}
	plan := makePlan(
		t,
		[]media.Span{{StartMS: 2000, EndMS: 3000}},
		media.RenderSettings{ShortSide: 360, AspectRatio: aspect, Background: "#205020",
			Captions: &media.CaptionTrack{Options: style, Lines: lines, Words: words}},
		backdrop(t, 6),
	)
	out, _ := renderPlan(t, plan)
	return out, plan
}

// In each style, aspect ratio and position, the text is in the right place at the right time, and
// nowhere else.
func TestCaptionPositionAndTime(t *testing.T) {
	lines := []media.CaptionLine{
		{Text: "Hello there everyone", StartMS: 1000, EndMS: 1800},
		{Text: "after the cut", StartMS: 4000, EndMS: 5000},
	}
	for i, style := range media.CaptionStyleNames() {
		aspect := []string{"16:9", "9:16", "1:1"}[i%3]
		position := []string{"bottom", "top", "middle"}[i%3]
		t.Run(style+" "+position, func(t *testing.T) {
			t.Parallel()
			out, plan := captioned(t, aspect, media.CaptionOptions{StyleName: style, Position: position}, lines, nil)
			from := map[string]float64{"bottom": 0.6, "top": 0, "middle": 0.3}[position]
			frames := grayFrames(t, out, plan)
			for frame, shown := range map[int]bool{
				5: false, 9: false, 10: true, 17: true, 19: false, 29: false, 30: true, 39: true, 41: false,
			} {
				inside := frames[frame].differing(0, from, 1, from+0.4)
				if (inside > 0.004) != shown {
					t.Errorf("frame %d: %.4f of the region is text, shown should be %v", frame, inside, shown)
				}
			}
			above, below := frames[10].differing(0, 0, 1, from), frames[10].differing(0, from+0.4, 1, 1)
			if (from > 0 && above > 0) || (from < 0.6 && below > 0) {
				t.Errorf("text outside its region: %.4f above, %.4f below", above, below)
			}
			keep(t, out, fmt.Sprintf("caption-%s.png", style), 12)
		})
	}
}

// keep writes a frame into the folder that ROUGHCUT_KEEP names, for inspection.
func keep(t *testing.T, path, name string, frame int) {
	t.Helper()
	if dir := os.Getenv("ROUGHCUT_KEEP"); dir != "" {
		mediatest.FFmpeg(
			t, "-i", path, "-vf", fmt.Sprintf(`select=eq(n\,%d)`, frame), "-frames:v", "1", filepath.Join(dir, name),
		)
	}
}

// Karaoke highlights the spoken word in the chosen color at the right time.
func TestKaraokeHighlightsSpokenWord(t *testing.T) {
	words := []media.Word{
		{Text: "alpha", StartMS: 0, EndMS: 500},
		{Text: "beta", StartMS: 500, EndMS: 1000},
		{Text: "gamma", StartMS: 1000, EndMS: 1900},
	}
	out, plan := captioned(
		t,
		"16:9",
		media.CaptionOptions{StyleName: highlightStyle(t), Color: [3]uint8{255, 0, 0}},
		[]media.CaptionLine{{Text: "alpha beta gamma", StartMS: 0, EndMS: 1900}},
		words,
	)
	keep(t, out, "karaoke.png", 7)
	last := -1.0
	for _, frame := range []int{2, 7, 15} {
		raw, err := mediatest.Command(
			t, "ffmpeg", "-v", "error", "-nostdin", "-i", out, "-vf",
			fmt.Sprintf(`select=eq(n\,%d)`, frame),
			"-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1",
		).Output()
		if err != nil {
			t.Fatal(err)
		}
		sum, n := 0.0, 0.0
		for i := 0; i+2 < len(raw); i += 3 {
			if raw[i] > 180 && raw[i+1] < 90 && raw[i+2] < 90 {
				sum, n = sum+float64(i/3%plan.Width), n+1
			}
		}
		if n < 30 || sum/n <= last+20 {
			t.Errorf(
				"frame %d: %.0f red pixels around x = %.0f, those before around %.0f",
				frame, n, sum/max(n, 1), last,
			)
		}
		last = sum / max(n, 1)
	}
}

// libass renders text once per change, and every frame shows the same as if libass rendered it for
// that frame.
func TestTextChangesAtCaptionTimes(t *testing.T) {
	withoutFonts(t)
	clip := media.RenderClip{
		Info: media.Info{
			DurationMS: 2000,
			Video:      &media.VideoInfo{Width: 160, Height: 90, Rate: media.Rate{Num: 24000, Den: 1001}},
		},
	}
	var words []media.Word
	for i, w := range []string{"one", "two", "three", "four", "five"} {
		words = append(words, media.Word{Text: w, StartMS: int64(210 + 233*i), EndMS: int64(400 + 233*i)})
	}
	plan, err := media.NewRenderPlan(
		[]media.RenderClip{clip},
		nil,
		media.RenderSettings{AspectRatio: "source", Watermark: true, Captions: &media.CaptionTrack{
			Options: media.CaptionOptions{
				StyleName: highlightStyle(t),
			},
			Words: words,
			Lines: []media.CaptionLine{
				{Text: "one two three", StartMS: 210, EndMS: 900},
				{Text: "four five", StartMS: 905, EndMS: 1617},
			},
		}},
	)
	if err != nil {
		t.Fatal(err)
	}
	ground, err := av.Canvas{Width: plan.Width, Height: plan.Height}.Blank()
	if err != nil {
		t.Fatal(err)
	}
	defer ground.Free()
	pixels := func(text *textRenderer, frame int64) []byte {
		text.at(frame)
		f, err := text.draw(ground)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Free()
		return planes(f)
	}
	open := func() *textRenderer {
		text, err := newTextRenderer(plan, func() {})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	running := open()
	defer running.close()
	changes, shown := int64(0), int64(0)
	for frame := range plan.Frames() {
		alone := open()
		if !bytes.Equal(pixels(running, frame), pixels(alone, frame)) {
			t.Errorf("frame %d is another than it would be alone", frame)
		}
		alone.close()
		if running.frames[0] != shown || frame == 0 {
			changes, shown = changes+1, running.frames[0]
		}
	}
	// Only the watermark, five words, a gap of 5 ms that may have a frame, the watermark.
	if changes < 7 || changes > 8 {
		t.Errorf("asked %d times", changes)
	}
}

// The watermark is small, in its corner, and always visible.
func TestWatermark(t *testing.T) {
	for _, aspect := range []string{"16:9", "9:16"} {
		plan := makePlan(
			t,
			nil,
			media.RenderSettings{ShortSide: 720, AspectRatio: aspect, Background: "#205020", Watermark: true},
			backdrop(t, 2),
		)
		out, _ := renderPlan(t, plan)
		keep(t, out, "watermark-"+strings.ReplaceAll(aspect, ":", "x")+".png", 3)
		frames := grayFrames(t, out, plan)
		for _, frame := range []int{0, 19} {
			corner, rest := frames[frame].differing(0.5, 0.93, 1, 1), frames[frame].differing(0, 0, 1, 0.93)
			if corner < 0.003 || corner > 0.2 || rest > 0 {
				t.Errorf("%s frame %d: %.4f of the corner, %.4f of the rest", aspect, frame, corner, rest)
			}
		}
	}
}
