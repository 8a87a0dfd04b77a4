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

// answered is what the tests of this package were answered, of each operation and in all.
var answered = answers{statuses: map[string]bool{}, codes: map[string]bool{}}

type answers struct {
	mu       sync.Mutex
	statuses map[string]bool // "operation status"
	codes    map[string]bool
}

func (a *answers) note(operation string, status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.statuses[operation+" "+strconv.Itoa(status)] = true
}

func (a *answers) noteCode(code string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.codes[code] = true
}

// answeredAll runs the tests and, where all of them ran and passed, looks whether each answer that
// the contract promises was given to one of them: an answer that no test has seen is not proven, or
// is never given.
type answeredAll struct{ *testing.M }

// Run runs the tests.
func (m answeredAll) Run() int {
	code := m.M.Run()
	if code != 0 || testing.Short() || !allRan() {
		return code
	}
	missing, err := answered.missing()
	if err != nil || len(missing) > 0 {
		fmt.Fprintf(os.Stderr, "no test was answered: %v %v\n", strings.Join(missing, "; "), err)
		return 1
	}
	return code
}

// allRan tells a run of all tests from one of some.
func allRan() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.bench"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	return true
}

// notHere are answers that no test of this package can bring about, with why.
var notHere = map[string]string{
	"saveExport 507": "it takes a disk of the person's that is full",
}

// missing lists the answers of the contract that were never given, sorted.
func (a *answers) missing() (list []string, err error) {
	c, err := Contract()
	if err != nil {
		return nil, err
	}
	for _, op := range c.Operations() {
		for status := range op.Route.Operation.Responses.Map() {
			if what := op.ID + " " + status; !a.statuses[what] && notHere[what] == "" {
				list = append(list, what)
			}
		}
	}
	codes, err := c.ErrorCodes()
	for status, known := range codes {
		for code := range known {
			if !a.codes[code] {
				list = append(list, status+" "+code)
			}
		}
	}
	slices.Sort(list)
	return list, err
}
