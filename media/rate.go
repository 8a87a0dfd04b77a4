package media

import (
	"fmt"
	"math"
	"slices"
)

// SampleRate is the audio sample rate of every proxy and export, in hertz.
const SampleRate = 48000

// SpeechSampleRate is the sample rate of the mono audio that the analysis reads, in hertz.
const SpeechSampleRate = 16000

// Rate is a frame rate in frames per second, as an exact fraction. The zero Rate means "unknown".
type Rate struct {
	Num int64 `json:"num"`
	Den int64 `json:"den"`
}

// StandardRates are the frame rates that SnapRate snaps to. Those up to MaxTimelineRate are the
// only ones that other editors take for a timeline.
var StandardRates = []Rate{
	{24000, 1001},
	{24, 1},
	{25, 1},
	{30000, 1001},
	{30, 1},
	{48, 1},
	{50, 1},
	{60000, 1001},
	{60, 1},
	{100, 1},
	{120000, 1001},
	{120, 1},
	{200, 1},
	{240000, 1001},
	{240, 1},
}

var (
	// MaxRate is the highest frame rate of an export.
	MaxRate = Rate{240, 1}

	// MaxTimelineRate is the highest frame rate of a timeline for other editors, and of a proxy.
	MaxTimelineRate = Rate{60, 1}
)

// SnapRate returns the nearest of StandardRates if num/den is within 0.1 % of it. Otherwise it
// returns the exact rate, but at most MaxRate. An unknown rate (zero or negative) gives 30.
func SnapRate(num, den int64) Rate {
	if num <= 0 || den <= 0 {
		return Rate{30, 1}
	}
	value := float64(num) / float64(den)
	best, distance := Rate{}, math.Inf(1)
	for _, rate := range StandardRates {
		if d := math.Abs(rate.Float()-value) / value; d < distance {
			best, distance = rate, d
		}
	}

	if distance < 0.001 {
		return best
	}
	if value > MaxRate.Float() {
		return MaxRate
	}
	g := gcd(num, den)
	return Rate{num / g, den / g}
}

// TimelineRates returns the standard rates up to MaxTimelineRate.
func TimelineRates() []Rate {
	return StandardRates[:1+slices.Index(StandardRates, MaxTimelineRate)]
}

// StandardRate returns the lowest of TimelineRates that is a whole multiple of a rate, otherwise
// the lowest one that is higher, otherwise the highest. Other editors refuse any other rate.
// An unknown rate gives 30.
func StandardRate(r Rate) Rate {
	if r.Num <= 0 || r.Den <= 0 {
		return Rate{Num: 30, Den: 1}
	}
	best := MaxTimelineRate
	for _, standard := range slices.Backward(TimelineRates()) {
		if standard.Float() > r.Float()*0.999 {
			best = standard
		}
	}

	for _, standard := range slices.Backward(TimelineRates()) {
		if (standard.Num*r.Den)%(standard.Den*r.Num) == 0 {
			best = standard
		}
	}

	return best
}

// Float returns the rate in frames per second.
func (r Rate) Float() float64 { return float64(r.Num) / float64(r.Den) }

// Exceeds reports whether the rate is higher than another one by more than SnapRate removes.
func (r Rate) Exceeds(other Rate) bool { return r.Float() > 1.001*other.Float() }

// String returns the rate as "30" or "30000/1001".
func (r Rate) String() string {
	if r.Den == 1 {
		return fmt.Sprint(r.Num)
	}
	return fmt.Sprintf("%d/%d", r.Num, r.Den)
}

// Frame returns the frame boundary nearest to ms: round(ms * rate / 1000).
func (r Rate) Frame(ms int64) int64 { return divRound(ms*r.Num, 1000*r.Den) }

// MS returns the time of a frame boundary in milliseconds, rounded to the nearest.
func (r Rate) MS(frame int64) int64 { return divRound(frame*1000*r.Den, r.Num) }

// Sample returns the position of a frame boundary in samples at hz, rounded to the nearest.
func (r Rate) Sample(frame, hz int64) int64 { return divRound(frame*hz*r.Den, r.Num) }

// divRound returns a/b rounded to the nearest integer, with halves rounded up. b must be positive.
func divRound(a, b int64) int64 {
	q, remainder := a/b, a%b
	if remainder < 0 {
		q, remainder = q-1, remainder+b
	}
	if 2*remainder >= b {
		q++
	}
	return q
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
