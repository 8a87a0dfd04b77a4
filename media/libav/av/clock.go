package av

import (
	"io"
	"os"
	"sync"

	"github.com/asticode/go-astiav"

	"roughcut/media/bitstream"
)

// clock repairs the time stamps of a transport or program stream whose clock jumps, as in
// recordings that a camcorder or a program joined.
type clock struct {
	*bitstream.Clock
	at map[int]int64 // position of the newest packet of each stream
}

// findClock makes the source repair its time stamps if it is a transport or program stream whose
// clock jumps.
func (s *Source) findClock() {
	var find func(file io.ReaderAt, size int64) *bitstream.Clock
	switch s.Name {
	case "mpegts":
		find = bitstream.FindTransportClock
	case "mpeg":
		find = bitstream.FindProgramClock
	default:
		return
	}

	if found := clocks.find(s.file, s.Size, find); len(found.Parts) > 1 {
		s.clock = &clock{found, map[int]int64{}}
	}
}

// repair gives the current packet its time on the clock that runs through the whole file.
func (c *clock) repair(p *astiav.Packet) {
	if c == nil {
		return
	}
	stream := p.StreamIndex()
	if p.Pos() >= 0 {
		c.at[stream] = p.Pos()
	}
	// A packet that a parser divides has no position after its first frame.
	pos := c.at[stream]
	if t := p.Pts(); t != NoPTS {
		p.SetPts(c.Continuous(pos, t))
	}
	if t := p.Dts(); t != NoPTS {
		p.SetDts(c.Continuous(pos, t))
	}
}

// seek continues the source somewhat before a time.
func (c *clock) seek(s *Source, t *Track, time int64) error {
	pos := c.Before(time)
	for i := range c.at {
		c.at[i] = pos
	}
	return s.Format.SeekFrame(t.index, pos, astiav.NewSeekFlags(astiav.SeekFlagByte))
}

// joins returns where the second and all later parts start, in the time base of MPEG tracks.
func (c *clock) joins() (starts []int64) {
	if c == nil {
		return nil
	}
	for _, p := range c.Parts[1:] {
		starts = append(starts, p.Start)
	}
	return starts
}

// seconds returns the length of the recording.
func (c *clock) seconds() float64 { return float64(c.Length()) / bitstream.ClockRate }

// knownClocks keeps the clocks of the files that were read last, because an export opens a
// recording many times.
type knownClocks struct {
	mu    sync.Mutex
	files []os.FileInfo
	found []*bitstream.Clock
}

// mostClocks is how many clocks are kept.
const mostClocks = 8

var clocks knownClocks

// find returns the clock of a file. It calls find for a file that is not known.
func (k *knownClocks) find(
	file *os.File, size int64, find func(file io.ReaderAt, size int64) *bitstream.Clock,
) *bitstream.Clock {
	stat, err := file.Stat()
	if err != nil {
		return &bitstream.Clock{}
	}
	k.mu.Lock()
	for i, known := range k.files {
		if os.SameFile(known, stat) && known.Size() == stat.Size() && known.ModTime().Equal(stat.ModTime()) {
			defer k.mu.Unlock()
			return k.found[i].On(file)
		}
	}

	k.mu.Unlock()

	c := find(file, size)
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.files) == mostClocks {
		k.files, k.found = k.files[1:], k.found[1:]
	}
	k.files, k.found = append(k.files, stat), append(k.found, c)
	return c
}
