package bitstream

// hevcPictureSet is a short-term reference picture set (ITU-T H.265, 7.4.8): the distances of
// pictures that a picture can refer to, negative ones first, and which of them it uses itself.
type hevcPictureSet struct {
	deltas []int
	used   []bool
	before int // how many distances are negative
}

// uses returns how many pictures of the set the picture uses.
func (s hevcPictureSet) uses() (n int) {
	for _, used := range s.used {
		if used {
			n++
		}
	}

	return n
}

// hevcSequence is the part of a sequence parameter set that slice headers depend on.
type hevcSequence struct {
	separatePlanes bool
	monochrome     bool // or separate color planes
	blocks         int  // coding tree blocks of a picture
	orderBits      int
	adaptiveOffset bool
	pictureSets    []hevcPictureSet
	longTerm       bool
	longTermUsed   []bool // of the long-term pictures that the sequence lists
	motionPredicts bool   // sps_temporal_mvp_enabled_flag
}

// hevcPicture is the part of a picture parameter set that slice headers depend on.
type hevcPicture struct {
	sequence        int
	dependent       bool // dependent_slice_segments_enabled_flag
	outputFlag      bool
	extraBits       int
	initFlag        bool // cabac_init_present_flag
	references      [2]int
	chromaOffsets   bool
	weighted        [2]bool // P and B slices
	entryPoints     bool    // tiles or wavefronts
	acrossSlices    bool
	deblockOverride bool
	undeblocked     bool // pps_deblocking_filter_disabled_flag
	lists           bool
	extension       bool // slice_segment_header_extension_present_flag
	chromaLists     bool // chroma_qp_offset_list_enabled_flag
}

// Limits of IDs and counts (ITU-T H.265, 7.4.3). Damaged sets must not cost time or memory.
const (
	hevcMaxSPS         = 16
	hevcMaxPPS         = 64
	hevcMaxPictureSets = 64
	hevcMaxReferences  = 16
	hevcMaxLongTerm    = 32
	hevcMaxEntries     = 440 * 22
	hevcMaxChromaLists = 6
)

// readHEVCSequenceHeads reads a sequence parameter set up to the motion vectors (ITU-T H.265,
// 7.3.2.2.1).
func readHEVCSequenceHeads(r *bitReader) (id int, s hevcSequence, ok bool) {
	r.fixed(4)
	layers := r.fixed(3)
	r.flag()
	skipHEVCProfile(r, layers)
	id = r.unsigned()
	chroma := r.unsigned()
	if chroma == 3 {
		s.separatePlanes = r.flag()
	}
	s.monochrome = chroma == 0 || s.separatePlanes
	width, height := r.unsigned(), r.unsigned()
	if r.flag() {
		skipUnsigned(r, 4)
	}
	skipUnsigned(r, 2) // bit depths
	s.orderBits = r.unsigned() + 4
	if r.flag() { // the sizes of the buffers of all layers follow, otherwise of one
		skipUnsigned(r, 3*layers)
	}
	skipUnsigned(r, 3)

	smallest := r.unsigned() + 3
	block := smallest + r.unsigned()
	skipUnsigned(r, 4)
	if listed := r.flag(); listed && r.flag() {
		skipHEVCScaling(r)
	}
	r.flag()
	s.adaptiveOffset = r.flag()
	if r.flag() { // samples without a code
		r.fixed(8)
		skipUnsigned(r, 2)
		r.flag()
	}

	sets := r.unsigned()
	if r.ended || id >= hevcMaxSPS || sets > hevcMaxPictureSets || block > 6 || s.orderBits > 16 || chroma > 3 {
		return 0, s, false
	}
	for i := range sets {
		set, ok := readHEVCPictureSet(r, s.pictureSets, i, sets)
		if !ok {
			return 0, s, false
		}
		s.pictureSets = append(s.pictureSets, set)
	}

	if s.longTerm = r.flag(); s.longTerm {
		listed := r.unsigned()
		if listed > hevcMaxLongTerm {
			return 0, s, false
		}
		for range listed {
			r.fixed(s.orderBits)
			s.longTermUsed = append(s.longTermUsed, r.flag())
		}
	}

	s.motionPredicts = r.flag()
	across, down := (width+1<<block-1)>>block, (height+1<<block-1)>>block
	s.blocks = across * down
	return id, s, !r.ended && width > 0 && height > 0 && width < 1<<16 && height < 1<<16
}

func skipUnsigned(r *bitReader, n int) {
	for range n {
		r.unsigned()
	}
}

