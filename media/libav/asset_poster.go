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
)

// posterMS is the time that a poster shows. In recordings of less than ten times this length, it is
// a tenth of the length. The first frame is often black.
const posterMS = 3000

// poster writes a small image of a recording. Transparent areas become white.
func (e *Engine) poster(ctx context.Context, l inspection, from, to string) error {
	v := l.asset.Info.Video
	p, err := openVideo(ctx, from, l.survey.origin, v.Rate, e.decodeThreads())
	if err != nil {
		return because(ctx, err)
	}
	defer p.close()
	f, _, err := p.at(v.Rate.Frame(min(l.asset.Info.DurationMS/10, posterMS)))
	if errors.Is(err, io.EOF) {
		return mediaErrorf("no video frame of this file can be decoded: it is damaged; upload it again")
	}
	if err != nil {
		return because(ctx, err)
	}
	scale := min(1, float64(media.MaxPosterSide)/float64(max(v.Width, v.Height)))
	side := func(n int) int { return max(2, int(math.Round(float64(n)*scale/2))*2) }
	c := canvas{width: side(v.Width), height: side(v.Height), fit: media.Letterbox}
	var img image.Image
	if f.PixelFormat().Descriptor().Flags().Has(astiav.PixelFormatDescriptorFlagAlpha) {
		img, err = c.drawOnWhite(f, p.orient(f))
	} else {
		img, err = c.draw(f, p.orient(f))
	}

	if err != nil {
		return fmt.Errorf("drawing a poster: %w", err)
	}
	return writeJPEG(to, img)
}

// draw converts a frame to the canvas.
func (c canvas) draw(f *astiav.Frame, t orientation) (*image.YCbCr, error) {
	p := newFrameConverter(c, 1)
	defer p.close()
	converted := astiav.AllocFrame()
	defer converted.Free()
	if err := p.convert(f, converted, t); err != nil {
		return nil, err
	}
	return frameImage(converted, c.width, c.height), nil
}

// drawOnWhite draws a partly transparent frame onto a white canvas of the same aspect ratio.
func (c canvas) drawOnWhite(f *astiav.Frame, t orientation) (image.Image, error) {
	l := formatOf(f)
	width, height := c.width, c.height
	if t.swapsSides() {
		width, height = height, width
	}
	g, err := newGraph(l, astiav.NewRational(1, 1000), posterFilters(width, height, t), 1)
	if err != nil {
		return nil, err
	}
	defer g.close()
	applyFormat(f, l)
	f.SetPts(0)
	if err := g.push(f); err != nil {
		return nil, err
	}
	converted := astiav.AllocFrame()
	defer converted.Free()
	if err := g.pull(converted); err != nil {
		return nil, err
	}
	data, stride := planeBytes(converted, 0, c.height)
	img := image.NewRGBA(image.Rect(0, 0, c.width, c.height))
	for y := range c.height {
		for x := range c.width {
			px := data[y*stride+4*x:][:4]
			over := func(v byte) byte { return byte((int(v)*int(px[3]) + 255*(255-int(px[3]))) / 255) }
			img.SetRGBA(x, y, color.RGBA{R: over(px[0]), G: over(px[1]), B: over(px[2]), A: 255})
		}
	}

	return img, nil
}

// posterFilters returns the filters that scale a frame to packed RGBA of a size, then turn it.
func posterFilters(width, height int, t orientation) []string {
	scale := fmt.Sprintf("scale=w=%d:h=%d:flags=bicubic", width, height)
	return append([]string{scale, "format=rgba"}, orientationFilters(t)...)
}
