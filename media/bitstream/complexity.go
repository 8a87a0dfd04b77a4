package bitstream

import "math"

// usualQP is the quantization parameter that makes the complexity of a packet equal its size.
const usualQP = 26

// Complexity returns a function that takes a packet of H.264 and estimates how much of the video it
// codes, in bytes at a quality that does not change. Rate control makes packets that code little as
// large as others, by finer quantization and by filler data. The function compensates for the
// quantization (six steps halve the data) and ignores filler data. record is the decoder
// configuration. If it is invalid, the function returns the size of the packet.
func Complexity(record []byte) func(packet []byte) float64 {
	config, err := ParseAVC(record)
	if err != nil {
		return func(packet []byte) float64 { return float64(len(packet)) }
	}
	return avcComplexity(config)
}

func avcComplexity(config AVCConfig) func(packet []byte) float64 {
	sets := &avcSets{map[int]avcSequence{}, map[int]avcPicture{}}
	for _, unit := range config.SPS {
		sets.add(unit)
	}
	for _, unit := range config.PPS {
		sets.add(unit)
	}
	qp := usualQP // of the last slice whose header could be read
	return func(packet []byte) (sum float64) {
		EachUnit(packet, config.LengthSize, func(unit []byte) {
			switch unit[0] & 31 {
			case avcSPS, avcPPS:
				sets.add(unit)
			case avcSlice, avcIDR:
				if now, err := sets.qp(unit); err == nil {
					qp = now
				}
				sum += float64(len(unit)) * math.Exp2(float64(qp-usualQP)/6)
			}
		})
		return sum
	}
}
