package bitstream

import (
	"cmp"
	"io"
	"slices"
)

// ClockPart is a part of an MPEG transport or program stream whose clock runs without a jump. Times
// are in ticks of 90 kHz.
type ClockPart struct {
	Pos        int64 // of its first packet in the file
	First      int64 // time of its first frame on the clock of the stream, of clockBits
	Start, End int64 // on a clock that runs through all parts
}

// Length of the clock of a stream in bits, and the limits of a step between two packets
// of a track. A longer gap, and a step back, are a jump of the clock.
const (
	clockBits   = 33
	ClockRate   = 90_000 // ticks a second
	longestGap  = 10 * ClockRate
	longestBack = ClockRate / 2
	audioPacket = ClockRate / 8 // usual packets of audio are shorter
	// Tracks of one moment are at most this far apart in the file.
	interleaved = 5 * ClockRate

	// Bytes outside of packets, such as the holes of a file that was read in parts, can stand for
	// this much time: one second for each leastRate bytes.
	leastRate = 100

	jumpPackets    = 4  // packets that confirm a jump
	outlierPackets = 16 // packets without a jump that make an earlier jump a damaged packet
	maxClockParts  = 1000
)

// Sizes of the search for jumps. Large files are sampled. Two samples that are less than sampleGap
// and sampleBytes apart have no jump between them.
const (
	wholeBytes   = 128 << 20
	sampleGap    = 8 * ClockRate
	sampleBytes  = 32 << 20
	leastSampled = 1 << 20
	sampleReach  = 4 << 20
	chunkBytes   = 256 << 10
	sampleChunk  = 64 << 10
)

// Clock finds the jumps in the clock of an MPEG transport or program stream.
type Clock struct {
	Parts []ClockPart

	file  io.ReaderAt
	size  int64
	pitch int64 // bytes from one packet to the next: 188, or 192 or 204 with more data around each
	track int   // the track whose packets are sampled

	isProgram bool // a program stream, whose packets have any size
}

// FindTransportClock returns the clock of a transport stream. It has one part if the clock does not
// jump, and none if the file is not a transport stream or cannot be read.
func FindTransportClock(file io.ReaderAt, size int64) *Clock {
	c := &Clock{file: file, size: size, track: -1}
	if start := c.findPitch(); start >= 0 {
		c.find(start)
	}
	return c
}

// FindProgramClock is FindTransportClock for a program stream.
func FindProgramClock(file io.ReaderAt, size int64) *Clock {
	c := &Clock{file: file, size: size, track: -1, isProgram: true}
	c.find(0)
	return c
}

// find finds the parts. start is the position of the first packet.
func (c *Clock) find(start int64) {
	var s clockScan
	size := c.size
	first, ok := c.sample(start)
	if !ok {
		return
	}
	if last, ok := c.lastSample(first); size <= wholeBytes {
		c.scan(start, size, s.add)
	} else if !ok {
		return // the end is missing, so its length is not known anyway
	} else {
		c.scan(start, first.pos+1, s.add)
		c.search(first, last, s.add)
		c.scan(last.pos+1, size, s.add)
	}

	if len(s.parts) <= maxClockParts {
		c.Parts = s.finish()
	}
}

// stamp is the time of a packet that starts a frame or audio.
type stamp struct {
	pos      int64
	lost     int64 // bytes before it that belong to no packet
	track    int
	video    bool
	frames   int64 // of video that start in the packet; at least 1 with a time
	untimed  bool  // frames start in the packet, but it has no time
	dts, pts int64
}

// clockDiff returns the time from b to a on a clock that wraps.
func clockDiff(a, b int64) int64 {
	const half = 1 << (clockBits - 1)
	return (a-b+half)&(1<<clockBits-1) - half
}

// findPitch determines the size of packets, and returns the position of the first one, or -1.
func (c *Clock) findPitch() int64 {
	head := make([]byte, 8<<10)
	n, _ := c.file.ReadAt(head, 0)
	head = head[:n]
	for _, pitch := range []int{188, 192, 204} {
		for at := range pitch {
			if isSynced(head, at, pitch, 5) {
				c.pitch = int64(pitch)
				return int64(at)
			}
		}
	}

	return -1
}

