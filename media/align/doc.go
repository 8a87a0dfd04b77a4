// Package align fits the words of a transcript to the sound of its recording. Speech models and
// imported transcripts say roughly when a word is spoken; this package finds its start and its end.
// It reads no files.
package align

import "roughcut/media"

// Word is a word with the rough times of its source, in milliseconds of clip time.
type Word struct {
	media.Word
	Segment int // index of the segment or line that contains it
}
