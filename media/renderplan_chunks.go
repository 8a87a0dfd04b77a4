package media

import (
	"cmp"
	"slices"
	"sort"
)

// PacketIndex lists, in decoding order, the video packets of an input that can be copied into
// another video. The zero value means that no packet can be copied.
type PacketIndex struct {
	Frames []int64 // the frame of each packet, on the grid of the plan
	Sync   []int   // ascending indexes of the packets that decoding can start with

	// Leading marks packets that display before their sync packet and may refer to packets before
	// it. No other packet refers to them. A copy that starts at that sync packet skips them. It is
	// empty without such packets.
	Leading []bool
}

// Chunk is a part of the output that is copied or encoded as a unit: frames [In, Out) of an input,
// shown from output frame Start. A copied chunk is the packets [First, Last) of its input in their
// order, without those that show frames before In. Any other chunk is decoded and encoded as a
// closed GOP sequence.
type Chunk struct {
	Input       int
	In, Out     int64
	Start       int64
	Copy        bool
	First, Last int  // packets of a copied chunk
	Composited  bool // something is drawn on it, or it is enlarged
}

// FrameRange is the frames [In, Out) of the output.
type FrameRange struct{ In, Out int64 }

// AudioUnchanged reports whether the output has the complete, unprocessed audio of one recording.
func (p RenderPlan) AudioUnchanged() bool {
	if len(p.Segments) != 1 || p.Volume != 1 {
		return false
	}
	only, s := p.Segments[0], p.Audio
	in := p.Inputs[only.Input]
	return in.HasAudio && len(in.Tracks) <= 1 && only.In == 0 && only.Out == in.Frames && s.Denoise == 0 &&
		len(s.Bleeped)+len(s.Muted)+len(s.Assets) == 0 &&
		!s.Normalize && in.VoiceOn == ""
}

// Unchanged reports whether, by the plan alone, the output is one complete, unprocessed recording.
func (p RenderPlan) Unchanged() bool {
	if len(p.Segments) != 1 || p.FlipH || p.FlipV || len(p.CompositedRanges()) > 0 {
		return false
	}
	only := p.Segments[0]
	in := p.Inputs[only.Input]
	sameAudio := !p.HasAudio() || p.AudioUnchanged()
	return in.HasVideo && only.In == 0 && only.Out == in.Frames && sameAudio
}

// compositedGapFrames is the largest gap in frames that joins two composited ranges, exclusive.
const compositedGapFrames = 15

// Draws reports whether anything is drawn on the footage.
func (p RenderPlan) Draws() bool {
	return p.Watermark || len(p.Captions)+len(p.Overlays)+len(p.drawnSegments()) > 0
}

// DrawsIn709 reports whether anything is drawn whose colors are BT.709. Waveforms have the colors
// of the output.
func (p RenderPlan) DrawsIn709() bool {
	return p.Watermark || len(p.Captions)+len(p.Overlays) > 0 || p.Cover != nil
}

// KeepsHDR reports whether the output can have the high dynamic range of its recordings. The
// background and waveforms have standard dynamic range.
func (p RenderPlan) KeepsHDR() bool {
	return p.KeepCodec && !slices.ContainsFunc(p.Segments, func(s Segment) bool { return !p.Inputs[s.Input].HasVideo })
}

// CompositedRanges returns the sorted, disjoint output ranges with captions, overlays, a cover or a
// waveform, and the ranges that a punch-in enlarges. With a watermark, it returns the whole output.
func (p RenderPlan) CompositedRanges() []FrameRange {
	if p.Watermark {
		return []FrameRange{{0, p.Frames()}}
	}
	var out []FrameRange
	all := append(p.Views().enlarged(), p.drawnSegments()...)
	for _, c := range p.Captions {
		all = append(all, FrameRange{max(0, p.Rate.Frame(c.StartMS)-1), min(p.Frames(), p.Rate.Frame(c.EndMS)+1)})
	}
	for _, o := range p.Overlays {
		all = append(all, o.Range)
	}
	slices.SortFunc(all, func(a, b FrameRange) int { return cmp.Compare(a.In, b.In) })
	for _, r := range all {
		if n := len(out); n > 0 && r.In < out[n-1].Out+compositedGapFrames {
			out[n-1].Out = max(out[n-1].Out, r.Out)
		} else if r.In < r.Out {
			out = append(out, r)
		}
	}

	return out
}