// skipHEVCScaling reads scaling lists (ITU-T H.265, 7.3.4).
func skipHEVCScaling(r *bitReader) {
	for size := range 4 {
		step := 1
		if size == 3 {
			step = 3
		}
		for matrix := 0; matrix < 6; matrix += step {
			if !r.flag() {
				r.unsigned()
				continue
			}

			if size > 1 {
				r.signed()
			}
			for range min(64, 1<<(4+2*size)) {
				r.signed()
			}
		}
	}
}

// readHEVCPictureSet reads set i of a sequence with count sets, or the set of a slice if i is count
// (ITU-T H.265, 7.3.7 and 7.4.8).
func readHEVCPictureSet(r *bitReader, known []hevcPictureSet, i, count int) (s hevcPictureSet, ok bool) {
	if i > 0 && r.flag() {
		back := 1
		if i == count {
			back += r.unsigned()
		}
		if back > i {
			return s, false
		}
		return predictHEVCPictureSet(r, known[i-back])
	}

	s.before = r.unsigned()
	after := r.unsigned()
	if s.before > hevcMaxReferences || after > hevcMaxReferences {
		return s, false
	}
	for _, side := range []struct{ pictures, sign int }{{s.before, -1}, {after, 1}} {
		delta := 0
		for range side.pictures {
			delta += side.sign * (r.unsigned() + 1)
			s.deltas, s.used = append(s.deltas, delta), append(s.used, r.flag())
		}
	}

	return s, !r.ended
}

// predictHEVCPictureSet reads a set that differs from another one (ITU-T H.265, 7-61 and 7-62).
func predictHEVCPictureSet(r *bitReader, from hevcPictureSet) (s hevcPictureSet, ok bool) {
	negative := r.flag()
	shift := r.unsigned() + 1
	if negative {
		shift = -shift
	}
	used, kept := make([]bool, len(from.deltas)+1), make([]bool, len(from.deltas)+1)
	for j := range used {
		used[j] = r.flag()
		kept[j] = used[j] || r.flag()
	}

	take := func(j, delta int) {
		if kept[j] {
			s.deltas, s.used = append(s.deltas, delta), append(s.used, used[j])
		}
	}
	last := len(from.deltas)
	for j := last - 1; j >= from.before; j-- {
		if delta := from.deltas[j] + shift; delta < 0 {
			take(j, delta)
		}
	}

	if shift < 0 {
		take(last, shift)
	}
	for j := range from.before {
		if delta := from.deltas[j] + shift; delta < 0 {
			take(j, delta)
		}
	}

	s.before = len(s.deltas)
	for j := from.before - 1; j >= 0; j-- {
		if delta := from.deltas[j] + shift; delta > 0 {
			take(j, delta)
		}
	}

	if shift > 0 {
		take(last, shift)
	}
	for j := from.before; j < last; j++ {
		if delta := from.deltas[j] + shift; delta > 0 {
			take(j, delta)
		}
	}

	return s, !r.ended && len(s.deltas) <= 2*hevcMaxReferences
}

// readHEVCPicture reads a picture parameter set of a profile that ErrHEVC lists (ITU-T H.265,
// 7.3.2.3.1).
func readHEVCPicture(r *bitReader) (id int, p hevcPicture, ok bool) {
	id, p.sequence = r.unsigned(), r.unsigned()
	p.dependent, p.outputFlag, p.extraBits = r.flag(), r.flag(), r.fixed(3)
	r.flag()
	p.initFlag = r.flag()
	p.references = [2]int{r.unsigned() + 1, r.unsigned() + 1}
	r.signed()
	r.flag()
	skipsTransform := r.flag()
	if r.flag() {
		r.unsigned()
	}
	r.signed()
	r.signed()
	p.chromaOffsets = r.flag()
	p.weighted = [2]bool{r.flag(), r.flag()}
	r.flag()
	tiles, waves := r.flag(), r.flag()
	if p.entryPoints = tiles || waves; tiles {
		columns, rows := r.unsigned(), r.unsigned()
		if columns > 1<<12 || rows > 1<<12 {
			return 0, p, false
		}
		if !r.flag() {
			skipUnsigned(r, columns+rows)
		}
		r.flag()
	}

	p.acrossSlices = r.flag()
	if r.flag() {
		p.deblockOverride = r.flag()
		if p.undeblocked = r.flag(); !p.undeblocked {
			r.signed()
			r.signed()
		}
	}

	if r.flag() {
		skipHEVCScaling(r)
	}
	p.lists = r.flag()
	r.unsigned()
	p.extension = r.flag()
	readable := true
	if r.flag() {
		readable = p.readExtensions(r, skipsTransform)
	}
	tooMany := p.references[0] > hevcMaxReferences || p.references[1] > hevcMaxReferences
	return id, p, readable && !r.ended && !tooMany && id < hevcMaxPPS && p.sequence < hevcMaxSPS
}

