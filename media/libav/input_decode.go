package libav

import (
	"errors"
	"fmt"
	"io"

	"github.com/asticode/go-astiav"
)

// decoder turns the packets of one track into frames. close frees it.
type decoder struct {
	context *astiav.CodecContext
	track   *track
	source  *source
	refused int // packets and frames that could not be decoded
}

// newDecoder opens the decoder of a track, with more options of libav's where there are any.
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
		return fmt.Errorf("decoder %s: %w", d.track.name, err)
	}
	setPacketTimeBase(d.context, d.track.base)
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
		return mediaErrorf("the %s track of this recording is damaged and cannot be read", d.track.name)
	}
	return nil
}

// send hands a packet to the decoder, nil at the end of the track. What cannot be decoded is
// counted and passed over.
func (d *decoder) send(p *astiav.Packet) {
	if err := d.context.SendPacket(p); err != nil && !isEOF(err) {
		d.refused++
	}
}

// receive takes the next frame. It returns false when the decoder wants another packet first,
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

// reset forgets what is in flight, after a seek.
func (d *decoder) reset() { flushDecoder(d.context) }

func (d *decoder) close() { d.context.Free() }

// reader reads one track of its own source, frame by frame. close frees both.
type reader struct {
	source  *source
	track   *track
	decoder *decoder
	alpha   *alphaTrack // nil where nobody asked for it
	drained bool        // the decoder has been told that the track ends
	keyPTS  int64       // after a seek, the time stamp of the key packet that decoding began at
	seeking bool        // packets before the first key packet are passed over

	skip func(*astiav.Packet) bool // packets that are passed over besides; nil where all are decoded
}

// newReader takes over the source, also when it fails.
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

// seek makes the next frames start at a key frame at or before pts.
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

// packetTime returns when a packet is shown, or as near to that as is known.
func packetTime(p *astiav.Packet) int64 {
	if p.Pts() != noPTS {
		return p.Pts()
	}
	return p.Dts()
}
