package voices

import (
	"math"

	"roughcut/media"
)

// warp is how a repetition of a phrase differs from the first time.
type warp struct {
	rhythm float64 // the speed varies between 1-rhythm and 1+rhythm within the phrase
	pitch  float64 // the factor of the pitch and the formants varies between 1-pitch and 1+pitch
	color  float64 // change of two bands in decibels
	volume float64 // decibels
}

// spoken is a repetition with its words. Times count from its start.
type spoken struct {
	pcm   []float64
	words []media.Word
}

// repeated returns a phrase as a person would say it again.
func (s *stage) repeated(u Utterance, w warp) spoken {
	pcm := leveled(u.PCM)
	factor := 1 + w.pitch*(2*s.Float64()-1)
	shifted := resample(pcm, factor)
	speeds := make([]float64, 2+len(pcm)/(rate/2)) // one speed for each half second
	for i := range speeds {
		speeds[i] = (1 + w.rhythm*(2*s.Float64()-1)) / factor
	}
	out, places := stretch(shifted, speeds)
	for _, f := range []biquad{
		peaking(300+400*s.Float64(), w.color*(2*s.Float64()-1), 0.8),
		peaking(1800+1800*s.Float64(), w.color*(2*s.Float64()-1), 0.8),
	} {
		f.apply(out)
	}

	change := gain(w.volume*(2*s.Float64()-1)+speechDB) / rms(out)
	for i := range out {
		out[i] *= change
	}
	words := wordsOf(u)
	for i, word := range words {
		words[i].StartMS = placeOf(places, float64(word.StartMS)/factor)
		words[i].EndMS = placeOf(places, float64(word.EndMS)/factor)
	}

	return spoken{out, words}
}

const (
	stretchFrame  = rate / 33  // 30 ms
	stretchStep   = rate / 66  // frames overlap by half
	stretchSearch = rate / 125 // a frame may come from 8 ms earlier or later, which covers a pitch period
)

// stretch changes the speed of audio but not its pitch, by overlapping frames that fit each other
// best (WSOLA: Verhelst and Roelands, 1993). speeds are spread evenly over the audio. places holds
// the source position of each step of the result, in samples.
func stretch(x, speeds []float64) (out []float64, places []float64) {
	window := make([]float64, stretchFrame)
	for i := range window {
		window[i] = 0.5 - 0.5*math.Cos(2*math.Pi*(float64(i)+0.5)/stretchFrame)
	}
	at := 0.0
	natural := -1 // where the source of the last frame would continue
	for at < float64(len(x)) {
		from := int(at)
		if natural >= 0 {
			from = bestFit(x, natural, from)
		}
		to := len(places) * stretchStep
		places = append(places, at)
		out = append(out, make([]float64, to+stretchFrame-len(out))...)
		for i, w := range window {
			if from+i >= 0 && from+i < len(x) {
				out[to+i] += w * x[from+i]
			}
		}

		natural = from + stretchStep
		position := at / float64(len(x)) * float64(len(speeds)-1)
		k := min(int(position), len(speeds)-2)
		f := position - float64(k)
		at += stretchStep * (speeds[k]*(1-f) + speeds[k+1]*f)
	}

	return out[:len(places)*stretchStep], places
}

// bestFit returns the position near from whose audio is most similar to the audio at natural.
func bestFit(x []float64, natural, from int) int {
	best, most := from, math.Inf(-1)
	for shift := -stretchSearch; shift <= stretchSearch; shift += 2 {
		dot, energy := 0.0, 1e-9
		for i := 0; i < stretchFrame-stretchStep; i += 2 {
			a, b := natural+i, from+shift+i
			if a >= 0 && b >= 0 && a < len(x) && b < len(x) {
				dot += x[a] * x[b]
				energy += x[b] * x[b]
			}
		}

		if fit := dot / math.Sqrt(energy); fit > most {
			best, most = from+shift, fit
		}
	}

	return best
}

// placeOf returns the time in the result of stretch of a time in its source, in milliseconds.
func placeOf(places []float64, ms float64) int64 {
	sample := ms * rate / 1000
	for i, p := range places {
		if p >= sample {
			return int64(i) * stretchStep * 1000 / rate
		}
	}

	return int64(len(places)) * stretchStep * 1000 / rate
}
