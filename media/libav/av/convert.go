package av

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"syscall"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// Orientation is how a frame must be turned for display: mirrored first, then rotated clockwise by
// deg (0, 90, 180 or 270).
type Orientation struct {
	Mirror bool
	Deg    int
}

// SwapsSides reports an orientation that swaps width and height.
func (t Orientation) SwapsSides() bool { return t.Deg == 90 || t.Deg == 270 }

// TrackOrientation reads the display matrix of a track.
func TrackOrientation(t *Track) Orientation {
	matrix, ok := t.Params.SideData().DisplayMatrix().Get()
	if !ok || matrix == nil {
		return Orientation{}
	}
	return matrixOrientation(*matrix)
}

// frameOrientation reads the display matrix of a frame. Photos carry it there.
func frameOrientation(f *astiav.Frame) Orientation {
	matrix, ok := displayMatrix(f)
	if !ok {
		return Orientation{}
	}
	return matrixOrientation(matrix)
}

func matrixOrientation(matrix [9]uint32) Orientation {
	a, b := int64(int32(matrix[0])), int64(int32(matrix[1]))
	c, d := int64(int32(matrix[3])), int64(int32(matrix[4]))
	mirror := a*d-b*c < 0
	if mirror {
		a, b = -a, -b // undo the mirroring of the source's x axis
	}
	deg := math.Atan2(float64(b), float64(a)) * 180 / math.Pi
	if math.IsNaN(deg) {
		return Orientation{}
	}
	return Orientation{Mirror: mirror, Deg: (int(math.Round(deg/90))*90 + 360) % 360}
}

// HEVCFormat returns the chroma format, as in bitstream.Frames, and the bit depth of a pixel
// format. ok is false if exports in HEVC cannot have it.
func HEVCFormat(format astiav.PixelFormat) (chroma, depth int, ok bool) {
	switch format {
	case astiav.PixelFormatYuv420P:
		return 1, 8, true
	case astiav.PixelFormatYuv420P10Le:
		return 1, 10, true
	case astiav.PixelFormatYuv422P:
		return 2, 8, true
	case astiav.PixelFormatYuv422P10Le:
		return 2, 10, true
	case astiav.PixelFormatYuv444P:
		return 3, 8, true
	case astiav.PixelFormatYuv444P10Le:
		return 3, 10, true
	}

	return 0, 0, false
}

// Canvas is the format of every output frame.
type Canvas struct {
	Width, Height int
	Format        astiav.PixelFormat // yuv420p (the zero value) or another one of HEVCFormat
	Fit           media.Fit
	Background    [3]uint8
	FlipH, FlipV  bool
	Uncropped     bool // frames with Fit Crop keep the area beyond the canvas
	Colors        FrameColors
}

// FrameConverter converts frames to a canvas. It keeps the filters for the last input format. Close
// frees it.
type FrameConverter struct {
	Canvas      Canvas
	threads     int
	format      FrameFormat
	orient      Orientation
	passThrough bool   // frames of this format need no filter
	graph       *Graph // nil if passThrough, or before the first frame
}

// NewFrameConverter returns a converter to a canvas, whose filters use that many threads.
func NewFrameConverter(c Canvas, threads int) *FrameConverter {
	return &FrameConverter{Canvas: c, threads: threads}
}

// Convert converts src into the empty frame dst. src stays the caller's.
func (p *FrameConverter) Convert(src, dst *astiav.Frame, t Orientation) error {
	if l := FormatOf(src); l != p.format || t != p.orient || (p.graph == nil && !p.passThrough) {
		if err := p.build(l, t); err != nil {
			return err
		}
	}

	if p.passThrough {
		if err := dst.Ref(src); err != nil {
			return err
		}
		TagColors(dst, p.Canvas.Colors)
		return nil
	}

	ApplyFormat(src, p.format)
	src.SetPts(0)
	if err := p.graph.Push(src); err != nil {
		return p.format.cannotConvert(err)
	}
	if err := p.graph.Pull(dst); err != nil {
		return p.format.cannotConvert(err)
	}
	TagColors(dst, p.Canvas.Colors)
	return nil
}

func (p *FrameConverter) build(l FrameFormat, t Orientation) error {
	p.Close()
	p.format, p.orient = l, t
	filters := p.Canvas.Filters(l, t)
	if p.passThrough = len(filters) == 0; p.passThrough {
		return nil
	}
	graph, err := NewGraph(l, astiav.NewRational(1, 1000), filters, p.threads)
	if err != nil {
		return l.cannotConvert(err)
	}
	p.graph = graph
	return nil
}

// cannotConvert returns the error for frames that the filters do not take. Only a lack of memory
// has nothing to do with the recording.
func (l FrameFormat) cannotConvert(err error) error {
	if errors.Is(systemError(err), syscall.ENOMEM) {
		return fmt.Errorf("converting a frame: %w", err)
	}
	return Errorf(
		"the frames of this recording have colors or a format that cannot be converted "+
			"(%s, matrix %d, primaries %d, transfer %d: %v); convert it to H.264 in BT.709 and upload it again",
		l.Format, l.Space, l.primaries, l.Transfer, err,
	)
}

// Close frees the filters.
func (p *FrameConverter) Close() {
	if p.graph != nil {
		p.graph.Close()
		p.graph = nil
	}
}

