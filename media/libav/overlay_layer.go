package libav

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// layer shows a placed asset. close frees it.
type layer struct {
	overlay media.Overlay
	video   *av.VideoReader // nil once a still image is drawn
	format  av.FrameFormat
	orient  av.Orientation
	alpha   *av.Graph // converts frames with transparency to planar RGBA; nil for others
	graph   *av.Graph // makes the frame to blend; nil before the first frame
	covers  bool      // the asset replaces the footage
	opacity int       // percent at the frame that at was called for
	drawn   *astiav.Frame
	from    int64 // drawn is the frame of the asset from this position of the asset's grid
	until   int64 // to before this one
}

// openLayer opens an asset that the render shows.
func (r *render) openLayer(o media.Overlay) (*layer, error) {
	v, err := av.Locate(r.ctx, o.Path)
	if err != nil {
		return nil, ofAsset(o.Name, err)
	}
	v.Align(r.plan.Rate)
	p, err := av.OpenVideo(r.ctx, o.Path, v.Origin, r.plan.Rate, 1)
	if err != nil {
		return nil, ofAsset(o.Name, err)
	}
	p.Alive = r.meter.Alive // the start offset can be far from the keyframe before it
	if err := p.WithAlpha(); err != nil {
		p.Close()
		return nil, ofAsset(o.Name, err)
	}

	return &layer{overlay: o, video: p}, nil
}

// ofAsset says which asset an error is about.
func ofAsset(name string, err error) error {
	var fault *av.MediaError
	if errors.As(err, &fault) {
		return av.Errorf("the asset %q in this video cannot be read: %s", name, fault.Message)
	}
	return fmt.Errorf("the asset %q: %w", name, err)
}

// at draws the frame of the asset for an output frame, and returns the output frame of its next
// change.
func (l *layer) at(n int64) (until int64, err error) {
	o := l.overlay
	opacity, changes := o.OpacityAt(n)
	l.opacity = opacity
	defer func() {
		if changes > n {
			until = min(until, changes)
		}
	}()
	k := o.FirstFrame + n - o.Range.In
	if o.LoopFrames > 0 {
		k %= o.LoopFrames
	}
	if o.Still {
		k = 0
	}
	if l.drawn == nil || (!o.Still && (k < l.from || k >= l.until)) {
		f, next, err := l.video.At(k)
		if errors.Is(err, io.EOF) {
			return 0, ofAsset(o.Name, av.Errorf("no video frame of it can be decoded"))
		}
		if err != nil {
			return 0, ofAsset(o.Name, err)
		}
		if err := l.convert(f); err != nil {
			return 0, ofAsset(o.Name, err)
		}
		l.from, l.until = k, next
		if o.Still { // a photo takes much memory and is decoded only once
			l.closeSource()
		}
	}

	switch {
	case o.Still:
		return o.Range.Out, nil
	case o.LoopFrames > 0:
		return min(o.Range.Out, n+min(l.until, o.LoopFrames)-k), nil
	}

	return min(o.Range.Out, n+l.until-k), nil
}

// convert makes the drawn frame from a decoded one.
func (l *layer) convert(f *astiav.Frame) error {
	if format, orient := av.FormatOf(f), l.video.Orient(f); l.graph == nil || format != l.format || orient != l.orient {
		if err := l.buildGraphs(format, orient); err != nil {
			return err
		}
	}

	if l.drawn != nil {
		l.drawn.Free()
	}
	l.drawn = astiav.AllocFrame()
	if l.alpha == nil {
		return filterFrame(l.graph, f, l.format, l.drawn)
	}
	planar := astiav.AllocFrame()
	defer planar.Free()
	if err := filterFrame(l.alpha, f, l.format, planar); err != nil {
		return err
	}
	if err := premultiply(planar); err != nil {
		return err
	}
	return filterFrame(l.graph, planar, av.FormatOf(planar), l.drawn)
}

// filterFrame sends one frame through filters.
func filterFrame(g *av.Graph, from *astiav.Frame, l av.FrameFormat, to *astiav.Frame) error {
	av.ApplyFormat(from, l)
	from.SetPts(0)
	if err := g.Push(from); err != nil {
		return fmt.Errorf("filtering a frame: %w", err)
	}
	if err := g.Pull(to); err != nil {
		return fmt.Errorf("filtering a frame: %w", err)
	}
	return nil
}

