package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3filter"

	"roughcut/server/contract"
	"roughcut/server/contract/contracttest"
	"roughcut/server/problem"
)

// contractChecker checks every response against the contract.
type contractChecker struct {
	t        *testing.T
	contract *contract.Contract
	next     http.RoundTripper
}

func (c *contractChecker) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	method := r.Method
	if method == http.MethodHead && c.find(method, r.URL.Path) == nil {
		return response, nil // served like GET, without the body, so its content cannot be checked
	}
	op := c.find(method, r.URL.Path)
	if op != nil {
		received.note(op.ID, response.StatusCode)
	}
	isJSON := strings.Contains(response.Header.Get("Content-Type"), "json") && method != http.MethodHead &&
		response.Header.Get("Content-Encoding") == ""
	var body []byte
	if isJSON {
		if body, err = io.ReadAll(response.Body); err != nil {
			return nil, err
		}
		response.Body.Close()
		response.Body = io.NopCloser(bytes.NewReader(body))
	}
	if response.Header.Get("Content-Encoding") == "" && method != http.MethodHead {
		c.checkProblem(r, response, body)
	}
	if op == nil || contracttest.IsEverywhere(op, response.StatusCode) {
		return response, nil
	}
	// the validator does not support HEAD
	if method == http.MethodHead && op.Route.Operation.Responses.Status(response.StatusCode) == nil {
		c.t.Errorf("HEAD %s -> %d breaks the contract", op.Route.Path, response.StatusCode)
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: op.Route},
		Status:                 response.StatusCode, Header: response.Header,
		Options: &openapi3filter.Options{IncludeResponseStatus: true, ExcludeResponseBody: true},
	}
	if isJSON {
		input.SetBodyBytes(body)
		input.Options.ExcludeResponseBody = false
	}
	if err := openapi3filter.ValidateResponse(r.Context(), input); err != nil {
		c.t.Errorf("%s %s -> %d breaks the contract: %v", r.Method, op.Route.Path, response.StatusCode, err)
	}
	return response, nil
}

// checkProblem checks an error response against the rules for all problems, and its code against
// the table of codes.
func (c *contractChecker) checkProblem(r *http.Request, response *http.Response, body []byte) {
	if response.StatusCode < http.StatusBadRequest {
		return
	}
	var reported problem.Problem
	if response.Header.Get("Content-Type") != problem.ContentType || json.Unmarshal(body, &reported) != nil {
		c.t.Errorf("%s %s -> %d: error body %q", r.Method, r.URL.Path, response.StatusCode, body)
		return
	}
	if reported.Status != response.StatusCode || reported.Title != http.StatusText(reported.Status) ||
		reported.Type == "" || !strings.Contains(reported.Detail, " ") {
		c.t.Errorf("%s %s -> %d: problem %s", r.Method, r.URL.Path, response.StatusCode, body)
	}
	if (reported.Errors != nil) != (reported.Status == http.StatusUnprocessableEntity) {
		c.t.Errorf("%s %s -> %d: fields %v", r.Method, r.URL.Path, response.StatusCode, reported.Errors)
	}
	if wait, err := strconv.Atoi(
		response.Header.Get("Retry-After"),
	); reported.Status == http.StatusTooManyRequests &&
		(err != nil || wait < 1) {
		c.t.Errorf("%s %s -> 429: Retry-After %q", r.Method, r.URL.Path, response.Header.Get("Retry-After"))
	}
	challenge := response.Header.Get("WWW-Authenticate")
	if (challenge != "") != (reported.Status == http.StatusUnauthorized) {
		c.t.Errorf("%s %s -> %d: WWW-Authenticate %q", r.Method, r.URL.Path, response.StatusCode, challenge)
	}
	if op := c.find(r.Method, r.URL.Path); op != nil {
		received.noteCode(op.ID, reported.Code)
		if err := contracttest.Undeclared(op, response.StatusCode, reported.Code); err != nil {
			c.t.Error(err)
		}
	} else {
		received.noteCode("", reported.Code)
	}
	codes, err := c.contract.ErrorCodes()
	if err != nil || codes[strconv.Itoa(response.StatusCode)][reported.Code] == "" {
		c.t.Errorf(
			"%s %s -> %d %s: x-error-codes of the contract lacks the code (%v)",
			r.Method,
			r.URL.Path,
			response.StatusCode,
			reported.Code,
			err,
		)
	}
}

func (c *contractChecker) find(method, path string) *contract.Operation {
	return contracttest.Find(c.contract, method, path)
}
