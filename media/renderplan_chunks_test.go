package media

import (
	"flag"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawPackets generates the packets of a recording as encoders order them: open or closed GOPs with
// B-frames in two depths. Some GOPs have leading frames. Some frames are missing or duplicated.
func drawPackets(t *rapid.T, frames int64) PacketIndex {
	var c PacketIndex
	group := rapid.Int64Range(1, 40).Draw(t, "group")
	depth := rapid.Int64Range(0, 3).Draw(t, "b-frames")
	open := rapid.Bool().Draw(t, "open groups")
	leading := rapid.SampledFrom([]int64{0, 0, 1, 3}).Draw(t, "leading")
	flaw := rapid.SampledFrom([]int64{0, 0, 17, 53}).Draw(t, "flaw")
	next := int64(0)
	for next < frames {
		last := min(next+group, frames) - 1
		if next == 0 || !open {
			c.Sync = append(c.Sync, len(c.Frames))
		}
		lead := int64(0)
		if next > 0 {
			lead = min(leading, last-next)
		}
		c.Frames = append(c.Frames, next+lead)
		for range lead {
			c.Leading = append(c.Leading, make([]bool, len(c.Frames)-len(c.Leading))...)
			c.Frames, c.Leading = append(c.Frames, next), append(c.Leading, true)
			next++
		}
		for at := next; at < last; {
			anchor := min(at+depth+1, last)
			c.Frames = append(c.Frames, anchor)
			inner := []int64{}
			for b := at + 1; b < anchor; b++ {
				inner = append(inner, b)
			}
			if len(inner) > 2 {
				inner[0], inner[len(inner)/2] = inner[len(inner)/2], inner[0]
			}
			c.Frames = append(c.Frames, inner...)
			at = anchor
		}
		next = last + 1
	}
	if leading > 0 {
		c.Leading = append(c.Leading, make([]bool, len(c.Frames)-len(c.Leading))...)
	}
	if flaw > 0 {
		for i := range c.Frames {
			if int64(i)%flaw == flaw-1 && !slices.Contains(c.Sync, i) {
				c.Frames[i]++
			}
		}
	}
	return c
}

// bestCopy finds the longest copy from a sync packet by trying every length.
func bestCopy(c PacketIndex, packet int, end int64) (last int, out int64) {
	first := c.Frames[packet]
	last, out = packet, first
	var frames []int64
	for i := packet; i < len(c.Frames) && c.Frames[i] < end; i++ {
		if c.Frames[i] < first && c.Leading != nil && c.Leading[i] {
			continue
		}
		frames = append(frames, c.Frames[i])
		shown, n := slices.Sorted(slices.Values(frames)), len(frames)
		if shown[0] == first && shown[n-1] == first+int64(n)-1 && len(slices.Compact(shown)) == n {
			last, out = i+1, first+int64(n)
		}
	}
	return last, out
}

// For any cuts, chunks cover every output frame once and in order. A brute-force reference finds
// the same copies.
func TestChunksMatchBruteForce(t *testing.T) {
	rapid.Check(t, matchesBruteForce)
}

// The same for a hundred thousand plans.
func TestLongChunksMatchBruteForce(t *testing.T) {
	if os.Getenv("ROUGHCUT_LONG") == "" { // mediatest imports this package
		t.Skip("make test-long runs this test and sets ROUGHCUT_LONG")
	}
	checks := flag.Lookup("rapid.checks")
	before := checks.Value.String()
	if err := flag.Set("rapid.checks", "100000"); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = flag.Set("rapid.checks", before) }()
	rapid.Check(t, matchesBruteForce)
}

func matchesBruteForce(t *rapid.T) {
	frames := rapid.Int64Range(1, 300).Draw(t, "frames")
	packets := []PacketIndex{drawPackets(t, frames), {}}
	maxFrames, minCopy := rapid.Int64Range(1, 120).Draw(t, "longest"), rapid.Int64Range(1, 6).Draw(t, "worth")
	plan := RenderPlan{Rate: Rate{30, 1}, Inputs: []Input{{Frames: frames}, {Frames: frames}}}
	for i := range rapid.IntRange(1, 8).Draw(t, "segments") {
		in := rapid.Int64Range(0, frames-1).Draw(t, "in")
		plan.Segments = append(
			plan.Segments,
			Segment{
				Input: i % 2 * rapid.IntRange(0, 1).Draw(t, "input"),
				In:    in,
				Out:   rapid.Int64Range(in+1, frames).Draw(t, "out"),
				Start: plan.Frames(),
			},
		)
	}
	chunks := plan.Chunks(packets, maxFrames, minCopy)
	next := 0
	for _, seg := range plan.Segments {
		at := seg.In
		for ; next < len(chunks) && at < seg.Out; next++ {
			p := chunks[next]
			if p.Input != seg.Input || p.In != at || p.Start != seg.Start+at-seg.In || p.Out <= p.In ||
				p.Out > seg.Out {
				t.Fatalf("chunk %+v does not continue at frame %d of %+v", p, at, seg)
			}
			if !p.Copy && p.Frames() > maxFrames {
				t.Fatalf("chunk %+v is longer than %d frames", p, maxFrames)
			}
			at = p.Out
			wanted := wantedCopy(packets[seg.Input], p.In, seg.Out, minCopy)
			if p.Copy != (wanted.Out > 0) ||
				(p.Copy && (p.Out != wanted.Out || p.First != wanted.First || p.Last != wanted.Last)) {
				t.Fatalf("chunk %+v of %+v, want the copy %+v", p, seg, wanted)
			}
			if !p.Copy {
				for f := p.In + 1; f < p.Out; f++ {
					if w := wantedCopy(packets[seg.Input], f, seg.Out, minCopy); w.Out > 0 {
						t.Fatalf("chunk %+v encodes frames that can be copied as %+v", p, w)
					}
				}
			}
		}
		if at != seg.Out {
			t.Fatalf("segment %+v ends at %d", seg, at)
		}
	}
	if next != len(chunks) {
		t.Fatalf("%d extra chunks", len(chunks)-next)
	}
}

