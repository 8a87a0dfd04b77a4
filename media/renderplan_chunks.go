package media

import (
	"cmp"
	"slices"
)

// Coded is how the picture of an input lies in its file: its packets in decoding order, as far as
// they can be copied into another video. The zero value stands for an input whose packets cannot.
type PacketIndex struct {
	Frames []int64 // the frame of the plan's grid that each packet shows
	Sync   []int   // which packets decoding can begin at with nothing before them, ascending

	// Which packets are shown before the sync packet ahead of them and may need what lies before
	// that; nothing else needs them. A copy that begins at that sync packet passes them over. Empty
	// where there are none.
	Leading []bool
}

// Piece is a stretch of the output that is made in one way: frames [In, Out) of an input, shown
// from output frame Start on. A copied piece is the packets [First, Last) of its input, in their
// order, but for those that show frames before In; any other is decoded, and encoded as a closed
// chunk of its own.
type Chunk struct {
	Input       int
	In, Out     int64
	Start       int64
	Copy        bool
	First, Last int  // packets of a copied piece
	Composited  bool // something is drawn on it
}

// FrameRange is the frames [In, Out) of the output.
type FrameRange struct{ In, Out int64 }

// SoundUntouched reports that the output has the sound of one recording, whole and as it is.
func (p RenderPlan) AudioUnchanged() bool {
	if len(p.Segments) != 1 || p.Volume != 1 {
		return false
	}
	only, s := p.Segments[0], p.Audio
	in := p.Inputs[only.Input]
	return in.HasAudio && only.In == 0 && only.Out == in.Frames && s.Denoise == 0 && len(s.Silenced) == 0 &&
		len(s.Assets) == 0 &&
		!s.Normalize
}

// Untouched reports that the output is one recording, whole and as it is, as far as the plan itself
// can tell.
func (p RenderPlan) Unchanged() bool {
	if len(p.Segments) != 1 || p.FlipH || p.FlipV || len(p.CompositedRanges()) > 0 {
		return false
	}
	only := p.Segments[0]
	in := p.Inputs[only.Input]
	return in.HasVideo && only.In == 0 && only.Out == in.Frames && (!p.HasAudio() || p.AudioUnchanged())
}

// titlesApart is the gap between two things that are drawn, in frames, below which they count as
// one.
const titlesApart = 15

// Titled returns where something is drawn on the picture, in order and disjoint: captions and
// assets, or the watermark everywhere.
func (p RenderPlan) CompositedRanges() []FrameRange {
	if p.Watermark {
		return []FrameRange{{0, p.Frames()}}
	}
	var all, out []FrameRange
	for _, c := range p.Captions {
		all = append(all, FrameRange{max(0, p.Rate.Frame(c.StartMS)-1), min(p.Frames(), p.Rate.Frame(c.EndMS)+1)})
	}
	for _, o := range p.Overlays {
		all = append(all, o.Range)
	}
	slices.SortFunc(all, func(a, b FrameRange) int { return cmp.Compare(a.In, b.In) })
	for _, r := range all {
		if n := len(out); n > 0 && r.In < out[n-1].Out+titlesApart {
			out[n-1].Out = max(out[n-1].Out, r.Out)
		} else if r.In < r.Out {
			out = append(out, r)
		}
	}
	return out
}

// splitAt cuts segments where a range begins or ends; within tells which parts of the output lie in
// one.
func splitAt(segments []Segment, ranges []FrameRange) (parts []Segment, within []bool) {
	next := 0
	for _, seg := range segments {
		for seg.In < seg.Out {
			for next < len(ranges) && ranges[next].Out <= seg.Start {
				next++
			}
			end, inside := seg.Start+seg.Frames(), false
			if next < len(ranges) {
				if inside = ranges[next].In <= seg.Start; inside {
					end = min(end, ranges[next].Out)
				} else {
					end = min(end, ranges[next].In)
				}
			}
			part := seg
			part.Out = seg.In + end - seg.Start
			parts, within = append(parts, part), append(within, inside)
			seg.In, seg.Start = part.Out, end
		}
	}
	return parts, within
}

// Frames returns the length of the piece.
func (p Chunk) Frames() int64 { return p.Out - p.In }

