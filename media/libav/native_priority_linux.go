package libav

import "syscall"

// lowerPriority gives the calling thread the lowest priority. Where that is refused it stays as it
// is.
func lowerThreadPriority() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 19) }
