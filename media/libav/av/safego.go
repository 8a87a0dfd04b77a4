package av

import (
	"fmt"
	"runtime/debug"
)

// Safely returns a step that turns a panic into its error. A panic in another goroutine than the
// caller's would end the whole process, with the jobs of all users.
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
