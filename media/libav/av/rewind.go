package av

import (
	"context"
	"io"

	"github.com/asticode/go-astiav"
)

// mostKeptBytes limits the packets that a source keeps for rewind.
const mostKeptBytes = 64 << 20

// keptPackets are the packets that a source has read since keep.
type keptPackets struct {
	keeping bool
	ended   bool // the recording has no further packets
	bytes   int
	packets []keptPacket
	rewound bool // next returns the packets again
}

type keptPacket struct {
	track  *Track
	packet *astiav.Packet
}

// Keep makes a newly opened source keep the packets that it reads, up to mostKeptBytes.
func (s *Source) Keep() { s.kept.keeping = true }

// keepPacket keeps the current packet, or drops all if they are too many.
func (s *Source) keepPacket(t *Track) {
	k := &s.kept
	if !k.keeping {
		return
	}
	if k.bytes += s.Packet.Size(); k.bytes > mostKeptBytes {
		k.drop()
		return
	}

	k.packets = append(k.packets, keptPacket{t, s.Packet.Clone()})
}

// Rewind makes Next start again with the first packet. ctx replaces the context of the source. It
// returns false if the source has not kept all packets; the recording must be opened again then.
func (s *Source) Rewind(ctx context.Context) bool {
	if !s.kept.keeping {
		return false
	}
	s.unwatch()
	s.ctx, s.unwatch = ctx, context.AfterFunc(ctx, s.interrupter.Interrupt)
	s.kept.keeping, s.kept.rewound, s.packets = false, true, 0
	return true
}

// replay makes the next kept packet of a selected track the current one. ok is false if no kept
// packet is left. Errors: io.EOF if the recording ends with the kept packets.
func (s *Source) replay() (t *Track, ok bool, err error) {
	k := &s.kept
	for k.rewound && len(k.packets) > 0 {
		p := k.packets[0]
		k.packets = k.packets[1:]
		if (p.track == s.Video || p.track == s.Audio) && p.track != s.Skipped {
			s.Packet.Unref()
			s.Packet.MoveRef(p.packet)
			p.packet.Free()
			s.packets++
			return p.track, true, nil
		}

		p.packet.Free()
	}

	if k.rewound && k.ended {
		return nil, false, io.EOF
	}
	return nil, false, nil
}

// KeptFacts returns what the kept packets of a track say.
func (s *Source) KeptFacts(t *Track) (list []PacketFacts) {
	for _, p := range s.kept.packets {
		if p.track == t {
			list = append(list, FactsOf(p.packet))
		}
	}

	return list
}

// SkipVideo makes Next skip the packets of the video. The audio between them takes few bytes.
func (s *Source) SkipVideo() {
	s.Video.Stream.SetDiscard(astiav.DiscardAll)
	s.Skipped = s.Video
	s.io.readDirectly()
}

// drop frees the packets and keeps no more.
func (k *keptPackets) drop() {
	for _, p := range k.packets {
		p.packet.Free()
	}
	*k = keptPackets{}
}
