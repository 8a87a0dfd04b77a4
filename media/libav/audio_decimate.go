package libav

/*
#include <stdint.h>

enum {
	roughcut_step = 3,
	roughcut_steps = 34,    // taps for each of the three turns of input samples
	roughcut_together = 32, // output samples
};

// Four samples, at any address.
typedef float roughcut_four __attribute__((vector_size(16), aligned(4), may_alias));

// Writes n filtered samples, rounded up to whole blocks of roughcut_together. The first samples of
// the turns contribute to the first one. Many sums at a time keep the processor busy while each of
// them waits for its last addition. Adding whole rounds to integers, because its last bit is 1.
static void roughcut_decimate(
	const float *x0, const float *x1, const float *x2, const float *taps, int n, int16_t *out
) {
	const float *turns[roughcut_step] = {x0, x1, x2};
	for (int k = 0; k < n; k += roughcut_together) {
		roughcut_four a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, g = {0}, h = {0};
		const float *tap = taps;
		for (int turn = 0; turn < roughcut_step; turn++) {
			const float *from = turns[turn] + k;
			for (int i = 0; i < roughcut_steps; i++, from++, tap++) {
				const roughcut_four *at = (const roughcut_four *)from;
				a += *tap * at[0];
				b += *tap * at[1];
				c += *tap * at[2];
				d += *tap * at[3];
				e += *tap * at[4];
				f += *tap * at[5];
				g += *tap * at[6];
				h += *tap * at[7];
			}
		}
		float sums[roughcut_together];
		roughcut_four *to = (roughcut_four *)sums;
		to[0] = a, to[1] = b, to[2] = c, to[3] = d, to[4] = e, to[5] = f, to[6] = g, to[7] = h;
		for (int i = 0; i < roughcut_together; i++) {
			const float whole = 3 << 22;
			float s = sums[i] * 32768;
			s = s < 32767 ? s : 32767;
			s = s > -32768 ? s : -32768;
			out[k + i] = (int16_t)(int32_t)(s + whole - whole);
		}
	}
}
*/
import "C"

import (
	"math"
	"slices"
	"unsafe"

	"roughcut/media"
	"roughcut/media/libav/av"
)

const (
	// decimateStep is the number of input samples for each output sample.
	decimateStep = media.SampleRate / media.SpeechSampleRate
	// decimateTaps is the length of the filter. Most of an output sample comes from input sample
	// decimateCenter of those that contribute.
	decimateTaps   = 100
	decimateCenter = decimateTaps/2 - 1
	decimateSteps  = C.roughcut_steps

	decimateCutoff = 0.97 // of half the output rate, at half the amplitude
	decimateBeta   = 9    // shape of the Kaiser window
)

// decimator turns stereo audio at media.SampleRate into mono at media.SpeechSampleRate. Apart from
// rounding, it computes what libswresample does by default. libswresample takes more than twice as
// long, because it computes one output sample after the other.
type decimator struct {
	taps  [decimateStep][decimateSteps]float32 // of the input samples of each turn
	turns [decimateStep][]float32              // every third mono sample that still contributes
	count int                                  // samples in all turns
	began bool
	out   []int16
}

func newDecimator() *decimator {
	d := &decimator{}
	var taps [decimateTaps]float64
	sum := 0.0
	for i := range taps {
		x := float64(i - decimateCenter)
		edge := 2 * x / decimateTaps
		taps[i] = sinc(math.Pi*x*decimateCutoff/decimateStep) * bessel(decimateBeta*math.Sqrt(1-edge*edge))
		sum += taps[i]
	}

	for i, tap := range taps {
		d.taps[i%decimateStep][i/decimateStep] = float32(tap / sum)
	}
	return d
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(x) / x
}

// bessel returns the modified Bessel function of the first kind of order 0.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*1e-17; k++ {
		term *= x / 2 / k * (x / 2 / k)
		sum += term
	}

	return sum
}

// add returns the samples that more audio completes, 16 bits each, which are valid until the next
// call. The first part is longer than the filter, unless it is the only one.
func (d *decimator) add(part av.Stereo) []byte {
	n := int(part.Len())
	if n == 0 {
		return nil
	}
	mean := func(i int) float32 { return (part.Left[i] + part.Right[i]) / 2 }
	if !d.began {
		for i := decimateCenter; i > 0; i-- { // the start is mirrored
			d.push(mean(min(i, n-1)))
		}
		d.began = true
	}

	i := 0
	for ; i < n && d.count%decimateStep > 0; i++ {
		d.push(mean(i))
	}
	whole := (n - i) / decimateStep
	for turn := range d.turns {
		x := d.turns[turn]
		at := len(x)
		x = slices.Grow(x, whole)[:at+whole]
		left, right := part.Left[min(i+turn, n):], part.Right[min(i+turn, n):]
		for k := range whole {
			x[at+k] = (left[decimateStep*k] + right[decimateStep*k]) / 2
		}
		d.turns[turn] = x
	}

	d.count += whole * decimateStep
	for i += whole * decimateStep; i < n; i++ {
		d.push(mean(i))
	}
	return d.compute()
}

func (d *decimator) push(sample float32) {
	turn := &d.turns[d.count%decimateStep]
	*turn = append(*turn, sample)
	d.count++
}

// finish mirrors the end of the audio and returns the remaining samples.
func (d *decimator) finish() []byte {
	end := d.count
	for i := range min(decimateTaps-decimateCenter-1, end) {
		k := end - 1 - i
		d.push(d.turns[k%decimateStep][k/decimateStep])
	}

	return d.compute()
}

// compute returns all samples that depend only on known audio.
func (d *decimator) compute() []byte {
	if d.count < decimateTaps {
		return nil
	}
	n := (d.count-decimateTaps)/decimateStep + 1
	blocks := (n + C.roughcut_together - 1) / C.roughcut_together * C.roughcut_together
	for i, x := range d.turns { // whole blocks read numbers that contribute nothing
		d.turns[i] = slices.Grow(x, blocks+decimateSteps-len(x))
		clear(d.turns[i][len(x) : blocks+decimateSteps])
	}

	d.out = slices.Grow(d.out[:0], blocks)[:blocks]
	C.roughcut_decimate(
		(*C.float)(&d.turns[0][0]), (*C.float)(&d.turns[1][0]), (*C.float)(&d.turns[2][0]),
		(*C.float)(&d.taps[0][0]), C.int(n), (*C.int16_t)(unsafe.Pointer(&d.out[0])),
	)
	for i, x := range d.turns {
		d.turns[i] = x[:copy(x, x[n:])]
	}
	d.count -= n * decimateStep
	return unsafe.Slice((*byte)(unsafe.Pointer(&d.out[0])), 2*n)
}
