package bitstream

import (
	"bytes"
	"slices"
)

// HEVCIDs gives the parameter sets of a configuration other IDs, so that one file can hold packets
// of several configurations and all their parameter sets.
type HEVCIDs struct {
	video, sequence, picture map[int]int

	syntax hevcSyntax // of the old IDs
}

// hevcMaxVPS is the number of video parameter sets (ITU-T H.265, 7.4.3.1).
const hevcMaxVPS = 16

// Types of the messages that name parameter sets (ITU-T H.265, D.2.1).
const (
	hevcSEIPrefix       = 39
	seiBufferingPeriod  = 0
	seiActiveParameters = 129
)

// Merge returns a configuration with the parameter sets of both, whose profile and level cover
// both. The sets of other get free IDs, unless c has them: ids is then nil. ok is false if there
// are not enough IDs, or if other has parameter sets that cannot be read.
func (c *HEVCConfig) Merge(other *HEVCConfig) (sum *HEVCConfig, ids *HEVCIDs, ok bool) {
	sum = c.Covering(other)
	if !slices.ContainsFunc(other.Sets, func(set []byte) bool { return !c.holds(set) }) {
		return sum, nil, true
	}
	ids = &HEVCIDs{}
	if ids.syntax, ok = readHEVCSyntax(other.Sets); !ok {
		return nil, nil, false
	}
	for _, k := range []struct {
		kind byte
		ids  *map[int]int
		end  int
	}{{hevcVPS, &ids.video, hevcMaxVPS}, {hevcSPS, &ids.sequence, hevcMaxSPS}, {hevcPPS, &ids.picture, hevcMaxPPS}} {
		if *k.ids, ok = freeIDs(c.setsOf(k.kind), other.setsOf(k.kind), k.end); !ok {
			return nil, nil, false
		}
	}

	sum.Sets = slices.Clone(c.Sets)
	for _, set := range other.Sets {
		renamed, ok := ids.set(set)
		if !ok {
			return nil, nil, false
		}
		sum.Sets = append(sum.Sets, renamed)
	}

	return sum, ids, sum.normalize() == nil
}

// HasRoom reports whether the sets of one more configuration of an encoder get IDs.
func (c *HEVCConfig) HasRoom() bool {
	return len(c.setsOf(hevcVPS)) < hevcMaxVPS && len(c.setsOf(hevcSPS)) < hevcMaxSPS &&
		len(c.setsOf(hevcPPS)) < hevcMaxPPS
}

// holds reports whether a parameter set is one of the configuration.
func (c *HEVCConfig) holds(set []byte) bool {
	return slices.ContainsFunc(c.Sets, func(own []byte) bool { return bytes.Equal(own, set) })
}

// freeIDs gives each ID of the sets in other an ID below end that none in sets has.
func freeIDs(sets, other [][]byte, end int) (ids map[int]int, ok bool) {
	taken := map[int]bool{}
	for _, set := range sets {
		id, _ := hevcSetID(set)
		taken[id] = true
	}

	ids = map[int]int{}
	free := 0
	for _, set := range other {
		id, ok := hevcSetID(set)
		if _, known := ids[id]; known {
			continue
		}
		for taken[free] {
			free++
		}
		if !ok || free >= end {
			return nil, false
		}
		ids[id], taken[free] = free, true
	}

	return ids, true
}

// hevcSetID returns the ID of a parameter set.
func hevcSetID(set []byte) (id int, ok bool) {
	r := &bitReader{data: set[2:]}
	switch hevcType(set) {
	case hevcVPS:
		id = r.fixed(4)
	case hevcSPS:
		skipToSequenceID(r)
		id = r.unsigned()
	default:
		id = r.unsigned()
	}

	return id, !r.ended
}

// skipToSequenceID reads a sequence parameter set up to its ID.
func skipToSequenceID(r *bitReader) {
	r.fixed(4)
	layers := r.fixed(3)
	r.flag()
	skipHEVCProfile(r, layers)
}

