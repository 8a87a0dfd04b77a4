package whisper

import (
	"encoding/binary"
	"fmt"
	"io"

	"roughcut/media"
	"roughcut/media/audio"
)

// splitSearchMS is the search range for the quietest moment of speech that is split.
const splitSearchMS = 8_000

// packing says how much audio one model run gets, in milliseconds.
type packing struct {
	most    int64 // the longest window, with its padding
	least   int64 // from here on, a window may end at a pause
	voiced  int64 // longer speech without a pause is split at a quiet moment
	padding int64 // silence that stays on each side of a longer pause
}

// Every run encodes 30 s, however little audio it gets. Models of Whisper's sizes were trained on
// 30 s, so full windows take the fewest runs. Their speech is a little further apart than in
// windows of whisper-cli with its own voice detection (30 ms of padding, 100 ms of silence).
// Smaller models omit words if 30 s are full of dense speech.
var (
	fullWindows  = packing{most: 29_500, least: 26_000, voiced: 27_000, padding: 100}
	shortWindows = packing{most: 20_000, least: 10_000, voiced: 18_000, padding: 500}
)

// leastWidth is the width of Whisper's smallest model, tiny.
const leastWidth = 384

// packing returns how much audio a run of the model gets.
func (m *Model) packing() packing {
	if m.info.Width < leastWidth {
		return shortWindows
	}
	return fullWindows
}

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
func (p packing) windows(v audio.VoiceActivity) []window {
	spans := p.splitLongSpans(v)
	var out []window
	for len(spans) > 0 {
		n := p.spansInWindow(spans)
		out = append(out, p.paddedWindow(spans[:n], v.DurationMS))
		spans = spans[n:]
	}

	return out
}

// splitLongSpans returns the voiced spans. It splits those that are too long for a window at quiet
// moments.
func (p packing) splitLongSpans(v audio.VoiceActivity) []media.Span {
	var out []media.Span
	for _, s := range v.Spans {
		for s.Duration() > p.voiced {
			latest := s.StartMS + p.voiced
			at := v.Quietest(media.Span{StartMS: latest - splitSearchMS, EndMS: latest}, latest)
			out = append(out, media.Span{StartMS: s.StartMS, EndMS: at})
			s.StartMS = at
		}

		out = append(out, s)
	}

	return out
}

// spansInWindow returns the number of spans in the next window: as many as fit, or those before the
// longest pause after p.least.
func (p packing) spansInWindow(spans []media.Span) int {
	length := 2 * p.padding
	best, bestGap := 0, int64(-1)
	for i, a := range spans {
		if i > 0 {
			length += min(a.StartMS-spans[i-1].EndMS, 2*p.padding)
			gap := a.StartMS - spans[i-1].EndMS
			if length >= p.least && gap >= bestGap {
				best, bestGap = i, gap
			}
		}

		if length += a.Duration(); length > p.most && i > 0 {
			if best == 0 {
				best = i
			}
			return best
		}
	}

	return len(spans)
}

// paddedWindow returns the window of spans, each with padding.
func (p packing) paddedWindow(spans []media.Span, durationMS int64) window {
	padded := make([]media.Span, len(spans))
	for i, a := range spans {
		padded[i] = media.Span{StartMS: max(a.StartMS-p.padding, 0), EndMS: min(a.EndMS+p.padding, durationMS)}
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
