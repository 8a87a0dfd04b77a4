// Package parallel computes on two processors.
package parallel

import (
	"fmt"
	"runtime/debug"
)

// Both calls two functions at the same time and returns after both. A panic of either is one of the
// caller, which can recover it. A panic in a goroutine of its own would end the process.
func Both(other, here func()) {
	var fault any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if fault = recover(); fault != nil {
				fault = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
			}
		}()
		other()
	}()
	func() {
		defer func() { <-done }()
		here()
	}()
	if fault != nil {
		panic(fault)
	}
}
