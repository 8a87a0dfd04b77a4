package libav

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// orientation is how a frame must be turned for display: mirrored first, then rotated clockwise by
// deg (0, 90, 180 or 270).
type orientation struct {
	mirror bool
	deg    int
}

// swapsSides reports an orientation that swaps width and height.
func (t orientation) swapsSides() bool { return t.deg == 90 || t.deg == 270 }

// trackOrientation reads the display matrix of a track.
func trackOrientation(t *track) orientation {
	matrix, ok := t.params.SideData().DisplayMatrix().Get()
	if !ok || matrix == nil {
		return orientation{}
	}
	return matrixOrientation(*matrix)
}

// frameOrientation reads the display matrix of a frame. Photos carry it there.
func frameOrientation(f *astiav.Frame) orientation {
	matrix, ok := displayMatrix(f)
	if !ok {
		return orientation{}
	}
	return matrixOrientation(matrix)
}

func matrixOrientation(matrix [9]uint32) orientation {
	a, b := int64(int32(matrix[0])), int64(int32(matrix[1]))
	c, d := int64(int32(matrix[3])), int64(int32(matrix[4]))
	mirror := a*d-b*c < 0
	if mirror {
		a, b = -a, -b // undo the mirroring of the source's x axis
	}
	deg := math.Atan2(float64(b), float64(a)) * 180 / math.Pi
	if math.IsNaN(deg) {
		return orientation{}
	}
	return orientation{mirror: mirror, deg: (int(math.Round(deg/90))*90 + 360) % 360}
}

// canvas is the format of every output frame: 4:2:0 of this size.
type canvas struct {
	width, height int
	format        astiav.PixelFormat // yuv420p (the zero value) or yuv420p10le
	fit           media.Fit
	background    [3]uint8
	flipH, flipV  bool
	uncropped     bool // frames with Fit Crop keep what is beyond the canvas
	colors        frameColors
}

// frameConverter converts frames to a canvas. It keeps the filters for the last input format. close
// frees it.
type frameConverter struct {
	canvas      canvas
	threads     int
	format      frameFormat
	orient      orientation
	passThrough bool   // frames of this format need no filter
	graph       *graph // nil if passThrough, or before the first frame
}

func newFrameConverter(c canvas, threads int) *frameConverter {
	return &frameConverter{canvas: c, threads: threads}
}

// convert converts src into the empty frame dst. src stays the caller's.
func (p *frameConverter) convert(src, dst *astiav.Frame, t orientation) error {
	if l := formatOf(src); l != p.format || t != p.orient || (p.graph == nil && !p.passThrough) {
		if err := p.build(l, t); err != nil {
			return err
		}
	}

	if p.passThrough {
		if err := dst.Ref(src); err != nil {
			return err
		}
		tagColors(dst, p.canvas.colors)
		return nil
	}

	applyFormat(src, p.format)
	src.SetPts(0)
	if err := p.graph.push(src); err != nil {
		return fmt.Errorf("filtering a frame: %w", err)
	}
	if err := p.graph.pull(dst); err != nil {
		return fmt.Errorf("filtering a frame: %w", err)
	}
	tagColors(dst, p.canvas.colors)
	return nil
}

func (p *frameConverter) build(l frameFormat, t orientation) error {
	p.close()
	p.format, p.orient = l, t
	filters := p.canvas.filters(l, t)
	if p.passThrough = len(filters) == 0; p.passThrough {
		return nil
	}
	var err error
	p.graph, err = newGraph(l, astiav.NewRational(1, 1000), filters, p.threads)
	return err
}

func (p *frameConverter) close() {
	if p.graph != nil {
		p.graph.close()
		p.graph = nil
	}
}

// filters returns the filters that convert a frame of a format to the canvas, none if the frame
// already matches.
func (c canvas) filters(l frameFormat, t orientation) []string {
	width, height := c.content(displaySize(l.width, l.height, l.aspectNum, l.aspectDen, t))
	inner := [2]int{width, height} // before rotation
	if t.swapsSides() {
		inner = [2]int{height, width}
	}

	var filters []string
	add := func(format string, args ...any) { filters = append(filters, fmt.Sprintf(format, args...)) }
	switch {
	case l.hdr() && !c.colors.hdr():
		filters = toneMapping(l, inner[0], inner[1])
	case inner != [2]int{l.width, l.height} || l.format != c.format || !c.colors.keeps(l):
		to, levels := c.colors.stated(), "tv"
		if to.colors == astiav.ColorRangeJpeg {
			levels = "pc"
		}
		add(
			"scale=w=%d:h=%d:flags=bicubic:in_color_matrix=%s:out_color_matrix=%s:out_range=%s",
			inner[0], inner[1], matrixName(l.space), matrixName(to.space), levels,
		)
		add("format=%s", c.format)
	}

	filters = append(filters, orientationFilters(t)...)
	if c.flipH {
		add("hflip")
	}
	if c.flipV {
		add("vflip")
	}
	if (width > c.width || height > c.height) && !c.uncropped {
		add(
			"crop=w=%d:h=%d:x=%d:y=%d:exact=1",
			min(width, c.width), min(height, c.height),
			max(0, width-c.width)/2&^1, max(0, height-c.height)/2&^1,
		)
	}

	if width < c.width || height < c.height {
		add(
			"pad=w=%d:h=%d:x=%d:y=%d:color=0x%02x%02x%02x",
			c.width, c.height, max(0, c.width-width)/2&^1, max(0, c.height-height)/2&^1,
			c.background[0], c.background[1], c.background[2],
		)
	}

	return filters
}

