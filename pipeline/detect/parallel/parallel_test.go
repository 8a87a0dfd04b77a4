package parallel_test

import (
	"fmt"
	"strings"
	"testing"

	"roughcut/pipeline/detect/parallel"
)

func TestBothRunAtTheSameTime(_ *testing.T) {
	met := make(chan struct{})
	parallel.Both(func() { met <- struct{}{} }, func() { <-met })
}

// The caller can recover a panic of either function, and the other function has ended by then.
func TestBothPanicsInItsCaller(t *testing.T) {
	broken := func() { panic("index out of range") }
	for name, both := range map[string]func(ended *bool){
		"other": func(ended *bool) { parallel.Both(broken, func() { *ended = true }) },
		"here":  func(ended *bool) { parallel.Both(func() { *ended = true }, broken) },
	} {
		t.Run(name, func(t *testing.T) {
			var ended bool
			defer func() {
				if fault := fmt.Sprint(recover()); !strings.Contains(fault, "index out of range") || !ended {
					t.Errorf("recovered %q, the other function has ended: %v", fault, ended)
				}
			}()
			both(&ended)
		})
	}
}
