package server

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

// hostile returns the values that a client may send in place of any value.
func hostile() []any {
	return []any{
		nil,
		true,
		-1,
		0,
		1.5,
		1e300,
		int64(1) << 62,
		"",
		" ",
		strings.Repeat("x", 20_000),
		"\x00\n\u202e",
		"../../etc/passwd",
		"{}",
		noSuchUUID,
		[]any{},
		[]any{nil, 1, "x", map[string]any{}},
		map[string]any{},
		map[string]any{"a": map[string]any{"b": []any{[]any{}}}},
	}
}

// mutations calls fn with copies of a body, each with one value at any depth replaced or removed.
func mutations(body any, fn func(any)) {
	switch b := body.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(b)) {
			with := func(value any) {
				changed := maps.Clone(b)
				changed[name] = value
				fn(changed)
			}
			for _, value := range hostile() {
				with(value)
			}
			mutations(b[name], with)
			without := maps.Clone(b)
			delete(without, name)
			fn(without)
		}
	case []any:
		for i := range b {
			mutations(b[i], func(value any) {
				changed := slices.Clone(b)
				changed[i] = value
				fn(changed)
			})
		}
	}
}

// bodiesOf returns the examples of a body. Without examples it returns one body with every
// property.
func bodiesOf(t *testing.T, content *openapi3.MediaType) []any {
	t.Helper()
	var list []any
	for _, example := range content.Examples {
		var value any
		text, err := json.Marshal(example.Value.Value)
		if err == nil {
			err = json.Unmarshal(text, &value)
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, value)
	}
	if len(list) == 0 {
		value := map[string]any{}
		for name := range content.Schema.Value.Properties {
			value[name] = "text"
		}
		list = append(list, value)
	}
	return list
}

// Hostile bodies never cause an internal error or damage the stored data.
func TestHostileBodiesCauseNoInternalError(t *testing.T) {
	t.Parallel()
	f := newFull(t)
	sent := 0
	for _, op := range sortedOperations(f.w) {
		body := op.Route.Operation.RequestBody
		if op.Streams || op.FileBody || body == nil || op.ID == "deleteMe" || op.ID == "login" {
			continue
		}
		for _, value := range bodiesOf(t, body.Value.Content["application/json"]) {
			mutations(value, func(changed any) {
				if _, limited := rateLimits[op.ID]; limited {
					f.w.clock.Advance(rateLimits[op.ID].window)
				}
				r := f.p.do(op.Route.Method, fill(op, f.ids), changed)
				sent++
				if r.status >= 500 {
					t.Errorf("%s of %.200v: response %d %s", op.ID, changed, r.status, r.body)
				}
				if r.status == 401 {
					f.p = f.w.signIn(f.p.user) // a new password, or time, has ended the session
				}
			})
		}
		f.w.clock.Advance(time.Minute)
	}
	if sent < 1000 {
		t.Errorf("sent only %d bodies", sent)
	}
	found, err := f.w.store.Check(t.Context())
	if err != nil || len(found) > 0 {
		t.Errorf("doctor reports %v %v", found, err)
	}
}

func TestHostileQueriesCauseNoInternalError(t *testing.T) {
	t.Parallel()
	f := newFull(t)
	sent := 0
	for _, op := range sortedOperations(f.w) {
		for _, parameter := range op.Route.Operation.Parameters {
			if parameter.Value.In != "query" || op.Streams {
				continue
			}
			for _, value := range []string{
				"", " ", "-1", "0", "1.5", "1e9", "99999999999999999999", "\x00", "\xff", "null", "[]", "../x",
				noSuchUUID, strings.Repeat("x", 20_000), `"a" AND (b OR *`,
			} {
				r := f.p.do(
					op.Route.Method,
					fill(op, f.ids)+"?"+url.Values{parameter.Value.Name: {value}}.Encode(),
					nil,
				)
				sent++
				if r.status >= 500 {
					t.Errorf(
						"%s with %s=%.100q: response %d %s",
						op.ID,
						parameter.Value.Name,
						value,
						r.status,
						r.body,
					)
				}
			}
			f.w.clock.Advance(time.Hour)
		}
	}
	if sent < 300 {
		t.Errorf("sent only %d queries", sent)
	}
}