// set returns a parameter set with other IDs.
func (n *HEVCIDs) set(set []byte) (renamed []byte, ok bool) {
	id, _ := hevcSetID(set)
	r, w := &bitReader{data: set[2:]}, &bitWriter{}
	switch hevcType(set) {
	case hevcVPS:
		r.fixed(4)
		w.fixed(n.video[id], 4)
	case hevcSPS:
		video, known := n.video[r.fixed(4)]
		if !known {
			return nil, false
		}
		w.fixed(video, 4)
		before := &bitReader{data: set[2:]}
		skipToSequenceID(before)
		w.copy(r, before.bits-r.bits)
		r.unsigned()
		w.unsigned(n.sequence[id])
	default:
		r.unsigned()
		sequence, known := n.sequence[r.unsigned()]
		if !known {
			return nil, false
		}
		w.unsigned(n.picture[id])
		w.unsigned(sequence)
	}

	w.copy(r, payloadBits(set[2:])-r.bits)
	w.align()
	return appendEscaped(slices.Clone(set[:2]), w.data), !r.ended
}

// payloadBits returns how many bits precede the last one of a payload, which ends it.
func payloadBits(payload []byte) int {
	r := &bitReader{data: payload}
	last := 0
	for !r.ended {
		at := r.bits
		if r.flag() {
			last = at
		}
	}

	return last
}

// CanRename reports whether the slices of a packet can get other parameter sets.
func (c *HEVCConfig) CanRename(packet []byte) bool {
	c.readSyntax.Do(func() { c.syntax, c.readable = readHEVCSyntax(c.Sets) })
	ok := c.readable
	EachUnit(packet, c.LengthSize, func(unit []byte) {
		if ok && hevcType(unit) < hevcSlices {
			var h hevcHeader
			ok = h.read(unit, c.syntax)
		}
	})
	return ok
}

// unit returns a unit of a packet as it refers to the new IDs, nil for a message that named the old
// ones.
func (n *HEVCIDs) unit(unit []byte) (renamed []byte, ok bool) {
	switch kind := hevcType(unit); {
	case kind == hevcSEIPrefix:
		return withoutIDs(unit), true
	case kind >= hevcSlices:
		return unit, true
	}

	var h hevcHeader
	if !h.read(unit, n.syntax) {
		return nil, false
	}
	r, w := &bitReader{data: unit[2:]}, &bitWriter{}
	w.copy(r, h.beforeID)
	r.unsigned()
	w.unsigned(n.picture[h.setID])
	w.copy(r, h.end-h.afterID)
	w.align()
	// The last byte of the header is not zero, so the data keeps its emulation prevention bytes.
	return append(appendEscaped(slices.Clone(unit[:2]), w.data), unit[h.data:]...), true
}

// withoutIDs returns a unit of messages without those that name parameter sets, nil if none is
// left. It drops the rest of a damaged unit.
func withoutIDs(unit []byte) []byte {
	w := &bitWriter{}
	eachMessage(unit, func(kind int, from bitReader, bits int) {
		if kind != seiBufferingPeriod && kind != seiActiveParameters {
			w.copy(&from, bits)
		}
	})
	if len(w.data) == 0 {
		return nil
	}
	w.align()
	return appendEscaped(slices.Clone(unit[:2]), w.data)
}

// eachMessage calls each for every whole message in a unit, with a reader at its start and its
// length.
func eachMessage(unit []byte, each func(kind int, from bitReader, bits int)) {
	if len(unit) < 3 {
		return
	}

	r := &bitReader{data: unit[2:]}
	end := payloadBits(unit[2:])
	for r.bits < end {
		start := *r
		kind, size := readMessageNumber(r), readMessageNumber(r)
		if r.ended || size > (end-r.bits)/8 {
			return
		}
		for range size {
			r.fixed(8)
		}
		each(kind, start, r.bits-start.bits)
	}
}

// readMessageNumber reads the type or the size of a message (ITU-T H.265, 7.3.5).
func readMessageNumber(r *bitReader) (n int) {
	for {
		b := r.fixed(8)
		if n += b; b != 255 || r.ended {
			return n
		}
	}
}
