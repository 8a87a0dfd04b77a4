package mediatest

import (
	"math"

	"roughcut/media"
)

// DrawFaces draws faces that a detector finds, and a plain background, into the luma of a frame.
func DrawFaces(luma []byte, stride, height int, faces []media.Face) {
	for y := range height {
		for x := range stride {
			luma[y*stride+x] = byte(70 + 40*y/height)
		}
	}

	for _, f := range faces {
		size := f.Size * float64(height)
		left, top := f.X*float64(stride)-size, f.Y*float64(height)-size
		for y := max(0, int(top)); y < min(height, int(top+2*size)); y++ {
			for x := max(0, int(left)); x < min(stride, int(left+2*size)); x++ {
				u := (float64(x) - f.X*float64(stride)) / size
				v := (float64(y) - f.Y*float64(height)) / size
				if level, ok := faceLuma(u, v); ok {
					luma[y*stride+x] = byte(level)
				}
			}
		}
	}
}

// faceLuma returns the luma of a face of the size 1 at a place from its center.
func faceLuma(u, v float64) (level float64, ok bool) {
	within := func(x, y, width, height float64) float64 { // 1 in the middle of an ellipse, 0 at its edge
		return max(0, 1-math.Hypot((u-x)/width, (v-y)/height))
	}
	shade := func(x, y, width, height, depth float64) {
		level -= depth * min(1, 3*within(x, y, width, height))
	}
	switch {
	case within(0, 0.05, 0.48, 0.68) > 0:
		level = 200 - 90*math.Abs(u)
	case within(0, -0.15, 0.56, 0.72) > 0:
		return 35, true // hair
	default:
		return 0, false
	}

	for _, side := range []float64{-1, 1} {
		shade(side*0.21, -0.22, 0.16, 0.05, 70) // brow
		shade(side*0.21, -0.11, 0.17, 0.09, 60) // socket
		shade(side*0.21, -0.10, 0.07, 0.05, 90) // eye
		shade(side*0.07, 0.16, 0.05, 0.03, 70)  // nostril
	}

	level += 25 * within(0, 0.02, 0.06, 0.2) // bridge of the nose
	shade(0, 0.19, 0.14, 0.05, 25)
	shade(0, 0.34, 0.2, 0.06, 80) // mouth
	shade(0, 0.44, 0.16, 0.04, 30)
	if v < -0.42 {
		return 35, true
	}
	return min(max(level, 16), 235), true
}