// Filters returns the filters that convert a frame of a format to the canvas, none if the frame
// already matches.
func (c Canvas) Filters(l FrameFormat, t Orientation) []string {
	width, height := c.content(displaySize(l.Width, l.Height, l.AspectNum, l.AspectDen, t))
	inner := [2]int{width, height} // before rotation
	if t.SwapsSides() {
		inner = [2]int{height, width}
	}

	var filters []string
	add := func(format string, args ...any) { filters = append(filters, fmt.Sprintf(format, args...)) }
	switch {
	case l.HDR() && !c.Colors.HDR():
		filters = ToneMapping(l, inner[0], inner[1])
	case inner != [2]int{l.Width, l.Height} || l.Format != c.Format || !c.Colors.keeps(l):
		to, levels := c.Colors.Stated(), "tv"
		if to.colors == astiav.ColorRangeJpeg {
			levels = "pc"
		}
		add(
			"scale=w=%d:h=%d:flags=bicubic:in_color_matrix=%s:out_color_matrix=%s:out_range=%s",
			inner[0], inner[1], MatrixName(l.Space), MatrixName(to.space), levels,
		)
		add("format=%s", c.Format)
	}

	filters = append(filters, OrientationFilters(t)...)
	if c.FlipH {
		add("hflip")
	}
	if c.FlipV {
		add("vflip")
	}
	if (width > c.Width || height > c.Height) && !c.Uncropped {
		add(
			"crop=w=%d:h=%d:x=%d:y=%d:exact=1",
			min(width, c.Width), min(height, c.Height),
			max(0, width-c.Width)/2&^1, max(0, height-c.Height)/2&^1,
		)
	}

	if width < c.Width || height < c.Height {
		add(
			"pad=w=%d:h=%d:x=%d:y=%d:color=0x%02x%02x%02x",
			c.Width, c.Height, max(0, c.Width-width)/2&^1, max(0, c.Height-height)/2&^1,
			c.Background[0], c.Background[1], c.Background[2],
		)
	}

	return filters
}

// ToneMapping returns the filters that convert HDR frames to 8-bit 4:2:0 BT.709 of a size.
func ToneMapping(l FrameFormat, width, height int) []string {
	transfer, colors := "smpte2084", "limited"
	if l.Transfer == transferHLG {
		transfer = "arib-std-b67"
	}
	if l.Colors == astiav.ColorRangeJpeg {
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
func (c Canvas) content(width, height int) (w, h int) {
	sx, sy := float64(c.Width)/float64(width), float64(c.Height)/float64(height)
	scale := min(sx, sy)
	if c.Fit == media.Crop {
		scale = max(sx, sy)
	}
	snap := func(n float64, whole int) int {
		if math.Abs(n-float64(whole)) <= 2 {
			return whole
		}
		return max(2, int(math.Round(n/2))*2)
	}
	return snap(float64(width)*scale, c.Width), snap(float64(height)*scale, c.Height)
}

// displaySize returns the size of a frame on display: with square pixels, and rotated. Neither side
// is smaller than in the source.
func displaySize(width, height, aspectNum, aspectDen int, t Orientation) (w, h int) {
	w, h = width, height
	if aspectNum > 0 && aspectDen > 0 && aspectNum != aspectDen {
		ratio := float64(aspectNum) / float64(aspectDen)
		if ratio > 1 && ratio < 20 {
			w = int(math.Round(float64(w) * ratio))
		} else if ratio < 1 && ratio > 0.05 {
			h = int(math.Round(float64(h) / ratio))
		}
	}

	if t.SwapsSides() {
		w, h = h, w
	}
	return max(2, (w+1)&^1), max(2, (h+1)&^1)
}

// OrientationFilters returns the filters that turn and mirror frames to be upright.
func OrientationFilters(t Orientation) []string {
	var filters []string
	if t.Mirror {
		filters = append(filters, "hflip")
	}
	switch t.Deg {
	case 90:
		filters = append(filters, "transpose=dir=clock")
	case 180:
		filters = append(filters, "hflip", "vflip")
	case 270:
		filters = append(filters, "transpose=dir=cclock")
	}

	return filters
}

// MatrixName returns the name that the scale filter has for a color matrix.
func MatrixName(space astiav.ColorSpace) string {
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

// Blank returns a frame of the canvas's size in its background color. The caller frees it.
func (c Canvas) Blank() (*astiav.Frame, error) {
	f := astiav.AllocFrame()
	f.SetWidth(c.Width)
	f.SetHeight(c.Height)
	f.SetPixelFormat(c.Format)
	if err := f.AllocBuffer(0); err != nil {
		f.Free()
		return nil, err
	}

	chroma, depth, _ := HEVCFormat(c.Format)
	for i, v := range c.Colors.YUV(c.Background) {
		rows := c.Height
		if i > 0 && chroma == 1 {
			rows = (rows + 1) / 2
		}
		data, _ := PlaneBytes(f, i, rows)
		if depth == 10 {
			for j := 0; j+1 < len(data); j += 2 {
				binary.LittleEndian.PutUint16(data[j:], uint16(math.Round(4*v)))
			}
			continue
		}

		for j := range data {
			data[j] = uint8(math.Round(v))
		}
	}

	TagColors(f, c.Colors)
	return f, nil
}
