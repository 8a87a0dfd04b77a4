package av

import (
	"slices"
	"testing"

	"github.com/asticode/go-astiav"
)

func TestWitnessesAreSpreadEvenly(t *testing.T) {
	frame, err := Canvas{Width: 16, Height: 16, Format: astiav.PixelFormatYuv420P}.Blank()
	if err != nil {
		t.Fatal(err)
	}
	defer frame.Free()
	var w Witnesses
	defer w.Close()
	for n := range int64(1000) {
		if err := w.Add(n, frame); err != nil {
			t.Fatal(err)
		}
	}
	var at []int64
	for _, k := range w.kept {
		at = append(at, k.at)
	}
	if want := []int64{0, 128, 256, 384, 512, 640, 768, 896}; !slices.Equal(at, want) {
		t.Errorf("witnesses at %v, want %v", at, want)
	}
}
