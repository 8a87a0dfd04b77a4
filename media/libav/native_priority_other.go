//go:build !linux

package libav

// setThreadNiceness does nothing: on this system, only whole processes have a priority.
func setThreadNiceness(int) {}