// readExtensions reads the range extension of a picture parameter set (ITU-T H.265, 7.3.2.3.2). It
// returns false for any other extension.
func (p *hevcPicture) readExtensions(r *bitReader, skipsTransform bool) bool {
	ranges := r.flag()
	if r.fixed(7) != 0 {
		return false
	}
	if !ranges {
		return true
	}
	if skipsTransform {
		r.unsigned()
	}
	r.flag()
	if p.chromaLists = r.flag(); p.chromaLists {
		r.unsigned()
		entries := r.unsigned() + 1
		if entries > hevcMaxChromaLists {
			return false
		}
		for range 2 * entries {
			r.signed()
		}
	}

	skipUnsigned(r, 2)
	return true
}

// Slice types of ITU-T H.265, table 7-7.
const (
	hevcTypeB = 0
	hevcTypeI = 2
)

// hevcSyntax holds the parameter sets that slice headers depend on, by their ID.
type hevcSyntax struct {
	sequences map[int]hevcSequence
	pictures  map[int]hevcPicture
}

// readHEVCSyntax reads parameter sets. ok is false if one cannot be read.
func readHEVCSyntax(sets [][]byte) (s hevcSyntax, ok bool) {
	s = hevcSyntax{map[int]hevcSequence{}, map[int]hevcPicture{}}
	for _, set := range sets {
		r := &bitReader{data: set[2:]}
		switch hevcType(set) {
		case hevcSPS:
			id, sequence, ok := readHEVCSequenceHeads(r)
			if !ok {
				return s, false
			}
			s.sequences[id] = sequence
		case hevcPPS:
			id, picture, ok := readHEVCPicture(r)
			if !ok {
				return s, false
			}
			s.pictures[id] = picture
		}
	}

	return s, true
}

// hevcHeader reads the header of one slice segment (ITU-T H.265, 7.3.6.1).
type hevcHeader struct {
	r        *bitReader
	sequence hevcSequence
	picture  hevcPicture

	kind        int  // slice_type
	uses        int  // pictures that the current one uses
	predicts    bool // slice_temporal_mvp_enabled_flag
	offset      bool // sample adaptive offset of any plane
	references  [2]int
	undeblocked bool
	setID       int // slice_pic_parameter_set_id
	// Bits up to the ID, up to its end and up to the end of the header, without those of the unit
	// header.
	beforeID, afterID, end int
	data                   int // first byte of the slice data in the unit
}

// read reads the header of a slice unit. It returns false for a header that is damaged or depends
// on unknown sets.
func (h *hevcHeader) read(unit []byte, sets hevcSyntax) bool {
	if len(unit) < 3 {
		return false
	}
	kind := HEVCPicture(hevcType(unit))
	h.r = &bitReader{data: unit[2:]}
	first := h.r.flag()
	if kind.RandomAccess() {
		h.r.flag()
	}
	h.beforeID = h.r.bits
	h.setID = h.r.unsigned()
	h.afterID = h.r.bits
	var known bool
	if h.picture, known = sets.pictures[h.setID]; !known {
		return false
	}
	if h.sequence, known = sets.sequences[h.picture.sequence]; !known {
		return false
	}

	dependent := false
	if !first {
		dependent = h.picture.dependent && h.r.flag()
		h.r.fixed(bitsFor(h.sequence.blocks))
	}

	if !dependent && !h.readIndependent(kind) {
		return false
	}
	if h.picture.entryPoints {
		if n := h.r.unsigned(); n > hevcMaxEntries {
			return false
		} else if n > 0 {
			length := h.r.unsigned() + 1
			if length > 32 {
				return false
			}
			for range n {
				h.r.fixed(length)
			}
		}
	}

	if h.picture.extension {
		n := h.r.unsigned()
		if n > 256 {
			return false
		}
		h.r.fixed(8 * n)
	}

	return h.align()
}

// align reads the bits after the header, a one and zeros up to the next byte.
func (h *hevcHeader) align() bool {
	h.end = h.r.bits
	whole := h.r.flag()
	for h.r.bit != 0 {
		whole = !h.r.flag() && whole
	}
	h.data = 2 + h.r.at
	return whole && !h.r.ended
}

// bitsFor returns the length of a number below n.
func bitsFor(n int) (bits int) {
	for n > 1<<bits {
		bits++
	}
	return bits
}

