package edge

import (
	"math"
	"slices"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/pipeline/detect/spectrum"
)

const (
	certainty       = 0.75 // factor of the logits, because the networks are too certain
	caution         = 0.15 // added to each logit: air costs less than speech
	tolerance       = 2.5  // frames that an edge may be away from the true one
	lossPerFrame    = 0.02 // of speech beyond two frames
	deepestMS       = 200  // that an end moves into what energy took for speech
	outwardMS       = 20   // that an edge moves into what energy took for a pause
	longestHiddenMS = 130  // of speech that is hidden beyond that
	shortestSoundMS = 60   // of what speech leaves of a sound
)

// Refine moves the edges of the spans of a recording to where speech starts and ends in m, the
// spectrum of the same audio. Speech that seems to end later than the sound above the noise becomes
// Hidden. Refine needs the probabilities of the voice network and does nothing without.
func Refine(v *audio.VoiceActivity, m *spectrum.Meter) {
	if len(v.Probability) == 0 {
		return
	}
	starts, ends := judges()
	r := newRecording(*v, m)
	before, spans := v.Spans, slices.Clone(v.Spans)
	var hidden []media.Span
	for _, e := range slices.Concat(starts.found(r.edges(true)), ends.found(r.edges(false))) {
		s := spans[e.span]
		if e.start {
			s.StartMS = max(e.time(s.StartMS), s.StartMS-outwardMS, 0)
		} else {
			end := min(max(e.time(s.EndMS), s.EndMS-deepestMS), v.DurationMS)
			s.EndMS = min(end, s.EndMS+outwardMS)
			end = min(end, s.EndMS+longestHiddenMS)
			hidden = append(hidden, media.Span{StartMS: s.EndMS, EndMS: end})
		}

		if s.StartMS < s.EndMS {
			spans[e.span] = s
		}
	}

	v.Spans, v.Refined = media.MergeSpans(spans), true
	v.Hidden = slices.DeleteFunc(hidden, func(h media.Span) bool {
		i := firstAfter(v.Spans, h.StartMS-1)
		return h.Duration() <= 0 || i == len(v.Spans) || v.Spans[i].EndMS != h.StartMS
	})
	if len(v.Hidden) == 0 {
		v.Hidden = nil // as it is read from JSON, which leaves out an empty list
	}
	v.Sounds = withoutSpeech(v.Sounds, before, v.Spans)
}

// found is an edge with its place: the number of frames of speech from its first one on, or 0 if no
// frame seems to be speech.
type found struct {
	edge
	speech int
}

// time returns the time of the edge, or before if no frame seems to be speech.
func (f found) time(before int64) int64 {
	switch {
	case f.speech == 0:
		return before
	case f.start:
		return timeOf(f.anchor - (f.first + f.speech - 1))
	}

	return timeOf(f.anchor + f.first + f.speech)
}

// found places each edge at the position that is most likely within tolerance of the true edge.
func (j *judge) found(edges []edge) []found {
	out := placeAlone(j.alone, edges)
	if len(j.informed) == 0 {
		return out
	}
	var informed []dense
	for _, n := range j.informed {
		informed = append(informed, n.dense())
	}
	for i, profile := range profiles(out) {
		out[i].speech = likeliestEdge(speechChances(edges[i].logits(profile, informed...)))
	}
	return out
}

// placeAlone places each edge as one network does without a profile.
func placeAlone(n network, edges []edge) []found {
	out, judge := make([]found, len(edges)), n.dense()
	for i, e := range edges {
		out[i] = found{e, likeliestEdge(speechChances(e.logits(nil, judge)))}
	}
	return out
}

// logits returns the mean logits of networks for each frame of an edge, given the profile that they
// know.
func (e edge) logits(profile []float32, networks ...dense) []float32 {
	x := networks[0].columns(0, inputs+len(profile), len(e.features))
	for i, features := range e.features {
		copy(x.of(i)[copy(x.of(i), features):], profile)
	}
	out := make([]float32, len(e.features))
	for _, n := range networks {
		logits := n.logits(x)
		for i := range out {
			out[i] += logits[i] / float32(len(networks))
		}
	}

	return out
}

// speechChances returns the chance that each frame is speech. It never rises toward the pause:
// frames where the logits say so share their mean (isotonic regression, M. Ayer et al., 1955).
func speechChances(logits []float32) (out []float64) {
	type pool struct{ sum, frames float64 }
	mean := func(p pool) float64 { return p.sum / p.frames }
	var pools []pool
	for _, l := range logits {
		odds := math.Exp(float64(l)*certainty + caution)
		pools = append(pools, pool{odds / (1 + odds), 1})
		for k := len(pools) - 1; k > 0 && mean(pools[k]) > mean(pools[k-1]); k-- {
			pools[k-1].sum += pools[k].sum
			pools[k-1].frames += pools[k].frames
			pools = pools[:k]
		}
	}

	for _, p := range pools {
		for range int(p.frames) {
			out = append(out, mean(p))
		}
	}

	return out
}

// likeliestEdge returns how many frames are speech if the edge is at its best place. chances never
// rises, so its steps are the chances of the places. It returns 0 if no frame seems to be speech.
func likeliestEdge(chances []float64) (best int) {
	if len(chances) == 0 || chances[0] <= 0.5 {
		return 0
	}
	worths := make([]float64, 2*len(chances)+1) // of len(chances) frames inside the speech and on
	for i := range worths {
		worths[i] = edgeWorth(i - len(chances))
	}
	most := math.Inf(-1)
	for count := 1; count <= len(chances); count++ {
		sum, before := 0.0, 1.0
		for truth := range len(chances) + 1 {
			after := 0.0
			if truth < len(chances) {
				after = chances[truth]
			}
			if after < before {
				sum += (before - after) * worths[len(chances)+count-truth]
			}
			before = after
		}

		if sum > most {
			best, most = count, sum
		}
	}

	return best
}

// edgeWorth returns the worth of an edge that is some frames outside the speech, or inside if
// negative: about 1 within tolerance, 0 outside, and less inside.
func edgeWorth(frames int) float64 {
	distance := math.Abs(float64(frames))
	return 1/(1+math.Exp(2*(distance-tolerance))) - lossPerFrame*max(float64(-frames)-2, 0)
}

// withoutSpeech returns the sounds without the speech that moved edges give. Sounds that were part
// of the speech before stay: they are as loud.
func withoutSpeech(sounds []audio.Sound, before, after []media.Span) (out []audio.Sound) {
	for _, s := range sounds {
		if i := firstAfter(before, s.StartMS); i < len(before) && before[i].StartMS < s.EndMS {
			out = append(out, s)
			continue
		}

		for i := firstAfter(after, s.StartMS); i < len(after) && after[i].StartMS < s.EndMS; i++ {
			if speech := after[i]; speech.StartMS <= s.StartMS {
				s.StartMS = speech.EndMS
			} else {
				s.EndMS = speech.StartMS
			}
		}

		if s.Duration() >= shortestSoundMS {
			out = append(out, s)
		}
	}

	return out
}

// firstAfter returns the index of the first span that ends after a time.
func firstAfter(spans []media.Span, ms int64) int {
	i, _ := slices.BinarySearchFunc(spans, ms, func(s media.Span, at int64) int { return int(s.EndMS - at - 1) })
	return i
}
