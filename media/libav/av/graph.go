package av

import (
	"fmt"
	"strings"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// FrameFormat holds every property of a frame that decides how it must be filtered.
type FrameFormat struct {
	Width, Height       int
	Format              astiav.PixelFormat
	AspectNum           int // of one pixel; 1/1 if unknown
	AspectDen           int
	Space               astiav.ColorSpace
	Colors              astiav.ColorRange
	Transfer, primaries int // as in ITU-T H.273
}

// Transfer characteristics of ITU-T H.273 that need tone mapping.
const (
	TransferPQ  = 16
	transferHLG = 18
)

// HDR reports a transfer characteristic that needs tone mapping.
func (l FrameFormat) HDR() bool { return l.Transfer == TransferPQ || l.Transfer == transferHLG }

// Transparent reports whether frames have an alpha channel.
func (l FrameFormat) Transparent() bool {
	return l.Format == astiav.PixelFormatPal8 ||
		l.Format.Descriptor().Flags().Has(astiav.PixelFormatDescriptorFlagAlpha)
}

// FormatOf describes a decoded frame. For properties that the stream leaves open it returns the
// usual value.
func FormatOf(f *astiav.Frame) FrameFormat {
	l := FrameFormat{
		Width:     f.Width(),
		Height:    f.Height(),
		Format:    f.PixelFormat(),
		Space:     f.ColorSpace(),
		Colors:    f.ColorRange(),
		Transfer:  colorTransfer(f),
		primaries: colorPrimaries(f),
		AspectNum: f.SampleAspectRatio().Num(),
		AspectDen: f.SampleAspectRatio().Den(),
	}
	if l.AspectNum <= 0 || l.AspectDen <= 0 {
		l.AspectNum, l.AspectDen = 1, 1
	}

	if plain, ok := CurrentFormat(l.Format); ok {
		l.Format, l.Colors = plain, astiav.ColorRangeJpeg
	}
	rgb := l.Format.Descriptor().Flags().Has(astiav.PixelFormatDescriptorFlagRgb)
	if l.Colors == astiav.ColorRangeUnspecified {
		l.Colors = astiav.ColorRangeMpeg
		if rgb {
			l.Colors = astiav.ColorRangeJpeg
		}
	}

	switch {
	case rgb:
		l.Space = astiav.ColorSpaceRgb
	case l.HDR() && usualSpace(l.Space, 0, 0) != l.Space:
		l.Space = astiav.ColorSpaceBt2020Ncl
	default:
		l.Space = usualSpace(l.Space, l.Width, l.Height)
	}

	return l
}

// usualSpace returns the color matrix of video without HDR: as stated, otherwise the usual one for
// the size.
func usualSpace(stated astiav.ColorSpace, width, height int) astiav.ColorSpace {
	switch stated {
	case astiav.ColorSpaceUnspecified, astiav.ColorSpaceRgb, astiav.ColorSpaceReserved:
	default:
		return stated
	}

	if max(width, height) >= 1280 || min(width, height) >= 720 {
		return astiav.ColorSpaceBt709
	}
	return astiav.ColorSpaceSmpte170M
}

// CurrentFormat returns the current equivalent of a deprecated full-range pixel format. The two
// differ only in that the deprecated name implies the range.
func CurrentFormat(f astiav.PixelFormat) (plain astiav.PixelFormat, ok bool) {
	switch f {
	case astiav.PixelFormatYuvj420P:
		return astiav.PixelFormatYuv420P, true
	case astiav.PixelFormatYuvj422P:
		return astiav.PixelFormatYuv422P, true
	case astiav.PixelFormatYuvj444P:
		return astiav.PixelFormatYuv444P, true
	case astiav.PixelFormatYuvj440P:
		return astiav.PixelFormatYuv440P, true
	}

	return f, false
}

// Graph is a chain of filters with one input and one output. Close frees it.
type Graph struct {
	graph *astiav.FilterGraph
	in    *astiav.BuffersrcFilterContext
	out   *astiav.BuffersinkFilterContext
}

// NewGraph builds a chain of filters for frames of a format. Filters are given as libav reads them,
// name=option=value:..., and must contain typed values only, never text from a user.
func NewGraph(l FrameFormat, base astiav.Rational, filters []string, threads int) (*Graph, error) {
	params := astiav.AllocBuffersrcFilterContextParameters()
	defer params.Free()
	params.SetWidth(l.Width)
	params.SetHeight(l.Height)
	params.SetPixelFormat(l.Format)
	params.SetTimeBase(base)
	params.SetSampleAspectRatio(astiav.NewRational(l.AspectNum, l.AspectDen))
	params.SetColorSpace(l.Space)
	params.SetColorRange(l.Colors)
	g, err := buildGraph("buffer", "buffersink", params, filters, threads)
	if err != nil {
		return nil, fmt.Errorf("building the filters %q for %+v: %w", filters, l, err)
	}
	return g, nil
}

// NewAudioGraph builds a chain of filters for stereo float at media.SampleRate. Filters are given
// as to NewGraph.
func NewAudioGraph(filters []string) (*Graph, error) {
	params := astiav.AllocBuffersrcFilterContextParameters()
	defer params.Free()
	params.SetSampleFormat(astiav.SampleFormatFltp)
	params.SetSampleRate(media.SampleRate)
	params.SetChannelLayout(astiav.ChannelLayoutStereo)
	params.SetTimeBase(astiav.NewRational(1, media.SampleRate))
	g, err := buildGraph("abuffer", "abuffersink", params, filters, 1)
	if err != nil {
		return nil, fmt.Errorf("building the filters %q: %w", filters, err)
	}
	return g, nil
}

func buildGraph(
	source, sink string,
	params *astiav.BuffersrcFilterContextParameters,
	filters []string,
	threads int,
) (*Graph, error) {
	g := &Graph{graph: astiav.AllocFilterGraph()}
	g.graph.SetThreadCount(threads)
	if err := g.build(source, sink, params, filters); err != nil {
		g.Close()
		return nil, err
	}

	return g, nil
}

func (g *Graph) build(
	source, sink string,
	params *astiav.BuffersrcFilterContextParameters,
	filters []string,
) error {
	from, err := findFilter(source)
	if err != nil {
		return err
	}
	to, err := findFilter(sink)
	if err != nil {
		return err
	}
	for _, filter := range filters {
		name, _, _ := strings.Cut(filter, "=")
		if _, err := findFilter(name); err != nil {
			return err
		}
	}

	if g.in, err = g.graph.NewBuffersrcFilterContext(from, "in"); err != nil {
		return err
	}
	if err := g.in.SetParameters(params); err != nil {
		return err
	}
	if err := g.in.Initialize(nil); err != nil {
		return err
	}
	if g.out, err = g.graph.NewBuffersinkFilterContext(to, "out"); err != nil {
		return err
	}
	outputs, inputs := astiav.AllocFilterInOut(), astiav.AllocFilterInOut()
	defer outputs.Free()
	defer inputs.Free()
	outputs.SetName("in")
	outputs.SetFilterContext(g.in.FilterContext())
	inputs.SetName("out")
	inputs.SetFilterContext(g.out.FilterContext())
	if err := g.graph.Parse(strings.Join(filters, ","), inputs, outputs); err != nil {
		return err
	}
	return g.graph.Configure()
}

// Push sends a frame into the chain, nil at the end. The frame stays the caller's.
func (g *Graph) Push(f *astiav.Frame) error {
	return g.in.AddFrame(f, astiav.NewBuffersrcFlags(astiav.BuffersrcFlagKeepRef))
}

// Pull receives the next frame. IsAgain and IsEOF classify its errors.
func (g *Graph) Pull(f *astiav.Frame) error { return g.out.GetFrame(f, astiav.NewBuffersinkFlags()) }

// Close frees the graph.
func (g *Graph) Close() { g.graph.Free() }

// ApplyFormat writes the resolved format and colors of l into a frame, so that the frame matches
// the graph that was built for l.
func ApplyFormat(f *astiav.Frame, l FrameFormat) {
	f.SetPixelFormat(l.Format)
	f.SetColorSpace(l.Space)
	f.SetColorRange(l.Colors)
}
