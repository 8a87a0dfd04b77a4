package libav

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// layer shows a placed asset. close frees it.
type layer struct {
	overlay  media.Overlay
	pictures *pictures // nil once a still was drawn
	look     look
	turn     turn
	alpha    *graph // brings pictures with transparency to planar RGBA; nil for others
	graph    *graph // makes what is laid over the footage; nil before the first picture
	covers   bool   // the picture takes the place of the footage
	drawn    *astiav.Frame
	from     int64 // drawn is what the asset shows from this frame on its own grid
	until    int64 // to before this one
}

// openLayer opens an asset that the render shows.
func (r *render) openLayer(o media.Overlay) (*layer, error) {
	v, err := r.engine.locate(r.ctx, o.Path)
	if err != nil {
		return nil, ofAsset(o.Name, err)
	}
	p, err := openPictures(r.ctx, o.Path, v.origin, r.plan.Rate, 1)
	if err != nil {
		return nil, ofAsset(o.Name, err)
	}
	p.alive = r.meter.alive // an offset may be far from the keyframe before it
	if err := p.withAlpha(); err != nil {
		p.close()
		return nil, ofAsset(o.Name, err)
	}
	return &layer{overlay: o, pictures: p}, nil
}

// ofAsset says which asset a fault is about.
func ofAsset(name string, err error) error {
	var fault *MediaError
	if errors.As(err, &fault) {
		return mediaErrorf("the asset %q that is placed in this video cannot be read: %s", name, fault.Message)
	}
	return fmt.Errorf("the asset %q: %w", name, err)
}

