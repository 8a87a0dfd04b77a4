package bitstream

import (
	"bytes"
	"slices"
	"testing"
)

// transportPacket returns a packet that starts a unit of a track with a time.
func transportPacket(track int, time int64) []byte {
	p := bytes.Repeat([]byte{0xff}, 188)
	copy(p, []byte{0x47, 0x40 | byte(track>>8), byte(track), 0x10, 0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5})
	p[13] = 0x21 | byte(time>>29)&0x0e
	p[14], p[15] = byte(time>>22), byte(time>>14)|1
	p[16], p[17] = byte(time>>7), byte(time<<1)|1
	return p
}

// stream returns packets at 25 frames a second, a number of frames from each start on.
func stream(frames int, starts ...int64) (data []byte) {
	for _, start := range starts {
		for i := range int64(frames) {
			data = append(data, transportPacket(256, (start+i*3600)&(1<<clockBits-1))...)
		}
	}
	return data
}

func TestTransportClockFindsJumps(t *testing.T) {
	t.Parallel()
	const far = 5000 * ClockRate
	for name, c := range map[string]struct {
		data   []byte
		starts []int64
	}{
		"steady":     {stream(50, 0, 50*3600), []int64{0}},
		"short loss": {stream(50, 0, 50*3600+5*ClockRate), []int64{0}},
		"forward":    {stream(50, 0, far), []int64{0, 50 * 3600}},
		"backward":   {stream(50, far, 0), []int64{far, far + 50*3600}},
		"same clock": {stream(50, 0, 0, 0), []int64{0, 50 * 3600, 100 * 3600}},
		"wrap":       {stream(50, 1<<clockBits-10*3600), []int64{1<<clockBits - 10*3600}},
		"hole":       {slices.Concat(stream(50, 0), make([]byte, 500_000), stream(50, far)), []int64{0}},
		"small hole": {
			slices.Concat(stream(50, 0), make([]byte, 10_000), stream(50, far)), []int64{0, 50 * 3600},
		},
		"outlier": {
			append(append(stream(50, 0), transportPacket(256, far)...), stream(50, 50*3600)...), []int64{0},
		},
	} {
		clock := FindTransportClock(bytes.NewReader(c.data), int64(len(c.data)))
		if len(clock.Parts) != len(c.starts) {
			t.Errorf("%s: %d parts, want %d: %+v", name, len(clock.Parts), len(c.starts), clock.Parts)
			continue
		}
		for i, p := range clock.Parts {
			if p.Start != c.starts[i] {
				t.Errorf("%s: part %d starts at %d, want %d", name, i, p.Start, c.starts[i])
			}
		}
	}
}

// programPacket returns a pack of a program stream with a packet of video that starts frames,
// without a time stamp if time is negative.
func programPacket(mpeg1 bool, time int64, frames int) (data []byte) {
	var head []byte
	if mpeg1 {
		data = []byte{0, 0, 1, codePack, 0x21, 0, 1, 0, 1, 0x80, 0, 1}
		head = []byte{0xff, 0xff, 0x60, 0x20}
	} else {
		data = []byte{0, 0, 1, codePack, 0x44, 0, 4, 0, 4, 1, 0, 0, 3, 0xf8}
		head = []byte{0x80, 0x80, 5}
	}
	switch {
	case time >= 0:
		head = append(head, 0x21|byte(time>>29)&0x0e, byte(time>>22), byte(time>>14)|1)
		head = append(head, byte(time>>7), byte(time<<1)|1)
	case mpeg1:
		head[len(head)-1] = 0x0f
	default:
		head = []byte{0x80, 0, 0}
	}
	payload := slices.Concat(head, bytes.Repeat([]byte{0, 0, 1, codePicture, 0xff, 0xff}, frames))
	data = append(data, 0, 0, 1, 0xe0, byte(len(payload)>>8), byte(len(payload)))
	return append(data, payload...)
}

// program returns packets of a program stream with three frames each, at 25 frames a second, a
// number of packets from each start on. Every other packet has no time.
func program(mpeg1 bool, packets int, starts ...int64) (data []byte) {
	for _, start := range starts {
		for i := range int64(packets) {
			time := start + i*3*3600
			if i%2 == 1 {
				time = -1
			}
			data = append(data, programPacket(mpeg1, time, 3)...)
		}
		data = append(data, 0, 0, 1, codeEnd)
	}
	return data
}

