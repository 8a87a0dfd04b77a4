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

// soundTail is how much earlier than the picture copied sound may end, in samples at media.SampleRate.
const soundTail = media.SampleRate / 10

// findCopiedSound returns the sound of a plan that changes nothing about it: stereo AAC of one recording, at media.SampleRate, packet by packet
// without a gap from the beginning to the end. It returns nil where the sound has to be encoded.
func (r *render) findCopiedSound() (*copiedSound, error) {
	if r.safe || !r.plan.SoundUntouched() {
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
	t := c.packets.track
	if p := t.params; t.name != "aac" || c.packets.source.name != "mov" || p.Profile() != astiav.ProfileAacLow || p.SampleRate() != media.SampleRate || p.ChannelLayout().Channels() != 2 {
		return false, nil
	}
	ticks := func(samples int64) int64 {
		return astiav.RescaleQ(samples, astiav.NewRational(1, media.SampleRate), t.base)
	}
	end := c.origin + ticks(r.plan.Rate.Sample(r.plan.Frames(), media.SampleRate))
	next, even := noPTS, true
	err = c.packets.all(func(p *astiav.Packet) error {
		begins := p.Pts() == next || next == noPTS && p.Pts() <= c.origin
		even = even && p.Pts() != noPTS && p.Duration() > 0 && begins && !p.Flags().Has(astiav.PacketFlagCorrupt)
		if p.Pts() < end {
			c.last = len(c.packets.times)
		}
		next = p.Pts() + p.Duration()
		r.meter.alive()
		return nil
	})
	return even && next != noPTS && next >= end-ticks(soundTail), err
}

// copySound writes the packets. Those before clip time 0 are what a decoder needs to begin; players do not let them be heard.
func (r *render) copySound() error {
	c := r.copied
	err := c.packets.stretch(0, c.last, func(i int, p *astiav.Packet) error {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		r.tally.heard(float64(i+1) / float64(c.last))
		own := p.Clone()
		own.SetPts(p.Pts() - c.origin)
		own.SetDts(own.Pts())
		own.SetPos(-1)
		return r.movie.write(c.track, own)
	})
	if err != nil {
		return err
	}
	return r.movie.end(c.track)
}

func (c *copiedSound) close() { c.packets.close() }
