package detect

import "roughcut/media"

// TakeRef names a take of a take group.
type TakeRef struct {
	Group  string `json:"group"`  // ID of the TakeGroup
	Number int    `json:"number"` // from 1, in the order of Takes
}

// TakeGroup holds the takes of one sentence in a clip.
type TakeGroup struct {
	// ID is unique in the clip. It follows from the start of the first take, so a replan with other
	// settings keeps it.
	ID       string `json:"id"`
	Takes    []Take `json:"takes"`    // by time, at least two
	Proposed int    `json:"proposed"` // number of the take to keep, from 1; it has no edit
}

// Take is one attempt at a sentence.
type Take struct {
	media.Span
	Text     string  `json:"text,omitempty"` // empty without a transcript
	Complete bool    `json:"complete"`       // reaches the end of the sentence
	Fluent   bool    `json:"fluent"`         // has no filler, stutter or long pause
	LevelDB  float64 `json:"level_db"`       // mean level of its voice in dBFS
	Partial  bool    `json:"partial"`        // aborts a sentence that a later take completes
	Reason   string  `json:"reason"`         // why it is proposed or not, for the user
}
