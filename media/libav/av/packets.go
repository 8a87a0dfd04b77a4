package av

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/asticode/go-astiav"
)

// PacketReader reads the packets of one track: first all of them with ReadAll, then any ranges with
// ReadRange. Close frees it.
type PacketReader struct {
	Source   *Source
	heard    []int   // as in Open
	Track    *Track  // not valid after release
	Times    []int64 // PTS of each packet that ReadAll read, in the time base of the track
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

// OpenPackets opens the video or the audio of a recording. heard is as in Open. Errors: as
// openTrack.
func OpenPackets(ctx context.Context, path string, kind astiav.MediaType, heard ...int) (*PacketReader, error) {
	s, t, err := openTrack(ctx, path, kind, heard)
	if err != nil {
		return nil, err
	}
	return &PacketReader{Source: s, Track: t, heard: heard}, nil
}

// ReadAll passes every packet to each, which must not keep it. Call it once, before ReadRange.
func (r *PacketReader) ReadAll(each func(p *astiav.Packet) error) error {
	r.Times = slices.Grow(r.Times, IndexLength(r.Track.Stream))
	for {
		_, err := r.Source.Next()
		if errors.Is(err, io.EOF) {
			r.next = len(r.Times)
			return nil
		}

		if err != nil {
			return err
		}
		r.Times = append(r.Times, r.Source.Packet.Pts())
		if err := each(r.Source.Packet); err != nil {
			return err
		}
	}
}

// ReadSparing is like ReadAll, but guarantees the data of keyframes only, and the DTS may come from
// the container. It does not read other packets if the index of the file lists them.
func (r *PacketReader) ReadSparing(each func(p *astiav.Packet) error) error {
	var first []PacketFacts
	errListed := errors.New("the rest is listed")
	var list *VideoList
	err := r.ReadAll(func(p *astiav.Packet) error {
		if err := each(p); err != nil {
			return err
		}
		if len(first) < leastListed {
			if first = append(first, FactsOf(p)); len(first) == leastListed {
				if list = r.Source.ListVideo(first); list != nil {
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
	r.places = slices.Grow(r.places, cap(r.Times))
	return list.Each(0, func(p ListedPacket) error {
		if err := context.Cause(r.Source.ctx); err != nil {
			return err
		}
		r.places = append(r.places, packetPlace{p.pos, int32(p.Size), p.Key})
		if len(r.places) <= len(first) {
			return nil
		}
		r.Times = append(r.Times, p.PTS)
		return r.passListed(p, p.Key, each)
	})
}

// Release frees the index of the file, which takes 8 MB for each hour of a recording, if
// ReadSparing listed all packets. Then ReadRange reads them from the file itself.
func (r *PacketReader) Release() {
	if r.released = len(r.places) > 0; r.released {
		r.Source.closeContainer()
	}
}

// readPlaces is ReadRange after release.
func (r *PacketReader) readPlaces(first, last int, each func(i int, p *astiav.Packet) error) error {
	for i := first; i < last; i++ {
		if err := context.Cause(r.Source.ctx); err != nil {
			return err
		}
		at := r.places[i]
		listed := ListedPacket{PacketFacts{PTS: r.Times[i], Size: int64(at.size), Key: at.key}, at.pos, NoPTS}
		if err := r.passListed(listed, true, func(p *astiav.Packet) error { return each(i, p) }); err != nil {
			return err
		}
	}

	return nil
}

// passListed passes a listed packet to each, with its data if whole.
func (r *PacketReader) passListed(listed ListedPacket, whole bool, each func(p *astiav.Packet) error) error {
	p := astiav.AllocPacket()
	defer p.Free()
	if whole {
		data, err := r.Source.Data(listed, listed.Size)
		if err != nil {
			return fmt.Errorf("reading the recording: %w", err)
		}
		if err := p.FromData(data); err != nil {
			return fmt.Errorf("reading the recording: %w", err)
		}
	}

	if listed.Key {
		p.SetFlags(astiav.NewPacketFlags(astiav.PacketFlagKey))
	}
	p.SetPts(listed.PTS)
	p.SetDts(listed.dts)
	p.SetDuration(listed.Duration)
	if listed.Hidden {
		p.SetFlags(p.Flags().Add(astiav.PacketFlagDiscard))
	}
	return each(p)
}

// packetReach is the largest number of packets that are cheaper to read and skip than to pass with
// a seek.
const packetReach = 30

// reach returns how far ahead packets are skipped instead of seeking. In containers where the
// target of a seek is unreliable, that is any distance.
func (r *PacketReader) reach() int {
	if r.Track == r.Source.Video && (r.Source.Name == "mov" || r.Source.Name == "matroska") {
		return packetReach
	}
	return math.MaxInt / 2
}

// ReadRange passes packets [first, last) with their numbers to each, which must not keep them.
// Errors: ErrChanged if the packets differ from those that ReadAll read.
func (r *PacketReader) ReadRange(first, last int, each func(i int, p *astiav.Packet) error) error {
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
		if r.Source.Packet.Pts() != r.Times[i] {
			return ErrChanged()
		}
		if i < first {
			continue
		}
		if err := each(i, r.Source.Packet); err != nil {
			return err
		}
	}

	return nil
}

// seek makes packet first, or an earlier one, the next. A container chooses the target of a seek
// itself, so seek identifies the packet it finds by its PTS.
func (r *PacketReader) seek(first int) error {
	if r.reach() > packetReach {
		return r.reopen()
	}
	r.next, r.held = -1, false
	for try := range 4 {
		to := max(0, first-try*try*100)
		if err := r.Source.seekTo(r.Track, r.Times[to]); err != nil {
			return err
		}
		if err := r.read(); err != nil {
			return err
		}
		for at := first; at >= 0; at-- {
			if r.Times[at] == r.Source.Packet.Pts() {
				r.next, r.held = at, true
				return nil
			}
		}
	}

	return ErrChanged()
}

// reopen makes the first packet the next.
func (r *PacketReader) reopen() error {
	again, err := OpenPackets(r.Source.ctx, r.Source.file.Name(), r.Track.Params.MediaType(), r.heard...)
	if err != nil {
		return err
	}
	again.Times = r.Times
	r.Close()
	*r = *again
	return nil
}

func (r *PacketReader) read() error {
	if r.held {
		r.held = false
		return nil
	}

	_, err := r.Source.Next()
	if errors.Is(err, io.EOF) {
		return ErrChanged()
	}
	return err
}

// Close frees the reader.
func (r *PacketReader) Close() { r.Source.Close() }
