package libav

import (
	"bytes"
	"errors"
	"image/png"
	"math"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// A still is the frame that an export shows at the same place, also at a cut and with captions.
func TestStillIsTheFrameOfTheExport(t *testing.T) {
	talk := formatTalk(t, func(*mediatest.TalkOptions) {}).Path
	plan := makePlan(t, matrixCuts, media.RenderSettings{Captions: &media.CaptionTrack{
		Options: media.CaptionOptions{StyleName: "boxed", Position: "top", Color: [3]uint8{255, 255, 255}},
		Lines:   []media.CaptionLine{{Text: "a caption", StartMS: 0, EndMS: 4000}},
	}}, talk)
	want := map[int64][]byte{}
	at, join := int64(0), plan.Segments[1].Start
	if err := drawn(plan, func(pixels []byte) error {
		if at == 3 || at == join {
			want[at] = pixels
		}
		at++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for n, planes := range want {
		data, err := New().Still(t.Context(), plan, n, media.StillPNG)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil || img.Bounds().Dx() != plan.Width || img.Bounds().Dy() != plan.Height {
			t.Fatalf("frame %d: %v, %v", n, img.Bounds(), err)
		}
		sum := 0.0
		for y := range plan.Height {
			for x := range plan.Width {
				r, g, b, _ := img.At(x, y).RGBA()
				luma := 16 + 219*(0.2126*float64(r)+0.7152*float64(g)+0.0722*float64(b))/65535
				d := luma - float64(planes[y*plan.Width+x])
				sum += d * d
			}
		}
		if db := 10 * math.Log10(255*255*float64(plan.Width*plan.Height)/sum); db < 36 {
			t.Errorf("the still of frame %d differs from the export: %.1f dB", n, db)
		}
	}
	data, err := New().Still(t.Context(), plan, join, media.StillJPEG)
	if err != nil || !bytes.HasPrefix(data, []byte{0xff, 0xd8}) {
		t.Errorf("JPEG of %d bytes: %v", len(data), err)
	}
	if _, err := New().Still(t.Context(), plan, plan.Frames(), media.StillPNG); !errors.Is(err, media.ErrNothingLeft) {
		t.Errorf("past the end: %v", err)
	}
}