// splitAtRanges splits segments at the boundaries of ranges. within tells which parts are inside a
// range.
func splitAtRanges(segments []Segment, ranges []FrameRange) (parts []Segment, within []bool) {
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

// Frames returns the length of the chunk.
func (c Chunk) Frames() int64 { return c.Out - c.In }

// Chunks splits the plan into chunks that are copied or encoded, in output order, without gap or
// overlap. packets holds one entry for each input, or is empty to copy nothing. An encoded chunk
// has at most maxFrames frames. It never crosses a join or the boundary of a composited range.
//
// A copy starts at a sync packet at or after the first frame of the segment. It continues in
// decoding order while the packets show one unbroken run of frames that ends within the segment. So
// every frame that a copied frame refers to is copied too. Only packets that follow a frame beyond
// the cut in decoding order are left for encoding. Copies have at least minCopy frames.
func (p RenderPlan) Chunks(packets []PacketIndex, maxFrames, minCopy int64) []Chunk {
	var out []Chunk
	indexes := make([]copyIndex, len(packets))
	for i, index := range packets {
		indexes[i] = newCopyIndex(index)
	}
	segments, composited := splitAtRanges(p.Segments, p.CompositedRanges())
	for i, seg := range segments {
		at := seg.In
		if composited[i] {
			out = appendEncodedChunks(out, seg, at, seg.Out, maxFrames)
			for j := len(out) - 1; j >= 0 && out[j].Start >= seg.Start; j-- {
				out[j].Composited = true
			}
			continue
		}

		if seg.Input < len(indexes) {
			for c := range indexes[seg.Input].copies(seg, minCopy) {
				out = appendEncodedChunks(out, seg, at, c.In, maxFrames)
				out = append(out, c)
				at = c.Out
			}
		}

		out = appendEncodedChunks(out, seg, at, seg.Out, maxFrames)
	}

	return out
}

// appendEncodedChunks appends the chunks that encode frames [in, out) of a segment: as few as
// possible, with nearly equal lengths.
func appendEncodedChunks(to []Chunk, seg Segment, in, out, maxFrames int64) []Chunk {
	count := (out - in + maxFrames - 1) / maxFrames
	for i := range count {
		a, b := in+(out-in)*i/count, in+(out-in)*(i+1)/count
		to = append(to, Chunk{Input: seg.Input, In: a, Out: b, Start: seg.Start + a - seg.In})
	}

	return to
}

// reuseCost is how many frames a known chunk must save to be used. Every further chunk starts with
// a keyframe, and half a second is the size of one.
const reuseCost = 15

// Reuse splits runs of plain encoded footage again so that they use existing encoded chunks. After
// a cut is restored, for example, only its frames remain to be encoded, not the frames around it.
// known returns the frame ranges of existing chunks within a run, and may return other ranges too.
// Reuse chooses the chunks that cover the most frames in total, minus reuseCost frames for each
// chunk. New chunks have at most maxFrames frames.
func Reuse(chunks []Chunk, maxFrames int64, known func(run Chunk) []FrameRange) []Chunk {
	plain := func(c Chunk) bool { return !c.Copy && !c.Composited }
	var out []Chunk
	for i := 0; i < len(chunks); {
		run, end := chunks[i], i+1
		for plain(run) && end < len(chunks) && plain(chunks[end]) && chunks[end].Input == run.Input &&
			chunks[end].In == run.Out {
			run.Out = chunks[end].Out
			end++
		}

		var use []FrameRange
		if plain(run) {
			use = bestRanges(run, known(run))
		}
		if len(use) == 0 {
			out = append(out, chunks[i:end]...)
			i = end
			continue
		}

		seg, at := Segment{Input: run.Input, In: run.In, Out: run.Out, Start: run.Start}, run.In
		for _, r := range append(use, FrameRange{run.Out, run.Out}) {
			out = appendEncodedChunks(out, seg, at, r.In, maxFrames)
			if r.In < r.Out {
				out = append(out, Chunk{Input: run.Input, In: r.In, Out: r.Out, Start: run.Start + r.In - run.In})
			}
			at = r.Out
		}

		i = end
	}

	return out
}

// bestRanges returns the disjoint ranges within a run that cover the most frames, each counted
// reuseCost frames less: weighted interval scheduling, in O(n log n).
func bestRanges(run Chunk, ranges []FrameRange) (best []FrameRange) {
	var all []FrameRange
	for _, r := range ranges {
		if r.In >= run.In && r.Out <= run.Out && r.Out-r.In > reuseCost {
			all = append(all, r)
		}
	}

	slices.SortFunc(all, func(a, b FrameRange) int { return cmp.Compare(a.Out, b.Out) })
	gain := make([]int64, len(all)+1) // of the first i ranges
	before := make([]int, len(all))   // how many ranges end before one starts
	worth := func(i int) int64 { return all[i].Out - all[i].In - reuseCost + gain[before[i]] }
	for i, r := range all {
		before[i] = sort.Search(i, func(j int) bool { return all[j].Out > r.In })
		gain[i+1] = max(gain[i], worth(i))
	}

	for i := len(all); i > 0; {
		if gain[i] == gain[i-1] {
			i--
			continue
		}

		best = append(best, all[i-1])
		i = before[i-1]
	}

	slices.Reverse(best)
	return best
}

// copyIndex finds the packets that copies can start with.
type copyIndex struct {
	PacketIndex
	starts []copyStart // sorted by frame
}

type copyStart struct {
	frame  int64
	packet int
}

func newCopyIndex(packets PacketIndex) copyIndex {
	c := copyIndex{PacketIndex: packets, starts: make([]copyStart, len(packets.Sync))}
	for i, packet := range packets.Sync {
		c.starts[i] = copyStart{packets.Frames[packet], packet}
	}
	slices.SortStableFunc(c.starts, func(a, b copyStart) int { return int(a.frame - b.frame) })
	return c
}

// copies yields the chunks of a segment that can be copied, in order.
func (c copyIndex) copies(seg Segment, minCopy int64) func(yield func(Chunk) bool) {
	return func(yield func(Chunk) bool) {
		at := seg.In
		i, _ := slices.BinarySearchFunc(
			c.starts,
			at,
			func(a copyStart, frame int64) int { return int(a.frame - frame) },
		)
		for ; i < len(c.starts) && c.starts[i].frame < seg.Out; i++ {
			start := c.starts[i]
			if start.frame < at {
				continue
			}
			last, out := c.copyEnd(start, seg.Out)
			if out-start.frame < minCopy {
				continue
			}
			chunk := Chunk{
				Input: seg.Input,
				In:    start.frame,
				Out:   out,
				Start: seg.Start + start.frame - seg.In,
				Copy:  true,
				First: start.packet,
				Last:  last,
			}
			if at = out; !yield(chunk) {
				return
			}
		}
	}
}

// maxReordered is the highest number of frames that can precede a frame in decoding order and
// follow it in display order: the size of the decoded picture buffer (ITU-T H.264, A.3.1; H.265,
// A.4.2).
const maxReordered = 16

// copyEnd follows the packets from start while they show frames before end. It returns the packet
// and the frame after the longest unbroken run of frames.
func (c copyIndex) copyEnd(start copyStart, end int64) (last int, out int64) {
	last, out = start.packet, start.frame
	highest, ahead := start.frame-1, make([]int64, 0, maxReordered) // ahead of the missing frame out
	for i := start.packet; i < len(c.Frames); i++ {
		frame := c.Frames[i]
		if frame >= 0 && frame < start.frame && len(c.Leading) > 0 && c.Leading[i] {
			continue
		}
		if frame >= end || frame < out || slices.Contains(ahead, frame) {
			break
		}
		highest = max(highest, frame)
		if highest == out+int64(len(ahead)) {
			last, out = i+1, highest+1
			ahead = ahead[:0]
			continue
		}

		if len(ahead) == maxReordered {
			break // Frame out is not in the recording, which need not be read to its end.
		}
		ahead = append(ahead, frame)
	}

	return last, out
}
