// Package contracttest checks responses against the statuses and error codes that the contract
// declares.
package contracttest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"roughcut/server/contract"
)

// everywhere lists the statuses that every operation may respond with. The introduction of the
// contract names them.
var everywhere = map[int]bool{
	http.StatusMethodNotAllowed:      true,
	http.StatusRequestEntityTooLarge: true,
	http.StatusInternalServerError:   true,
	http.StatusServiceUnavailable:    true,
	http.StatusInsufficientStorage:   true,
}

// Find returns the operation that answers a method and a path, or nil.
func Find(c *contract.Contract, method, path string) *contract.Operation {
	var best *contract.Operation
	for _, op := range c.Operations() {
		if op.Route.Method == method && fits(op.Route.Path, path) &&
			(best == nil || strings.Count(op.Route.Path, "{") < strings.Count(best.Route.Path, "{")) {
			best = op
		}
	}

	return best
}

// fits reports whether a path, with or without a trailing slash, is the template with values for
// its parameters.
func fits(template, path string) bool {
	parts, values := strings.Split(template, "/"), strings.Split(strings.TrimSuffix(path, "/"), "/")
	if len(parts) != len(values) {
		return false
	}
	for i, part := range parts {
		if part != values[i] && (!strings.HasPrefix(part, "{") || values[i] == "") {
			return false
		}
	}

	return true
}

// IsEverywhere reports whether an operation need not declare a status, because every operation may
// respond with it.
func IsEverywhere(op *contract.Operation, status int) bool {
	return everywhere[status] && op.Route.Operation.Responses.Status(status) == nil
}

// Undeclared returns an error for a status that an operation does not declare, or an error code
// that it does not list. The code is empty for a response without one.
func Undeclared(op *contract.Operation, status int, code string) error {
	switch {
	case IsEverywhere(op, status):
		return nil
	case op.Route.Operation.Responses.Status(status) == nil:
		return fmt.Errorf("%s does not declare the status %d of its response (%s)", op.ID, status, code)
	case code != "" && !slices.Contains(op.ErrorCodes, code):
		return fmt.Errorf("x-error-codes of %s lack %s, with the status %d", op.ID, code, status)
	}

	return nil
}