// buildGraphs builds the filters for frames of a format.
func (l *layer) buildGraphs(format av.FrameFormat, t av.Orientation) (err error) {
	l.closeGraphs()
	l.format, l.orient = format, t
	base := astiav.NewRational(1, 1000)
	clear := format.Transparent()
	l.covers = l.overlay.Cutaway && l.overlay.OpacityPercent == 100 && l.overlay.FadeIn+l.overlay.FadeOut == 0 && !clear
	if clear {
		if l.alpha, err = av.NewGraph(
			format,
			base,
			[]string{fmt.Sprintf("scale=in_color_matrix=%s", av.MatrixName(format.Space)), "format=gbrap"},
			1,
		); err != nil {
			return err
		}

		format.Format, format.Space = astiav.PixelFormatGbrap, astiav.ColorSpaceRgb
		format.Colors, format.Transfer = astiav.ColorRangeJpeg, 0
	}

	l.graph, err = av.NewGraph(format, base, l.filters(format, t), 1)
	return err
}

// filters returns the filters that make the frame to blend: 4:4:4 with alpha, turned and flipped.
// For an asset that replaces the footage, they make its replacement instead.
func (l *layer) filters(format av.FrameFormat, t av.Orientation) []string {
	o := l.overlay
	width, height := o.Width, o.Height
	if t.SwapsSides() {
		width, height = height, width
	}

	var filters []string
	add := func(format string, args ...any) { filters = append(filters, fmt.Sprintf(format, args...)) }
	switch {
	case format.HDR():
		filters = av.ToneMapping(format, width, height)
	case l.covers:
		add(
			"scale=w=%d:h=%d:flags=bicubic:in_color_matrix=%s:out_color_matrix=bt709:out_range=tv",
			width, height, av.MatrixName(format.Space),
		)
		add("format=yuv420p")
	default:
		add("scale=w=%d:h=%d:flags=bicubic:in_color_matrix=%s", width, height, av.MatrixName(format.Space))
	}

	if !l.covers {
		add("format=gbrap")
	}
	filters = append(filters, av.OrientationFilters(t)...)
	if o.FlipH {
		add("hflip")
	}
	if o.FlipV {
		add("vflip")
	}

	if l.covers {
		return filters
	}
	if o.RotationDeg != 0 {
		add("pad=w=%d:h=%d:x=2:y=2:color=black@0", o.Width+4, o.Height+4) // edges fade into it
		radians := float64(o.RotationDeg) * math.Pi / 180
		add("rotate=a=%.9f:ow=%d:oh=%d:c=black@0", radians, o.RotatedSize[0], o.RotatedSize[1])
	}

	add("scale=out_color_matrix=bt709:out_range=tv")
	add("format=yuva444p")
	return filters
}

// drawOn draws the asset on an output frame. If the asset replaces the footage, it returns the
// replacement, which the caller frees.
func (l *layer) drawOn(f *astiav.Frame) (replacement *astiav.Frame, err error) {
	o := l.overlay
	if !l.covers {
		blend(f, l.drawn, o.Left, o.Top, l.opacity)
		return nil, nil
	}

	return cropFrame(l.drawn, -o.Left, -o.Top, f.Width(), f.Height())
}

// cropFrame returns a copy of part of a 4:2:0 frame. x and y are even. The caller frees it.
func cropFrame(f *astiav.Frame, x, y, width, height int) (*astiav.Frame, error) {
	w, err := newFrame420(width, height)
	if err != nil {
		return nil, err
	}
	for plane := range 3 {
		half := min(plane, 1)
		rows := (height + half) >> half
		to, stride := av.PlaneBytes(w, plane, rows)
		from, pitch := av.PlaneBytes(f, plane, (f.Height()+half)>>half)
		for row := range rows {
			copy(to[row*stride:][:(width+half)>>half], from[(row+y>>half)*pitch+x>>half:])
		}
	}

	av.Tag709(w)
	return w, nil
}

// newFrame420 returns an 8-bit 4:2:0 frame without content. The caller frees it.
func newFrame420(width, height int) (*astiav.Frame, error) {
	f := astiav.AllocFrame()
	f.SetWidth(width)
	f.SetHeight(height)
	f.SetPixelFormat(astiav.PixelFormatYuv420P)
	if err := f.AllocBuffer(0); err != nil {
		f.Free()
		return nil, fmt.Errorf("allocating a frame: %w", err)
	}

	return f, nil
}

func (l *layer) closeSource() {
	l.closeGraphs()
	if l.video != nil {
		l.video.Close()
		l.video = nil
	}
}

func (l *layer) closeGraphs() {
	for _, g := range []*av.Graph{l.alpha, l.graph} {
		if g != nil {
			g.Close()
		}
	}

	l.alpha, l.graph = nil, nil
}

func (l *layer) close() {
	l.closeSource()
	if l.drawn != nil {
		l.drawn.Free()
	}
}
