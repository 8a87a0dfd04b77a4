package libav

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/asticode/go-astiav"
)

// packetReader reads the packets of one track of a recording: all of them once, from the first to
// the last, and then any stretch of them again. close frees it.
type packetReader struct {
	source *source
	track  *track
	times  []int64 // time stamp of each packet that all has read, in the unit of the track
	next   int     // the packet that is read next, -1 where that is not known
	held   bool    // it was read already
}

// openPackets opens the picture or the sound of a recording. Errors: as openUntrusted; that it was
// changed, where it has none.
func openPackets(ctx context.Context, path string, video bool) (*packetReader, error) {
	s, err := openUntrusted(ctx, path)
	if err != nil {
		return nil, err
	}
	t := s.audio
	if video {
		t = s.video
	}
	if t == nil {
		s.close()
		return nil, errChanged()
	}
	s.only(t)
	return &packetReader{source: s, track: t}, nil
}

// all hands every packet to each, which must not keep it. It is called once, before stretch.
func (r *packetReader) readAll(each func(p *astiav.Packet) error) error {
	r.times = slices.Grow(r.times, indexLength(r.track.stream))
	for {
		_, err := r.source.next()
		if errors.Is(err, io.EOF) {
			r.next = len(r.times)
			return nil
		}
		if err != nil {
			return err
		}
		r.times = append(r.times, r.source.packet.Pts())
		if err := each(r.source.packet); err != nil {
			return err
		}
	}
}

// packetReach is how many packets are rather read and passed over than sought past.
const packetReach = 30

// reach returns how far ahead packets are passed over: as far as it takes where a seek leads nobody
// knows where.
func (r *packetReader) reach() int {
	if r.track == r.source.video && (r.source.name == "mov" || r.source.name == "matroska") {
		return packetReach
	}
	return math.MaxInt / 2
}

// stretch hands packets [first, last) to each, which gets the number of each and must not keep it.
// Errors: that the recording was changed, where other packets are found than all found.
func (r *packetReader) readRange(first, last int, each func(i int, p *astiav.Packet) error) error {
	if r.next < 0 || first < r.next || first > r.next+r.reach() {
		if err := r.seek(first); err != nil {
			return err
		}
	}
	for r.next < last {
		if err := r.read(); err != nil {
			return err
		}
		i := r.next
		r.next++
		if r.source.packet.Pts() != r.times[i] {
			return errChanged()
		}
		if i < first {
			continue
		}
		if err := each(i, r.source.packet); err != nil {
			return err
		}
	}
	return nil
}

// seek makes packet first, or one before it, the next. Containers seek to where they think best;
// where that was is told by the time of the packet that is found there.
func (r *packetReader) seek(first int) error {
	if r.reach() > packetReach {
		return r.reopen()
	}
	r.next, r.held = -1, false
	for try := range 4 {
		to := max(0, first-try*try*100)
		if err := r.source.seekTo(r.track, r.times[to]); err != nil {
			return err
		}
		if err := r.read(); err != nil {
			return err
		}
		for at := first; at >= 0; at-- {
			if r.times[at] == r.source.packet.Pts() {
				r.next, r.held = at, true
				return nil
			}
		}
	}
	return errChanged()
}

// reopen makes the first packet the next.
func (r *packetReader) reopen() error {
	again, err := openPackets(r.source.ctx, r.source.file.Name(), r.track == r.source.video)
	if err != nil {
		return err
	}
	again.times = r.times
	r.close()
	*r = *again
	return nil
}

func (r *packetReader) read() error {
	if r.held {
		r.held = false
		return nil
	}
	_, err := r.source.next()
	if errors.Is(err, io.EOF) {
		return errChanged()
	}
	return err
}

func (r *packetReader) close() { r.source.close() }
