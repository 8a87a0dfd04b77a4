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
	lengthSize int     // bytes of the length before each NAL unit in its packets
	times      []int64 // time stamp of each packet, in the unit of the track
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
	s, err := openUntrusted(ctx, in.Path)
	if err != nil {
		return coded{}, "", err
	}
	defer s.close()
	if s.video == nil {
		return coded{}, "", errChanged()
	}
	s.only(s.video)
	p := s.video.params
	if s.video.name != "h264" || s.name != "mov" && s.name != "matroska" || p.PixelFormat() != astiav.PixelFormatYuv420P {
		return coded{}, whyCodec, nil
	}
	if c.config, err = parseAVC(p.ExtraData()); err != nil {
		return coded{}, whyCodec, nil
	}
	c.lengthSize = c.config.lengthSize
	if same, err := r.looksLikeExport(ctx, input); err != nil || !same {
		return coded{}, whyLook, err
	}
	grid := newGrid(s.video, r.origins[input].video, r.plan.Rate)
	for {
		if _, err := s.next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return coded{}, "", err
		}
		if !c.add(s.packet, grid) {
			return coded{}, whySets, nil
		}
		if len(c.times)%1000 == 0 {
			r.meter.alive()
		}
	}
	if len(c.Sync) == 0 {
		return coded{}, whyCodec, nil
	}
	return c, "", nil
}

// looksLikeExport reports whether the pictures of an input come out of the painter as they went in.
func (r *render) looksLikeExport(ctx context.Context, input int) (bool, error) {
	open, err := openPictures(ctx, r.plan.Inputs[input].Path, r.origins[input].video, r.plan.Rate, 1)
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

// add notes the next packet. It returns false for one that cannot be told apart from the rest or brings parameter sets of its own.
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
			c.Sync = append(c.Sync, len(c.times))
		}
	}
	c.Frames = append(c.Frames, frame)
	c.times = append(c.times, p.Pts())
	return true
}

// packetReader reads packets of one input again. close frees it.
type packetReader struct {
	coded  *coded
	source *source
	next   int  // the packet that is read next, -1 where that is not known
	held   bool // it was read already
}

func openPacketReader(ctx context.Context, path string, c *coded) (*packetReader, error) {
	s, err := openUntrusted(ctx, path)
	if err != nil {
		return nil, err
	}
	if s.video == nil {
		s.close()
		return nil, errChanged()
	}
	s.only(s.video)
	return &packetReader{coded: c, source: s}, nil
}

// packetReach is how many packets are rather read and passed over than sought past.
const packetReach = 30

// packets hands packets [first, last) to each, which gets the number of each and must not keep it.
func (c *packetReader) packets(first, last int, each func(i int, p *astiav.Packet) error) error {
	if c.next < 0 || first < c.next || first > c.next+packetReach {
		if err := c.seek(first); err != nil {
			return err
		}
	}
	for c.next < last {
		if err := c.read(); err != nil {
			return err
		}
		i := c.next
		c.next++
		if c.source.packet.Pts() != c.coded.times[i] {
			return errChanged()
		}
		if i < first {
			continue
		}
		if err := each(i, c.source.packet); err != nil {
			return err
		}
	}
	return nil
}

// seek makes packet first, or one before it, the next. Containers seek to where they think best; where that was is told by the time of the
// packet that is found there.
func (c *packetReader) seek(first int) error {
	c.next, c.held = -1, false
	for try := range 4 {
		to := max(0, first-try*try*100)
		if err := c.source.seekTo(c.source.video, c.coded.times[to]); err != nil {
			return err
		}
		if err := c.read(); err != nil {
			return err
		}
		for at := first; at >= 0; at-- {
			if c.coded.times[at] == c.source.packet.Pts() {
				c.next, c.held = at, true
				return nil
			}
		}
	}
	return errChanged()
}

func (c *packetReader) read() error {
	if c.held {
		c.held = false
		return nil
	}
	_, err := c.source.next()
	if errors.Is(err, io.EOF) {
		return errChanged()
	}
	return err
}

func (c *packetReader) close() { c.source.close() }
