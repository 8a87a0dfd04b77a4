package libav

import (
	"slices"
	"strings"
	"testing"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
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
	sdr := av.FrameFormat{
		Width: 640, Height: 360, Format: astiav.PixelFormatYuv422P, AspectNum: 1, AspectDen: 1,
		Space: astiav.ColorSpaceBt470Bg, Colors: astiav.ColorRangeJpeg,
	}
	hdr := sdr
	hdr.Transfer = av.TransferPQ
	for _, format := range []av.FrameFormat{sdr, hdr} {
		for _, turned := range []av.Orientation{{}, {Mirror: true}, {Deg: 90}, {Deg: 180}, {Deg: 270}} {
			for _, fit := range []media.Fit{media.Letterbox, media.Crop} {
				c := av.Canvas{Width: 200, Height: 200, Fit: fit, FlipH: true, FlipV: true}
				add(c.Filters(format, turned))
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
	add(av.DeinterlaceFilters())
	add(denoiseFilters(20, -40))

	slices.Sort(used)
	used = slices.Compact(used)
	listed := slices.Sorted(slices.Values(av.Required().Filters))
	if !slices.Equal(used, listed) {
		t.Errorf("graphs use %v, required are %v", used, listed)
	}
}