// at makes drawn what is shown at a frame of the output, and returns the first frame at which it is
// another.
func (l *layer) at(n int64) (until int64, err error) {
	o := l.overlay
	k := o.FirstFrame + n - o.Range.In
	if o.LoopFrames > 0 {
		k %= o.LoopFrames
	}
	if o.Still {
		k = 0
	}
	if l.drawn == nil || !o.Still && (k < l.from || k >= l.until) {
		f, next, err := l.pictures.at(k)
		if errors.Is(err, io.EOF) {
			return 0, ofAsset(o.Name, mediaErrorf("nothing of its picture can be decoded"))
		}
		if err != nil {
			return 0, ofAsset(o.Name, err)
		}
		if err := l.draw(f); err != nil {
			return 0, ofAsset(o.Name, err)
		}
		l.from, l.until = k, next
		if o.Still { // a photo is large, and was seen once and for all
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

// draw prepares a picture of the asset.
func (l *layer) draw(f *astiav.Frame) error {
	if look, turn := lookOf(f), l.pictures.turn(f); l.graph == nil || look != l.look || turn != l.turn {
		if err := l.prepare(look, turn); err != nil {
			return err
		}
	}
	if l.drawn != nil {
		l.drawn.Free()
	}
	l.drawn = astiav.AllocFrame()
	if l.alpha == nil {
		return run(l.graph, f, l.look, l.drawn)
	}
	planar := astiav.AllocFrame()
	defer planar.Free()
	if err := run(l.alpha, f, l.look, planar); err != nil {
		return err
	}
	if err := premultiply(planar); err != nil {
		return err
	}
	return run(l.graph, planar, lookOf(planar), l.drawn)
}

// run sends one picture through filters.
func run(g *graph, from *astiav.Frame, l look, to *astiav.Frame) error {
	dress(from, l)
	from.SetPts(0)
	if err := g.push(from); err != nil {
		return fmt.Errorf("filtering a picture: %w", err)
	}
	if err := g.pull(to); err != nil {
		return fmt.Errorf("filtering a picture: %w", err)
	}
	return nil
}

// prepare builds the filters for pictures of a look.
func (l *layer) prepare(look look, t turn) (err error) {
	l.closeGraphs()
	l.look, l.turn = look, t
	base := astiav.NewRational(1, 1000)
	clear := look.transparent()
	l.covers = l.overlay.Cutaway && l.overlay.OpacityPercent == 100 && !clear
	if clear {
		if l.alpha, err = newGraph(
			look,
			base,
			fmt.Sprintf("scale=in_color_matrix=%s,format=gbrap", matrixName(look.space)),
			1,
		); err != nil {
			return err
		}
		look.format, look.space, look.colors = astiav.PixelFormatGbrap, astiav.ColorSpaceRgb, astiav.ColorRangeJpeg
		look.transfer = 0
	}
	l.graph, err = newGraph(look, base, strings.Join(l.chain(look, t), ","), 1)
	return err
}

// transparent reports pictures that have an alpha channel.
func (l look) transparent() bool {
	return l.format == astiav.PixelFormatPal8 ||
		l.format.Descriptor().Flags().Has(astiav.PixelFormatDescriptorFlagAlpha)
}

// chain returns the filters that make what is laid over the footage: 4:4:4 with alpha, turned and
// flipped; or where the picture covers the frame, what takes its place.
func (l *layer) chain(look look, t turn) []string {
	o := l.overlay
	width, height := o.Width, o.Height
	if t.sideways() {
		width, height = height, width
	}
	var filters []string
	add := func(format string, args ...any) { filters = append(filters, fmt.Sprintf(format, args...)) }
	switch {
	case look.hdr():
		filters = toneMapping(look, width, height)
	case l.covers:
		add(
			"scale=w=%d:h=%d:flags=bicubic:in_color_matrix=%s:out_color_matrix=bt709:out_range=tv",
			width,
			height,
			matrixName(look.space),
		)
		add("format=yuv420p")
	default:
		add("scale=w=%d:h=%d:flags=bicubic:in_color_matrix=%s", width, height, matrixName(look.space))
	}
	if !l.covers {
		add("format=gbrap")
	}
	filters = append(filters, turnFilters(t)...)
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
		add("rotate=a=%.9f:ow=%d:oh=%d:c=black@0", float64(o.RotationDeg)*math.Pi/180, o.RotatedSize[0], o.RotatedSize[1])
	}
	add("scale=out_color_matrix=bt709:out_range=tv")
	add("format=yuva444p")
	return filters
}

// onto lays the asset over a picture of the output; where it covers, it returns a picture to take
// its place, which the caller frees.
func (l *layer) onto(f *astiav.Frame) (instead *astiav.Frame, err error) {
	o := l.overlay
	if !l.covers {
		lay(f, l.drawn, o.Left, o.Top, o.OpacityPercent)
		return nil, nil
	}
	return window(l.drawn, -o.Left, -o.Top, f.Width(), f.Height())
}

// window returns a copy of part of a 4:2:0 picture; x and y are even. The caller frees it.
func window(f *astiav.Frame, x, y, width, height int) (*astiav.Frame, error) {
	w := astiav.AllocFrame()
	w.SetWidth(width)
	w.SetHeight(height)
	w.SetPixelFormat(astiav.PixelFormatYuv420P)
	if err := w.AllocBuffer(0); err != nil {
		w.Free()
		return nil, fmt.Errorf("allocating a picture: %w", err)
	}
	for plane := range 3 {
		half := min(plane, 1)
		rows := (height + half) >> half
		to, stride := planeBytes(w, plane, rows)
		from, pitch := planeBytes(f, plane, (f.Height()+half)>>half)
		for row := range rows {
			copy(to[row*stride:][:(width+half)>>half], from[(row+y>>half)*pitch+x>>half:])
		}
	}
	tag709(w)
	return w, nil
}

func (l *layer) closeSource() {
	l.closeGraphs()
	if l.pictures != nil {
		l.pictures.close()
		l.pictures = nil
	}
}

func (l *layer) closeGraphs() {
	for _, g := range []*graph{l.alpha, l.graph} {
		if g != nil {
			g.close()
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
