package media

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// PunchIn enlarges every other segment of a recording, so that a cut looks like a change of the
// camera. A recording starts at its own size.
type PunchIn struct {
	Scale float64 // 1 to 2 in an enlarged segment; 0 and 1 enlarge nothing
	Ease  bool    // change the size in punchEaseMS after a join instead of at the join
	X, Y  float64 // the point of the frame that keeps its place, as a fraction of its sides
	// Face puts the face of a segment in the place of the point, if one was found.
	Face bool
	// JoinsOnly enlarges segments only after joins whose size is JoinIn.
	JoinsOnly bool
}

// DefaultPunchIn is the enlargement after a join with the size JoinIn if the others have none.
const DefaultPunchIn = 1.15

// The values of Join.Size and Join.Change. An empty text is the choice of PunchIn.
const (
	JoinIn    = "in"    // enlarge the segment after the join
	JoinOut   = "out"   // show it at its own size
	JoinHard  = "hard"  // change the size at the join
	JoinEased = "eased" // change the size gradually after the join
)

// Join is a person's choice for the join at a time of a recording. It has no effect while that time
// stays in the video.
type Join struct {
	MS           int64 // of the recording
	Size, Change string
}

// punchEaseMS is how long the size changes after a join if it eases.
const punchEaseMS = 400

// CropKeyframe is where the crop of a recording is centered at a time: a fraction of the width and
// of the height of the footage. Between two keyframes the crop moves evenly. The crop stays within
// the footage.
type CropKeyframe struct {
	MS   int64 // of the recording
	X, Y float64
}

// View is the visible part of the footage in a frame of the output.
type View struct {
	CropX, CropY float64 // center of the crop, as a fraction of the footage after flips
	Scale        float64 // enlargement of the crop, at least 1
	X, Y         float64 // the point of the crop that keeps its place, as a fraction of its sides
}

// Window returns the rectangle of footage of a size that fills a frame of a size, in pixels of the
// footage. The footage is at least as large as the frame.
func (v View) Window(width, height, frameWidth, frameHeight int) (left, top, w, h float64) {
	side := func(center, point float64, all, part int) (at, length float64) {
		free := float64(all - part)
		at = min(max(center*float64(all)-float64(part)/2, 0), free)
		length = float64(part) / v.Scale
		return at + point*(float64(part)-length), length
	}
	left, w = side(v.CropX, v.X, width, frameWidth)
	top, h = side(v.CropY, v.Y, height, frameHeight)
	return left, top, w, h
}

// Views finds the view of each frame of a plan.
type Views struct {
	plan    RenderPlan
	punched []bool // whether each segment is enlarged
	joins   []Join // at the start of each segment
}

// Views returns the views of the plan.
func (p RenderPlan) Views() Views {
	v := Views{plan: p, punched: make([]bool, len(p.Segments)), joins: make([]Join, len(p.Segments))}
	for i := 1; i < len(p.Segments) && p.PunchIn.Scale > 1; i++ {
		last, next := p.Segments[i-1], p.Segments[i]
		if next.Input != last.Input || !p.Inputs[next.Input].HasVideo {
			continue
		}
		v.joins[i] = p.joinBetween(last, next)
		switch v.joins[i].Size {
		case JoinIn:
			v.punched[i] = true
		case JoinOut:
		default:
			v.punched[i] = !p.PunchIn.JoinsOnly && !v.punched[i-1]
		}
	}

	return v
}

// joinBetween returns the choice for the join between two segments of an input: the last one in the
// footage that is cut between them.
func (p RenderPlan) joinBetween(last, next Segment) (found Join) {
	from, to := p.Rate.MS(last.Out), p.Rate.MS(next.In)
	for _, j := range p.Inputs[next.Input].Joins {
		if j.MS >= from && j.MS <= to {
			found = j
		}
	}

	return found
}

// Any reports whether any frame may show another part of its footage than its fit chooses.
func (v Views) Any() bool { return v.Punched() || v.Cropped() }

// Punched reports whether a punch-in enlarges any segment.
func (v Views) Punched() bool { return slices.Contains(v.punched, true) }

// follow makes the crop and the punch-in of an input follow the face if the plan uses them.
func (in *Input) follow(face []CropKeyframe, p RenderPlan) {
	if p.Fit == Crop && len(in.Crop) == 0 {
		in.Crop = face
	}
	if p.PunchIn.Face {
		in.Face = face
	}
}

// Cropped reports whether keyframes place the crop.
func (v Views) Cropped() bool {
	return v.plan.Fit == Crop && slices.ContainsFunc(v.plan.Inputs, func(in Input) bool { return len(in.Crop) > 0 })
}

// At returns the view of an output frame.
func (v Views) At(frame int64) View {
	segments := v.plan.Segments
	i := sort.Search(len(segments), func(i int) bool { return segments[i].Start > frame }) - 1
	s := segments[i]
	view := View{Scale: v.scale(i, frame-s.Start), X: v.plan.PunchIn.X, Y: v.plan.PunchIn.Y}
	view.CropX, view.CropY = v.flip(v.crop(s.Input, s.In+frame-s.Start))
	if face := v.plan.Inputs[s.Input].Face; len(face) > 0 {
		x, y := v.flip(interpolate(face, v.ms((s.In+s.Out)/2)))
		view.X, view.Y = v.placeInFrame(s.Input, view, x, y)
	}

	return view
}

