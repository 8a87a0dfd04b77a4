package server

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// received collects the responses that the tests of this package received.
var received = responses{statuses: map[string]bool{}, codes: map[string]bool{}, errors: map[string]bool{}}

type responses struct {
	mu       sync.Mutex
	statuses map[string]bool // "operation status"
	codes    map[string]bool
	errors   map[string]bool // "operation code"
}

func (r *responses) note(operation string, status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statuses[operation+" "+strconv.Itoa(status)] = true
}

// noteCode notes an error code. The operation is empty for an address outside the contract.
func (r *responses) noteCode(operation, code string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.codes[code] = true
	r.errors[operation+" "+code] = true
}

// receivedAll runs the tests. If all of them ran and passed, it checks that they received each
// response of the contract. A response that no test has seen is untested, or the server never gives
// it.
type receivedAll struct{ *testing.M }

// Run runs the tests.
func (m receivedAll) Run() int {
	code := m.M.Run()
	if code != 0 || testing.Short() || !allRan() {
		return code
	}
	missing, err := received.missing()
	if err != nil || len(missing) > 0 {
		fmt.Fprintf(os.Stderr, "no test received these responses: %v %v\n", strings.Join(missing, "; "), err)
		return 1
	}
	return code
}

// allRan reports whether the run includes all tests.
func allRan() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.bench"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	return true
}

// notHere lists the responses that no test of this package can cause, with the reason.
var notHere = map[string]string{
	"saveExport 507":          "needs a full disk of the user",
	"saveExport storage_full": "needs a full disk of the user",
	"saveStill 507":           "needs a full disk of the user",
	"saveStill storage_full":  "needs a full disk of the user",
	"search 503":              "lasts as long as the index is built; TestSearchWhileTheIndexIsBuilt of store holds it",
}

// forAllKeys is a code that each operation with an Idempotency-Key lists. A few of them stand for
// all in the tests.
const forAllKeys = "response_unknown"

// missing returns the sorted responses of the contract that no test received.
func (r *responses) missing() (list []string, err error) {
	c, err := Contract()
	if err != nil {
		return nil, err
	}
	for _, op := range c.Operations() {
		for status := range op.Route.Operation.Responses.Map() {
			if what := op.ID + " " + status; !r.statuses[what] && notHere[what] == "" {
				list = append(list, what)
			}
		}
	}
	for _, op := range c.Operations() {
		for _, code := range op.ErrorCodes {
			if what := op.ID + " " + code; !r.errors[what] && code != forAllKeys && notHere[what] == "" {
				list = append(list, what)
			}
		}
	}

	codes, err := c.ErrorCodes()
	for status, known := range codes {
		for code := range known {
			if !r.codes[code] {
				list = append(list, status+" "+code)
			}
		}
	}
	slices.Sort(list)
	return list, err
}
