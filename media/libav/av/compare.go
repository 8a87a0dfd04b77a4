package av

import (
	"bytes"
	"errors"
	"math"

	"github.com/asticode/go-astiav"
)

// VerifiedPSNR is how much an encoded frame must match its original at least, in dB of luma.
const VerifiedPSNR = 30

// LumaPSNR returns the luma PSNR of two frames of one size and format in dB, +Inf if they are
// identical.
func LumaPSNR(a, b *astiav.Frame) float64 {
	x, xs := PlaneBytes(a, 0, a.Height())
	y, ys := PlaneBytes(b, 0, b.Height())
	width, size, peak := a.Width(), 1, 255.0 // size is bytes per sample
	if _, depth, _ := HEVCFormat(a.PixelFormat()); depth == 10 {
		size, peak = 2, 1023
	}
	sum := int64(0)
	for row := range a.Height() {
		p, q := x[row*xs:row*xs+width*size], y[row*ys:row*ys+width*size]
		if bytes.Equal(p, q) {
			continue
		}
		for i := 0; i < len(p); i += size {
			d := int64(p[i]) - int64(q[i])
			if size == 2 {
				d += int64(p[i+1])<<8 - int64(q[i+1])<<8
			}
			sum += d * d
		}
	}

	return 10 * math.Log10(peak*peak*float64(width*a.Height())/float64(sum))
}

// Clone returns another reference to a frame. The caller frees it.
func Clone(f *astiav.Frame) (*astiav.Frame, error) {
	if copied := f.Clone(); copied != nil {
		return copied, nil
	}
	return nil, errors.New("cannot allocate a frame")
}
