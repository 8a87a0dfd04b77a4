// Package screen recognizes recordings of a screen by a few of their frames.
//
// Programs draw text and surfaces in a few exact colors. A camera never repeats a color: light,
// lenses and noise spread every surface over many values, even in a blurred or denoised frame. So
// the flat blocks of a screen have no noise and share a few luma values, and text stands on them.
package screen

import (
	"image"
	"slices"
)

// Limits of one frame, for frames with a short side of up to 540 pixels. Shares are fractions of
// the blocks.
const (
	leastSide   = 200  // pixels of the short side; smaller frames show no text
	block       = 8    // pixels in each direction
	flatRange   = 6    // largest difference of luma within a flat block
	textRange   = 48   // least difference of luma within text
	textCorners = 4    // least corners in a block of text; straight edges have none
	backgroundN = 20   // pixels of a block of text that show its background
	backgroundD = 8    // difference of luma between them
	colors      = 4    // surfaces that are counted
	exactRange  = 1    // largest difference of luma within a block of one color
	leastFlat   = 0.25 // share of flat blocks
	leastExact  = 0.4  // share of the flat blocks that have one color, without noise
	leastColors = 0.8  // share of the flat blocks that have one of the colors
	leastText   = 0.01 // share of text on one of the colors
)

// Limits of a recording.
const (
	leastFrames  = 2
	leastScreens = 0.6 // share of the frames that look like a screen
	changedLuma  = 12  // change of the mean luma of a block that is no compression
)

// Watch judges a recording by frames of it. Its zero value is ready.
type Watch struct {
	frames, screens int
	changes         bool    // something moves
	last            []uint8 // luma of each block of the last frame
}

// Add looks at a frame, whose short side has at most 540 pixels.
func (w *Watch) Add(img *image.YCbCr) {
	l := lookAt(img)
	w.frames++
	if min(img.Rect.Dx(), img.Rect.Dy()) >= leastSide && l.isScreen() {
		w.screens++
	}
	if len(w.last) == len(l.means) {
		for i, mean := range l.means {
			w.changes = w.changes || max(mean, w.last[i])-min(mean, w.last[i]) >= changedLuma
		}
	}

	w.last = l.means
}

// Screen reports whether the recording shows a screen, nil if too few frames were added. A still
// image is not a screen recording.
func (w *Watch) Screen() *bool {
	if w.frames < leastFrames {
		return nil
	}
	is := w.changes && float64(w.screens) >= leastScreens*float64(w.frames)
	return &is
}

// look is one frame in numbers of blocks.
type look struct {
	blocks, flat, exact int
	levels              [256]int // flat blocks by their luma
	backgrounds         []uint8  // luma behind text, one for each block of it
	means               []uint8  // luma of each block
}

func lookAt(img *image.YCbCr) (l look) {
	// The last row and column of pixels have no neighbor to compare with.
	for y := 0; y+block < img.Rect.Dy(); y += block {
		for x := 0; x+block < img.Rect.Dx(); x += block {
			l.add(img.Y[y*img.YStride+x:], img.YStride)
		}
	}

	return l
}

// add counts the block at the start of luma.
func (l *look) add(luma []uint8, stride int) {
	l.blocks++
	low, high, sum := uint8(255), uint8(0), 0
	for row := range block {
		for _, v := range luma[row*stride:][:block] {
			low, high, sum = min(low, v), max(high, v), sum+int(v)
		}
	}

	mean := uint8(sum / (block * block))
	l.means = append(l.means, mean)
	switch {
	case high-low <= flatRange:
		l.flat++
		l.levels[mean]++
		if high-low <= exactRange {
			l.exact++
		}
	case high-low >= textRange:
		if background, ok := textOn(luma, stride, low, high); ok {
			l.backgrounds = append(l.backgrounds, background)
		}
	}
}

// textOn returns the luma behind the text in a block, which reaches from low to high. ok is false
// for a block without text.
func textOn(luma []uint8, stride int, low, high uint8) (background uint8, ok bool) {
	corners, dark, light := 0, 0, 0
	for row := range block {
		above, below := luma[row*stride:][:block+1], luma[(row+1)*stride:][:block+1]
		for x := range block {
			bend := int(above[x]) - int(above[x+1]) - int(below[x]) + int(below[x+1])
			if 3*max(bend, -bend) > int(high-low) {
				corners++
			}
			if above[x]-low <= backgroundD {
				dark++
			}
			if high-above[x] <= backgroundD {
				light++
			}
		}
	}

	switch {
	case corners < textCorners || max(dark, light) < backgroundN:
		return 0, false
	case dark >= light:
		return low + backgroundD/2, true
	}

	return high - backgroundD/2, true
}

func (l *look) isScreen() bool {
	surfaces, covered := l.surfaces()
	text := 0
	for _, background := range l.backgrounds {
		if slices.ContainsFunc(surfaces, func(s int) bool {
			return max(int(background)-s, s-int(background)) <= backgroundD
		}) {
			text++
		}
	}

	share := func(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
	return share(l.flat, l.blocks) >= leastFlat && share(l.exact, l.flat) >= leastExact &&
		share(covered, l.flat) >= leastColors && share(text, l.blocks) >= leastText
}

// surfaces returns the most frequent colors of flat blocks, and how many blocks have one of them.
// Compression changes a color by one step.
func (l *look) surfaces() (found []int, covered int) {
	levels := l.levels
	near := func(at int) []int { return levels[max(0, at-1):min(len(levels), at+2)] }
	for range colors {
		best, most := 0, 0
		for at := range levels {
			n := 0
			for _, blocks := range near(at) {
				n += blocks
			}
			if n > most {
				best, most = at, n
			}
		}

		found, covered = append(found, best), covered+most
		clear(near(best))
	}

	return found, covered
}
