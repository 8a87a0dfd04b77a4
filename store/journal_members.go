package store

import (
	"bytes"
	"encoding/json"
	"slices"

	"roughcut/store/table"
)

// fields are members of a stored row by name, as JSON. One that the row does not have is null.
type fields map[string]json.RawMessage

// is reports whether a member has a value.
func (f fields) is(name string, value any) bool {
	packed, err := json.Marshal(value)
	return err == nil && sameValue(f[name], packed)
}

// value decodes the value that noteChange was given.
func (f fields) value(into any) error { return json.Unmarshal(orNull(f["Value"]), into) }

// members are the members of a stored row in stored order. One that the row does not have is null.
type members []table.Member

// at returns the index of a member, or -1 if the row does not have it. It looks at index near
// first.
func (m members) at(name []byte, near int) int {
	if near < len(m) && bytes.Equal(m[near].Name, name) {
		return near
	}
	return slices.IndexFunc(m, func(one table.Member) bool { return bytes.Equal(one.Name, name) })
}

// value returns the value of a member.
func (m members) value(name string) json.RawMessage {
	if i := m.at([]byte(name), len(m)); i >= 0 {
		return m[i].Value
	}
	return nil
}

// fields returns all members by name.
func (m members) fields() fields {
	if m == nil {
		return nil
	}
	f := make(fields, len(m))
	for _, one := range m {
		f[string(one.Name)] = one.Value
	}
	return f
}

// differing returns the members that differ on two sides of a row. The time of the last change is
// not one of them.
func differing(a, b members) (inA, inB fields) {
	inA, inB = fields{}, fields{}
	differ := func(name []byte, va, vb json.RawMessage) {
		if string(name) != updatedAt && !sameValue(va, vb) {
			inA[string(name)], inB[string(name)] = va, vb
		}
	}
	next := 0 // both sides have mostly the same members in the same order
	for _, one := range a {
		var other json.RawMessage
		if i := b.at(one.Name, next); i >= 0 {
			other, next = b[i].Value, i+1
		}
		differ(one.Name, one.Value, other)
	}

	next = 0
	for _, one := range b {
		if i := a.at(one.Name, next); i >= 0 {
			next = i + 1
		} else {
			differ(one.Name, nil, one.Value)
		}
	}

	return inA, inB
}

// sameValue compares members. A missing one is null.
func sameValue(a, b json.RawMessage) bool {
	isNull := func(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" }
	areBothNull := isNull(a) && isNull(b)
	return areBothNull || bytes.Equal(a, b)
}

// orNull returns raw, or null if raw is empty.
func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}
