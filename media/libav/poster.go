package libav

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"strings"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// posterMS is the moment that a poster shows, or a tenth of a recording that is shorter than ten
// times that: the first picture is often black.
const posterMS = 3000

// poster writes a small picture of a recording. What is transparent shows on white.
func (e *Engine) poster(ctx context.Context, l looked, from, to string) error {
	v := l.asset.Info.Video
	p, err := openPictures(ctx, from, l.survey.origin, v.Rate, e.decodeThreads())
	if err != nil {
		return because(ctx, err)
	}
	defer p.close()
	f, _, err := p.at(v.Rate.Frame(min(l.asset.Info.DurationMS/10, posterMS)))
	if errors.Is(err, io.EOF) {
		return mediaErrorf("no picture of this file can be decoded: it is damaged; upload it again")
	}
	if err != nil {
		return because(ctx, err)
	}
	scale := min(1, float64(media.MaxPosterSide)/float64(max(v.Width, v.Height)))
	side := func(n int) int { return max(2, int(math.Round(float64(n)*scale/2))*2) }
	c := canvas{width: side(v.Width), height: side(v.Height), fit: media.Letterbox}
	draw := c.draw
	if f.PixelFormat().Descriptor().Flags().Has(astiav.PixelFormatDescriptorFlagAlpha) {
		draw = c.drawOnWhite
	}
	picture, err := draw(f, p.turn(f))
	if err != nil {
		return fmt.Errorf("drawing a poster: %w", err)
	}
	return writeJPEG(to, picture)
}

// draw brings a picture onto the canvas.
func (c canvas) draw(f *astiav.Frame, t turn) (image.Image, error) {
	p := newPainter(c, 1)
	defer p.close()
	painted := astiav.AllocFrame()
	defer painted.Free()
	if err := p.paint(f, painted, t); err != nil {
		return nil, err
	}
	return toImage(painted, c.width, c.height), nil
}

// drawOnWhite brings a picture that is transparent in places onto a white canvas of its own shape.
func (c canvas) drawOnWhite(f *astiav.Frame, t turn) (image.Image, error) {
	l := lookOf(f)
	width, height := c.width, c.height
	if t.sideways() {
		width, height = height, width
	}
	chain := append(
		[]string{fmt.Sprintf("scale=w=%d:h=%d:flags=bicubic", width, height), "format=rgba"},
		turnFilters(t)...)
	g, err := newGraph(l, astiav.NewRational(1, 1000), strings.Join(chain, ","), 1)
	if err != nil {
		return nil, err
	}
	defer g.close()
	dress(f, l)
	f.SetPts(0)
	if err := g.push(f); err != nil {
		return nil, err
	}
	painted := astiav.AllocFrame()
	defer painted.Free()
	if err := g.pull(painted); err != nil {
		return nil, err
	}
	data, stride := planeBytes(painted, 0, c.height)
	picture := image.NewRGBA(image.Rect(0, 0, c.width, c.height))
	for y := range c.height {
		for x := range c.width {
			px := data[y*stride+4*x:][:4]
			over := func(v byte) byte { return byte((int(v)*int(px[3]) + 255*(255-int(px[3]))) / 255) }
			picture.SetRGBA(x, y, color.RGBA{R: over(px[0]), G: over(px[1]), B: over(px[2]), A: 255})
		}
	}
	return picture, nil
}