// isSynced reports whether a number of packets starts at a place.
func isSynced(data []byte, at, pitch, packets int) bool {
	for i := range packets {
		if k := at + i*pitch; k >= len(data) || data[k] != 0x47 {
			return false
		}
	}

	return true
}

// search passes the times between two samples to each. Where no jump can be, it passes only the
// second sample.
func (c *Clock) search(from, to stamp, each func(stamp)) {
	step, bytes := clockDiff(to.dts, from.dts), to.pos-from.pos
	if step >= 0 && step <= sampleGap && bytes <= sampleBytes {
		each(to)
		return
	}

	if bytes > leastSampled {
		if middle, ok := c.sample(from.pos + bytes/2); !ok {
			to.lost = bytes
			each(to)
			return
		} else if middle.pos < to.pos {
			c.search(from, middle, each)
			c.search(middle, to, each)
			return
		}
	}

	c.scan(from.pos+1, to.pos+1, each)
}

// sample returns the first time of the sampled track at or after a position.
func (c *Clock) sample(pos int64) (found stamp, ok bool) {
	c.walk(pos, min(c.size, pos+sampleReach), sampleChunk, func(s stamp) bool {
		if s.untimed {
			return true
		}
		if c.track >= 0 {
			found, ok = s, s.track == c.track
			return !ok
		}

		if !ok || s.video {
			found, ok = s, true
		}
		return !s.video
	})
	if ok {
		c.track = found.track
	}
	return found, ok
}

// lastSample returns a sample near the end of the file, after first.
func (c *Clock) lastSample(first stamp) (last stamp, ok bool) {
	for back := int64(chunkBytes); back <= sampleReach; back *= 4 {
		from := c.size - back
		if from <= first.pos {
			break
		}
		if last, ok = c.sample(from); ok {
			return last, true
		}
	}

	return last, false
}

// scan passes all times from one position to another to each.
func (c *Clock) scan(from, to int64, each func(stamp)) {
	c.walk(from, to, chunkBytes, func(s stamp) bool { each(s); return true })
}

// walk passes the times of the packets that start in a range of positions to each, until it returns
// false. It reads chunk bytes at a time.
func (c *Clock) walk(from, to, chunk int64, each func(s stamp) bool) {
	if c.isProgram {
		c.walkProgram(from, to, chunk, each)
		return
	}

	buffer := make([]byte, chunk)
	synced := false
	var lost int64
	for from < to {
		n, _ := c.file.ReadAt(buffer[:min(chunk, c.size-from)], from)
		data := buffer[:n]
		at := 0
		pitch := int(c.pitch)
		for ; at+188 <= len(data) && from+int64(at) < to; at += pitch {
			following := min(3, 1+(len(data)-at-1)/pitch)
			synced = data[at] == 0x47 && (synced || isSynced(data, at, pitch, following))
			if !synced {
				lost++
				at -= pitch - 1 // look for the next packet byte by byte
				continue
			}

			s, ok := parseStamp(data[at : at+188])
			if !ok {
				continue
			}
			s.pos, s.lost, lost = from+int64(at), lost, 0
			if !each(s) {
				return
			}
		}

		if at == 0 {
			return
		}
		from += int64(at)
	}
}

// parseStamp parses the time in a transport packet, after ISO/IEC 13818-1, 2.4.3. ok is false if no
// video or audio with a time starts in it.
func parseStamp(packet []byte) (s stamp, ok bool) {
	if packet[1]&0xc0 != 0x40 || packet[3]&0x10 == 0 { // damaged, or not the start of a unit, or without payload
		return s, false
	}
	s.track = int(packet[1]&0x1f)<<8 | int(packet[2])
	payload := packet[4:]
	if packet[3]&0x20 != 0 {
		length := int(payload[0]) + 1
		if length > len(payload) {
			return s, false
		}
		payload = payload[length:]
	}

	if len(payload) < 14 || payload[0] != 0 || payload[1] != 0 || payload[2] != 1 || payload[7]&0x80 == 0 {
		return s, false
	}
	id := payload[3]
	isVideo := id&0xf0 == 0xe0 || id == 0xfd
	if !isVideo && id&0xe0 != 0xc0 && id != 0xbd {
		return s, false
	}
	s.video, s.frames = isVideo, 1
	s.pts = parseTime(payload[9:])
	s.dts = s.pts
	if payload[7]&0x40 != 0 && len(payload) >= 19 {
		s.dts = parseTime(payload[14:])
	}
	return s, true
}

