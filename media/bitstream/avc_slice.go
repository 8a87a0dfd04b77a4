package bitstream

import "errors"

// errSlice is a slice or parameter set that is damaged or of a kind that avcSets does not read.
var errSlice = errors.New("unsupported H.264 slice")

// avcSequence is the part of a sequence parameter set that slice headers depend on.
type avcSequence struct {
	monochrome     bool // or separate color planes
	separatePlanes bool
	frameNumBits   int
	orderType      int
	orderBits      int
	orderFixed     bool // delta_pic_order_always_zero_flag
	framesOnly     bool
	frames         Frames
}

// avcPicture is the part of a picture parameter set that slice headers depend on.
type avcPicture struct {
	sequence         int
	cabac            bool
	fieldOrder       bool // bottom_field_pic_order_in_frame_present_flag
	references       [2]int
	weighted         bool
	weightedBoth     int // weighted_bipred_idc
	qp               int
	redundantPresent bool
}

// avcSets holds parameter sets by their ID.
type avcSets struct {
	sequences map[int]avcSequence
	pictures  map[int]avcPicture
}

// add reads a parameter set and ignores one that it cannot read.
func (s *avcSets) add(unit []byte) {
	if len(unit) < 2 {
		return
	}
	r := &bitReader{data: unit[1:]}
	switch unit[0] & 31 {
	case avcSPS:
		if id, sequence := readAVCSequence(r); !r.ended && id < avcMaxSPS+1 {
			s.sequences[id] = sequence
		}
	case avcPPS:
		if id, picture := readAVCPicture(r); !r.ended && id < avcMaxPPS+1 {
			s.pictures[id] = picture
		}
	}
}

// readAVCSequence reads a sequence parameter set (ITU-T H.264, 7.3.2.1.1).
func readAVCSequence(r *bitReader) (id int, s avcSequence) {
	profile := r.fixed(8)
	r.fixed(16)
	id = r.unsigned()
	s.frames = Frames{Chroma: 1, BitDepth: 8}
	switch profile {
	case 100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135:
		skipAVCChroma(r, &s)
	}

	s.frameNumBits = r.unsigned() + 4
	switch s.orderType = r.unsigned(); s.orderType {
	case 0:
		s.orderBits = r.unsigned() + 4
	case 1:
		s.orderFixed = r.flag()
		r.signed()
		r.signed()
		for range min(r.unsigned(), 255) {
			r.signed()
		}
	}

	s.frames.References = min(r.unsigned(), 16)
	r.flag()
	const block = 16 // pixels of a macroblock
	s.frames.Width = block * (r.unsigned() + 1)
	s.frames.Height = block * (r.unsigned() + 1)
	if s.framesOnly = r.flag(); !s.framesOnly {
		s.frames.Height *= 2 // that was a field
	}
	r.ended = r.ended || s.frameNumBits > 16 || s.orderBits > 16 || !s.frames.plausible()
	return id, s
}

// skipAVCChroma reads the chroma format, the bit depths and the scaling matrices.
func skipAVCChroma(r *bitReader, s *avcSequence) {
	format := r.unsigned()
	if format == 3 {
		s.separatePlanes = r.flag()
	}
	s.monochrome = format == 0 || s.separatePlanes
	s.frames.Chroma = format
	s.frames.BitDepth = 8 + max(r.unsigned(), r.unsigned())
	r.flag()
	if !r.flag() {
		return
	}
	lists := 8
	if format == 3 {
		lists = 12
	}
	for i := range lists {
		if !r.flag() {
			continue
		}
		size := 16
		if i >= 6 {
			size = 64
		}
		skipScalingList(r, size)
	}
}

// skipScalingList reads a scaling list (ITU-T H.264, 7.3.2.1.1.1).
func skipScalingList(r *bitReader, size int) {
	last, next := 8, 8
	for range size {
		if next != 0 {
			next = (last + r.signed()) & 255
		}
		if next != 0 {
			last = next
		}
	}
}

// readAVCPicture reads a picture parameter set (ITU-T H.264, 7.3.2.2). Slice groups, which no
// common encoder uses, are not supported.
func readAVCPicture(r *bitReader) (id int, p avcPicture) {
	id, p.sequence = r.unsigned(), r.unsigned()
	p.cabac, p.fieldOrder = r.flag(), r.flag()
	if r.unsigned() != 0 {
		r.ended = true
	}
	p.references = [2]int{r.unsigned() + 1, r.unsigned() + 1}
	p.weighted, p.weightedBoth = r.flag(), r.fixed(2)
	p.qp = 26 + r.signed()
	r.signed()
	r.signed()
	r.flag()
	r.flag()
	p.redundantPresent = r.flag()
	return id, p
}

