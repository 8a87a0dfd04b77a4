package libav

import (
	"errors"
	"io"

	"github.com/asticode/go-astiav"

	"roughcut/media/bitstream"
)

// packetFacts is what a packet says without its data.
type packetFacts struct {
	pts, duration int64 // in the time base of the track; pts is packetTime
	size          int64 // bytes
	key           bool
	hidden        bool // it is decoded, but not shown
	doubtful      bool // it is damaged, or has no PTS
}

func factsOf(p *astiav.Packet) packetFacts {
	flags := p.Flags()
	return packetFacts{
		pts: packetTime(p), duration: p.Duration(), size: int64(p.Size()),
		key: flags.Has(astiav.PacketFlagKey), hidden: flags.Has(astiav.PacketFlagDiscard),
		doubtful: p.Pts() == noPTS || flags.Has(astiav.PacketFlagCorrupt),
	}
}

// listedPacket is a video packet in the index of a file.
type listedPacket struct {
	packetFacts
	pos int64 // in the file
	dts int64
}

// leastListed is the number of packets that must be read before listVideo, if there are as many.
const leastListed = 16

// listVideo returns all video packets of an MP4 or MOV, in file order, without reading them. read
// are the first ones as libav reads them, at least leastListed. It returns nil if the index does
// not tell what reading would.
func (s *source) listVideo(read []packetFacts) []listedPacket {
	if s.name != "mov" || s.video == nil {
		return nil
	}
	n := indexLength(s.video.stream)
	if n > maxPackets || len(read) > n || len(read) < min(leastListed, n) || len(read) == 0 {
		return nil
	}
	offsets, ok := bitstream.CompositionOffsets(s.file, s.size, uint32(s.video.stream.ID()), n)
	if !ok {
		return nil
	}
	entries, list := indexEntries(s.video.stream), make([]listedPacket, n)
	// libav shifts all time stamps, so that none of them is negative.
	shift := read[0].pts - entries[0].time
	if offsets != nil {
		shift -= int64(offsets[0])
	}
	end := s.video.stream.Duration()
	for i, e := range entries {
		p := listedPacket{
			packetFacts: packetFacts{pts: e.time + shift, size: e.size, key: e.key, hidden: e.hidden},
			pos:         e.pos,
			dts:         e.time,
		}
		if offsets != nil {
			p.pts, p.duration = p.pts+int64(offsets[i]), read[0].duration
		} else if p.duration = end - e.time; i+1 < n {
			p.duration = entries[i+1].time - e.time
		}
		if p.duration < 0 || p.duration == 0 && offsets == nil || p.size <= 0 || p.pos < 0 || p.pos > s.size-p.size ||
			i < len(read) && p.packetFacts != read[i] {
			return nil
		}
		list[i] = p
	}
	return list
}

// data reads the data of a listed packet, or its first bytes if most is less.
func (s *source) data(p listedPacket, most int64) ([]byte, error) {
	data := make([]byte, min(p.size, most))
	n, err := s.file.ReadAt(data, p.pos)
	if n == len(data) {
		return data, nil
	}
	if errors.Is(err, io.EOF) {
		err = errChanged()
	}
	return nil, err
}