func parseTime(b []byte) int64 {
	return int64(b[0]>>1&7)<<30 | int64(b[1])<<22 | int64(b[2]>>1)<<15 | int64(b[3])<<7 | int64(b[4]>>1)
}

// clockScan divides times in file order into parts.
type clockScan struct {
	parts   []scannedPart
	pending *scannedPart // a part that starts after a jump which is not confirmed yet
	packets int          // of pending
	others  int          // packets without the jump since pending started
}

// scannedPart is a part with times on its own clock, from its first packet on.
type scannedPart struct {
	pos    int64
	base   int64 // time of its first packet on the clock of the stream
	first  int64 // earliest frame, in ticks after base
	end    int64 // end of the latest frame or audio, in ticks after base
	shown  int64 // end of the latest frame of video, in ticks after base; 0 without any
	newest int64 // time of the newest packet, in ticks after base
	tracks map[int]scannedTrack
}

// scannedTrack has the first and the newest packet of a track, in ticks after base of the part, and
// the time of a frame.
type scannedTrack struct {
	video             bool
	first, last, step int64
	delay             int64 // from decoding to showing the first frame
	frames            int64 // that start in the newest packet and in those after it without a time
}

func newPart(s stamp) *scannedPart {
	p := &scannedPart{pos: s.pos, base: s.dts, first: clockDiff(s.pts, s.dts), tracks: map[int]scannedTrack{}}
	p.take(s)
	return p
}

// at returns a time of the stream in ticks after base. The newest packet is near it.
func (p *scannedPart) at(time int64) int64 {
	return p.newest + clockDiff(time, p.base+p.newest)
}

// take adds a packet to the part.
func (p *scannedPart) take(s stamp) {
	at, shown := p.at(s.dts), p.at(s.pts)
	t, known := p.tracks[s.track]
	if known && t.frames > 0 {
		if step := (at - t.last) / t.frames; step > 0 && step < ClockRate {
			t.step = step
		}
	}

	t.last, t.video, t.frames = at, s.video, s.frames
	if !known {
		t.first, t.delay = at, shown-at
	}
	if !known && p.newest < longestGap {
		p.first = min(p.first, shown)
	}
	p.tracks[s.track] = t
	p.newest = at
	p.extend(t, shown+t.step)
}

// extend makes a packet that ends at a time, and all of its track, a part of the part.
func (p *scannedPart) extend(t scannedTrack, end int64) {
	end = max(end, t.end())
	p.end = max(p.end, end)
	if t.video {
		p.shown = max(p.shown, end)
	}
}

// length returns the end of the part, in ticks after base. A packet of audio can hold several
// frames, so its end is not precise. The end of the video counts if both are near.
func (p *scannedPart) length() int64 {
	if p.shown > 0 && p.end-p.shown < audioPacket {
		return p.shown
	}
	return p.end
}

// count adds the frames of a packet without a time.
func (p *scannedPart) count(s stamp) {
	if t, ok := p.tracks[s.track]; ok {
		t.frames += s.frames
		p.tracks[s.track] = t
		p.extend(t, 0)
	}
}

// end returns the end of the newest frame.
func (t scannedTrack) end() int64 { return t.last + t.frames*t.step + t.delay }

// fits reports whether a packet continues the clock of the part.
func (p *scannedPart) fits(s stamp) bool {
	at := p.at(s.dts)
	near := max(at-p.newest, p.newest-at)
	gap := longestGap + s.lost*ClockRate/leastRate
	t, known := p.tracks[s.track]
	switch {
	case !known:
		return near <= gap
	case at < t.last-longestBack:
		return false
	}

	return at <= t.last+gap || near <= interleaved
}

// offGrid returns how much later the next part must start so that its video continues the frame
// rate. own and next are the continuous times of the first packets of both.
func (p *scannedPart) offGrid(after *scannedPart, own, next int64) int64 {
	for id, t := range p.tracks {
		follows, ok := after.tracks[id]
		if !ok || !t.video || t.step <= 0 {
			continue
		}
		late := next + follows.first - own - t.last
		return (late+t.step/2)/t.step*t.step - late
	}

	return 0
}