// Slice types of ITU-T H.264, table 7-6, modulo 5.
const (
	avcTypeP  = 0
	avcTypeB  = 1
	avcTypeI  = 2
	avcTypeSP = 3
	avcTypeSI = 4
)

// qp returns the quantization parameter that a slice starts with, from its header (ITU-T H.264,
// 7.3.3).
func (s *avcSets) qp(unit []byte) (int, error) {
	h := avcHeader{r: &bitReader{data: unit[1:]}, idr: unit[0]&31 == avcIDR, referred: unit[0]>>5&3 != 0}
	h.r.unsigned()
	h.kind = h.r.unsigned() % 5
	var ok bool
	if h.picture, ok = s.pictures[h.r.unsigned()]; !ok {
		return 0, errSlice
	}
	if h.sequence, ok = s.sequences[h.picture.sequence]; !ok {
		return 0, errSlice
	}
	h.skipOrder()
	h.skipReferences()
	if h.kind != avcTypeI && h.kind != avcTypeSI && h.picture.cabac {
		h.r.unsigned()
	}
	qp := h.picture.qp + h.r.signed()
	if h.r.ended || qp > 51 || qp < -48 {
		return 0, errSlice
	}
	return qp, nil
}

// avcHeader reads the header of one slice.
type avcHeader struct {
	r             *bitReader
	sequence      avcSequence
	picture       avcPicture
	kind          int
	idr, referred bool
}

// skipOrder reads the numbers and the order of the picture.
func (h *avcHeader) skipOrder() {
	if h.sequence.separatePlanes {
		h.r.fixed(2)
	}
	h.r.fixed(h.sequence.frameNumBits)
	field := false
	if !h.sequence.framesOnly {
		if field = h.r.flag(); field {
			h.r.flag()
		}
	}

	if h.idr {
		h.r.unsigned()
	}
	both := h.picture.fieldOrder && !field
	switch {
	case h.sequence.orderType == 0:
		if h.r.fixed(h.sequence.orderBits); both {
			h.r.signed()
		}
	case h.sequence.orderType == 1 && !h.sequence.orderFixed:
		if h.r.signed(); both {
			h.r.signed()
		}
	}

	if h.picture.redundantPresent {
		h.r.unsigned()
	}
}

// skipReferences reads which pictures the slice refers to, with their weights, and which remain.
func (h *avcHeader) skipReferences() {
	lists := 1
	switch h.kind {
	case avcTypeB:
		lists = 2
		h.r.flag()
	case avcTypeI, avcTypeSI:
		lists = 0
	}

	counts := h.picture.references
	if lists > 0 && h.r.flag() {
		for i := range lists {
			counts[i] = h.r.unsigned() + 1
		}
	}

	for range lists {
		h.skipModification()
	}
	if (h.picture.weighted && (h.kind == avcTypeP || h.kind == avcTypeSP)) ||
		(h.picture.weightedBoth == 1 && h.kind == avcTypeB) {
		h.skipWeights(counts[:lists])
	}

	if h.referred {
		h.skipMarking()
	}
}

// skipModification reads the modification of one reference list (ITU-T H.264, 7.3.3.1).
func (h *avcHeader) skipModification() {
	if !h.r.flag() {
		return
	}
	for h.r.unsigned() != 3 && !h.r.ended {
		h.r.unsigned()
	}
}

// skipWeights reads the prediction weights (ITU-T H.264, 7.3.3.2).
func (h *avcHeader) skipWeights(counts []int) {
	h.r.unsigned()
	if !h.sequence.monochrome {
		h.r.unsigned()
	}
	for _, count := range counts {
		for range min(count, 32) {
			if h.r.flag() {
				h.r.signed()
				h.r.signed()
			}

			if !h.sequence.monochrome && h.r.flag() {
				for range 4 {
					h.r.signed()
				}
			}
		}
	}
}

// skipMarking reads which pictures remain references (ITU-T H.264, 7.3.3.3).
func (h *avcHeader) skipMarking() {
	if h.idr {
		h.r.fixed(2)
		return
	}

	if !h.r.flag() {
		return
	}
	for operation := h.r.unsigned(); operation != 0 && !h.r.ended; operation = h.r.unsigned() {
		if operation != 5 {
			h.r.unsigned()
		}
		if operation == 3 {
			h.r.unsigned()
		}
	}
}
