package libav

import (
	"context"
	"errors"
	"io"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// coded is the picture of an input whose packets can be copied into an export as they are.
type coded struct {
	media.Coded
	config     avcConfig
	lengthSize int           // bytes of the length before each NAL unit in its packets
	packets    *packetReader // nil where they are not copied
}

// Why the packets of an input are not copied, in words for the record of an export.
const (
	whyNoPicture = "there is no picture"
	whyCodec     = "it is not H.264 in an MP4, MOV or Matroska file"
	whyLook      = "its size, shape or colours are not those of the export"
	whySets      = "its coding changes within the recording, or is not that of another recording of the export"
)

// codedPictures reads how the pictures of an input are coded. Where they cannot be copied into the plan's export, why is not empty.
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
	p := packets.track.params
	if !copiesFrom(packets.source) {
		return coded{}, whyCodec, nil
	}
	if c.config, err = parseAVC(p.ExtraData()); err != nil {
		return coded{}, whyCodec, nil
	}
	c.lengthSize = c.config.lengthSize
	if same, err := r.looksLikeExport(ctx, input); err != nil || !same {
		return coded{}, whyLook, err
	}
	grid := newGrid(packets.track, r.origins[input], r.plan.Rate)
	err = packets.all(func(p *astiav.Packet) error {
		if !c.add(p, grid) {
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
	return c, "", nil
}

// copiesFrom reports that an export may be able to copy the pictures of a recording: H.264, 8 bits and 4:2:0, in a container whose packets hold their
// lengths.
func copiesFrom(s *source) bool {
	return s.video.name == "h264" && (s.name == "mov" || s.name == "matroska") && s.video.params.PixelFormat() == astiav.PixelFormatYuv420P
}

// errOtherSets is a packet that brings parameter sets of its own, or cannot be told apart from the rest.
var errOtherSets = errors.New("the coding changes within the recording")

// looksLikeExport reports whether the pictures of an input come out of the painter as they went in.
func (r *render) looksLikeExport(ctx context.Context, input int) (bool, error) {
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
	return len(r.canvas().chain(lookOf(frame), open.turn(frame))) == 0, nil
}

// add notes the next packet. Copies begin at an IDR picture only. Pictures after any other keyframe, a recovery point, count their order and their
// references on from pictures that would be gone: a decoder misses those, shows pictures too late, or warns. It returns false for one that cannot be told apart from the rest or brings parameter sets of its own.
func (c *coded) add(p *astiav.Packet, g grid) bool {
	frame := int64(-1)
	if p.Pts() != noPTS && !p.Flags().Has(astiav.PacketFlagDiscard) && !p.Flags().Has(astiav.PacketFlagCorrupt) {
		frame = g.index(p.Pts())
	}
	if p.Flags().Has(astiav.PacketFlagKey) {
		idr, known := false, true
		whole := units(p.Data(), c.lengthSize, func(unit []byte) {
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
