package libav

import (
	"context"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// copiedAudio is the audio of a recording that an export copies. close frees it.
type copiedAudio struct {
	packets *av.PacketReader
	origin  int64 // clip time 0 in the time base of the track
	last    int   // number of packets that start before the export ends
	track   int   // of the muxer
}

// audioTailSamples is how much earlier than the video copied audio may end, in samples at
// media.SampleRate.
const audioTailSamples = media.SampleRate / 10

// findCopiedAudio returns the audio of a plan that leaves it unchanged. It must be AAC of one
// recording at media.SampleRate, without a gap between packets from start to end, in mono or stereo
// as the plan says unless it keeps the channels. It returns nil if the audio must be encoded.
func (r *render) findCopiedAudio() (*copiedAudio, error) {
	if r.safe || r.plan.Format.AudioEncoder != av.EncoderAAC || !r.plan.AudioUnchanged() {
		return nil, nil
	}
	input := r.plan.Segments[0].Input
	packets, err := av.OpenPackets(r.ctx, r.plan.Inputs[input].Path, astiav.MediaTypeAudio, r.heard[input]...)
	if err != nil {
		return nil, err
	}
	c := &copiedAudio{packets: packets, origin: r.origins[input].Audio}
	whole, err := c.read(r)
	if err != nil || !whole {
		c.close()
		return nil, err
	}

	return c, nil
}

// read reads all packets and reports whether they can be copied.
func (c *copiedAudio) read(r *render) (whole bool, err error) {
	if !canCopyAudio(c.packets.Source, c.packets.Track, r.plan) {
		return false, nil
	}
	continuity := r.newAudioContinuity(c.packets.Track, c.origin)
	err = c.packets.ReadAll(func(p *astiav.Packet) error {
		if continuity.add(p) {
			c.last = len(c.packets.Times)
		}
		r.meter.Alive()
		return nil
	})
	return continuity.whole(), err
}

// canCopyAudio reports whether an export may be able to copy the audio of a recording.
func canCopyAudio(s *av.Source, t *av.Track, plan media.RenderPlan) bool {
	channels := plan.Channels
	if channels == 0 {
		channels = 2
		if plan.Mono {
			channels = 1
		}
	}

	p := t.Params
	return t.Name == "aac" && s.Name == "mov" && p.Profile() == astiav.ProfileAacLow &&
		p.SampleRate() == media.SampleRate &&
		p.ChannelLayout().Channels() == channels
}

// audioContinuity checks the packets of audio to be copied. Each must start where the previous one
// ends, from clip time 0 to about the end of the export.
type audioContinuity struct {
	origin, end, tail       int64 // in the time base of the track
	next                    int64 // start of the next packet, av.NoPTS before the first
	firstLength, lastLength int64 // duration of the first and the newest packet
	broken                  bool
}

func (r *render) newAudioContinuity(t *av.Track, origin int64) *audioContinuity {
	ticks := func(samples int64) int64 {
		return astiav.RescaleQ(samples, astiav.NewRational(1, media.SampleRate), t.Base)
	}
	return &audioContinuity{
		origin: origin,
		end:    origin + ticks(r.plan.Rate.Sample(r.plan.Frames(), media.SampleRate)),
		tail:   ticks(audioTailSamples),
		next:   av.NoPTS,
	}
}

// add checks the next packet and reports whether it starts before the export ends.
func (s *audioContinuity) add(p *astiav.Packet) (starts bool) {
	begins := p.Pts() == s.next
	if s.next == av.NoPTS {
		begins, s.firstLength, s.lastLength = p.Pts() <= s.origin, p.Duration(), p.Duration()
	}
	// A gap makes the packet before it longer. Rounding to ticks can make durations differ by one.
	change := s.lastLength - s.firstLength
	if p.Pts() == av.NoPTS || p.Duration() <= 0 || !begins || max(change, -change) > 1 ||
		p.Flags().Has(astiav.PacketFlagCorrupt) {
		s.broken = true
	}

	s.next, s.lastLength = p.Pts()+p.Duration(), p.Duration()
	return p.Pts() < s.end
}

// whole reports whether all packets together can be copied.
func (s *audioContinuity) whole() bool {
	return !s.broken && s.next != av.NoPTS && s.next >= s.end-s.tail
}

// retimedAudio returns an audio packet with the time stamps of the export. A decoder needs the
// packets before clip time 0 to start; players do not play them.
func retimedAudio(p *astiav.Packet, origin int64) *astiav.Packet {
	own := p.Clone()
	own.SetPts(p.Pts() - origin)
	own.SetDts(own.Pts())
	own.SetPos(-1)
	return own
}

// writeCopiedAudio writes the packets.
func (r *render) writeCopiedAudio() error {
	c := r.copied
	err := c.packets.ReadRange(0, c.last, func(i int, p *astiav.Packet) error {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		r.tally.audioDone(float64(i+1) / float64(c.last))
		return r.mux.Write(c.track, retimedAudio(p, c.origin))
	})
	if err != nil {
		return err
	}
	return r.mux.End(c.track)
}

func (c *copiedAudio) close() { c.packets.Close() }
