package server

import (
	"encoding/json"
	"fmt"

	"roughcut/media"
)

// carry copies the fields that two values of the contract share by name. Missing and null fields
// stay as they are. It panics if a field has different types in both.
func carry(to, from any) {
	data, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		panic(fmt.Errorf("copying a %T to a %T: %w", from, to, err))
	}
}

// readOptions changes the options that a request names, and keeps the others.
func readOptions(request any, o *media.CutOptions) {
	var named map[string]json.RawMessage
	carry(&named, request)
	for _, option := range media.CutOptionTable() {
		if value := named[option.Name]; value != nil {
			carry(option.In(o), value)
		}
	}
}

// writeOptions fills the fields of an answer that hold options.
func writeOptions(answer any, o media.CutOptions) {
	o = o.WithDefaults()
	named := map[string]any{}
	for _, option := range media.CutOptionTable() {
		named[option.Name] = option.In(&o)
	}
	carry(answer, named)
}
