package libav

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// coded is the picture of an input whose packets can be copied into an export as they are.
type coded struct {
	media.PacketIndex
	config     avcConfig
	hevc       *hevcConfig   // nil where it is H.264
	lengthSize int           // bytes of the length before each NAL unit in its packets
	packets    *packetReader // nil where they are not copied
	begins     []bool        // at which frames of the grid a picture does
}

// Why the packets of an input are not copied, in words for the record of an export.
const (
	whyNoPicture = "there is no picture"
	whyCodec     = "it is not H.264 of 8 bits and 4:2:0 in an MP4, MOV or Matroska file"
	whyAgain     = "a first try failed its check"
	whyNotHEVC   = "it is not HEVC of 8 or 10 bits in an MP4, MOV or Matroska file"
	whyDrawn     = "its pictures have 10 bits, which stay only where nothing is drawn on them"
	whyLook      = "its size, shape or colours are not those of the export"
	whySets      = "its coding changes within the recording, or is not that of another recording of the export"
)

// codedPictures reads how the pictures of an input are coded. Where they cannot be copied into the
// plan's export, why is not empty.
func (r *render) codedPictures(ctx context.Context, input int) (c coded, why string, err error) {
	in := r.plan.Inputs[input]
	if !in.HasVideo {
		return coded{}, whyNoPicture, nil
	}
	packets, err := openPackets(ctx, in.Path, true)
	if err != nil {
		return coded{}, "", err
	}
	c.packets = packets
	defer func() {
		if err != nil || why != "" {
			packets.close()
		}
	}()
	if why = c.configure(packets, r.plan.KeepCodec); why != "" {
		return coded{}, why, nil
	}
	if same, err := r.looksLikeExport(ctx, input, c.format()); err != nil || !same {
		return coded{}, whyLook, err
	}
	grid := newGrid(packets.track, r.origins[input], r.plan.Rate)
	add := c.add
	if c.hevc != nil {
		add = c.addHEVC
	}
	c.Frames = slices.Grow(c.Frames, indexLength(packets.track.stream))
	err = packets.all(func(p *astiav.Packet) error {
		if !add(p, grid) {
			return errOtherSets
		}
		if len(c.Frames)%1000 == 0 {
			r.meter.alive()
		}
		return nil
	})
	switch {
	case errors.Is(err, errOtherSets):
		return coded{}, whySets, nil
	case err != nil:
		return coded{}, "", err
	case len(c.Sync) == 0:
		return coded{}, whyCodec, nil
	}
	c.begins = framesWithin(c.Frames, r.plan.Rate.Frame(maxSeconds*1000))
	c.leaveOutDoubles()
	return c, "", nil
}

