package server

import (
	"encoding/json"

	"roughcut/media"
)

// readOptions changes the options that a request names, and keeps the others.
func readOptions(request any, o *media.CutOptions) {
	var named map[string]json.RawMessage
	recode(request, &named)
	for _, option := range media.CutOptionTable() {
		if value := named[option.Name]; value != nil {
			recode(value, option.In(o))
		}
	}
}

// writeOptions fills the fields of a response that hold options.
func writeOptions(response any, o media.CutOptions) {
	o = o.WithDefaults()
	named := map[string]any{}
	for _, option := range media.CutOptionTable() {
		named[option.Name] = option.In(&o)
	}
	recode(named, response)
}
