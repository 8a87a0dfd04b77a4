package libav

import (
	"errors"
	"io"
	"slices"

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

// videoList lists the video packets of an MP4 or MOV, in file order, without reading them.
type videoList struct {
	source   *source
	offsets  []int32 // of composition; nil if all are 0
	shift    int64   // of all time stamps, so that none of them is negative
	duration int64   // of every packet if there are offsets
}

// errUnlisted says that the index of a file does not tell what reading would.
var errUnlisted = errors.New("the index does not list the video")

// listVideo lists the video. read are the first packets as libav reads them, at least leastListed.
// It returns nil if the index does not tell what reading would.
func (s *source) listVideo(read []packetFacts) *videoList {
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
	l := &videoList{source: s, offsets: offsets, duration: read[0].duration}
	i := 0
	err := l.each(0, func(p listedPacket) error {
		if i == 0 {
			l.shift = read[0].pts - p.pts
			p.pts = read[0].pts
		}

		if p.duration < 0 || (p.duration == 0 && offsets == nil) || p.size <= 0 || p.pos < 0 || p.pos > s.size-p.size ||
			(i < len(read) && p.packetFacts != read[i]) {
			return errUnlisted
		}

		i++
		return nil
	})
	if err != nil {
		return nil
	}
	return l
}

// each calls visit with the packets from one on until visit fails.
func (l *videoList) each(from int, visit func(p listedPacket) error) error {
	stream := l.source.video.stream
	var last listedPacket
	began := false
	pass := func(next int64) error {
		if !began {
			return nil
		}
		if l.offsets == nil {
			last.duration = next - last.dts
		}
		last.pts += l.shift
		return visit(last)
	}
	err := eachIndexed(stream, from, func(i int, e indexEntry) error {
		if err := pass(e.time); err != nil {
			return err
		}
		began = true
		facts := packetFacts{pts: e.time, duration: l.duration, size: e.size, key: e.key, hidden: e.hidden}
		if l.offsets != nil {
			facts.pts += int64(l.offsets[i])
		}
		last = listedPacket{packetFacts: facts, pos: e.pos, dts: e.time}
		return nil
	})
	if err != nil {
		return err
	}
	return pass(stream.Duration())
}

// data reads the data of a listed packet, or its first bytes if most is less. The data is valid
// until the next call.
func (s *source) data(p listedPacket, most int64) ([]byte, error) {
	size := int(min(p.size, most))
	s.listedData = slices.Grow(s.listedData[:0], size)
	data := s.listedData[:size]
	n, err := s.file.ReadAt(data, p.pos)
	if n == len(data) {
		return data, nil
	}
	if errors.Is(err, io.EOF) {
		err = errChanged()
	}
	return nil, err
}
