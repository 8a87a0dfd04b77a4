package libav

import (
	"fmt"
	"strings"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// frameFormat holds every property of a frame that decides how it must be filtered.
type frameFormat struct {
	width, height       int
	format              astiav.PixelFormat
	aspectNum           int // of one pixel; 1/1 if unknown
	aspectDen           int
	space               astiav.ColorSpace
	colors              astiav.ColorRange
	transfer, primaries int // as in ITU-T H.273
}

// Transfer characteristics of ITU-T H.273 that need tone mapping.
const (
	transferPQ  = 16
	transferHLG = 18
)

// hdr reports a transfer characteristic that needs tone mapping.
func (l frameFormat) hdr() bool { return l.transfer == transferPQ || l.transfer == transferHLG }

// formatOf describes a decoded frame. For properties that the stream leaves open it returns the
// usual value.
func formatOf(f *astiav.Frame) frameFormat {
	l := frameFormat{
		width:     f.Width(),
		height:    f.Height(),
		format:    f.PixelFormat(),
		space:     f.ColorSpace(),
		colors:    f.ColorRange(),
		transfer:  transfer(f),
		primaries: primaries(f),
		aspectNum: f.SampleAspectRatio().Num(),
		aspectDen: f.SampleAspectRatio().Den(),
	}
	if l.aspectNum <= 0 || l.aspectDen <= 0 {
		l.aspectNum, l.aspectDen = 1, 1
	}

	if plain, ok := currentFormat(l.format); ok {
		l.format, l.colors = plain, astiav.ColorRangeJpeg
	}
	rgb := l.format.Descriptor().Flags().Has(astiav.PixelFormatDescriptorFlagRgb)
	if l.colors == astiav.ColorRangeUnspecified {
		l.colors = astiav.ColorRangeMpeg
		if rgb {
			l.colors = astiav.ColorRangeJpeg
		}
	}

	switch {
	case rgb:
		l.space = astiav.ColorSpaceRgb
	case l.hdr() && usualSpace(l.space, 0, 0) != l.space:
		l.space = astiav.ColorSpaceBt2020Ncl
	default:
		l.space = usualSpace(l.space, l.width, l.height)
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

// currentFormat returns the current equivalent of a deprecated full-range pixel format. The two
// differ only in that the deprecated name implies the range.
func currentFormat(f astiav.PixelFormat) (plain astiav.PixelFormat, ok bool) {
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

// graph is a chain of filters with one input and one output. close frees it.
type graph struct {
	graph *astiav.FilterGraph
	in    *astiav.BuffersrcFilterContext
	out   *astiav.BuffersinkFilterContext
}

// newGraph builds a chain of filters for frames of a format. Filters are given as libav reads them,
// name=option=value:..., and must contain typed values only, never text from a user.
func newGraph(l frameFormat, base astiav.Rational, filters []string, threads int) (*graph, error) {
	params := astiav.AllocBuffersrcFilterContextParameters()
	defer params.Free()
	params.SetWidth(l.width)
	params.SetHeight(l.height)
	params.SetPixelFormat(l.format)
	params.SetTimeBase(base)
	params.SetSampleAspectRatio(astiav.NewRational(l.aspectNum, l.aspectDen))
	params.SetColorSpace(l.space)
	params.SetColorRange(l.colors)
	g, err := buildGraph("buffer", "buffersink", params, filters, threads)
	if err != nil {
		return nil, fmt.Errorf("building the filters %q for %+v: %w", filters, l, err)
	}
	return g, nil
}

// newAudioGraph builds a chain of filters for stereo float at media.SampleRate. Filters are given
// as to newGraph.
func newAudioGraph(filters []string) (*graph, error) {
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
) (*graph, error) {
	g := &graph{graph: astiav.AllocFilterGraph()}
	g.graph.SetThreadCount(threads)
	if err := g.build(source, sink, params, filters); err != nil {
		g.close()
		return nil, err
	}

	return g, nil
}

func (g *graph) build(
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

// push sends a frame into the chain, nil at the end. The frame stays the caller's.
func (g *graph) push(f *astiav.Frame) error {
	return g.in.AddFrame(f, astiav.NewBuffersrcFlags(astiav.BuffersrcFlagKeepRef))
}

// pull receives the next frame. isAgain and isEOF classify its errors.
func (g *graph) pull(f *astiav.Frame) error { return g.out.GetFrame(f, astiav.NewBuffersinkFlags()) }

func (g *graph) close() { g.graph.Free() }

// applyFormat writes the resolved format and colors of l into a frame, so that the frame matches
// the graph that was built for l.
func applyFormat(f *astiav.Frame, l frameFormat) {
	f.SetPixelFormat(l.format)
	f.SetColorSpace(l.space)
	f.SetColorRange(l.colors)
}