// toneMapping returns the filters that convert HDR frames to 8-bit 4:2:0 BT.709 of a size.
func toneMapping(l frameFormat, width, height int) []string {
	transfer, colors := "smpte2084", "limited"
	if l.transfer == transferHLG {
		transfer = "arib-std-b67"
	}
	if l.colors == astiav.ColorRangeJpeg {
		colors = "full"
	}
	return []string{
		fmt.Sprintf(
			"zscale=w=%d:h=%d:f=bilinear:tin=%s:min=2020_ncl:pin=2020:rin=%s:t=linear:npl=203",
			width, height, transfer, colors,
		),
		"format=gbrpf32le",
		"zscale=p=709",
		"tonemap=tonemap=mobius:desat=0",
		"zscale=t=709:m=709:r=limited",
		"format=yuv420p",
	}
}

// content returns the size that a frame of a display size takes on the canvas.
func (c canvas) content(width, height int) (w, h int) {
	sx, sy := float64(c.width)/float64(width), float64(c.height)/float64(height)
	scale := min(sx, sy)
	if c.fit == media.Crop {
		scale = max(sx, sy)
	}
	snap := func(n float64, whole int) int {
		if math.Abs(n-float64(whole)) <= 2 {
			return whole
		}
		return max(2, int(math.Round(n/2))*2)
	}
	return snap(float64(width)*scale, c.width), snap(float64(height)*scale, c.height)
}

// displaySize returns the size of a frame on display: with square pixels, and rotated. Neither side
// is smaller than in the source.
func displaySize(width, height, aspectNum, aspectDen int, t orientation) (w, h int) {
	w, h = width, height
	if aspectNum > 0 && aspectDen > 0 && aspectNum != aspectDen {
		ratio := float64(aspectNum) / float64(aspectDen)
		if ratio > 1 && ratio < 20 {
			w = int(math.Round(float64(w) * ratio))
		} else if ratio < 1 && ratio > 0.05 {
			h = int(math.Round(float64(h) / ratio))
		}
	}

	if t.swapsSides() {
		w, h = h, w
	}
	return max(2, (w+1)&^1), max(2, (h+1)&^1)
}

func orientationFilters(t orientation) []string {
	var filters []string
	if t.mirror {
		filters = append(filters, "hflip")
	}
	switch t.deg {
	case 90:
		filters = append(filters, "transpose=dir=clock")
	case 180:
		filters = append(filters, "hflip", "vflip")
	case 270:
		filters = append(filters, "transpose=dir=cclock")
	}

	return filters
}

// matrixName returns the name that the scale filter has for a color matrix.
func matrixName(space astiav.ColorSpace) string {
	switch space {
	case astiav.ColorSpaceBt709:
		return "bt709"
	case astiav.ColorSpaceFcc:
		return "fcc"
	case astiav.ColorSpaceSmpte170M, astiav.ColorSpaceBt470Bg:
		return "bt601"
	case astiav.ColorSpaceSmpte240M:
		return "smpte240m"
	case astiav.ColorSpaceBt2020Ncl, astiav.ColorSpaceBt2020Cl:
		return "bt2020"
	}

	return "auto"
}

// blank returns a frame of the canvas's size in its background color. The caller frees it.
func (c canvas) blank() (*astiav.Frame, error) {
	f := astiav.AllocFrame()
	f.SetWidth(c.width)
	f.SetHeight(c.height)
	f.SetPixelFormat(c.format)
	if err := f.AllocBuffer(0); err != nil {
		f.Free()
		return nil, err
	}

	for i, v := range yuv709(c.background) {
		rows := c.height
		if i > 0 {
			rows = (rows + 1) / 2
		}
		data, _ := planeBytes(f, i, rows)
		if c.format == astiav.PixelFormatYuv420P10Le {
			for j := 0; j+1 < len(data); j += 2 {
				binary.LittleEndian.PutUint16(data[j:], uint16(math.Round(4*v)))
			}
			continue
		}

		for j := range data {
			data[j] = uint8(math.Round(v))
		}
	}

	tagColors(f, c.colors)
	return f, nil
}

// yuv709 returns the luma and chroma of a color in 8-bit BT.709 limited range.
func yuv709(rgb [3]uint8) [3]float64 {
	r, g, b := float64(rgb[0]), float64(rgb[1]), float64(rgb[2])
	luma := (0.2126*r + 0.7152*g + 0.0722*b) / 255
	return [3]float64{16 + 219*luma, 128 + 224*(b/255-luma)/1.8556, 128 + 224*(r/255-luma)/1.5748}
}
