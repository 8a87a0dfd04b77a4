package bitstream

import "bytes"

// Start codes of an MPEG program stream, after ISO/IEC 13818-1, 2.5, and of a picture in MPEG-1 and
// MPEG-2 video.
const (
	codePicture  = 0x00
	codeEnd      = 0xb9
	codePack     = 0xba
	codeSystem   = 0xbb
	codePrivate  = 0xbd // audio of DVDs, with the number of the track as the first byte
	codeExtended = 0xfd

	packetHead  = 6                   // start code and length of a packet
	mostPacket  = packetHead + 0xffff // bytes
	packetTimes = 40                  // most bytes before the payload that matter here
)

// walkProgram is walk for program streams, whose packets have any size.
func (c *Clock) walkProgram(from, to, chunk int64, each func(s stamp) bool) {
	buffer := make([]byte, max(chunk, mostPacket))
	synced := false
	var lost int64
	for from < to {
		n, _ := c.file.ReadAt(buffer[:min(int64(len(buffer)), c.size-from)], from)
		data, at := buffer[:n], 0
		for at < n && from+int64(at) < to {
			length, packet := programUnit(data[at:], synced)
			if length == 0 && at+packetHead+packetTimes > n && at > 0 {
				break // the rest of the header comes with the next chunk
			}
			if length == 0 {
				skipped := 1 + nextStartCode(data[at+1:])
				at, synced = at+skipped, false
				lost += int64(skipped)
				continue
			}

			if packet && at+length > n && at > 0 {
				break
			}

			synced = true
			whole := data[at:min(at+length, n)]
			at += length
			if !packet {
				continue
			}
			s, ok := parseProgramStamp(whole)
			if !ok {
				continue
			}
			// A packet that was cut off takes the start of the next part with it.
			if s.pos = from + int64(at-length); lost > mostPacket {
				s.lost = lost
			}

			lost = 0
			if !each(s) {
				return
			}
		}

		if n == 0 {
			return
		}
		from += int64(at)
	}
}

// nextStartCode returns the position of the next start code, or of its possible beginning at the
// end.
func nextStartCode(data []byte) int {
	if at := bytes.Index(data, []byte{0, 0, 1}); at >= 0 {
		return at
	}
	return max(0, len(data)-2)
}

// programUnit returns the length of what starts at a place of a program stream, 0 for nothing, and
// whether it is a packet of a track. Without synced, only a pack or such a packet counts.
func programUnit(data []byte, synced bool) (length int, packet bool) {
	if len(data) < packetHead || data[0] != 0 || data[1] != 0 || data[2] != 1 {
		if synced && len(data) >= 4 && bytes.Equal(data[:4], []byte{0, 0, 1, codeEnd}) {
			return 4, false
		}
		return 0, false
	}

	code := data[3]
	length = packetHead + int(data[4])<<8 + int(data[5])
	switch {
	case code == codePack && data[4]>>6 == 1 && len(data) >= 14: // MPEG-2
		return 14 + int(data[13]&7), false
	case code == codePack && data[4]>>4 == 2: // MPEG-1
		return 12, false
	case code&0xe0 == 0xc0, code&0xf0 == 0xe0, code == codePrivate, code == codeExtended:
		if _, _, _, ok := programTimes(data); ok {
			return length, true
		}
		return 0, false
	case !synced:
		return 0, false
	case code == codeEnd:
		return 4, false
	case code >= codeSystem:
		return length, false
	}

	return 0, false
}

// programTimes returns the times of a packet and the position of its payload, after ISO/IEC
// 13818-1, 2.4.3.6, or, for MPEG-1, ISO/IEC 11172-1, 2.4.3.3. pts is negative without a time. ok is
// false for anything else.
func programTimes(packet []byte) (pts, dts int64, payload int, ok bool) {
	if len(packet) < packetHead+3 {
		return 0, 0, 0, false
	}
	at, flags := packetHead, byte(0)
	if packet[at]>>6 == 2 { // MPEG-2
		flags, payload = packet[at+1]>>6, at+3+int(packet[at+2])
		at += 3
	} else {
		for at < len(packet) && packet[at] == 0xff && at < packetHead+16 {
			at++
		}
		if at+2 < len(packet) && packet[at]>>6 == 1 { // size of a buffer
			at += 2
		}
		if at >= len(packet) {
			return 0, 0, 0, false
		}
		switch {
		case packet[at]>>4 == 2:
			flags, payload = 2, at+5
		case packet[at]>>4 == 3:
			flags, payload = 3, at+10
		case packet[at] == 0x0f:
			payload = at + 1
		default:
			return 0, 0, 0, false
		}
	}

	size := 0
	pts = -1
	switch flags {
	case 2:
		size = 5
	case 3:
		size = 10
	}

	if len(packet) < at+size {
		return 0, 0, 0, false
	}
	if size > 0 {
		if packet[at]>>4 != flags || packet[at]&1 == 0 {
			return 0, 0, 0, false
		}
		pts = parseTime(packet[at:])
		dts = pts
	}

	if size == 10 {
		dts = parseTime(packet[at+5:])
	}
	return pts, dts, payload, true
}

// parseProgramStamp parses the time of a packet of a program stream, and counts the frames that
// start in it. ok is false without a time and a frame.
func parseProgramStamp(packet []byte) (s stamp, ok bool) {
	pts, dts, at, _ := programTimes(packet)
	data := packet[min(at, len(packet)):]
	s = stamp{track: int(packet[3]), frames: 1, pts: pts, dts: dts, untimed: pts < 0}
	if s.track == codePrivate && len(data) > 0 {
		if s.track = s.track<<8 | int(data[0]); data[0] < 0x80 { // subtitles
			return s, false
		}
	}

	if s.video = packet[3]&0xf0 == 0xe0 || packet[3] == codeExtended; s.video {
		frames := int64(bytes.Count(data, []byte{0, 0, 1, codePicture}))
		if s.frames = max(1, frames); s.untimed {
			s.frames = frames
		}
	}

	return s, !s.untimed || (s.video && s.frames > 0)
}
