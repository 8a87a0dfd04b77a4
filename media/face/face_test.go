package face

import (
	"image"
	"math"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// A face of any size is found at its position. A frame without a face yields none.
func TestFindsFaces(t *testing.T) {
	f, err := New()
	if err != nil {
		t.Fatal(err)
	}
	const width, height = 640, 360
	for _, want := range [][]media.Face{
		nil,
		{{X: 0.3, Y: 0.4, Size: 0.5}},
		{{X: 0.7, Y: 0.5, Size: 0.25}},
		{{X: 0.25, Y: 0.4, Size: 0.4}, {X: 0.75, Y: 0.5, Size: 0.3}},
	} {
		img := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
		mediatest.DrawFaces(img.Y, img.YStride, height, want)
		got := f.Find(img)
		if len(got) != len(want) {
			t.Errorf("faces %+v are found as %+v", want, got)
			continue
		}
		for _, w := range want {
			near := math.Inf(1)
			for _, g := range got {
				near = min(near, math.Hypot(g.X-w.X, g.Y-w.Y))
			}
			if near > 0.05 {
				t.Errorf("face %+v is found in %+v", w, got)
			}
		}
	}
}

// An image of any size has no face and causes no panic.
func TestOddSizes(t *testing.T) {
	f, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []image.Point{{}, {1, 1}, {2, 2}, {21, 21}, {1280, 16}, {16, 1280}, {23, 400}} {
		if got := f.Find(image.NewYCbCr(image.Rectangle{Max: size}, image.YCbCrSubsampleRatio420)); len(got) > 0 {
			t.Errorf("an empty image of %v has the faces %+v", size, got)
		}
	}
}
