package libav

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/bitstream"
	"roughcut/media/libav/av"
)

// copySource is the video of an input whose packets an export can copy.
type copySource struct {
	media.PacketIndex
	config      bitstream.AVCConfig   // empty if it is not H.264
	hevc        *bitstream.HEVCConfig // nil if it is H.264
	ids         *bitstream.HEVCIDs    // of its parameter sets in the export, nil if they stay
	fixedIDs    bool                  // some of its HEVC packets cannot get other IDs
	display     bitstream.Display     // that its HDR frames were mastered on
	lengthSize  int                   // bytes of the length before each NAL unit in its packets
	packets     *av.PacketReader      // nil if they are not copied
	startsFrame []bool                // by grid frame: whether a picture starts there
}

// Reasons why the packets of an input are not copied, for the result of an export.
const (
	whyNoVideo = "it has no video"
	whyCodec   = "it is not 8-bit 4:2:0 H.264 in an MP4, MOV or Matroska file"
	whyAgain   = "the first attempt failed its check"
	whyNotHEVC = "it is not HEVC"
	whyNotKept = "it is not in an MP4, MOV or Matroska file"
	whyGray    = "it is grayscale"
	whyDepth   = "its bit depth is not 8 or 10"
	whyRGB     = "its colors are stored as RGB"
	whyNoStart = "no copy can start at its keyframes"
	whyDrawn   = "it is not 8-bit 4:2:0 video, and captions, overlays or a punch-in are drawn on it"
	whyMixed   = "the recordings differ in their bit depth or chroma subsampling"
	whyColors  = "its pixel shape or colors differ from the export"
	whyFlipped = "the export is mirrored"
	whyFields  = "it is interlaced"
	whySets    = "its parameter sets change within the recording or conflict with another recording"
)

// openCopySource reads how the video of an input is encoded. If it cannot be copied into the plan's
// export, why says so.
func (r *render) openCopySource(ctx context.Context, input int) (c copySource, why string, err error) {
	in := r.plan.Inputs[input]
	if !in.HasVideo {
		return copySource{}, whyNoVideo, nil
	}
	packets, err := av.OpenPackets(ctx, in.Path, astiav.MediaTypeVideo)
	if err != nil {
		return copySource{}, "", err
	}

	c.packets = packets
	defer func() {
		if err != nil || why != "" {
			packets.Close()
		}
	}()
	if why = c.configure(packets, r.plan.KeepCodec); why != "" {
		return copySource{}, why, nil
	}
	if why, err = r.differs(input, c.format()); err != nil || why != "" {
		return copySource{config: c.config}, why, err
	}

	if r.colors.HDR() {
		c.display = r.first[input].display
	}
	if r.known != nil && !(r.uneven[input] && packets.Source.Name == "mov") {
		c.PacketIndex = r.known[input]
		switch {
		case len(c.Sync) > 0:
			return c, "", r.refineKeyframes(&c, input)
		case c.hevc != nil:
			return c, "", nil // its frame rate keeps it from being copied, but not from being HEVC
		}

		return copySource{config: c.config}, whyCodec, nil
	}

	grid := av.NewGrid(packets.Track, r.origins[input], r.plan.Rate)
	add, read := c.add, packets.ReadSparing
	if c.hevc != nil {
		add, read = c.addHEVC, packets.ReadAll
	}
	c.Frames = slices.Grow(c.Frames, av.IndexLength(packets.Track.Stream))
	err = read(func(p *astiav.Packet) error {
		if !add(p, grid) {
			return errOtherSets
		}
		if len(c.Frames)%1000 == 0 {
			r.meter.Alive()
		}
		return nil
	})
	switch {
	case errors.Is(err, errOtherSets):
		return copySource{config: c.config}, whySets, nil
	case err != nil:
		return copySource{}, "", err
	case len(c.Sync) == 0:
		return copySource{config: c.config}, whyNoStart, nil
	}

	c.startsFrame = framesWithin(c.Frames, r.plan.Rate.Frame(av.MaxSeconds*1000))
	c.skipSharedFrames()
	return c, "", nil
}

// skipSharedFrames excludes pictures that share a grid frame from copying. Only the last of them is
// shown, but a copy would show another.
func (c *copySource) skipSharedFrames() {
	at := make([]int, len(c.startsFrame)) // the first picture of each frame, counted from 1
	for i, frame := range c.Frames {
		switch {
		case frame < 0 || frame >= int64(len(at)):
		case at[frame] == 0:
			at[frame] = i + 1
		default:
			c.Frames[at[frame]-1], c.Frames[i] = -1, -1
		}
	}

	c.Sync = slices.DeleteFunc(c.Sync, func(i int) bool { return c.Frames[i] < 0 })
}

