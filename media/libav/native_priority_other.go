//go:build !linux

package libav

// lowerThreadPriority does nothing: here a priority is that of the whole process.
func lowerThreadPriority() {}