// A copy ends where a frame is missing, however many frames follow. Decoders reorder 16 frames at
// most, so planning need not look for the frame in the rest of the recording.
func TestCopiesEndAtMissingFrames(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames []int64
		want   int64 // length of the copy
	}{
		{"a frame after 16 that follow it", append(frameRun(11, 27), append([]int64{10}, frameRun(27, 40)...)...), 40},
		{"a frame after 17 that follow it", append(frameRun(11, 28), append([]int64{10}, frameRun(28, 40)...)...), 10},
		{"a missing frame", frameRun(11, 40), 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			packets := PacketIndex{Frames: append(frameRun(0, 10), c.frames...), Sync: []int{0}}
			plan := RenderPlan{Rate: Rate{30, 1}, Inputs: []Input{{Frames: 40}}, Segments: []Segment{{Out: 40}}}
			first := plan.Chunks([]PacketIndex{packets}, 40, 3)[0]
			if !first.Copy || first.Frames() != c.want {
				t.Errorf("got the chunk %+v, want a copy of %d frames", first, c.want)
			}
		})
	}
}

// frameRun returns the frames [from, to).
func frameRun(from, to int64) (frames []int64) {
	for f := from; f < to; f++ {
		frames = append(frames, f)
	}
	return frames
}

// wantedCopy returns the copy that starts at a frame, or the zero value.
func wantedCopy(c PacketIndex, frame, end, minCopy int64) Chunk {
	for _, packet := range c.Sync {
		if c.Frames[packet] == frame {
			if last, out := bestCopy(c, packet, end); out-frame >= minCopy {
				return Chunk{In: frame, Out: out, First: packet, Last: last}
			}
		}
	}
	return Chunk{}
}

// Chunks that exist are used in the best way that trying all finds, and the new split covers the
// same frames.
func TestReuseMatchesBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const maxFrames = 60
		frames := rapid.Int64Range(1, 300).Draw(t, "frames")
		run := Chunk{In: rapid.Int64Range(0, 100).Draw(t, "in"), Start: 7}
		run.Out = run.In + frames
		copied := Chunk{In: run.Out, Out: run.Out + 30, Start: run.Start + frames, Copy: true}
		seg := Segment{In: run.In, Out: run.Out, Start: run.Start}
		before := appendEncodedChunks(nil, seg, run.In, run.Out, maxFrames)
		var known []FrameRange
		for range rapid.IntRange(0, 8).Draw(t, "known") {
			in := rapid.Int64Range(0, 400).Draw(t, "known in")
			known = append(known, FrameRange{in, in + rapid.Int64Range(1, 120).Draw(t, "length")})
		}
		after := Reuse(append(before, copied), maxFrames, func(got Chunk) []FrameRange {
			if got.In != run.In || got.Out != run.Out || got.Start != run.Start {
				t.Fatalf("the run is %+v, want %+v", got, run)
			}
			return known
		})
		at, saved := run.In, int64(0)
		for _, c := range after[:len(after)-1] {
			if c.In != at || c.Start != run.Start+at-run.In {
				t.Fatalf("%+v does not continue at frame %d", c, at)
			}
			at = c.Out
			if slices.Contains(known, FrameRange{c.In, c.Out}) {
				saved += max(0, c.Frames()-reuseCost)
			} else if c.Frames() > maxFrames {
				t.Fatalf("%+v is longer than %d frames", c, maxFrames)
			}
		}
		if at != run.Out || after[len(after)-1] != copied {
			t.Fatalf("%+v does not cover %+v and end with the copy", after, run)
		}
		best := int64(0)
		for set := range 1 << len(known) {
			var use []FrameRange
			gain, possible := int64(0), true
			for i, r := range known {
				if set>>i&1 == 0 {
					continue
				}
				possible = possible && r.In >= run.In && r.Out <= run.Out && r.Out-r.In > reuseCost
				for _, other := range use {
					possible = possible && (r.Out <= other.In || other.Out <= r.In)
				}
				use, gain = append(use, r), gain+r.Out-r.In-reuseCost
			}
			if possible {
				best = max(best, gain)
			}
		}
		if saved < best {
			t.Fatalf("the chunks %+v save %d frames, want %d", after, saved, best)
		}
	})
}
