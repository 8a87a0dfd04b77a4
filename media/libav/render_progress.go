package libav

import (
	"sync"

	"roughcut/media/libav/av"
)

// tally adds up the progress of a render: passes that measure the audio before it is written, and
// the writing of video and audio.
type tally struct {
	report func(fraction float64)

	mu       sync.Mutex
	share    float64 // of the whole: measuring passes
	base     float64 // share of measuring that finished passes took
	width    float64 // share of measuring that the current pass takes
	expected int     // passes still to come
	measured float64
	video    float64
	audio    float64
	others   []float64 // of the further audio tracks
	tracks   float64   // written tracks, at least 1
}

// encodeCost is roughly how many times as long encoding the video takes as one pass over the audio.
const encodeCost = 20

// newTally returns the tally of a render with the expected number of passes over the audio. encoded
// is the share of frames that are re-encoded.
func newTally(m *av.Meter, passes int, encoded float64, tracks int) *tally {
	passesShare := float64(passes)
	return &tally{
		report:   func(fraction float64) { m.Beat(min(0.99, fraction)) },
		share:    passesShare / (passesShare + 1 + encodeCost*encoded),
		expected: passes,
		tracks:   float64(max(1, tracks)),
	}
}

// other returns the tally of a further audio track, by its index.
func (t *tally) other(i int, r *render) *tally {
	sub := r.newTally()
	sub.report = func(fraction float64) {
		t.add(func() {
			for len(t.others) <= i {
				t.others = append(t.others, 0)
			}
			t.others[i] = fraction
		})
	}
	return sub
}

// pass starts another pass over the audio. It returns a function that takes the progress of the
// pass, 0 to 1. The number of passes is not known in advance, so a pass takes at most half of the
// remaining share.
func (t *tally) pass() func(done float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.base += t.width
	t.width = (1 - t.base) / float64(max(2, t.expected))
	t.expected--
	return func(done float64) { t.add(func() { t.measured = t.base + t.width*min(1, done) }) }
}

// measuringDone says that all measuring passes are done.
func (t *tally) measuringDone() { t.add(func() { t.measured = 1 }) }

// videoDone and audioDone report the share of the video or audio that is written, 0 to 1.
func (t *tally) videoDone(fraction float64) { t.add(func() { t.video = fraction }) }
func (t *tally) audioDone(fraction float64) { t.add(func() { t.audio = fraction }) }

func (t *tally) add(change func()) {
	t.mu.Lock()
	change()
	written := t.video + t.audio
	for _, other := range t.others {
		written += other
	}
	fraction := t.share*t.measured + (1-t.share)*written/t.tracks
	t.mu.Unlock()
	t.report(fraction)
}
