package whisper

import (
	"encoding/binary"
	"fmt"
	"io"

	"roughcut/media"
)

const (
	// windowMS is the audio of one model run. The model accepts 30 s, but omits words of dense
	// speech.
	windowMS      = 20_000
	minWindowMS   = 10_000 // from here on, a window may end at a pause
	paddingMS     = 500    // silence that stays on each side of a longer pause
	maxVoicedMS   = 18_000 // longer speech without a pause is split at its quietest moment
	splitSearchMS = 8_000  // search range for that moment, before maxVoicedMS
)

// window is the audio of one model run: sorted, disjoint spans of clip time, joined without the
// gaps between them.
type window []media.Span

// duration returns the length of the window in milliseconds.
func (w window) duration() int64 {
	total := int64(0)
	for _, s := range w {
		total += s.Duration()
	}
	return total
}

// clipTime converts window time to clip time.
func (w window) clipTime(ms int64) int64 {
	for i, s := range w {
		if ms < s.Duration() || i == len(w)-1 {
			return min(s.StartMS+max(ms, 0), s.EndMS)
		}
		ms -= s.Duration()
	}
	return 0
}

// windows packs the voiced spans of a recording into windows. Windows end in pauses if possible.
// Long pauses are omitted, because they cost time and models hallucinate words in them.
func windows(v media.VoiceActivity) []window {
	spans := splitLongSpans(v)
	var out []window
	for len(spans) > 0 {
		n := spansInWindow(spans)
		out = append(out, paddedWindow(spans[:n], v.DurationMS))
		spans = spans[n:]
	}
	return out
}

// splitLongSpans returns the voiced spans. It splits spans longer than maxVoicedMS at quiet
// moments.
func splitLongSpans(v media.VoiceActivity) []media.Span {
	var out []media.Span
	for _, s := range v.Spans {
		for s.Duration() > maxVoicedMS {
			at := v.Quietest(
				media.Span{StartMS: s.StartMS + maxVoicedMS - splitSearchMS, EndMS: s.StartMS + maxVoicedMS},
				s.StartMS+maxVoicedMS,
			)
			out = append(out, media.Span{StartMS: s.StartMS, EndMS: at})
			s.StartMS = at
		}
		out = append(out, s)
	}
	return out
}

// spansInWindow returns the number of spans in the next window: as many as fit, or those before the
// longest pause after minWindowMS.
func spansInWindow(spans []media.Span) int {
	length := int64(2 * paddingMS)
	best, bestGap := 0, int64(-1)
	for i, a := range spans {
		if i > 0 {
			length += min(a.StartMS-spans[i-1].EndMS, 2*paddingMS)
			gap := a.StartMS - spans[i-1].EndMS
			if length >= minWindowMS && gap >= bestGap {
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
	return len(spans)
}

// paddedWindow returns the window of spans, each with padding.
func paddedWindow(spans []media.Span, durationMS int64) window {
	padded := make([]media.Span, len(spans))
	for i, a := range spans {
		padded[i] = media.Span{StartMS: max(a.StartMS-paddingMS, 0), EndMS: min(a.EndMS+paddingMS, durationMS)}
	}
	return media.MergeSpans(padded)
}

// minSamples is the minimum input of a model run. The model rejects less than a second.
const minSamples = media.SpeechSampleRate * 11 / 10

// samples reads the audio of a window as numbers in [-1, 1). Signed 16-bit input cannot contain
// NaN.
func (w window) samples(pcm io.ReaderAt) ([]float32, error) {
	const bytesPerMS = 2 * media.SpeechSampleRate / 1000
	out := make([]float32, 0, max(minSamples, int(w.duration())*media.SpeechSampleRate/1000))
	for _, s := range w {
		raw := make([]byte, s.Duration()*bytesPerMS)
		n, err := pcm.ReadAt(raw, s.StartMS*bytesPerMS)
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("read speech audio: %w", err)
		}
		clear(raw[n:]) // silence after the end of a truncated recording
		for i := 0; i+1 < len(raw); i += 2 {
			out = append(out, float32(int16(binary.LittleEndian.Uint16(raw[i:])))/32768)
		}
	}
	for len(out) < minSamples {
		out = append(out, 0)
	}
	return out, nil
}
