package server

import (
	"roughcut/server/api"
	"roughcut/store"
)

// cutChoices are the fields of a request that change store.CutOptions. A nil field keeps its value.
type cutChoices struct {
	breaths                        *api.BreathChoice
	background                     *api.BackgroundChoice
	faintSpeech                    *api.FaintSpeechChoice
	keepDemonstrations, exactEdges *bool
	muteKinds                      *[]api.DetectedEditType
}

// apply changes the options.
func (c cutChoices) apply(o *store.CutOptions) {
	setChoice(&o.Breaths, c.breaths)
	setChoice(&o.Background, c.background)
	setChoice(&o.FaintSpeech, c.faintSpeech)
	set(&o.KeepDemonstrations, c.keepDemonstrations)
	set(&o.ExactEdges, c.exactEdges)
	if c.muteKinds != nil {
		o.MuteKinds = mapSlice(*c.muteKinds, func(kind api.DetectedEditType) string { return string(kind) })
	}
}

func muteKinds(o store.CutOptions) []api.DetectedEditType {
	return mapSlice(o.MuteKinds, func(kind string) api.DetectedEditType { return api.DetectedEditType(kind) })
}
