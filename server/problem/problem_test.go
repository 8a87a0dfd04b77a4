package problem

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"syscall"
	"testing"
	"time"

	"roughcut/store"
)

func TestErrorsBecomeProblems(t *testing.T) {
	var number struct {
		Count int `json:"count"`
	}
	mistyped := json.Unmarshal([]byte(`{"count":1.5}`), &number)
	for _, c := range []struct {
		err      error
		status   int
		code     string
		field    string
		internal bool
	}{
		{Errorf(store.NotFound, "not_found", "The clip does not exist."), 404, "not_found", "", false},
		{Errorf(store.StorageFull, "storage_full", "The disk is full."), 507, "storage_full", "", false},
		{FieldError("name", "is missing"), 422, "unprocessable", "name", false},
		{FieldError("", "is missing"), 422, "unprocessable", "body", false},
		{&http.MaxBytesError{Limit: 10}, 413, "too_large", "", false},
		{mistyped, 422, "unprocessable", "count", false},
		{errors.New("disk on fire"), 500, "internal", "", true},
	} {
		p, internal := Of(c.err)
		if p.Status != c.status || p.Code != c.code || internal != c.internal {
			t.Errorf("%v: problem %+v, internal %t", c.err, p, internal)
		}
		if c.field != "" && (len(p.Errors) != 1 || p.Errors[0].Field != c.field) {
			t.Errorf("%v: fields %v, want %s", c.err, p.Errors, c.field)
		}
	}
}

func TestWrittenProblemsAreReadBack(t *testing.T) {
	limited := Errorf(store.RateLimited, "rate_limited", "Too many requests.")
	limited.RetryAfter = 1500 * time.Millisecond
	for _, want := range []*store.Error{
		limited,
		FieldError("name", "is missing"),
		Errorf(store.Conflict, "conflict", "The export is running."),
	} {
		w := httptest.NewRecorder()
		p, _ := Of(want)
		Write(w, p)
		response := w.Result()
		if kind := response.Header.Get("Content-Type"); kind != ContentType {
			t.Errorf("%v: content type %q", want, kind)
		}
		if want == limited && response.Header.Get("Retry-After") != "2" {
			t.Errorf("Retry-After is %q, want 2", response.Header.Get("Retry-After"))
		}
		var got *store.Error
		err := Read(response)
		if !errors.As(err, &got) || got.Kind != want.Kind || got.Code != want.Code || got.Message != want.Message {
			t.Errorf("read %v, want %v", err, want)
		}
	}
}

// Users read what to do, and the operator finds the cause in the log.
func TestErrorsOfTheDiskAreExplainedAndLogged(t *testing.T) {
	user := Errorf(store.Unavailable, "unavailable", "The disk reported an error.")
	p, internal := Of(errors.Join(store.ErrDisk, user))
	if !internal || p.Status != http.StatusServiceUnavailable || p.Detail != user.Message {
		t.Errorf("%+v, internal %t", p, internal)
	}
}

func TestTooManyOpenFilesAreExplainedAndLogged(t *testing.T) {
	p, internal := Of(&os.PathError{Op: "open", Path: "clips/a", Err: syscall.EMFILE})
	if !internal || p.Status != http.StatusServiceUnavailable || p.Detail != store.OpenFilesText {
		t.Errorf("%+v, internal %t", p, internal)
	}
}

func TestReadReportsStatusWithoutProblem(t *testing.T) {
	w := httptest.NewRecorder()
	w.WriteHeader(http.StatusBadGateway)
	if err := Read(w.Result()); err == nil || err.Error() != "the server responded with 502 Bad Gateway" {
		t.Errorf("read %v", err)
	}
}
