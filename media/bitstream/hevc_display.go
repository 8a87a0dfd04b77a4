package bitstream

import "encoding/binary"

// Display is the static metadata of HDR10 video: the display that it was mastered on (SMPTE ST
// 2086) and its light levels (CTA-861.3). The zero value states neither.
type Display struct {
	Mastered bool
	// Colors are x and y of red, green, blue and white, in units of 1/50,000.
	Colors [8]uint16
	// Most and Least are the luminance of the display, in units of 1/10,000 cd/m².
	Most, Least uint32

	Lit           bool
	Peak, Average uint16 // MaxCLL and MaxFALL in cd/m²
}

// Types of messages about the display (ITU-T H.265, D.2.1).
const (
	seiMastering = 137
	seiLight     = 144
)

// messages returns a unit that states what a picture lacks, nil if it lacks nothing.
func (d Display) messages(stated map[int]bool) []byte {
	var payload []byte
	if d.Mastered && !stated[seiMastering] {
		payload = append(payload, seiMastering, 24)
		for _, i := range []int{2, 3, 4, 5, 0, 1, 6, 7} { // green, blue, red, white
			payload = binary.BigEndian.AppendUint16(payload, d.Colors[i])
		}
		payload = binary.BigEndian.AppendUint32(payload, d.Most)
		payload = binary.BigEndian.AppendUint32(payload, d.Least)
	}

	if d.Lit && !stated[seiLight] {
		payload = append(payload, seiLight, 4)
		payload = binary.BigEndian.AppendUint16(payload, d.Peak)
		payload = binary.BigEndian.AppendUint16(payload, d.Average)
	}

	if payload == nil {
		return nil
	}
	return appendEscaped([]byte{hevcSEIPrefix << 1, 1}, append(payload, 0x80))
}

// messageTypes returns the types of the messages in a packet.
func (c *HEVCConfig) messageTypes(packet []byte) map[int]bool {
	types := map[int]bool{}
	EachUnit(packet, c.LengthSize, func(unit []byte) {
		if hevcType(unit) == hevcSEIPrefix {
			eachMessage(unit, func(kind int, _ bitReader, _ int) { types[kind] = true })
		}
	})
	return types
}