// leaveOutDoubles has pictures that fall on one frame encoded: only the last of them is shown, and
// a copy would show another.
func (c *coded) leaveOutDoubles() {
	at := make([]int, len(c.begins)) // the first picture of each frame, counted from 1
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

// framesWithin reports for each frame up to a limit whether it is one of some. What a packet says
// of its time may be beyond all bounds.
func framesWithin(frames []int64, limit int64) []bool {
	begins := make([]bool, max(0, min(slices.Max(frames), limit))+1)
	for _, frame := range frames {
		if frame >= 0 && frame < int64(len(begins)) {
			begins[frame] = true
		}
	}
	return begins
}

// openPictures opens the picture of an input, to be shown at the frames of the plan. What is known
// of its packets saves decoding.
func (r *render) openPictures(input, threads int) (*pictures, error) {
	open, err := openPictures(r.ctx, r.plan.Inputs[input].Path, r.origins[input], r.plan.Rate, threads)
	if err != nil {
		return nil, err
	}
	if c := r.inputs[input]; c.packets != nil && c.hevc == nil {
		open.spare(
			c.lengthSize,
			func(frame int64) bool { return frame >= 0 && frame < int64(len(c.begins)) && c.begins[frame] },
		)
	}
	return open, nil
}

// configure reads what decoders are told before the first packet. It returns why packets of that
// kind cannot be copied, where they cannot.
func (c *coded) configure(packets *packetReader, keepCodec bool) (why string) {
	var err error
	switch extra := packets.track.params.ExtraData(); {
	case copiesFrom(packets.source):
		if c.config, err = parseAVC(extra); err != nil {
			return whyCodec
		}
		c.lengthSize = c.config.lengthSize
	case keepCodec && packets.track.name == "hevc" && plainPackets(packets.source, astiav.PixelFormatYuv420P, astiav.PixelFormatYuv420P10Le):
		if c.hevc, err = parseHEVC(extra); err != nil {
			return whySets // they come with the packets, and may be others each time
		}
		c.lengthSize = c.hevc.lengthSize
	default:
		return whyCodec
	}
	return ""
}

// copiesFrom reports that an export may be able to copy the pictures of a recording into an export
// of the usual kind.
func copiesFrom(s *source) bool {
	return s.video.name == "h264" && plainPackets(s, astiav.PixelFormatYuv420P)
}

// plainPackets reports pictures of one of some formats, in a container whose packets hold the
// lengths of their units.
func plainPackets(s *source, formats ...astiav.PixelFormat) bool {
	return (s.name == "mov" || s.name == "matroska") && slices.Contains(formats, s.video.params.PixelFormat())
}

// errOtherSets is a packet that brings parameter sets of its own, or cannot be told apart from the
// rest.
var errOtherSets = errors.New("the coding changes within the recording")

// format returns the kind of pictures in an input that can be copied.
func (c *coded) format() astiav.PixelFormat { return c.packets.source.video.params.PixelFormat() }

// looksLikeExport reports whether the pictures of an input come out of the painter as they went in,
// where the export is of a format.
func (r *render) looksLikeExport(ctx context.Context, input int, format astiav.PixelFormat) (bool, error) {
	open, err := openPictures(ctx, r.plan.Inputs[input].Path, r.origins[input], r.plan.Rate, 1)
	if err != nil {
		return false, err
	}
	defer open.close()
	frame, _, err := open.at(0)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	if err != nil || isInterlaced(frame) {
		return false, err
	}
	canvas := r.canvas()
	canvas.format = format
	return len(canvas.chain(lookOf(frame), open.turn(frame))) == 0, nil
}

// add notes the next packet. Copies begin at an IDR picture only. Pictures after any other
// keyframe, a recovery point, count their order and their references on from pictures that would be
// gone: a decoder misses those, shows pictures too late, or warns. It returns false for one that
// cannot be told apart from the rest or brings parameter sets of its own.
func (c *coded) add(p *astiav.Packet, g grid) bool {
	frame := gridFrame(p, g)
	if p.Flags().Has(astiav.PacketFlagKey) {
		idr, known := false, true
		whole := units(packetData(p), c.lengthSize, func(unit []byte) {
			switch unit[0] & 31 {
			case nalIDR:
				idr = true
			case nalSPS, nalPPS:
				known = known && c.config.has(unit)
			}
		})
		if !whole || !known {
			return false
		}
		if idr && frame >= 0 {
			c.Sync = append(c.Sync, len(c.Frames))
		}
	}
	c.Frames = append(c.Frames, frame)
	return true
}

// addHEVC notes the next packet as add does. Copies begin at any random access picture. Leading
// pictures behind it, which may refer to what would be gone, are then passed over; nothing else
// refers to them.
func (c *coded) addHEVC(p *astiav.Packet, g grid) bool {
	frame := gridFrame(p, g)
	kind, ok := c.hevc.kind(packetData(p))
	if !ok {
		return false
	}
	if c.hevc.begins(packetData(p), kind) && frame >= 0 {
		c.Sync = append(c.Sync, len(c.Frames))
	}
	c.Frames, c.Leading = append(c.Frames, frame), append(c.Leading, leads(kind))
	return true
}

// gridFrame returns the frame that a packet shows, -1 where that is not known or the packet is not
// to be shown.
func gridFrame(p *astiav.Packet, g grid) int64 {
	if p.Pts() == noPTS || p.Flags().Has(astiav.PacketFlagDiscard) || p.Flags().Has(astiav.PacketFlagCorrupt) {
		return -1
	}
	return g.index(p.Pts())
}

// carried returns a packet as an export has it. With first it begins a copy. The caller frees it.
func (c *coded) carried(p *astiav.Packet, first, inBand bool) (own *astiav.Packet, err error) {
	key, data := p.Flags().Has(astiav.PacketFlagKey), packetData(p)
	switch {
	case c.hevc != nil:
		kind, _ := c.hevc.kind(data)
		return chunkPacket{key: randomAccess(kind), data: c.hevc.carried(data, first, inBand)}.packet()
	case c.lengthSize != 4:
		return chunkPacket{key: key, data: fourByteLengths(data, c.lengthSize)}.packet()
	}
	if own, err = sharedPacket(p); err == nil && key {
		own.SetFlags(astiav.NewPacketFlags(astiav.PacketFlagKey))
	}
	return own, err
}
