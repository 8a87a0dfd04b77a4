package store

import "encoding/json"

// SetIfGiven assigns a value to a field. It leaves the field alone if the value is nil, as for a
// field that a request leaves out.
func SetIfGiven[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// OrEmptyObject returns a JSON object, which is empty for nothing and for null.
func OrEmptyObject(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}")
	}
	return raw
}
