package server

import (
	"context"
	"encoding/json"
	"time"

	"roughcut/server/api"
	"roughcut/store"
)

// handlers implements the operations of the contract. Each method is named after its operationId.
type handlers struct{ *Server }

// userOf returns the UUID of the caller.
func userOf(ctx context.Context) string { return infoOf(ctx).caller.user.UUID }

// timestamp formats a time as the contract defines: UTC with milliseconds and offset.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000-07:00") }

func timestampOrNull(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return new(timestamp(*t))
}

// orNull returns nil for the zero value, which means "absent" in the store's records.
func orNull[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// orMissing returns nil for an empty list, which the response then leaves out.
func orMissing[T any](list []T) *[]T {
	if len(list) == 0 {
		return nil
	}
	return &list
}

// valueOr returns the value behind p, or a default if p is nil.
func valueOr[T any](p *T, value T) T {
	if p == nil {
		return value
	}
	return *p
}

// mapSlice converts the items of a list. The result is never nil, so JSON never contains null for a
// list.
func mapSlice[A, B any](items []A, convert func(A) B) []B {
	out := make([]B, 0, len(items))
	for _, item := range items {
		out = append(out, convert(item))
	}
	return out
}

// recode sets the members of the value at to that from has too, by their JSON names. Null leaves a
// member as it is. It panics if members of one name have different JSON types.
func recode(from, to any) {
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		panic(err)
	}
}

// onePageSize returns the page size of a list without pages, which holds all n items.
func onePageSize(n int) int { return max(n, defaultPageSize) }

// recordPage has the fields of every page type of the contract, which it converts to.
type recordPage[T any] struct {
	Items    []T
	Page     int
	PageSize int
	Total    int
}

// pageRecord returns one page of a list with total items.
func pageRecord[A, B any](p store.Page, items []A, total int, convert func(A) B) recordPage[B] {
	records := mapSlice(items, convert)
	return recordPage[B]{Items: records, Page: p.Number, PageSize: p.Size, Total: total}
}

// wholePage returns all items of a list as one page.
func wholePage[A, B any](items []A, convert func(A) B) recordPage[B] {
	page := store.Page{Number: 1, Size: onePageSize(len(items))}
	return pageRecord(page, items, len(items), convert)
}

// pageOf returns the page parameters of a request, which the contract has already bounded.
func pageOf(number *api.Page, size *api.PageSize) store.Page {
	return store.Page{Number: valueOr(number, 1), Size: valueOr(size, defaultPageSize)}
}

// defaultPageSize is the default page size.
const defaultPageSize = 50
