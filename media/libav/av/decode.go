package av

import (
	"errors"
	"fmt"
	"io"

	"github.com/asticode/go-astiav"
)

// Decoder decodes the packets of one track into frames. Close frees it.
type Decoder struct {
	context *astiav.CodecContext
	track   *Track
	source  *Source
	Refused int // packets and frames that failed to decode
}

// NewDecoder opens the decoder of a track, with further libav options if any are given.
func NewDecoder(s *Source, t *Track, threads int, options ...[2]string) (*Decoder, error) {
	d := &Decoder{context: astiav.AllocCodecContext(t.codec), track: t, source: s}
	if err := d.open(threads, options); err != nil {
		d.Close()
		return nil, err
	}

	return d, nil
}

func (d *Decoder) open(threads int, more [][2]string) error {
	if err := d.context.FromCodecParameters(d.track.Params); err != nil {
		return fmt.Errorf("opening the decoder of the %s track: %w", d.track.Name, err)
	}
	setPacketTimeBase(d.context, d.track.Base)
	if d.track == d.source.Video {
		threads = d.track.affordableThreads(threads)
	}
	d.context.SetThreadCount(threads)
	limit := maxPixels
	if d.source.IsStill() {
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
		return Errorf(
			"the %s track of this recording is damaged and cannot be decoded; upload it again",
			d.track.Name,
		)
	}

	return nil
}

// Send sends a packet to the decoder, nil at the end of the track. It counts and skips packets that
// fail to decode.
func (d *Decoder) Send(p *astiav.Packet) {
	if err := d.context.SendPacket(p); err != nil && !IsEOF(err) {
		d.Refused++
	}
}

// Receive receives the next frame. It returns false if the decoder needs another packet first, and
// io.EOF after the last frame.
func (d *Decoder) Receive(f *astiav.Frame) (bool, error) {
	for range maxReadRetries {
		err := d.context.ReceiveFrame(f)
		switch {
		case err == nil:
			if d.track == d.source.Video {
				d.track.stated.apply(f)
			}
			return true, nil
		case IsAgain(err):
			return false, nil
		case IsEOF(err):
			return false, io.EOF
		}

		d.Refused++
	}

	return false, nil
}

// Reset drops everything in flight, after a seek.
func (d *Decoder) Reset() { flushDecoder(d.context) }

// Close frees the decoder.
func (d *Decoder) Close() { d.context.Free() }

// reader decodes one track of a source, which it owns, frame by frame. close frees both.
type reader struct {
	source  *Source
	track   *Track
	decoder *Decoder
	alpha   *alphaTrack // nil if the caller did not ask for transparency
	drained bool        // the decoder knows that the track has ended
	keyPTS  int64       // after a seek, the time stamp of the keyframe packet that decoding started at
	seeking bool        // packets before the first keyframe packet are skipped

	skip func(*astiav.Packet) bool // reports further packets to skip; nil: none
}

// newReader takes ownership of the source, even if it fails.
func newReader(s *Source, t *Track, threads int) (*reader, error) {
	s.Only(t)
	d, err := NewDecoder(s, t, threads)
	if err != nil {
		s.Close()
		return nil, err
	}

	return &reader{source: s, track: t, decoder: d, keyPTS: NoPTS}, nil
}

// next decodes the next frame. Errors: io.EOF after the last one; as source.next.
func (r *reader) next(f *astiav.Frame) error {
	for {
		ok, err := r.decoder.Receive(f)
		if ok && r.alpha != nil {
			r.alpha.join(f)
		}
		if ok || err != nil {
			return err
		}
		if r.drained {
			return io.EOF
		}
		switch _, err := r.source.Next(); {
		case errors.Is(err, io.EOF):
			r.drained = true
			r.send(nil)
		case err != nil:
			return err
		case r.seeking && !r.source.Packet.Flags().Has(astiav.PacketFlagKey):
		case r.skip != nil && r.skip(r.source.Packet):
		default:
			if r.seeking {
				r.seeking, r.keyPTS = false, PacketTime(r.source.Packet)
			}
			r.send(r.source.Packet)
		}
	}
}

func (r *reader) send(p *astiav.Packet) {
	r.decoder.Send(p)
	if r.alpha != nil {
		r.alpha.send(p)
	}
}

// seek continues at a keyframe at or before pts.
func (r *reader) seek(pts int64) error {
	if err := r.source.seekTo(r.track, pts); err != nil {
		return err
	}
	r.decoder.Reset()
	if r.alpha != nil {
		r.alpha.reset()
	}
	r.drained, r.seeking, r.keyPTS = false, true, NoPTS
	return nil
}

func (r *reader) close() {
	if r.alpha != nil {
		r.alpha.close()
	}
	r.decoder.Close()
	r.source.Close()
}

// PacketTime returns the PTS of a packet, or its DTS if it has no PTS.
func PacketTime(p *astiav.Packet) int64 {
	if p.Pts() != NoPTS {
		return p.Pts()
	}
	return p.Dts()
}
