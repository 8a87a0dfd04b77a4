package libav

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"sync"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// viewFrames shows each frame as the views of the plan say: a part of it, enlarged to the canvas.
func (r *render) viewFrames(from <-chan timedFrame, to chan<- timedFrame) error {
	views, at := r.plan.Views(), int64(0)
	z := &zoomer{threads: r.engine.threads}
	for s := range from {
		if err := r.viewFrame(s, at, views, z, to); err != nil {
			return err
		}
		at += s.count
	}

	return nil
}

// viewFrame splits a frame, which is the re-encoded frame at, where its view changes.
func (r *render) viewFrame(s timedFrame, at int64, views media.Views, z *zoomer, to chan<- timedFrame) error {
	defer s.frame.Free()
	canvas := r.canvas()
	for end := at + s.count; at < end; {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		area := r.windowOf(s.frame, views.At(r.outputFrame(at)))
		until := at + 1
		for until < end && r.windowOf(s.frame, views.At(r.outputFrame(until))) == area {
			until++
		}
		out, err := z.zoom(s.frame, area, canvas.Width, canvas.Height)
		if err != nil {
			return err
		}
		av.TagColors(out, canvas.Colors)
		r.meter.Alive()
		if err := sendFrame(r.ctx, to, timedFrame{frame: out, count: until - at}); err != nil {
			return err
		}
		at = until
	}

	return nil
}

// area is a part of a frame in pixels, from its left upper corner.
type area struct{ left, top, width, height float64 }

// windowOf returns the part of a converted frame that a view shows. The frame is turned as the
// canvas is.
func (r *render) windowOf(f *astiav.Frame, v media.View) area {
	width, height := f.Width(), f.Height()
	canvas, t := r.canvas(), r.turned
	if t.SwapsSides() {
		left, top, w, h := v.Window(height, width, canvas.Height, canvas.Width)
		if t.Deg == 90 {
			return area{top, float64(height) - left - w, h, w}
		}
		return area{float64(width) - top - h, left, h, w}
	}

	left, top, w, h := v.Window(width, height, canvas.Width, canvas.Height)
	if t.Deg == 180 {
		left, top = float64(width)-left-w, float64(height)-top-h
	}
	return area{left, top, w, h}
}

// viewRecipe returns a digest of the views of a chunk, nothing if the plan has none.
func (r *render) viewRecipe(p media.Chunk) []any {
	views := r.plan.Views()
	if !views.Any() {
		return nil
	}
	digest := fnv.New128a()
	for n := range p.Frames() {
		fmt.Fprintf(digest, "%v\n", views.At(p.Start+n))
	}
	return []any{"views", fmt.Sprintf("%x", digest.Sum(nil))}
}

// zoomer enlarges parts of 4:2:0 frames, exact to fractions of a pixel, so that slow movements are
// smooth.
type zoomer struct {
	threads int
	area    area // of the taps
	size    [4]int
	columns [2]taps // of luma and chroma
	rows    [2]taps
}

// zoom returns a part of a frame in a size. The caller frees it.
func (z *zoomer) zoom(f *astiav.Frame, a area, width, height int) (*astiav.Frame, error) {
	whole := a == area{0, 0, float64(f.Width()), float64(f.Height())}
	if whole && f.Width() == width && f.Height() == height {
		return av.Clone(f)
	}
	even := func(n float64) bool { return n == 2*math.Trunc(n/2) }
	if a.width == float64(width) && a.height == float64(height) && even(a.left) && even(a.top) {
		return cropFrame(f, int(a.left), int(a.top), width, height)
	}
	if size := [4]int{f.Width(), f.Height(), width, height}; z.area != a || z.size != size {
		z.area, z.size = a, size
		stepX, stepY := a.width/float64(width), a.height/float64(height)
		// The samples of chroma are at the left edge of their pixels and vertically in the middle.
		z.columns = [2]taps{
			newTaps(width, f.Width(), a.left+stepX/2-0.5, stepX),
			newTaps((width+1)/2, (f.Width()+1)/2, (a.left+stepX/2-0.5)/2, stepX),
		}
		z.rows = [2]taps{
			newTaps(height, f.Height(), a.top+stepY/2-0.5, stepY),
			newTaps((height+1)/2, (f.Height()+1)/2, (a.top+stepY-1)/2, stepY),
		}
	}

	out, err := newFrame420(width, height)
	if err != nil {
		return nil, err
	}
	var group sync.WaitGroup
	for plane := range 3 {
		half := min(plane, 1)
		to, stride := av.PlaneBytes(out, plane, (height+half)>>half)
		from, pitch := av.PlaneBytes(f, plane, (f.Height()+half)>>half)
		columns, rows := z.columns[half], z.rows[half]
		n := max(1, z.threads)
		for i := range n {
			first, last := len(rows)*i/n, len(rows)*(i+1)/n
			group.Go(func() { scaleRows(to, stride, from, pitch, columns, rows, first, last) })
		}
	}

	group.Wait()
	av.Tag709(out)
	return out, nil
}

// tapBits is the precision of the weights of taps.
const tapBits = 12

// tap is how one sample is interpolated: from the samples at index with weights, whose sum is
// 1<<tapBits.
type tap struct {
	index  [4]int32
	weight [4]int32
}

type taps []tap

// newTaps returns the taps of n samples at first, first+step and so on in a line of size samples.
// The weights follow a Catmull-Rom spline, which keeps edges sharp. Beyond an end of the line, the
// sample at that end repeats.
func newTaps(n, size int, first, step float64) taps {
	all := make(taps, n)
	for i := range all {
		at := first + float64(i)*step
		whole := math.Floor(at)
		t := at - whole
		weights := [4]float64{
			(-t + 2*t*t - t*t*t) / 2, (2 - 5*t*t + 3*t*t*t) / 2, (t + 4*t*t - 3*t*t*t) / 2, (t*t*t - t*t) / 2,
		}
		sum := int32(0)
		for k, w := range weights {
			all[i].index[k] = int32(min(max(int(whole)+k-1, 0), size-1))
			all[i].weight[k] = int32(math.Round(w * (1 << tapBits)))
			sum += all[i].weight[k]
		}

		all[i].weight[1] += 1<<tapBits - sum
	}

	return all
}

// scaleRows interpolates rows [first, last) of a plane.
func scaleRows(to []byte, stride int, from []byte, pitch int, columns, rows taps, first, last int) {
	left, right := columns[0].index[0], columns[len(columns)-1].index[3]+1
	line := make([]int32, right) // one row between the rows of the source
	for y := first; y < last; y++ {
		row := rows[y]
		var lines [4][]byte
		for k := range lines {
			start := int(row.index[k]) * pitch
			lines[k] = from[start : start+int(right)]
		}

		w := row.weight
		a, b, c, d := lines[0], lines[1], lines[2], lines[3]
		for x := left; x < right; x++ {
			line[x] = int32(a[x])*w[0] + int32(b[x])*w[1] + int32(c[x])*w[2] + int32(d[x])*w[3]
		}
		out := to[y*stride:][:len(columns)]
		for x := range columns {
			t := &columns[x]
			// The line has tapBits more bits than a sample; four are enough for the sum of both.
			sum := (line[t.index[0]]>>8)*t.weight[0] + (line[t.index[1]]>>8)*t.weight[1] +
				(line[t.index[2]]>>8)*t.weight[2] + (line[t.index[3]]>>8)*t.weight[3]
			const bits = 2*tapBits - 8
			out[x] = uint8(min(max((sum+1<<(bits-1))>>bits, 0), 255))
		}
	}
}
