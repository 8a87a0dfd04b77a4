package media

// Word is one spoken word. Its times are clip time in a fresh transcript, and project time once the
// store serves it.
type Word struct {
	Text        string  `json:"text"`
	StartMS     int64   `json:"start_ms"`
	EndMS       int64   `json:"end_ms"`
	Probability float64 `json:"probability"` // 0-1
}

// Transcript is the text recognition result of one recording. Words are sorted, do not overlap, and
// stay within the recording.
type Transcript struct {
	Language string      `json:"language"` // ISO 639-1, empty if unknown
	Words    []Word      `json:"words"`
	Segments []TimedText `json:"segments"`
}

// TimedText is a phrase as the speech model punctuated it, or a caption line.
type TimedText struct {
	Text    string `json:"text"`
	StartMS int64  `json:"start_ms"`
	EndMS   int64  `json:"end_ms"`
}

// SpeechHints tell a speech model how words of a recording are written.
type SpeechHints struct {
	Terms   []string // names and terms, the most important first
	Fillers []string // filler words of the language, which keep the transcript verbatim
}
