package store

import (
	"slices"

	"roughcut/media"
)

// Values of the choices in CutOptions.
const (
	ChoiceRemove  = "remove"
	ChoiceShorten = "shorten"
	ChoiceKeep    = "keep"
)

// CutOptions are a person's choices of what an analysis proposes to cut, and how. An empty choice
// means its default, as in rows that were stored before the choice existed.
type CutOptions struct {
	Breaths     string `json:",omitempty"` // remove (default), shorten, keep
	Background  string `json:",omitempty"` // remove (default), keep
	FaintSpeech string `json:",omitempty"` // keep (default), remove
	// silences in which the picture changes are proposed as inactive edits
	KeepDemonstrations bool     `json:",omitempty"`
	ExactEdges         bool     `json:",omitempty"` // cuts do not move to keyframes
	MuteKinds          []string `json:",omitempty"` // types of detected edits that mute instead of cutting
}

// WithDefaults returns the options with every choice filled in.
func (o CutOptions) WithDefaults() CutOptions {
	for _, choice := range []struct {
		value    *string
		fallback string
	}{{&o.Breaths, ChoiceRemove}, {&o.Background, ChoiceRemove}, {&o.FaintSpeech, ChoiceKeep}} {
		if *choice.value == "" {
			*choice.value = choice.fallback
		}
	}
	if o.MuteKinds == nil {
		o.MuteKinds = []string{}
	}
	return o
}

// Check refuses unknown choices and types. Errors: Unprocessable.
func (o CutOptions) Check() error {
	set := o.WithDefaults()
	for _, c := range []struct {
		field, value string
		allowed      []string
	}{
		{"breaths", set.Breaths, []string{ChoiceRemove, ChoiceShorten, ChoiceKeep}},
		{"background", set.Background, []string{ChoiceRemove, ChoiceKeep}},
		{"faint_speech", set.FaintSpeech, []string{ChoiceKeep, ChoiceRemove}},
	} {
		if err := checkChoice(c.field, c.value, c.allowed...); err != nil {
			return err
		}
	}
	for _, kind := range set.MuteKinds {
		if err := checkChoice("mute_kinds", kind, media.DetectedKinds()...); err != nil {
			return err
		}
	}
	return nil
}

// ActionOf returns what a detected edit of a type does.
func (o CutOptions) ActionOf(kind string) string {
	if slices.Contains(o.MuteKinds, kind) {
		return ActionMute
	}
	return ActionCut
}
