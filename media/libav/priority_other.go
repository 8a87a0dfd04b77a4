//go:build !linux

package libav

// lowerPriority does nothing: here a priority is that of the whole process.
func lowerPriority() {}
