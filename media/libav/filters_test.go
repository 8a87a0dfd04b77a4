package libav

import (
	"slices"
	"strings"
	"testing"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// An FFmpeg that Missing accepts must be able to build every graph, so that a health check tells
// the truth.
func TestEveryFilterOfAGraphIsRequired(t *testing.T) {
	used := []string{"buffer", "buffersink", "abuffer", "abuffersink"}
	add := func(filters []string) {
		for _, filter := range filters {
			name, _, _ := strings.Cut(filter, "=")
			used = append(used, name)
		}
	}
	sdr := frameFormat{
		width: 640, height: 360, format: astiav.PixelFormatYuv422P, aspectNum: 1, aspectDen: 1,
		space: astiav.ColorSpaceBt470Bg, colors: astiav.ColorRangeJpeg,
	}
	hdr := sdr
	hdr.transfer = transferPQ
	for _, format := range []frameFormat{sdr, hdr} {
		for _, turned := range []orientation{{}, {mirror: true}, {deg: 90}, {deg: 180}, {deg: 270}} {
			for _, fit := range []media.Fit{media.Letterbox, media.Crop} {
				c := canvas{width: 200, height: 200, fit: fit, flipH: true, flipV: true}
				add(c.filters(format, turned))
			}
			for _, degrees := range []int{0, 30} {
				l := layer{overlay: media.Overlay{
					Width: 100, Height: 50,
					Appearance: media.Appearance{RotationDeg: degrees, FlipH: true, FlipV: true},
				}}
				add(l.filters(format, turned))
				l.covers = true
				add(l.filters(format, turned))
			}
			add(posterFilters(100, 50, turned))
		}
	}
	add(deinterlaceFilters())
	add(denoiseFilters(20, -40))

	slices.Sort(used)
	used = slices.Compact(used)
	listed := slices.Sorted(slices.Values(required().filters))
	if !slices.Equal(used, listed) {
		t.Errorf("graphs use %v, required are %v", used, listed)
	}
}
