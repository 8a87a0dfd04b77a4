package media

// Word is one spoken word. Its times are clip time in a fresh transcript, and project time once the
// store serves it.
type Word struct {
	Text        string  `json:"text"`
	StartMS     int64   `json:"start_ms"`
	EndMS       int64   `json:"end_ms"`
	Probability float64 `json:"probability"` // 0-1
	// Speaker names who says the word; empty if unknown. Only imported transcripts have speakers.
	Speaker string `json:"speaker,omitempty"`
}

// Transcript is the text recognition result of one recording. Words are sorted, do not overlap, and
// stay within the recording.
type Transcript struct {
	Language string      `json:"language"` // ISO 639-1, empty if unknown
	Words    []Word      `json:"words"`
	Segments []TimedText `json:"segments"`
	// Doubt is one of the Language constants, or empty if the language is certain or was requested.
	Doubt string `json:"doubt,omitempty"`
}

// TimedText is a phrase as the speech model punctuated it, or a caption line.
type TimedText struct {
	Text    string `json:"text"`
	StartMS int64  `json:"start_ms"`
	EndMS   int64  `json:"end_ms"`
}

// ImportedTranscript is a transcript that comes with a recording, before it is aligned with the
// audio.
type ImportedTranscript struct {
	Language string         `json:"language"` // ISO 639-1 or empty
	Lines    []TimedText    `json:"lines"`    // by start; they may overlap
	Words    []ImportedWord `json:"words"`    // of all lines, in the order of the lines
	// Exact reports whether Roughcut wrote the file, so that the times of its words are final.
	Exact bool `json:"exact,omitempty"`
	// Warnings name what the reader of the file has corrected, for people.
	Warnings []string `json:"warnings,omitempty"`
}

// ImportedWord is a word of a line.
type ImportedWord struct {
	Word
	Line int `json:"line"` // index in Lines
	// Rough reports whether the source has no time for the word. It then shares the span of its
	// line with other rough words, by length.
	Rough bool `json:"rough,omitempty"`
}

// CaptionLines returns the lines with the speakers who say most of their words.
func (t ImportedTranscript) CaptionLines() []CaptionLine {
	said := make([][]Word, len(t.Lines))
	for _, w := range t.Words {
		said[w.Line] = append(said[w.Line], w.Word)
	}
	lines := make([]CaptionLine, len(t.Lines))
	for i, l := range t.Lines {
		lines[i] = CaptionLine{Text: l.Text, StartMS: l.StartMS, EndMS: l.EndMS, Speaker: MainSpeaker(said[i])}
	}
	return lines
}

// SpeechHints tell a speech model how words of a recording are written.
type SpeechHints struct {
	Terms []string // names and terms, the most important first
}
