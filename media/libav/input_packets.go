package libav

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/asticode/go-astiav"
)

// packetReader reads the packets of one track: first all of them with readAll, then any ranges with
// readRange. close frees it.
type packetReader struct {
	source   *source
	track    *track  // not valid after release
	times    []int64 // PTS of each packet that readAll read, in the time base of the track
	places   []packetPlace
	released bool
	next     int  // the packet that is read next, -1 if unknown
	held     bool // the next packet is already in the source
}

// packetPlace is where the index of a file lists a packet.
type packetPlace struct {
	pos  int64
	size int32
	key  bool
}

// openPackets opens the video or the audio of a recording. Errors: as openTrack.
func openPackets(ctx context.Context, path string, kind astiav.MediaType) (*packetReader, error) {
	s, t, err := openTrack(ctx, path, kind)
	if err != nil {
		return nil, err
	}
	return &packetReader{source: s, track: t}, nil
}

// readAll passes every packet to each, which must not keep it. Call it once, before readRange.
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

// readSparing is readAll, but only keyframes surely have their data, and DTS may be those of the
// container. It does not read the others if the index of the file lists them.
func (r *packetReader) readSparing(each func(p *astiav.Packet) error) error {
	var first []packetFacts
	errListed := errors.New("the rest is listed")
	var list *videoList
	err := r.readAll(func(p *astiav.Packet) error {
		if err := each(p); err != nil {
			return err
		}
		if len(first) < leastListed {
			if first = append(first, factsOf(p)); len(first) == leastListed {
				if list = r.source.listVideo(first); list != nil {
					return errListed
				}
			}
		}

		return nil
	})
	if !errors.Is(err, errListed) {
		return err
	}
	r.next = len(first)
	r.places = slices.Grow(r.places, cap(r.times))
	return list.each(0, func(p listedPacket) error {
		if err := context.Cause(r.source.ctx); err != nil {
			return err
		}
		r.places = append(r.places, packetPlace{p.pos, int32(p.size), p.key})
		if len(r.places) <= len(first) {
			return nil
		}
		r.times = append(r.times, p.pts)
		return r.passListed(p, p.key, each)
	})
}

// release frees the index of the file, which takes 8 MB for each hour of a recording, if
// readSparing listed all packets. Then readRange reads them from the file itself.
func (r *packetReader) release() {
	if r.released = len(r.places) > 0; r.released {
		r.source.closeContainer()
	}
}

// readPlaces is readRange after release.
func (r *packetReader) readPlaces(first, last int, each func(i int, p *astiav.Packet) error) error {
	for i := first; i < last; i++ {
		if err := context.Cause(r.source.ctx); err != nil {
			return err
		}
		at := r.places[i]
		listed := listedPacket{packetFacts{pts: r.times[i], size: int64(at.size), key: at.key}, at.pos, noPTS}
		if err := r.passListed(listed, true, func(p *astiav.Packet) error { return each(i, p) }); err != nil {
			return err
		}
	}

	return nil
}

// passListed passes a listed packet to each, with its data if whole.
func (r *packetReader) passListed(listed listedPacket, whole bool, each func(p *astiav.Packet) error) error {
	p := astiav.AllocPacket()
	defer p.Free()
	if whole {
		data, err := r.source.data(listed, listed.size)
		if err != nil {
			return fmt.Errorf("reading the recording: %w", err)
		}
		if err := p.FromData(data); err != nil {
			return fmt.Errorf("reading the recording: %w", err)
		}
	}

	if listed.key {
		p.SetFlags(astiav.NewPacketFlags(astiav.PacketFlagKey))
	}
	p.SetPts(listed.pts)
	p.SetDts(listed.dts)
	p.SetDuration(listed.duration)
	if listed.hidden {
		p.SetFlags(p.Flags().Add(astiav.PacketFlagDiscard))
	}
	return each(p)
}

// packetReach is the number of packets up to which reading and skipping is cheaper than a seek.
const packetReach = 30

// reach returns how far ahead packets are skipped instead of seeking. In containers where the
// target of a seek is unreliable, that is any distance.
func (r *packetReader) reach() int {
	if r.track == r.source.video && (r.source.name == "mov" || r.source.name == "matroska") {
		return packetReach
	}
	return math.MaxInt / 2
}

// readRange passes packets [first, last) with their numbers to each, which must not keep them.
// Errors: errChanged if the packets differ from those that readAll read.
func (r *packetReader) readRange(first, last int, each func(i int, p *astiav.Packet) error) error {
	if r.released {
		return r.readPlaces(first, last, each)
	}
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

// seek makes packet first, or an earlier one, the next. A container chooses the target of a seek
// itself, so seek identifies the packet it finds by its PTS.
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
	again, err := openPackets(r.source.ctx, r.source.file.Name(), r.track.params.MediaType())
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
