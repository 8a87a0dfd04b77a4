package libav

import (
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media/libav/av"
)

// packetSizes are the sizes of the video packets of an input as the index of the file lists them.
// The zero value means that the file has no such index.
type packetSizes struct {
	bytes []int64 // of the packets before each grid frame
	keys  []int64 // grid frames of the keyframes, ascending
}

// packetSizes reads the index of an input. It reads no packets. Packets count in decoding order,
// which differs by a few frames from the order of display.
func (r *render) packetSizes(input int) (s packetSizes, err error) {
	packets, err := av.OpenPackets(r.ctx, r.plan.Inputs[input].Path, astiav.MediaTypeVideo)
	if err != nil {
		return s, err
	}
	defer packets.Close()
	entries := av.IndexEntries(packets.Track.Stream)
	total := int64(0)
	for _, e := range entries {
		total += e.Size
	}
	const worthKnowing = 4 // an index of fewer bytes lists keyframes only
	frames := r.plan.Inputs[input].Frames
	if len(entries) == 0 || total < packets.Source.Size/worthKnowing {
		return s, nil
	}
	s.bytes = make([]int64, frames+1)
	g := av.NewGrid(packets.Track, r.origins[input], r.plan.Rate)
	for _, e := range entries {
		frame := g.Start + astiav.RescaleQ(e.Time-entries[0].Time, g.Base, g.Frame)
		if frame < 0 || frame >= frames {
			continue
		}
		s.bytes[frame+1] += e.Size
		if e.Key {
			s.keys = append(s.keys, frame)
		}
	}

	for i := range frames {
		s.bytes[i+1] += s.bytes[i]
	}
	slices.Sort(s.keys)
	return s, nil
}

// sum returns the bytes of the frames [in, out), 0 if they are unknown.
func (s packetSizes) sum(in, out int64) int64 {
	last := int64(len(s.bytes)) - 1
	if last < 0 {
		return 0
	}
	return s.bytes[min(max(out, 0), last)] - s.bytes[min(max(in, 0), last)]
}

// refineKeyframes takes the keyframes of HEVC from the index of the file, if it has one. Ingest
// lists only keyframes of H.264.
func (r *render) refineKeyframes(c *copySource, input int) error {
	if c.hevc == nil {
		return nil
	}
	sizes, err := r.packetSizes(input)
	if err != nil || len(sizes.keys) == 0 {
		return err
	}
	c.Sync = nil
	for _, frame := range sizes.keys {
		c.Sync = append(c.Sync, int(frame))
	}
	return nil
}