// framesWithin returns which frames up to a limit are listed. The limit bounds memory, because time
// stamps of packets can be arbitrarily large.
func framesWithin(frames []int64, limit int64) []bool {
	begins := make([]bool, max(0, min(slices.Max(frames), limit))+1)
	for _, frame := range frames {
		if frame >= 0 && frame < int64(len(begins)) {
			begins[frame] = true
		}
	}

	return begins
}

// copiesMost reports whether a copy without cuts would leave few and short heads to the encoder:
// the keyframes are near each other, and most grid frames can be copied. In a recording with a
// variable frame rate, every missing frame ends a copy.
func (c *copySource) copiesMost(rate media.Rate) bool {
	frames := slices.Max(c.Frames) + 1
	if len(c.Sync) == 0 || float64(frames) > headsGap*rate.Float()*float64(len(c.Sync)) {
		return false
	}
	whole := media.RenderPlan{Rate: rate, Segments: []media.Segment{{Out: frames}}}
	copied := int64(0)
	for _, chunk := range whole.Chunks([]media.PacketIndex{c.PacketIndex}, frames, worthCopying) {
		if chunk.Copy {
			copied += chunk.Frames()
		}
	}

	return float64(copied) >= headsCopied*float64(frames)
}

// distinct reports whether at most one picture starts at each grid frame.
func (c *copySource) distinct() bool {
	frames := 0
	for _, starts := range c.startsFrame {
		if starts {
			frames++
		}
	}

	return frames == len(c.Frames)
}

// openInput opens the video of an input on the grid of the plan. It skips needless decoding if the
// packets are known.
func (r *render) openInput(input, threads int) (*av.VideoReader, error) {
	open, err := av.OpenVideo(r.ctx, r.plan.Inputs[input].Path, r.origins[input], r.plan.Rate, threads)
	if err != nil {
		return nil, err
	}
	if c := r.inputs[input]; c.packets != nil && c.hevc == nil {
		open.SkipDisposable(
			c.lengthSize,
			func(frame int64) bool { return frame >= 0 && frame < int64(len(c.startsFrame)) && c.startsFrame[frame] },
			c.distinct(),
		)
	}

	return open, nil
}

// configure reads the decoder configuration. why is empty if packets of this kind can be copied.
func (c *copySource) configure(packets *av.PacketReader, keepCodec bool) (why string) {
	var err error
	_, _, isKnown := av.HEVCFormat(c.format())
	switch extra := packets.Track.Params.ExtraData(); {
	case canCopyVideo(packets.Source):
		if c.config, err = bitstream.ParseAVC(extra); err != nil {
			return whyCodec
		}
		c.lengthSize = c.config.LengthSize
	case keepCodec && packets.Track.Name == "hevc" && isKnown && hasUnitLengths(packets.Source):
		if c.hevc, err = bitstream.ParseHEVC(extra); err != nil {
			return whySets // the packets bring the sets, which may differ each time
		}
		c.lengthSize = c.hevc.LengthSize
	case keepCodec:
		return whyNoHEVC(packets.Source)
	default:
		return whyCodec
	}

	return ""
}

// whyNoHEVC returns why an export cannot copy the video of a recording as HEVC.
func whyNoHEVC(s *av.Source) string {
	format := pixelFormat(s)
	switch {
	case s.Video.Name != "hevc":
		return whyNotHEVC
	case !hasUnitLengths(s):
		return whyNotKept
	case strings.HasPrefix(format.Name(), "gray"):
		return whyGray
	case format.Descriptor().Flags().Has(astiav.PixelFormatDescriptorFlagRgb):
		return whyRGB
	}

	return whyDepth
}

// canCopyVideo reports whether an H.264 export may be able to copy the video of a recording.
func canCopyVideo(s *av.Source) bool {
	return s.Video.Name == "h264" && hasUnitLengths(s) && pixelFormat(s) == astiav.PixelFormatYuv420P
}

// hasUnitLengths reports a container whose packets hold the lengths of their units.
func hasUnitLengths(s *av.Source) bool { return s.Name == "mov" || s.Name == "matroska" }

// pixelFormat returns the pixel format of the video of a recording, whatever its range.
func pixelFormat(s *av.Source) astiav.PixelFormat {
	plain, _ := av.CurrentFormat(s.Video.Params.PixelFormat())
	return plain
}

// errOtherSets is a packet that brings other parameter sets, or that is damaged.
var errOtherSets = errors.New("the parameter sets change within the recording")

// format returns the pixel format of an input.
func (c *copySource) format() astiav.PixelFormat { return pixelFormat(c.packets.Source) }

// firstFrame returns how the first frame of an input is stored. It decodes the frame once.
func (r *render) firstFrame(input int) (firstFrame, error) {
	if found, ok := r.first[input]; ok {
		return found, nil
	}
	open, err := av.OpenVideo(r.ctx, r.plan.Inputs[input].Path, r.origins[input], r.plan.Rate, 1)
	if err != nil {
		return firstFrame{}, err
	}
	defer open.Close()
	var found firstFrame
	frame, _, err := open.At(0)
	if err != nil && !errors.Is(err, io.EOF) {
		return firstFrame{}, err
	}
	if err == nil {
		found = firstFrame{av.FormatOf(frame), open.Orient(frame), !open.Deinterlaces(), av.DisplayOf(frame)}
	}
	if r.first == nil {
		r.first = map[int]firstFrame{}
	}
	r.first[input] = found
	return found, nil
}

