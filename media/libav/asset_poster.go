package libav

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// posterMS is the time that a poster shows. In recordings of less than ten times this length, it is
// a tenth of the length. The first frame is often black.
const posterMS = 3000

// poster writes a small image of a recording. Transparent areas become white.
func (e *Engine) poster(ctx context.Context, l inspection, from, to string) error {
	v := l.asset.Info.Video
	p, err := av.OpenVideo(ctx, from, l.survey.Origin, v.Rate, e.decodeThreads())
	if err != nil {
		return av.Because(ctx, err)
	}
	defer p.Close()
	f, _, err := p.At(v.Rate.Frame(min(l.asset.Info.DurationMS/10, posterMS)))
	if errors.Is(err, io.EOF) {
		return av.Errorf("no video frame of this file can be decoded: it is damaged; upload it again")
	}
	if err != nil {
		return av.Because(ctx, err)
	}
	scale := min(1, float64(media.MaxPosterSide)/float64(max(v.Width, v.Height)))
	side := func(n int) int { return max(2, int(math.Round(float64(n)*scale/2))*2) }
	c := av.Canvas{Width: side(v.Width), Height: side(v.Height), Fit: media.Letterbox}
	var img image.Image
	if f.PixelFormat().Descriptor().Flags().Has(astiav.PixelFormatDescriptorFlagAlpha) {
		img, err = drawOnWhite(c, f, p.Orient(f))
	} else {
		img, err = drawFrame(c, f, p.Orient(f))
	}

	if err != nil {
		return fmt.Errorf("drawing a poster: %w", err)
	}
	return writeJPEG(to, img)
}

// drawFrame converts a frame to the canvas.
func drawFrame(c av.Canvas, f *astiav.Frame, t av.Orientation) (*image.YCbCr, error) {
	p := av.NewFrameConverter(c, 1)
	defer p.Close()
	converted := astiav.AllocFrame()
	defer converted.Free()
	if err := p.Convert(f, converted, t); err != nil {
		return nil, err
	}
	return frameImage(converted, c.Width, c.Height), nil
}

// drawOnWhite draws a partly transparent frame onto a white canvas of the same aspect ratio.
func drawOnWhite(c av.Canvas, f *astiav.Frame, t av.Orientation) (image.Image, error) {
	l := av.FormatOf(f)
	width, height := c.Width, c.Height
	if t.SwapsSides() {
		width, height = height, width
	}
	g, err := av.NewGraph(l, astiav.NewRational(1, 1000), posterFilters(width, height, t), 1)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	av.ApplyFormat(f, l)
	f.SetPts(0)
	if err := g.Push(f); err != nil {
		return nil, err
	}
	converted := astiav.AllocFrame()
	defer converted.Free()
	if err := g.Pull(converted); err != nil {
		return nil, err
	}
	data, stride := av.PlaneBytes(converted, 0, c.Height)
	img := image.NewRGBA(image.Rect(0, 0, c.Width, c.Height))
	for y := range c.Height {
		for x := range c.Width {
			px := data[y*stride+4*x:][:4]
			over := func(v byte) byte { return byte((int(v)*int(px[3]) + 255*(255-int(px[3]))) / 255) }
			img.SetRGBA(x, y, color.RGBA{R: over(px[0]), G: over(px[1]), B: over(px[2]), A: 255})
		}
	}

	return img, nil
}

// posterFilters returns the filters that scale a frame to packed RGBA of a size, then turn it.
func posterFilters(width, height int, t av.Orientation) []string {
	scale := fmt.Sprintf("scale=w=%d:h=%d:flags=bicubic", width, height)
	return append([]string{scale, "format=rgba"}, av.OrientationFilters(t)...)
}
