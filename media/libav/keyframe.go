package libav

import "bytes"

// cleanKeys returns what tells, from the packet of a keyframe, whether all pictures that follow it
// in the file can be decoded from it on. H.264 and HEVC have others too, behind which come pictures
// that refer to what lies before them.
func cleanKeys(t *track) func(packet []byte) bool {
	if t == nil {
		return nil
	}
	extra := t.params.ExtraData()
	var clean func(header byte) bool
	// of the number that says in how many bytes lengths are written, in the head of a stream that
	// has them
	lengthAt := 0
	switch t.name {
	case "h264":
		clean = func(header byte) bool { return header&31 == 5 }
		lengthAt = 4
	case "hevc":
		clean = func(header byte) bool { return header>>1&63 >= 16 && header>>1&63 <= 20 }
		lengthAt = 21
	default:
		return func([]byte) bool { return true }
	}
	return func(packet []byte) bool {
		units := startCodes
		if len(extra) > lengthAt && extra[0] == 1 {
			units = lengths(int(extra[lengthAt]&3) + 1)
		}
		for header := range units(packet) {
			if clean(header) {
				return true
			}
		}
		return false
	}
}

// startCodes gives the first byte of each unit of a packet whose units begin with 0 0 1.
func startCodes(packet []byte) func(yield func(byte) bool) {
	return func(yield func(byte) bool) {
		for {
			at := bytes.Index(packet, []byte{0, 0, 1})
			if at < 0 || at+3 >= len(packet) || !yield(packet[at+3]) {
				return
			}
			packet = packet[at+3:]
		}
	}
}

// lengths gives the first byte of each unit of a packet whose units begin with their length in n
// bytes.
func lengths(n int) func(packet []byte) func(yield func(byte) bool) {
	return func(packet []byte) func(yield func(byte) bool) {
		return func(yield func(byte) bool) {
			for len(packet) > n {
				length := 0
				for _, b := range packet[:n] {
					length = length<<8 | int(b)
				}
				if length <= 0 || length > len(packet)-n || !yield(packet[n]) {
					return
				}
				packet = packet[n+length:]
			}
		}
	}
}
