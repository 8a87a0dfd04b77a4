package av

import (
	"fmt"
	"runtime/debug"
)

// Safely returns a step that turns a panic into its error. A panic in a goroutine of its own would
// end the whole server, with the jobs of everybody.
func Safely(step func() error) func() error {
	return func() (err error) {
		defer func() {
			if fault := recover(); fault != nil {
				err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
			}
		}()
		return step()
	}
}