// Pieces splits the plan into what can be copied and what must be encoded, in order of the output
// and without gap or overlap. Coded holds one entry an input, or is empty where nothing may be
// copied. An encoded piece has at most longest frames, and never spans two segments, nor the border
// of what is drawn on.
//
// A copy begins at a sync packet at or after the segment's first frame and goes on, in decoding
// order, for as long as the packets show one unbroken run of frames that ends within the segment.
// So everything that a copied picture refers to is copied too, and only what is coded after a
// picture beyond the cut is left over at the end. A copy shorter than worth frames is not begun.
func (p RenderPlan) Chunks(coded []PacketIndex, longest, worth int64) []Chunk {
	var out []Chunk
	spans := make([]sync, len(coded))
	for i, c := range coded {
		spans[i] = newSync(c)
	}
	segments, titled := splitAt(p.Segments, p.CompositedRanges())
	for i, seg := range segments {
		at := seg.In
		if titled[i] {
			out = encodePieces(out, seg, at, seg.Out, longest)
			for j := len(out) - 1; j >= 0 && out[j].Start >= seg.Start; j-- {
				out[j].Composited = true
			}
			continue
		}
		if seg.Input < len(spans) {
			for c := range spans[seg.Input].copies(seg, worth) {
				out = encodePieces(out, seg, at, c.In, longest)
				out = append(out, c)
				at = c.Out
			}
		}
		out = encodePieces(out, seg, at, seg.Out, longest)
	}
	return out
}

// encodePieces appends the pieces that encode frames [in, out) of a segment: as few as possible, of
// nearly the same length.
func encodePieces(to []Chunk, seg Segment, in, out, longest int64) []Chunk {
	count := (out - in + longest - 1) / longest
	for i := range count {
		a, b := in+(out-in)*i/count, in+(out-in)*(i+1)/count
		to = append(to, Chunk{Input: seg.Input, In: a, Out: b, Start: seg.Start + a - seg.In})
	}
	return to
}

// sync looks up where copying can begin.
type sync struct {
	PacketIndex
	starts []syncStart // by frame
}

type syncStart struct {
	frame  int64
	packet int
}

func newSync(c PacketIndex) sync {
	s := sync{PacketIndex: c, starts: make([]syncStart, len(c.Sync))}
	for i, packet := range c.Sync {
		s.starts[i] = syncStart{c.Frames[packet], packet}
	}
	slices.SortStableFunc(s.starts, func(a, b syncStart) int { return int(a.frame - b.frame) })
	return s
}

// copies yields the pieces of a segment that can be copied, in order.
func (s sync) copies(seg Segment, worth int64) func(yield func(Chunk) bool) {
	return func(yield func(Chunk) bool) {
		at := seg.In
		i, _ := slices.BinarySearchFunc(
			s.starts,
			at,
			func(a syncStart, frame int64) int { return int(a.frame - frame) },
		)
		for ; i < len(s.starts) && s.starts[i].frame < seg.Out; i++ {
			start := s.starts[i]
			if start.frame < at {
				continue
			}
			last, out := s.run(start, seg.Out)
			if out-start.frame < worth {
				continue
			}
			piece := Chunk{
				Input: seg.Input,
				In:    start.frame,
				Out:   out,
				Start: seg.Start + start.frame - seg.In,
				Copy:  true,
				First: start.packet,
				Last:  last,
			}
			if at = out; !yield(piece) {
				return
			}
		}
	}
}

// run follows the packets from a start while they show frames before end, and returns the last
// point at which they show an unbroken run of frames: the packet after it and the frame after it.
func (s sync) run(start syncStart, end int64) (last int, out int64) {
	last, out = start.packet, start.frame
	highest, seen := start.frame-1, map[int64]bool{}
	for i := start.packet; i < len(s.Frames); i++ {
		frame := s.Frames[i]
		if frame >= 0 && frame < start.frame && len(s.Leading) > 0 && s.Leading[i] {
			continue
		}
		if frame >= end || frame < out || seen[frame] {
			break
		}
		highest = max(highest, frame)
		if highest == out+int64(len(seen)) {
			last, out = i+1, highest+1
			clear(seen)
			continue
		}
		seen[frame] = true
	}
	return last, out
}
