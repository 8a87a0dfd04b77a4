//go:build !linux

package libav

// lowerThreadPriority does nothing: on this system, only whole processes have a priority.
func lowerThreadPriority() {}