func TestProgramClockFindsJumps(t *testing.T) {
	t.Parallel()
	const far, length = 5000 * ClockRate, 50 * 3 * 3600
	for _, mpeg1 := range []bool{false, true} {
		for name, c := range map[string]struct {
			data   []byte
			starts []int64
		}{
			"steady":     {program(mpeg1, 50, 0, length), []int64{0}},
			"forward":    {program(mpeg1, 50, 0, far), []int64{0, length}},
			"a minute":   {program(mpeg1, 50, 0, 60*ClockRate), []int64{0, length}},
			"backward":   {program(mpeg1, 50, far, 0), []int64{far, far + length}},
			"same clock": {program(mpeg1, 50, 0, 0, 0), []int64{0, length, 2 * length}},
			"cut off": {
				slices.Concat(program(mpeg1, 50, 0)[:50*40], program(mpeg1, 50, far)), []int64{0},
			},
		} {
			clock := FindProgramClock(bytes.NewReader(c.data), int64(len(c.data)))
			if name == "cut off" {
				if len(clock.Parts) != 2 {
					t.Errorf("MPEG-1 %v, %s: %+v", mpeg1, name, clock.Parts)
				}
				continue
			}
			if len(clock.Parts) != len(c.starts) {
				t.Errorf("MPEG-1 %v, %s: want %d parts: %+v", mpeg1, name, len(c.starts), clock.Parts)
				continue
			}
			for i, p := range clock.Parts {
				if p.Start != c.starts[i] {
					t.Errorf("MPEG-1 %v, %s: part %d starts at %d, want %d", mpeg1, name, i, p.Start, c.starts[i])
				}
			}
		}
	}
}

// A large program stream is sampled, and its parts are the same.
func TestSampledProgramClockFindsJumps(t *testing.T) {
	t.Parallel()
	data := program(false, 60_000, 0, 9000*ClockRate)
	c := &Clock{file: bytes.NewReader(data), size: int64(len(data)), track: -1, isProgram: true}
	whole := FindProgramClock(bytes.NewReader(data), int64(len(data))).Parts
	first, _ := c.sample(0)
	last, _ := c.lastSample(first)
	var s clockScan
	s.add(first)
	c.search(first, last, s.add)
	c.scan(last.pos+1, c.size, s.add)
	sampled := s.finish()
	if len(whole) != 2 || len(sampled) != 2 || whole[1].Pos != sampled[1].Pos {
		t.Errorf("sampled %+v, scanned %+v", sampled, whole)
	}
}

// A large file is sampled, and its parts are the same.
func TestSampledTransportClockFindsJumps(t *testing.T) {
	t.Parallel()
	data := stream(60_000, 0, 9000*ClockRate)
	whole, sampled := scanOf(data, false), scanOf(data, true)
	if len(whole) != 2 || len(sampled) != 2 || whole[1].Pos != sampled[1].Pos || whole[1].Start != sampled[1].Start {
		t.Errorf("sampled %+v, scanned %+v", sampled, whole)
	}
}

// A large file that was read in parts has no jumps: its holes stand for time.
func TestHolesAreNoJumps(t *testing.T) {
	t.Parallel()
	hole := make([]byte, 9<<20)
	data := slices.Concat(stream(5000, 0), hole, stream(5000, 3000*ClockRate), hole, stream(50, 9000*ClockRate))
	for _, samples := range []bool{false, true} {
		if parts := scanOf(data, samples); len(parts) != 1 {
			t.Errorf("sampled %v: %+v", samples, parts)
		}
	}
}

func scanOf(data []byte, samples bool) []ClockPart {
	c := &Clock{file: bytes.NewReader(data), size: int64(len(data)), track: -1}
	var s clockScan
	start := c.findPitch()
	first, _ := c.sample(start)
	last, _ := c.lastSample(first)
	if !samples {
		c.scan(start, c.size, s.add)
		return s.finish()
	}
	s.add(first)
	c.search(first, last, s.add)
	c.scan(last.pos+1, c.size, s.add)
	return s.finish()
}

// Times of any program stream can be placed, in each part and outside of all.
func FuzzProgramClock(f *testing.F) {
	f.Add(program(false, 20, 0, 5000*ClockRate), int64(3000), int64(9000))
	f.Add(program(true, 20, 5000*ClockRate, 0), int64(3000), int64(9000))
	f.Fuzz(func(t *testing.T, data []byte, pos, time int64) {
		clock := FindProgramClock(bytes.NewReader(data), int64(len(data)))
		if len(clock.Parts) < 2 {
			return
		}
		clock.Continuous(pos, time)
		if before := clock.Before(time); before < 0 || before > int64(len(data)) {
			t.Errorf("reading starts at %d of %d", before, len(data))
		}
	})
}

// Times of any stream can be placed, in each part and outside of all.
func FuzzTransportClock(f *testing.F) {
	f.Add(stream(20, 0, 5000*ClockRate), int64(3000), int64(9000))
	f.Add([]byte{0x47}, int64(0), int64(0))
	f.Fuzz(func(t *testing.T, data []byte, pos, time int64) {
		clock := FindTransportClock(bytes.NewReader(data), int64(len(data)))
		if len(clock.Parts) < 2 {
			return
		}
		clock.Continuous(pos, time)
		if before := clock.Before(time); before < 0 || before > int64(len(data)) {
			t.Errorf("reading starts at %d of %d", before, len(data))
		}
	})
}
