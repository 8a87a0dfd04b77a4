package edge

import (
	"slices"

	"roughcut/media/audio"
	"roughcut/pipeline/detect/spectrum"
)

const (
	frameMS = spectrum.FrameMS
	bands   = spectrum.Bands / 2 // pairs of bands of the spectrum

	shortestGap      = 25  // frames between two spans whose edges are refined
	voice            = 40  // of 255: where the voice network hears voice
	clearFrames      = 8   // between speech and what counts as background
	backgroundFrames = 100 // that tell the background, at most
	leastBackground  = 10
	innerReach       = 25 // frames of the search for the edge, into the speech
	outerReach       = 20 // frames into the pause
	speechFrames     = 60 // that tell how loud the speech is
	contextFrames    = 16 // around a frame that tell whether it is speech
)

// edge is the end of a span of speech, or its start: then the frames count backwards.
type edge struct {
	span     int
	start    bool
	anchor   int         // frame; the first outside the span
	first    int         // position relative to the anchor of the first features, growing into the pause
	features [][]float32 // of each position
}

// recording is what the edges of a recording are found from.
type recording struct {
	audio.VoiceActivity
	levels []byte
	frames int
	decays [3]float32
}

func newRecording(v audio.VoiceActivity, m *spectrum.Meter) *recording {
	r := &recording{VoiceActivity: v, levels: m.Levels(), frames: len(m.Levels()) / spectrum.Bands}
	r.decays = r.measureDecays()
	return r
}

// frameOf returns the frame whose center is nearest to a time.
func frameOf(ms int64) int { return int((ms - spectrum.WindowMS/2 + frameMS/2) / frameMS) }

// timeOf returns the time between the centers of a frame and the one before.
func timeOf(frame int) int64 { return int64(frame)*frameMS + (spectrum.WindowMS-frameMS+1)/2 }

// edges returns the starts or the ends of speech next to gaps that are long enough to know their
// background.
func (r *recording) edges(starts bool) (out []edge) {
	for i, s := range r.Spans {
		w, inner, next := way{r, frameOf(s.EndMS), 1}, s.StartMS, r.DurationMS
		if i+1 < len(r.Spans) {
			next = r.Spans[i+1].StartMS
		}
		if starts {
			w, inner, next = way{r, frameOf(s.StartMS) - 1, -1}, s.EndMS, 0
			if i > 0 {
				next = r.Spans[i-1].EndMS
			}
		}

		if e, ok := w.edge(w.position(frameOf(inner)), w.position(frameOf(next))); ok {
			e.span, e.start = i, starts
			out = append(out, e)
		}
	}

	return out
}

// way counts frames from an edge into the pause next to it.
type way struct {
	*recording
	anchor, step int
}

func (w way) position(frame int) int { return (frame - w.anchor) * w.step }
func (w way) frame(position int) int { return w.anchor + position*w.step }

// voiceAt returns what the voice network hears windows away from a position.
func (w way) voiceAt(position, windows int) byte {
	ms := int64(w.frame(position))*frameMS + spectrum.WindowMS/2
	if n := int(ms/audio.VoiceWindowMS) + windows*w.step; ms >= 0 && n >= 0 && n < len(w.Probability) {
		return w.Probability[n]
	}
	return 0
}

// edge returns the features around an edge. inner is the position of the other end of the speech,
// and next is the position of the next speech. ok is false if the pause is too short to know its
// background.
func (w way) edge(inner, next int) (e edge, ok bool) {
	if next < shortestGap {
		return edge{}, false
	}
	heard := 20
	for heard > inner && w.voiceAt(heard, 0) < voice {
		heard--
	}
	if heard <= inner {
		return edge{}, false
	}
	from := max(heard, 0) + clearFrames
	to := from
	for to < min(next, from+backgroundFrames+clearFrames) && w.voiceAt(to, 0) < voice {
		to++
	}
	to -= clearFrames
	if to-from < leastBackground || w.frame(to) < 0 || w.frame(to) >= w.frames {
		return edge{}, false
	}
	e.anchor, e.first = w.anchor, max(min(heard, 0)-innerReach, inner)
	end := min(max(heard, 0)+outerReach, to)
	e.features = w.features(e.first, end, heard, w.background(from, to))
	return e, true
}

// background is the level of each band of the spectrum in a pause, and its spread, in half
// decibels.
type background struct{ level, spread [spectrum.Bands]float32 }

func (w way) background(from, to int) (b background) {
	values := make([]byte, 0, backgroundFrames)
	for k := range b.level {
		values = values[:0]
		for p := from; p < to; p++ {
			values = append(values, w.levels[w.frame(p)*spectrum.Bands+k])
		}
		slices.Sort(values)
		n := len(values)
		b.level[k] = float32(values[n/2])
		b.spread[k] = max(float32(values[n*3/4]-values[n/4])/quartiles, leastSpread)
	}

	return b
}

const (
	quartiles   = 1.35 // distance of the quartiles of a normal distribution, in deviations
	leastSpread = 3    // half decibels
)
