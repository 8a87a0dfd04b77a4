package media

import (
	_ "embed"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Values of the choices in CutOptions.
const (
	ChoiceRemove  = "remove"
	ChoiceShorten = "shorten"
	ChoiceKeep    = "keep"
)

// CutOptions are a person's choices of what an analysis proposes to cut, and how. Each field has a
// row in cutoptions.json. The API, the command line and the page take its name, values and texts
// from there. An empty choice means its default, as in rows that were stored before the choice
// existed.
type CutOptions struct {
	PacingLevel           int    // 0-100: higher cuts shorter pauses and keeps less of each
	FalseStartSensitivity int    // 0-100: from exact repeats of four words to restarts after two similar words
	CutFillers            bool   // fillers and stutters that are certain are active edits
	Breaths               string `json:",omitempty"` // breaths in a pause: remove (default), shorten or keep
	Background            string `json:",omitempty"` // background sound without speech: remove (default) or keep
	FaintSpeech           string `json:",omitempty"` // speech that is too quiet to hear: keep (default) or remove
	// silences over a moving video are proposed as inactive edits
	KeepDemonstrations bool `json:",omitempty"`
	// the edges of cuts stay off keyframes; by default a cut may end up to 80 ms earlier if the
	// export then copies more of the video
	ExactEdges bool     `json:",omitempty"`
	MuteKinds  []string `json:",omitempty"` // types of detected edits that mute instead of cutting
}

// CutOption describes a field of CutOptions.
type CutOption struct {
	Name        string     `json:"name"`        // in the API; the field has the same name in camel case
	Flag        string     `json:"flag"`        // of the command line
	Help        string     `json:"help"`        // of the flag
	Special     bool       `json:"special"`     // the flag is for special recordings only
	Description string     `json:"description"` // in the API
	Schema      string     `json:"schema"`      // of a choice in the API
	Default     int        `json:"default"`     // of a level from 0 to 100
	Values      []CutValue `json:"values"`      // of a choice, the default first
}

// CutValue is a value that a choice can have.
type CutValue struct {
	Name string `json:"name"`
}

//go:embed cutoptions.json
var cutOptionsJSON []byte

var cutOptions = mustParse[[]CutOption]("cutoptions.json", cutOptionsJSON)

// CutOptionTable returns a description of each field of CutOptions, in display order.
func CutOptionTable() []CutOption { return slices.Clone(cutOptions) }

// In returns a pointer to the option: *int for a level, *bool for yes or no, *string for a choice,
// and *[]string for types of edits.
func (c CutOption) In(o *CutOptions) any {
	var name strings.Builder
	for word := range strings.SplitSeq(c.Name, "_") {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return reflect.ValueOf(o).Elem().FieldByName(name.String()).Addr().Interface()
}

// Choices returns the names that the option can have, for a choice with the default first; nil for
// a level, and for yes or no.
func (c CutOption) Choices() (names []string) {
	if _, ok := c.In(&CutOptions{}).(*[]string); ok {
		return DetectedKinds()
	}
	for _, v := range c.Values {
		names = append(names, v.Name)
	}
	return names
}

// Check refuses a value that the option cannot have. The error continues a sentence about it.
func (c CutOption) Check(o CutOptions) error {
	var names []string
	switch field := c.In(&o).(type) {
	case *int:
		if *field < 0 || *field > 100 {
			return fmt.Errorf("must be 0 to 100, not %d", *field)
		}
	case *string:
		names = []string{*field}
	case *[]string:
		names = *field
	}

	for _, name := range names {
		if allowed := c.Choices(); !slices.Contains(allowed, name) {
			return fmt.Errorf("must be %s, not %q", OrList(allowed), name)
		}
	}

	return nil
}

// DefaultCutOptions returns the options of an analysis without user choices. Levels have their
// defaults, and all other fields are empty.
func DefaultCutOptions() CutOptions {
	var o CutOptions
	for _, c := range cutOptions {
		if level, ok := c.In(&o).(*int); ok {
			*level = c.Default
		}
	}

	return o
}

// WithDefaults returns the options with every choice filled in.
func (o CutOptions) WithDefaults() CutOptions {
	for _, c := range cutOptions {
		switch field := c.In(&o).(type) {
		case *string:
			if *field == "" {
				*field = c.Values[0].Name
			}
		case *[]string:
			if *field == nil {
				*field = []string{}
			}
		}
	}

	return o
}

// ActionOf returns what a detected edit of a type does.
func (o CutOptions) ActionOf(kind string) string {
	if slices.Contains(o.MuteKinds, kind) {
		return ActionMute
	}
	return ActionCut
}

// OrList returns choices as "a, b or c".
func OrList(choices []string) string {
	last := len(choices) - 1
	if last < 1 {
		return strings.Join(choices, "")
	}
	return strings.Join(choices[:last], ", ") + " or " + choices[last]
}
