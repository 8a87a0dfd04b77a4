package server

import (
	"context"
	"encoding/json"
	"time"

	"roughcut/server/api"
	"roughcut/store"
)

// operations are the handlers of the contract, each named after its operationId.
type handlers struct{ *Server }

// userOf returns the uuid of the caller.
func userOf(ctx context.Context) string { return infoOf(ctx).caller.user.UUID }

// timestamp writes a time as the contract has it: UTC, milliseconds, with offset.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000-07:00") }

func timestampOrNull(t *time.Time) *string {
	if t == nil {
		return nil
	}
	text := timestamp(*t)
	return &text
}

// orNull is nil for the zero value, which stands for "not there" in the store's records.
func orNull[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// or returns what a pointer points at, or a default.
func valueOr[T any](p *T, value T) T {
	if p == nil {
		return value
	}
	return *p
}

// each converts the items of a list; the result is never nil, so that it is never null in JSON.
func mapSlice[A, B any](items []A, convert func(A) B) []B {
	out := make([]B, 0, len(items))
	for _, item := range items {
		out = append(out, convert(item))
	}
	return out
}

// onePageSize is the page size that a list without pages answers with: it holds all n items.
func onePageSize(n int) int { return max(n, defaultPageSize) }

// pageOf reads the page parameters, which the contract has bounded.
func pageOf(number *api.Page, size *api.PageSize) store.Page {
	return store.Page{Number: valueOr(number, 1), Size: valueOr(size, defaultPageSize)}
}

// defaultPageSize is the page size where a request leaves it out.
const defaultPageSize = 50

// object returns settings as a JSON object.
func object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}")
	}
	return raw
}
