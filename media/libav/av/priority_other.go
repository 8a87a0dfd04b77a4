//go:build !linux

package av

// SetThreadNiceness does nothing: on this system, only whole processes have a priority.
func SetThreadNiceness(int) {}
