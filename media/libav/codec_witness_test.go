package libav

import (
	"slices"
	"testing"

	"github.com/asticode/go-astiav"
)

func TestWitnessesAreSpreadEvenly(t *testing.T) {
	frame, err := canvas{width: 16, height: 16, format: astiav.PixelFormatYuv420P}.blank()
	if err != nil {
		t.Fatal(err)
	}
	defer frame.Free()
	var w witnesses
	defer w.close()
	for n := range int64(1000) {
		if err := w.add(n, frame); err != nil {
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