// readIndependent reads what only the first segment of a slice has.
func (h *hevcHeader) readIndependent(kind HEVCPicture) bool {
	h.r.fixed(h.picture.extraBits)
	if h.kind = h.r.unsigned(); h.kind > hevcTypeI {
		return false
	}
	if h.picture.outputFlag {
		h.r.flag()
	}
	if h.sequence.separatePlanes {
		h.r.fixed(2)
	}
	isIDR := kind == hevcIDRNLP || kind == hevcIDRNLP-1
	if !isIDR && !h.readReferences() {
		return false
	}
	if h.sequence.adaptiveOffset {
		h.offset = h.r.flag()
		if !h.sequence.monochrome {
			h.offset = h.r.flag() || h.offset
		}
	}

	if h.kind != hevcTypeI && !h.readInter() {
		return false
	}
	h.r.signed()
	if h.picture.chromaOffsets {
		h.r.signed()
		h.r.signed()
	}

	if h.picture.chromaLists {
		h.r.flag()
	}
	h.undeblocked = h.picture.undeblocked
	if h.picture.deblockOverride && h.r.flag() {
		if h.undeblocked = h.r.flag(); !h.undeblocked {
			h.r.signed()
			h.r.signed()
		}
	}

	if h.picture.acrossSlices && (h.offset || !h.undeblocked) {
		h.r.flag()
	}
	return !h.r.ended
}

// readReferences reads the order of the picture and the pictures that it refers to.
func (h *hevcHeader) readReferences() bool {
	h.r.fixed(h.sequence.orderBits)
	sets := h.sequence.pictureSets
	var set hevcPictureSet
	switch inSequence := h.r.flag(); {
	case !inSequence:
		var ok bool
		if set, ok = readHEVCPictureSet(h.r, sets, len(sets), len(sets)); !ok {
			return false
		}
	case len(sets) == 0:
		return false
	default:
		i := h.r.fixed(bitsFor(len(sets)))
		if i >= len(sets) {
			return false
		}
		set = sets[i]
	}

	h.uses = set.uses()
	if h.sequence.longTerm && !h.readLongTerm() {
		return false
	}
	if h.sequence.motionPredicts {
		h.predicts = h.r.flag()
	}
	return !h.r.ended
}

func (h *hevcHeader) readLongTerm() bool {
	known, listed := h.sequence.longTermUsed, 0
	if len(known) > 0 {
		listed = h.r.unsigned()
	}
	own := h.r.unsigned()
	if listed > hevcMaxLongTerm || own > hevcMaxLongTerm {
		return false
	}
	for i := range listed + own {
		var used bool
		if i < listed {
			at := h.r.fixed(bitsFor(len(known)))
			if at >= len(known) {
				return false
			}
			used = known[at]
		} else {
			h.r.fixed(h.sequence.orderBits)
			used = h.r.flag()
		}

		if used {
			h.uses++
		}
		if h.r.flag() {
			h.r.unsigned()
		}
	}

	return true
}

// readInter reads what P and B slices have.
func (h *hevcHeader) readInter() bool {
	both := h.kind == hevcTypeB
	h.references = h.picture.references
	if h.r.flag() {
		h.references[0] = h.r.unsigned() + 1
		if both {
			h.references[1] = h.r.unsigned() + 1
		}
	}

	if h.references[0] > hevcMaxReferences || h.references[1] > hevcMaxReferences {
		return false
	}
	sides := 1
	if both {
		sides = 2
	}
	if h.picture.lists && h.uses > 1 {
		for side := range sides {
			if h.r.flag() {
				h.r.fixed(h.references[side] * bitsFor(h.uses))
			}
		}
	}

	if both {
		h.r.flag()
	}
	if h.picture.initFlag {
		h.r.flag()
	}
	if h.predicts {
		side := 0
		if both && !h.r.flag() {
			side = 1
		}
		if h.references[side] > 1 {
			h.r.unsigned()
		}
	}

	if h.picture.weighted[sides-1] {
		h.skipWeights(sides)
	}
	h.r.unsigned()
	return !h.r.ended
}

// skipWeights reads the weights of the references (ITU-T H.265, 7.3.6.3).
func (h *hevcHeader) skipWeights(sides int) {
	h.r.unsigned()
	if !h.sequence.monochrome {
		h.r.signed()
	}
	for side := range sides {
		luma, chroma := make([]bool, h.references[side]), make([]bool, h.references[side])
		for i := range luma {
			luma[i] = h.r.flag()
		}
		for i := range chroma {
			chroma[i] = !h.sequence.monochrome && h.r.flag()
		}
		for i := range luma {
			if luma[i] {
				h.r.signed()
				h.r.signed()
			}

			if chroma[i] {
				for range 4 {
					h.r.signed()
				}
			}
		}
	}
}
