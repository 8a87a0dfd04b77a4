package bitstream

import "iter"

// CleanKeyframes returns a function that reports whether all pictures that follow a keyframe in the
// file can be decoded from that keyframe on. It takes the packet of a keyframe and its size. The
// first bytes of a packet suffice if the result is true. H.264 and HEVC also have keyframes that
// are followed by pictures which refer to earlier ones: recovery points and CRA pictures. codec is
// libav's codec name. extraData is the decoder configuration: a record where packets hold unit
// lengths, anything else for packets with start codes. For every other codec the function always
// returns true.
func CleanKeyframes(codec string, extraData []byte) func(packet []byte, whole int) bool {
	var clean func(header byte) bool
	var sizeAt int // offset of the byte of a record whose low two bits are the length size less one
	switch codec {
	case "h264":
		clean = func(header byte) bool { return header&31 == avcIDR }
		sizeAt = 4
	case "hevc":
		clean = func(header byte) bool {
			kind := header >> 1 & 63
			return kind >= hevcBLAWLP && kind <= hevcIDRNLP
		}
		sizeAt = 21
	default:
		return func([]byte, int) bool { return true }
	}

	headers := func(packet []byte, _ int) iter.Seq[byte] { return startCodeHeaders(packet) }
	if len(extraData) > sizeAt && extraData[0] == 1 {
		lengthSize := int(extraData[sizeAt]&3) + 1
		headers = func(packet []byte, whole int) iter.Seq[byte] { return lengthHeaders(packet, whole, lengthSize) }
	}

	return func(packet []byte, whole int) bool {
		for header := range headers(packet, whole) {
			if clean(header) {
				return true
			}
		}

		return false
	}
}