func (c *clockScan) add(s stamp) {
	if s.untimed {
		c.count(s)
		return
	}

	if len(c.parts) == 0 {
		c.parts = append(c.parts, *newPart(s))
		return
	}

	current := &c.parts[len(c.parts)-1]
	switch {
	case current.fits(s):
		current.take(s)
		if c.others++; c.others >= outlierPackets {
			c.pending = nil
		}
		return
	case c.pending != nil && c.pending.fits(s):
		c.pending.take(s)
		c.packets++
	default:
		c.pending, c.packets, c.others = newPart(s), 1, 0
	}

	if c.packets >= jumpPackets && len(c.parts) <= maxClockParts {
		c.parts = append(c.parts, *c.pending)
		c.pending = nil
	}
}

// count adds the frames of a packet without a time to the part that its track has reached.
func (c *clockScan) count(s stamp) {
	if c.pending != nil {
		if _, ok := c.pending.tracks[s.track]; ok {
			c.pending.count(s)
			return
		}
	}

	if len(c.parts) > 0 {
		c.parts[len(c.parts)-1].count(s)
	}
}

// finish returns the parts, one after the other on the clock of the first.
func (c *clockScan) finish() (parts []ClockPart) {
	for i, p := range c.parts {
		part := ClockPart{Pos: p.pos, First: (p.base + p.first) & (1<<clockBits - 1)}
		if part.Start = part.First; i > 0 {
			before := parts[i-1]
			part.Start = before.End
			part.Start += c.parts[i-1].offGrid(&p, before.Start-c.parts[i-1].first, part.Start-p.first)
		}

		part.End = part.Start + p.length() - p.first
		parts = append(parts, part)
	}

	return parts
}

// Continuous returns a time of a packet at a position on the clock that runs through all parts. It
// needs two parts.
func (c *Clock) Continuous(pos, time int64) int64 {
	i := c.partAt(pos)
	if c.within(i, time) {
		return c.in(i, time)
	}
	// Near a jump, a packet of one track can follow the first packets of the next part.
	for _, k := range []int{i - 1, i + 1} {
		if k >= 0 && k < len(c.Parts) && c.within(k, time) {
			return c.in(k, time)
		}
	}

	return c.in(i, time)
}

// partAt returns the part of a position.
func (c *Clock) partAt(pos int64) int {
	i, found := slices.BinarySearchFunc(c.Parts, pos, func(p ClockPart, pos int64) int {
		return cmp.Compare(p.Pos, pos)
	})
	if found {
		return i
	}
	return max(0, i-1)
}

// within reports whether a time is one of a part.
func (c *Clock) within(i int, time int64) bool {
	at := c.in(i, time)
	return at >= c.Parts[i].Start-interleaved && at <= c.Parts[i].End+interleaved
}

// in returns a time of a part on the clock of all parts.
func (c *Clock) in(i int, time int64) int64 {
	p := c.Parts[i]
	return p.Start + clockDiff(time&(1<<clockBits-1), p.First)
}

// On returns the same clock for another handle of the file.
func (c *Clock) On(file io.ReaderAt) *Clock {
	other := *c
	other.file = file
	return &other
}

// Length returns the length of all parts in ticks.
func (c *Clock) Length() int64 { return c.Parts[len(c.Parts)-1].End - c.Parts[0].Start }

// Before returns a position in the file that is before a time on the clock of all parts, and near
// it.
func (c *Clock) Before(time int64) int64 {
	i := len(c.Parts) - 1
	for i > 0 && c.Parts[i].Start > time-seekRoom {
		i--
	}
	low, high := c.Parts[i].Pos, c.size
	if i+1 < len(c.Parts) {
		high = c.Parts[i+1].Pos
	}
	for high-low > chunkBytes {
		middle := low + (high-low)/2
		if s, ok := c.sample(middle); ok && s.pos < high && c.in(i, s.dts) <= time-seekRoom {
			low = middle
		} else {
			high = middle
		}
	}

	return low
}

// seekRoom is how much earlier than a wanted time reading starts.
const seekRoom = ClockRate
