package libav

import "syscall"

// lowerThreadPriority gives the calling thread the lowest priority. If the system refuses, the
// priority stays unchanged.
func lowerThreadPriority() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 19) }
