package whisper

import (
	"encoding/binary"
	"fmt"
	"io"

	"roughcut/media"
)

const (
	// sound that one run of the model is given: it looks at 30 s, but leaves words out of what is
	// dense
	windowMS  = 20_000
	earliest  = 10_000 // a window may end at a pause from here on
	airMS     = 500    // of a longer pause this much is left on each side
	splitMS   = 18_000 // longer sound without a pause is split at its quietest spot
	splitLook = 8_000  // which is looked for in this much before splitMS
)

// window is one run of the model: stretches of clip time, sorted and disjoint, heard one after the
// other without what lies between.
type window []media.Span

// duration returns how long the window's sound is in milliseconds.
func (w window) duration() int64 {
	total := int64(0)
	for _, s := range w {
		total += s.Duration()
	}
	return total
}

// clipTime returns the clip time of a moment of the window.
func (w window) clipTime(ms int64) int64 {
	for i, s := range w {
		if ms < s.Duration() || i == len(w)-1 {
			return min(s.StartMS+max(ms, 0), s.EndMS)
		}
		ms -= s.Duration()
	}
	return 0
}

// windows packs the voiced stretches of a recording into windows, whose borders lie in pauses where
// there are any. Long pauses are left out: they cost time, and models invent words for them.
func windows(v media.VoiceActivity) []window {
	atoms := atomsOf(v)
	var out []window
	for len(atoms) > 0 {
		n := fill(atoms)
		out = append(out, pack(atoms[:n], v.DurationMS))
		atoms = atoms[n:]
	}
	return out
}

// atomsOf returns the voiced spans with those that are too long for a window split at quiet spots.
func atomsOf(v media.VoiceActivity) []media.Span {
	var out []media.Span
	for _, s := range v.Spans {
		for s.Duration() > splitMS {
			at := v.Quietest(
				media.Span{StartMS: s.StartMS + splitMS - splitLook, EndMS: s.StartMS + splitMS},
				s.StartMS+splitMS,
			)
			out = append(out, media.Span{StartMS: s.StartMS, EndMS: at})
			s.StartMS = at
		}
		out = append(out, s)
	}
	return out
}

// fill returns how many of the atoms go into the next window: as many as fit, or those before the
// longest pause of its later part.
func fill(atoms []media.Span) int {
	length := int64(2 * airMS)
	best, bestGap := 0, int64(-1)
	for i, a := range atoms {
		if i > 0 {
			length += min(a.StartMS-atoms[i-1].EndMS, 2*airMS)
			gap := a.StartMS - atoms[i-1].EndMS
			if length >= earliest && gap >= bestGap {
				best, bestGap = i, gap
			}
		}
		if length += a.Duration(); length > windowMS && i > 0 {
			if best == 0 {
				best = i
			}
			return best
		}
	}
	return len(atoms)
}

// pack returns the window of some atoms, each with air around it.
func pack(atoms []media.Span, durationMS int64) window {
	padded := make([]media.Span, len(atoms))
	for i, a := range atoms {
		padded[i] = media.Span{StartMS: max(a.StartMS-airMS, 0), EndMS: min(a.EndMS+airMS, durationMS)}
	}
	return media.MergeSpans(padded)
}

// minSamples is what a run of the model is padded to: it refuses less than a second.
const minSamples = media.SpeechSampleRate * 11 / 10

// samples reads a window's sound as numbers in [-1, 1). Signed 16-bit input cannot hold a NaN.
func (w window) samples(pcm io.ReaderAt) ([]float32, error) {
	const bytesPerMS = 2 * media.SpeechSampleRate / 1000
	out := make([]float32, 0, max(minSamples, int(w.duration())*media.SpeechSampleRate/1000))
	for _, s := range w {
		raw := make([]byte, s.Duration()*bytesPerMS)
		n, err := pcm.ReadAt(raw, s.StartMS*bytesPerMS)
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("read speech sound: %w", err)
		}
		clear(raw[n:]) // a recording that has shrunk meanwhile is silent from there on
		for i := 0; i+1 < len(raw); i += 2 {
			out = append(out, float32(int16(binary.LittleEndian.Uint16(raw[i:])))/32768)
		}
	}
	for len(out) < minSamples {
		out = append(out, 0)
	}
	return out, nil
}