// differs returns why the video of an input needs a conversion for an export of a pixel format, or
// an empty string.
func (r *render) differs(input int, format astiav.PixelFormat) (why string, err error) {
	first, err := r.firstFrame(input)
	if err != nil {
		return "", err
	}
	canvas := r.canvas()
	canvas.Format = format
	recorded := first.format
	if r.turn(first.orient).SwapsSides() {
		recorded.Width, recorded.Height = recorded.Height, recorded.Width
	}

	switch {
	case !first.progressive:
		return whyFields, nil
	case len(canvas.Filters(first.format, r.turn(first.orient))) == 0:
		return "", nil
	case canvas.Width != recorded.Width || canvas.Height != recorded.Height:
		if r.turned.SwapsSides() {
			recorded.Width, recorded.Height = recorded.Height, recorded.Width
		}
		return fmt.Sprintf(
			"the export is %d×%d, the recording is %d×%d", r.plan.Width, r.plan.Height, recorded.Width, recorded.Height,
		), nil
	case canvas.FlipH || canvas.FlipV:
		return whyFlipped, nil
	}

	return whyColors, nil
}

// add adds the next packet to the index. Copies start at IDR pictures only. Pictures after any
// other keyframe (a recovery point) number their order and references from pictures that a copy
// lacks. Decoders then report missing pictures, show pictures too late, or warn. add returns false
// for a packet that is damaged or brings other parameter sets.
func (c *copySource) add(p *astiav.Packet, g av.Grid) bool {
	frame := shownFrame(p, g)
	if p.Flags().Has(astiav.PacketFlagKey) {
		idr, ok := c.config.Keyframe(av.PacketData(p))
		if !ok {
			return false
		}
		if idr && frame >= 0 {
			c.Sync = append(c.Sync, len(c.Frames))
		}
	}

	c.Frames = append(c.Frames, frame)
	return true
}

// addHEVC adds the next packet as add does. Copies start at any random access picture. Leading
// pictures after it, which may refer to missing ones, are skipped then; no other picture refers to
// them.
func (c *copySource) addHEVC(p *astiav.Packet, g av.Grid) bool {
	frame := shownFrame(p, g)
	kind, ok := c.hevc.Picture(av.PacketData(p))
	if !ok {
		return false
	}
	if c.hevc.CanStart(av.PacketData(p), kind) && frame >= 0 {
		c.Sync = append(c.Sync, len(c.Frames))
	}
	c.Frames, c.Leading = append(c.Frames, frame), append(c.Leading, kind.Leading())
	c.fixedIDs = c.fixedIDs || !c.hevc.CanRename(av.PacketData(p))
	return true
}

// shownFrame returns the grid frame that a packet shows, -1 if that is unknown or the packet is not
// shown.
func shownFrame(p *astiav.Packet, g av.Grid) int64 {
	if p.Pts() == av.NoPTS || p.Flags().Has(astiav.PacketFlagDiscard) || p.Flags().Has(astiav.PacketFlagCorrupt) {
		return -1
	}
	return g.Index(p.Pts())
}

// exportPacket returns a packet as the export holds it. first says that it starts a copy. The
// caller frees it.
func (c *copySource) exportPacket(p *astiav.Packet, first bool) (own *astiav.Packet, err error) {
	key, data := p.Flags().Has(astiav.PacketFlagKey), av.PacketData(p)
	switch {
	case c.hevc != nil:
		return hevcPacket(c.hevc, data, bitstream.HEVCRewrite{IDs: c.ids, Display: c.display, First: first})
	case c.lengthSize != 4:
		return cachedPacket{key: key, data: bitstream.FourByteLengths(data, c.lengthSize)}.packet()
	}

	if own, err = av.SharedPacket(p); err == nil && key {
		own.SetFlags(astiav.NewPacketFlags(astiav.PacketFlagKey))
	}
	return own, err
}

// errNoIDs is an HEVC packet whose parameter sets cannot get the IDs of the export.
var errNoIDs = badExport{"a packet of HEVC refers to other parameter sets"}

// hevcPacket returns a packet of a configuration as the export holds it.
func hevcPacket(config *bitstream.HEVCConfig, data []byte, how bitstream.HEVCRewrite) (*astiav.Packet, error) {
	kind, known := config.Picture(data)
	rewritten, renamed := config.Rewrite(data, how)
	if !known || !renamed {
		return nil, errNoIDs
	}
	return cachedPacket{key: kind.RandomAccess(), data: rewritten}.packet()
}