func (v Views) flip(x, y float64) (float64, float64) {
	if v.plan.FlipH {
		x = 1 - x
	}
	if v.plan.FlipV {
		y = 1 - y
	}
	return x, y
}

// placeInFrame returns where the frame shows a point of the footage without a punch-in, as
// fractions of the sides of the frame.
func (v Views) placeInFrame(input int, view View, x, y float64) (float64, float64) {
	in := v.plan.Inputs[input]
	across, up := float64(v.plan.Width)/float64(in.Width), float64(v.plan.Height)/float64(in.Height)
	scale := min(across, up)
	if v.plan.Fit == Crop {
		scale = max(across, up)
	}
	place := func(point, center, footage, frame float64) float64 {
		free := footage*scale - frame
		left := free / 2
		if free > 0 {
			left = min(max(center*footage*scale-frame/2, 0), free)
		}
		return min(max((point*footage*scale-left)/frame, 0), 1)
	}
	return place(x, view.CropX, float64(in.Width), float64(v.plan.Width)),
		place(y, view.CropY, float64(in.Height), float64(v.plan.Height))
}

// scale returns the enlargement of frame n of a segment.
func (v Views) scale(segment int, n int64) float64 {
	scale, last := 1.0, 1.0
	if v.punched[segment] {
		scale = v.plan.PunchIn.Scale
	}
	if segment > 0 && v.punched[segment-1] && v.plan.Segments[segment].Input == v.plan.Segments[segment-1].Input {
		last = v.plan.PunchIn.Scale
	}
	frames := v.easeFrames(segment)
	if n >= frames || last == scale {
		return scale
	}
	u := float64(n) / float64(frames)
	return last + (scale-last)*u*u*(3-2*u)
}

// easeFrames returns how many frames of a segment a change of the size takes, 0 without easing.
func (v Views) easeFrames(segment int) int64 {
	change := v.joins[segment].Change
	if change == JoinHard || (change == "" && !v.plan.PunchIn.Ease) {
		return 0
	}
	return min(v.plan.Rate.Frame(punchEaseMS), v.plan.Segments[segment].Frames())
}

// crop returns the center of the crop at a frame of an input.
func (v Views) crop(input int, frame int64) (x, y float64) {
	keys := v.plan.Inputs[input].Crop
	if v.plan.Fit != Crop || len(keys) == 0 {
		return 0.5, 0.5
	}
	return interpolate(keys, v.ms(frame))
}

// ms returns the time of a frame of an input in milliseconds.
func (v Views) ms(frame int64) float64 {
	return float64(frame) * 1000 * float64(v.plan.Rate.Den) / float64(v.plan.Rate.Num)
}

// interpolate returns the place between keyframes at a time. There is at least one.
func interpolate(keys []CropKeyframe, ms float64) (x, y float64) {
	next := sort.Search(len(keys), func(i int) bool { return float64(keys[i].MS) > ms })
	if next == 0 {
		return keys[0].X, keys[0].Y
	}
	a := keys[next-1]
	if next == len(keys) {
		return a.X, a.Y
	}
	b := keys[next]
	u := (ms - float64(a.MS)) / float64(b.MS-a.MS)
	return a.X + u*(b.X-a.X), a.Y + u*(b.Y-a.Y)
}

// enlarged returns the output ranges that a punch-in enlarges, in order.
func (v Views) enlarged() (ranges []FrameRange) {
	for i, s := range v.plan.Segments {
		n := s.Frames()
		if !v.punched[i] {
			if n = v.easeFrames(i); i == 0 || !v.punched[i-1] || s.Input != v.plan.Segments[i-1].Input {
				continue
			}
		}

		if n > 0 {
			ranges = append(ranges, FrameRange{s.Start, s.Start + n})
		}
	}

	return ranges
}

// sortedCrop returns keyframes in order of time. Of several at one time, the last counts.
func sortedCrop(keys []CropKeyframe) []CropKeyframe {
	sorted := slices.Clone(keys)
	slices.SortStableFunc(sorted, func(a, b CropKeyframe) int { return cmp.Compare(a.MS, b.MS) })
	var out []CropKeyframe
	for _, k := range sorted {
		k.X, k.Y = math.Min(math.Max(k.X, 0), 1), math.Min(math.Max(k.Y, 0), 1)
		if n := len(out); n > 0 && out[n-1].MS == k.MS {
			out[n-1] = k
		} else {
			out = append(out, k)
		}
	}

	return out
}

// sortedJoins returns joins in order of time.
func sortedJoins(joins []Join) []Join {
	sorted := slices.Clone(joins)
	slices.SortStableFunc(sorted, func(a, b Join) int { return cmp.Compare(a.MS, b.MS) })
	return sorted
}
