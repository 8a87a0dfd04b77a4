package av

import (
	"errors"
	"io"
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media/bitstream"
)

// PacketFacts is what a packet says without its data.
type PacketFacts struct {
	PTS, Duration int64 // in the time base of the track; pts is PacketTime
	Size          int64 // bytes
	Key           bool
	Hidden        bool // it is decoded, but not shown
	Doubtful      bool // it is damaged, or has no PTS
}

// FactsOf returns what a packet says without its data.
func FactsOf(p *astiav.Packet) PacketFacts {
	flags := p.Flags()
	return PacketFacts{
		PTS: PacketTime(p), Duration: p.Duration(), Size: int64(p.Size()),
		Key: flags.Has(astiav.PacketFlagKey), Hidden: flags.Has(astiav.PacketFlagDiscard),
		Doubtful: p.Pts() == NoPTS || flags.Has(astiav.PacketFlagCorrupt),
	}
}

// ListedPacket is a video packet in the index of a file.
type ListedPacket struct {
	PacketFacts
	pos int64 // in the file
	dts int64
}

// leastListed is the number of packets that must be read before ListVideo, if there are as many.
const leastListed = 16

// VideoList lists the video packets of an MP4 or MOV, in file order, without reading them.
type VideoList struct {
	source   *Source
	offsets  []int32 // of composition; nil if all are 0
	shift    int64   // of all time stamps, so that none of them is negative
	duration int64   // of every packet if there are offsets
}

// errUnlisted says that the index of a file does not tell what reading would.
var errUnlisted = errors.New("the index does not list the video")

// ListVideo lists the video. read are the first packets as libav reads them, at least leastListed.
// It returns nil if the index does not tell what reading would.
func (s *Source) ListVideo(read []PacketFacts) *VideoList {
	if s.Name != "mov" || s.Video == nil {
		return nil
	}
	n := IndexLength(s.Video.Stream)
	if n > maxPackets || len(read) > n || len(read) < min(leastListed, n) || len(read) == 0 {
		return nil
	}
	offsets, ok := bitstream.CompositionOffsets(s.file, s.Size, uint32(s.Video.Stream.ID()), n)
	if !ok {
		return nil
	}
	l := &VideoList{source: s, offsets: offsets, duration: read[0].Duration}
	i := 0
	err := l.Each(0, func(p ListedPacket) error {
		if i == 0 {
			l.shift = read[0].PTS - p.PTS
			p.PTS = read[0].PTS
		}

		if p.Duration < 0 || (p.Duration == 0 && offsets == nil) || p.Size <= 0 || p.pos < 0 || p.pos > s.Size-p.Size ||
			(i < len(read) && p.PacketFacts != read[i]) {
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

// Each calls visit with the packets from one on until visit fails.
func (l *VideoList) Each(from int, visit func(p ListedPacket) error) error {
	stream := l.source.Video.Stream
	var last ListedPacket
	began := false
	pass := func(next int64) error {
		if !began {
			return nil
		}
		if l.offsets == nil {
			last.Duration = next - last.dts
		}
		last.PTS += l.shift
		return visit(last)
	}
	err := eachIndexed(stream, from, func(i int, e IndexEntry) error {
		if err := pass(e.Time); err != nil {
			return err
		}
		began = true
		facts := PacketFacts{PTS: e.Time, Duration: l.duration, Size: e.Size, Key: e.Key, Hidden: e.hidden}
		if l.offsets != nil {
			facts.PTS += int64(l.offsets[i])
		}
		last = ListedPacket{PacketFacts: facts, pos: e.pos, dts: e.Time}
		return nil
	})
	if err != nil {
		return err
	}
	return pass(stream.Duration())
}

// Data reads the data of a listed packet, or its first bytes if most is less. The data is valid
// until the next call.
func (s *Source) Data(p ListedPacket, most int64) ([]byte, error) {
	size := int(min(p.Size, most))
	s.listedData = slices.Grow(s.listedData[:0], size)
	data := s.listedData[:size]
	n, err := s.file.ReadAt(data, p.pos)
	if n == len(data) {
		return data, nil
	}
	if errors.Is(err, io.EOF) {
		err = ErrChanged()
	}
	return nil, err
}
