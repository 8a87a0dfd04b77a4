package libav

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
	track  *track
	packet *astiav.Packet
}

// keep makes a newly opened source keep the packets that it reads, up to mostKeptBytes.
func (s *source) keep() { s.kept.keeping = true }

// keepPacket keeps the current packet, or drops all if they are too many.
func (s *source) keepPacket(t *track) {
	k := &s.kept
	if !k.keeping {
		return
	}
	if k.bytes += s.packet.Size(); k.bytes > mostKeptBytes {
		k.drop()
		return
	}

	k.packets = append(k.packets, keptPacket{t, s.packet.Clone()})
}

// rewind makes next start again with the first packet. ctx replaces the context of the source. It
// returns false if the source has not kept all packets; the recording must be opened again then.
func (s *source) rewind(ctx context.Context) bool {
	if !s.kept.keeping {
		return false
	}
	s.unwatch()
	s.ctx, s.unwatch = ctx, context.AfterFunc(ctx, s.interrupter.Interrupt)
	s.kept.keeping, s.kept.rewound, s.packets = false, true, 0
	return true
}

// replay makes the next kept packet of a selected track the current one. ok is false if there is
// none left. Errors: io.EOF if the recording has ended with them.
func (s *source) replay() (t *track, ok bool, err error) {
	k := &s.kept
	for k.rewound && len(k.packets) > 0 {
		p := k.packets[0]
		k.packets = k.packets[1:]
		if (p.track == s.video || p.track == s.audio) && p.track != s.skipped {
			s.packet.Unref()
			s.packet.MoveRef(p.packet)
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

// keptFacts returns what the kept packets of a track say.
func (s *source) keptFacts(t *track) (list []packetFacts) {
	for _, p := range s.kept.packets {
		if p.track == t {
			list = append(list, factsOf(p.packet))
		}
	}

	return list
}

// skipVideo makes next skip the packets of the video. The audio between them takes few bytes.
func (s *source) skipVideo() {
	s.video.stream.SetDiscard(astiav.DiscardAll)
	s.skipped = s.video
	s.io.readDirectly()
}

// drop frees the packets and keeps no more.
func (k *keptPackets) drop() {
	for _, p := range k.packets {
		p.packet.Free()
	}
	*k = keptPackets{}
}
