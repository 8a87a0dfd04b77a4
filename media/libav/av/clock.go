package av

import (
	"os"
	"sync"

	"github.com/asticode/go-astiav"

	"roughcut/media/bitstream"
)

// clock repairs the time stamps of a transport stream whose clock jumps, as in recordings that a
// camcorder or a program joined.
type clock struct {
	*bitstream.TransportClock
	at map[int]int64 // position of the newest packet of each stream
}

// findClock makes the source repair its time stamps if it is a transport stream whose clock jumps.
func (s *Source) findClock() {
	if s.Name != "mpegts" {
		return
	}
	if found := clocks.find(s.file, s.Size); len(found.Parts) > 1 {
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

// seconds returns the length of the recording.
func (c *clock) seconds() float64 { return float64(c.Length()) / bitstream.ClockRate }

// knownClocks keeps the clocks of the files that were read last, because an export opens a
// recording many times.
type knownClocks struct {
	mu    sync.Mutex
	files []os.FileInfo
	found []*bitstream.TransportClock
}

// mostClocks is how many clocks are kept.
const mostClocks = 8

var clocks knownClocks

// find returns the clock of a file.
func (k *knownClocks) find(file *os.File, size int64) *bitstream.TransportClock {
	stat, err := file.Stat()
	if err != nil {
		return &bitstream.TransportClock{}
	}
	k.mu.Lock()
	for i, known := range k.files {
		if os.SameFile(known, stat) && known.Size() == stat.Size() && known.ModTime().Equal(stat.ModTime()) {
			defer k.mu.Unlock()
			return k.found[i].On(file)
		}
	}

	k.mu.Unlock()

	c := bitstream.FindTransportClock(file, size)
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.files) == mostClocks {
		k.files, k.found = k.files[1:], k.found[1:]
	}
	k.files, k.found = append(k.files, stat), append(k.found, c)
	return c
}
