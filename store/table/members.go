package table

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Member is a member of a stored row. Its value is JSON.
type Member struct {
	Name  []byte
	Value json.RawMessage
}

// AppendMembers appends the members of a stored row, a JSON object as encoding/json writes it, in
// stored order. Names and values are parts of row. It costs a tenth of json.Unmarshal into a map,
// which checks and copies each value. Errors: row is not such an object.
func AppendMembers(members []Member, row []byte) ([]Member, error) {
	broken := errors.New("a stored row is not a JSON object")
	if len(row) < 2 || row[0] != '{' || row[len(row)-1] != '}' {
		return nil, broken
	}

	at, end := 1, len(row)-1
	for at < end {
		colon := at + valueLength(row[at:end])
		if row[at] != '"' || colon >= end || row[colon] != ':' {
			return nil, broken
		}
		name, err := unquote(row[at:colon])
		if err != nil {
			return nil, err
		}
		next := colon + 1 + valueLength(row[colon+1:end])
		if next == colon+1 || (next < end && row[next] != ',') || next == end-1 {
			return nil, broken
		}
		members = append(members, Member{name, json.RawMessage(row[colon+1 : next : next])})
		at = next + 1
	}

	return members, nil
}

// valueLength returns the length of the JSON value that text starts with: up to a comma or colon
// outside of strings, objects and arrays.
func valueLength(text []byte) int {
	if n := plainLength(text); n > 0 {
		return n
	}
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case depth == 0 && (c == ',' || c == ':'):
			return i
		}
	}

	return len(text)
}

// plainLength returns the length of the string without escapes that text starts with, or 0. Most
// values are such strings, which bytes.IndexByte passes faster than a loop.
func plainLength(text []byte) int {
	if len(text) == 0 || text[0] != '"' {
		return 0
	}
	n := bytes.IndexByte(text[1:], '"') + 2
	if n < 2 || bytes.IndexByte(text[:n], '\\') >= 0 {
		return 0
	}
	if n == len(text) || text[n] == ',' || text[n] == ':' {
		return n
	}
	return 0
}

func unquote(name []byte) ([]byte, error) {
	if !bytes.ContainsRune(name, '\\') {
		return name[1 : len(name)-1], nil
	}
	var text string
	err := json.Unmarshal(name, &text)
	return []byte(text), err
}
