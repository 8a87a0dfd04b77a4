package pipeline

import (
	"roughcut/pipeline/detect"
	"roughcut/store"
)

// Words per caption line, at most, for each caption length that a preset can name. Medium is the
// default of the server and the command line.
const (
	CaptionWordsShort  = 4
	CaptionWordsMedium = 7
	CaptionWordsLong   = 10
)

// CaptionLines builds caption lines of at most maxWords words from transcripts, on clip time.
func CaptionLines(transcripts []store.ClipTranscript, maxWords int) []store.ClipCaption {
	var out []store.ClipCaption
	for _, t := range transcripts {
		for _, line := range detect.CaptionLines(t.Words, maxWords) {
			out = append(out, store.ClipCaption{ClipUUID: t.ClipUUID, TimedText: line})
		}
	}

	return out
}
