package libav

import (
	"errors"
	"fmt"
	"io"

	"github.com/asticode/go-astiav"
)

// decoder decodes the packets of one track into frames. close frees it.
type decoder struct {
	context *astiav.CodecContext
	track   *track
	source  *source
	refused int // packets and frames that failed to decode
}

// newDecoder opens the decoder of a track, with further libav options if any are given.
func newDecoder(s *source, t *track, threads int, options ...[2]string) (*decoder, error) {
	d := &decoder{context: astiav.AllocCodecContext(t.codec), track: t, source: s}
	if err := d.open(threads, options); err != nil {
		d.close()
		return nil, err
	}

	return d, nil
}

func (d *decoder) open(threads int, more [][2]string) error {
	if err := d.context.FromCodecParameters(d.track.params); err != nil {
		return fmt.Errorf("opening the decoder of the %s track: %w", d.track.name, err)
	}
	setPacketTimeBase(d.context, d.track.base)
	if d.track == d.source.video {
		threads = d.track.affordableThreads(threads)
	}
	d.context.SetThreadCount(threads)
	limit := maxPixels
	if d.source.isStill() {
		limit = maxStillPixels
	}
	options, err := dictionary(
		append([][2]string{{"codec_whitelist", allowedDecoders}, {"max_pixels", fmt.Sprint(limit)}}, more...),
	)
	if err != nil {
		return err
	}
	defer options.Free()
	if err := d.context.Open(d.track.codec, options); err != nil {
		return mediaErrorf(
			"the %s track of this recording is damaged and cannot be decoded; upload it again",
			d.track.name,
		)
	}

	return nil
}

// send sends a packet to the decoder, nil at the end of the track. It counts and skips packets that
// fail to decode.
func (d *decoder) send(p *astiav.Packet) {
	if err := d.context.SendPacket(p); err != nil && !isEOF(err) {
		d.refused++
	}
}

// receive receives the next frame. It returns false if the decoder needs another packet first, and
// io.EOF after the last frame.
func (d *decoder) receive(f *astiav.Frame) (bool, error) {
	for range maxReadRetries {
		err := d.context.ReceiveFrame(f)
		switch {
		case err == nil:
			return true, nil
		case isAgain(err):
			return false, nil
		case isEOF(err):
			return false, io.EOF
		}

		d.refused++
	}

	return false, nil
}

// reset drops everything in flight, after a seek.
func (d *decoder) reset() { flushDecoder(d.context) }

func (d *decoder) close() { d.context.Free() }

// reader decodes one track of a source, which it owns, frame by frame. close frees both.
type reader struct {
	source  *source
	track   *track
	decoder *decoder
	alpha   *alphaTrack // nil if the caller did not ask for transparency
	drained bool        // the decoder knows that the track has ended
	keyPTS  int64       // after a seek, the time stamp of the keyframe packet that decoding started at
	seeking bool        // packets before the first keyframe packet are skipped

	skip func(*astiav.Packet) bool // reports further packets to skip; nil: none
}

// newReader takes ownership of the source, even if it fails.
func newReader(s *source, t *track, threads int) (*reader, error) {
	s.only(t)
	d, err := newDecoder(s, t, threads)
	if err != nil {
		s.close()
		return nil, err
	}

	return &reader{source: s, track: t, decoder: d, keyPTS: noPTS}, nil
}

// next decodes the next frame. Errors: io.EOF after the last one; as source.next.
func (r *reader) next(f *astiav.Frame) error {
	for {
		ok, err := r.decoder.receive(f)
		if ok && r.alpha != nil {
			r.alpha.join(f)
		}
		if ok || err != nil {
			return err
		}
		if r.drained {
			return io.EOF
		}
		switch _, err := r.source.next(); {
		case errors.Is(err, io.EOF):
			r.drained = true
			r.send(nil)
		case err != nil:
			return err
		case r.seeking && !r.source.packet.Flags().Has(astiav.PacketFlagKey):
		case r.skip != nil && r.skip(r.source.packet):
		default:
			if r.seeking {
				r.seeking, r.keyPTS = false, packetTime(r.source.packet)
			}
			r.send(r.source.packet)
		}
	}
}

func (r *reader) send(p *astiav.Packet) {
	r.decoder.send(p)
	if r.alpha != nil {
		r.alpha.send(p)
	}
}

// seek continues at a keyframe at or before pts.
func (r *reader) seek(pts int64) error {
	if err := r.source.seekTo(r.track, pts); err != nil {
		return err
	}
	r.decoder.reset()
	if r.alpha != nil {
		r.alpha.reset()
	}
	r.drained, r.seeking, r.keyPTS = false, true, noPTS
	return nil
}

func (r *reader) close() {
	if r.alpha != nil {
		r.alpha.close()
	}
	r.decoder.close()
	r.source.close()
}

// packetTime returns the PTS of a packet, or its DTS if it has no PTS.
func packetTime(p *astiav.Packet) int64 {
	if p.Pts() != noPTS {
		return p.Pts()
	}
	return p.Dts()
}
