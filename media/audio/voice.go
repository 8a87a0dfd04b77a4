package audio

import (
	"slices"

	"roughcut/media"
)

// Measures of VoiceOfPeaks.
const (
	voiceFrame = media.PeaksPerSecond / 10 // peaks in one step
	voiceShare = 0.15                      // least level of a step of speech, relative to loud parts
	voiceLeast = 3                         // the lowest peak that counts as speech, of 255
)

// VoiceOfPeaks returns the spans of a recording that are as loud as speech: at least voiceShare of
// the level that a tenth of the recording exceeds. peaks come from IngestResult. The spans stand in
// for a transcript, which a project without a speech model lacks.
func VoiceOfPeaks(peaks []byte) (spans []media.Span) {
	var tops []byte
	for part := range slices.Chunk(peaks, voiceFrame) {
		tops = append(tops, slices.Max(part))
	}
	if len(tops) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(tops))
	least := max(voiceLeast, voiceShare*float64(sorted[len(sorted)*9/10]))
	const step = voiceFrame * 1000 / media.PeaksPerSecond
	for i, top := range tops {
		if float64(top) >= least {
			spans = append(spans, media.Span{StartMS: int64(i) * step, EndMS: int64(i+1) * step})
		}
	}

	return media.MergeSpans(spans)
}
