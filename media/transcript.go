package media

// Word is one spoken word. Times are on the clip for a fresh transcription, on the project once the
// store serves it.
type Word struct {
	Text        string  `json:"text"`
	StartMS     int64   `json:"start_ms"`
	EndMS       int64   `json:"end_ms"`
	Probability float64 `json:"probability"` // 0-1
}

// Transcript is what was said in one recording. Words are in order, do not overlap, and lie within
// the recording.
type Transcript struct {
	Language string      `json:"language"` // ISO 639-1, empty where unknown
	Words    []Word      `json:"words"`
	Segments []TimedText `json:"segments"`
}

// Text is a stretch of speech as the model punctuated it, or a caption line.
type TimedText struct {
	Text    string `json:"text"`
	StartMS int64  `json:"start_ms"`
	EndMS   int64  `json:"end_ms"`
}
