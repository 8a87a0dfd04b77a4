package libav

import (
	"context"

	"github.com/asticode/go-astiav"

	"roughcut/media"
)

// copiedSound is the sound of a recording that goes into an export as it is. close frees it.
type copiedSound struct {
	packets *packetReader
	origin  int64 // clip time 0 in the unit of the track
	last    int   // so many packets begin before the export ends
	track   int   // of the movie
}

// soundTail is how much earlier than the picture copied sound may end, in samples at
// media.SampleRate.
const soundTail = media.SampleRate / 10

// findCopiedSound returns the sound of a plan that changes nothing about it: stereo AAC of one
// recording, at media.SampleRate, packet by packet without a gap from the beginning to the end. It
// returns nil where the sound has to be encoded.
func (r *render) findCopiedSound() (*copiedSound, error) {
	if r.safe || !r.plan.AudioUnchanged() {
		return nil, nil
	}
	input := r.plan.Segments[0].Input
	packets, err := openPackets(r.ctx, r.plan.Inputs[input].Path, false)
	if err != nil {
		return nil, err
	}
	c := &copiedSound{packets: packets, origin: r.origins[input].audio}
	whole, err := c.read(r)
	if err != nil || !whole {
		c.close()
		return nil, err
	}
	return c, nil
}

// read goes over the packets, and reports whether they can be copied.
func (c *copiedSound) read(r *render) (whole bool, err error) {
	if !copiesSound(c.packets.source, c.packets.track) {
		return false, nil
	}
	run := r.newSoundRun(c.packets.track, c.origin)
	err = c.packets.all(func(p *astiav.Packet) error {
		if run.add(p) {
			c.last = len(c.packets.times)
		}
		r.meter.alive()
		return nil
	})
	return run.whole(), err
}

// copiesSound reports that an export may be able to copy the sound of a recording.
func copiesSound(s *source, t *track) bool {
	p := t.params
	return t.name == "aac" && s.name == "mov" && p.Profile() == astiav.ProfileAacLow &&
		p.SampleRate() == media.SampleRate &&
		p.ChannelLayout().Channels() == 2
}

// soundRun follows the packets of sound that is to be copied: each has to begin where the one
// before ends, from clip time 0 to about the end of the export.
type soundRun struct {
	origin, end, tail int64 // in the unit of the track
	next              int64 // where the next packet begins, noPTS before the first
	first, last       int64 // how long the first packet is heard, and the newest
	broken            bool
}

func (r *render) newSoundRun(t *track, origin int64) *soundRun {
	ticks := func(samples int64) int64 {
		return astiav.RescaleQ(samples, astiav.NewRational(1, media.SampleRate), t.base)
	}
	return &soundRun{
		origin: origin,
		end:    origin + ticks(r.plan.Rate.Sample(r.plan.Frames(), media.SampleRate)),
		tail:   ticks(soundTail),
		next:   noPTS,
	}
}

// add notes the next packet, and reports whether it begins before the export ends.
func (s *soundRun) add(p *astiav.Packet) (heard bool) {
	begins := p.Pts() == s.next
	if s.next == noPTS {
		begins, s.first, s.last = p.Pts() <= s.origin, p.Duration(), p.Duration()
	}
	// A gap makes the packet before it longer; ticks may be too coarse for all packets to be of one
	// length.
	if p.Pts() == noPTS || p.Duration() <= 0 || !begins || abs(s.last-s.first) > 1 ||
		p.Flags().Has(astiav.PacketFlagCorrupt) {
		s.broken = true
	}
	s.next, s.last = p.Pts()+p.Duration(), p.Duration()
	return p.Pts() < s.end
}

// whole reports that all packets together can be copied.
func (s *soundRun) whole() bool {
	return !s.broken && s.next != noPTS && s.next >= s.end-s.tail
}

// soundCopy returns a packet of a recording's sound as an export has it. Those before clip time 0
// are what a decoder needs to begin; players do not let them be heard.
func soundCopy(p *astiav.Packet, origin int64) *astiav.Packet {
	own := p.Clone()
	own.SetPts(p.Pts() - origin)
	own.SetDts(own.Pts())
	own.SetPos(-1)
	return own
}

// copySound writes the packets.
func (r *render) copySound() error {
	c := r.copied
	err := c.packets.stretch(0, c.last, func(i int, p *astiav.Packet) error {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		r.tally.heard(float64(i+1) / float64(c.last))
		return r.movie.write(c.track, soundCopy(p, c.origin))
	})
	if err != nil {
		return err
	}
	return r.movie.end(c.track)
}

func (c *copiedSound) close() { c.packets.close() }
