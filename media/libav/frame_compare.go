package libav

import (
	"bytes"
	"errors"
	"math"

	"github.com/asticode/go-astiav"
)

// verifiedPSNR is how much an encoded frame must match its original at least, in dB of luma.
const verifiedPSNR = 30

// lumaPSNR returns the luma PSNR of two frames of one size and format in dB, +Inf if they are
// identical.
func lumaPSNR(a, b *astiav.Frame) float64 {
	x, xs := planeBytes(a, 0, a.Height())
	y, ys := planeBytes(b, 0, b.Height())
	width, size, peak := a.Width(), 1, 255.0 // size is bytes per sample
	if a.PixelFormat() == astiav.PixelFormatYuv420P10Le {
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

// clone returns another reference to a frame. The caller frees it.
func clone(f *astiav.Frame) (*astiav.Frame, error) {
	if copied := f.Clone(); copied != nil {
		return copied, nil
	}
	return nil, errors.New("cannot allocate a frame")
}
